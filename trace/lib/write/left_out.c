// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

#include "trace/lib/write/left_out.h"

static const char *const names[NTI_LEFT_OUTS] = {
	[NTIME_RECORD_READ] = "reads",
	[NTIME_RECORD_WRITE] = "writes",
	[NTIME_RECORD_MARK] = "marks",
	[NTIME_RECORD_CONFIG_READ] = "reads of configuration space",
	[NTIME_RECORD_CONFIG_WRITE] = "writes to configuration space",
	[NTIME_RECORD_INTERRUPT] = "interrupts",
	[NTIME_RECORD_REGION] = "descriptions of regions",
	[NTIME_RECORD_MMAP] = "parts of regions that bypass the trace",
	[NTIME_RECORD_MMAP_SWITCH] = "switches of parts that bypass the trace",
	[NTIME_RECORD_IOEVENTFD] = "ioeventfds",
	[NTIME_RECORD_QUIRK_READ] = "reads that the emulator answered",
	[NTIME_RECORD_QUIRK_WRITE] = "writes that the emulator took",
	[NTIME_RECORD_LOST] = "losses that the tracer tells",
	[NTIME_RECORD_PCIDEV] = "lines PCIDEV with the addresses of BARs",
	[NTIME_RECORD_MAP] = "mappings",
	[NTIME_RECORD_UNMAP] = "ends of mappings",
	[NTIME_RECORD_UNKNOWN] = "accesses that mmiotrace could not decode",
	[NTIME_RECORD_LIST] = "borders of lists of operations",
	[NTIME_RECORD_EVENT] = "events that mean nothing to ntime",
	[NTIME_RECORD_OTHER] = "lines of other origin",
	[NTI_LEFT_OUT_MASK] = "masks of writes",
	[NTI_LEFT_OUT_END] = "ends of texts that are too long",
	[NTI_LEFT_OUT_TEXT] = "addresses of instructions and other words of accesses",
};

void nti_left_out_add(struct nti_left_out *l, const struct ntime_record *r)
{
	if (!(r->flags & NTIME_RECORD_SYNTHETIC) && r->kind < NTIME_RECORD_KINDS)
		l->count[r->kind]++;
}

int nti_left_out_warn(const struct nti_left_out *l,
		      int (*fn)(void *arg, const char *sentence, const char *remedy,
				uint64_t count),
		      void *arg)
{
	/* All names and their numbers have room. */
	char sentence[2048] = "what this form has no place for was left out: ";
	size_t n = strlen(sentence);
	uint64_t all = 0;
	int ret;

	for (unsigned int i = 0; i < NTI_LEFT_OUTS; i++) {
		if (!l->count[i] || !names[i])
			continue;
		n += (size_t)snprintf(sentence + n, sizeof(sentence) - n, "%s%s (%llu)",
				      all ? ", " : "", names[i], (unsigned long long)l->count[i]);
		all += l->count[i];
	}
	if (!all)
		return 0;
	ret = fn(arg, sentence, "--to binary keeps it", all);
	return ret ? ret : 1;
}
