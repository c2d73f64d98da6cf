// SPDX-License-Identifier: MIT
/* What a trace cannot contain, in sentences, and what to do the next time. */
#include <inttypes.h>
#include <stdio.h>

#include "base/common/compiler.h"
#include "trace/lib/read/front.h"
#include "trace/lib/base/device.h"
#include "trace/lib/read/trace.h"

/* The first lines that cannot be read, by their numbers. */
static void put_lines(const struct nti_trace_losses *l, const char *sentence, char *out,
		      size_t room)
{
	uint64_t i, known = l->torn - l->cut < NTI_TORN_LINES ? l->torn - l->cut : NTI_TORN_LINES;
	size_t n = (size_t)snprintf(out, room, "%s", sentence);

	for (i = 0; i < known; i++)
		n += (size_t)snprintf(out + n, room - n, "%s%" PRIu64, i ? ", " : ": line ",
				      l->torn_at[i]);
	if (l->torn - l->cut > known)
		(void)snprintf(out + n, room - n, ", ...");
}

struct warning {
	uint64_t count;
	const char *sentence, *remedy;
};

int ntime_trace_warnings(const struct ntime_trace *t,
			 int (*fn)(void *arg, const char *sentence, const char *remedy,
				   uint64_t count),
			 void *arg)
{
	const struct nti_trace_losses *l = &t->losses;
	bool is_simple = t->front->form == NTIME_TRACE_SIMPLE;
	bool gives_others = (t->flags & NTIME_TRACE_OTHERS) != 0;
	char torn[256] = "records that could not be read: they do not have their event's arguments";
	const struct warning all[] = {
		{ l->lost_records,
		  "records were lost while the trace was made: what they were is not known",
		  is_simple
			  ? "the simple backend drops records when its buffer of 256 KiB is full; "
			    "use QEMU's log backend (-D FILE)"
			  : "give the tracer a larger buffer (mmiotrace: buffer_size_kb)" },
		{ l->lost_records ? 0 : l->lost_marks,
		  "gaps where an unknown number of records was lost",
		  "give the tracer a larger buffer" },
		{ l->restarts, "times the file was cut or replaced while it was followed",
		  "follow a file that is only appended to" },
		{ l->cut,
		  is_simple ? "the last record is incomplete and was ignored"
			    : "the last line is incomplete and was ignored",
		  "end QEMU before its log is read" },
		{ l->torn - l->cut, torn,
		  is_simple ? "record with QEMU's log backend (-D FILE)"
			    : "compare them with the lines around; they were edited, or another "
			      "program wrote into the file" },
		{ l->unreturned,
		  "lists of register operations were handed in and did not come back whole: what "
		  "they read is not known",
		  "" },
		{ l->unvalued, "reads whose value the trace does not have", "" },
		{ l->mmaps,
		  "parts of regions were mapped into the guest: accesses there bypass the trace",
		  "start QEMU with x-no-mmap=on for the device" },
		{ l->ioeventfds,
		  "registers were given to ioeventfds: writes to them bypass the trace from then "
		  "on",
		  "start QEMU with x-no-kvm-ioeventfd=on,x-no-vfio-ioeventfd=on for the device" },
		{ l->mirror,
		  "accesses to BAR 0 at 0x88000, where NVIDIA's cards mirror their configuration "
		  "space: "
		  "QEMU answers reads there in place of the card and swallows most writes",
		  "start QEMU with x-no-geforce-quirks=on for the device" },
		{ l->nameless,
		  "accesses lost their device: no more than 65,535 devices are distinguished, by "
		  "names of up to 4,096 bytes",
		  "read the trace in parts with fewer devices each" },
		{ l->unplaced,
		  "devices or regions were passed over because too many are known already: "
		  "accesses "
		  "to them keep their physical addresses",
		  "read the trace in parts, each with the lines PCIDEV that it needs" },
		{ gives_others ? l->longs : 0,
		  "lines are longer than any event: only their first 4,096 bytes are kept",
		  "a file that was cut while QEMU wrote it has such lines: let it write anew" },
		{ gives_others ? l->reworded : 0,
		  "events are as babeltrace prints them, or have other blanks or colours: what "
		  "they say and when is kept, their lines are not, and are written as QEMU writes "
		  "them",
		  "keep the log where its lines are needed" },
		{ l->zeros, "texts are cut where a zero byte stands in them",
		  "a file that was cut while QEMU wrote it has such bytes: let it write anew" },
		{ l->unknown,
		  "accesses that mmiotrace could not decode: what they did is not known", "" },
		{ l->backwards, "times that lie before the one of the line above",
		  "expected where several threads are traced; else sort by time before times are "
		  "compared" },
		{ t->front->is_text && !gives_others ? t->others : 0,
		  "lines of other origin were passed over", "" },
		{ t->front->is_text ? 0 : t->others,
		  "events that are none of VFIO's, or that ntime does not know, were passed over",
		  "scripts/simpletrace.py of the QEMU that wrote them prints them" },
	};
	size_t i;
	int ret, n = 0;

	if (t->front->is_text)
		put_lines(l, "lines that begin as an event and break off or go on otherwise", torn,
			  sizeof(torn));

	for (i = 0; i < NTI_ARRAY_SIZE(all); i++) {
		if (!all[i].count)
			continue;
		n++;
		ret = fn(arg, all[i].sentence, all[i].remedy, all[i].count);
		if (ret)
			return ret;
	}
	return n;
}
