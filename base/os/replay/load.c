// SPDX-License-Identifier: MIT
/* Reading a machine file: ntime-machine(5), version 1. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/common/grow.h"
#include "base/common/library.h"
#include "base/common/text.h"
#include "base/os/file.h"
#include "base/os/replay/load.h"

int nti_machine_bad(struct nti_machine_loader *l, const char *format, ...)
{
	char text[NTI_ERROR_TEXT_BYTES], *c;
	va_list args;

	va_start(args, format);
	(void)nti_text_vprint(text, sizeof(text), format, args);
	va_end(args);
	/* Keys come from the file: no control codes on anybody's terminal. */
	for (c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return nti_error(l->e, -EBADMSG, "%s: %s", l->name, text);
}

int nti_machine_number(struct nti_machine_loader *l, const json_t *value, uint64_t max,
		       uint64_t *out, const char *where)
{
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		*out = (uint64_t)json_integer_value(value);
	else if (!json_is_string(value) || nti_text_parse_u64(json_string_value(value), out) < 0)
		return nti_machine_bad(l, "%s must be a number such as 31 or \"0x1f\"", where);
	if (*out > max)
		return nti_machine_bad(l,
				       "%s is %" PRIu64 ", the largest possible value is %" PRIu64,
				       where, *out, max);
	return 0;
}

int nti_machine_known(struct nti_machine_loader *l, const json_t *object, const char *const *known,
		      const char *where)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		const char *const *k;

		for (k = known; *k && strcmp(*k, key) != 0; k++)
			;
		if (!*k)
			return nti_machine_bad(
				l, "%skey \"%s\" is not known in version %d of the format", where,
				key, NTI_MACHINE_VERSION);
	}
	return 0;
}

static int get_text(struct nti_machine_loader *l, const json_t *root, const char *key, char **out)
{
	const json_t *value = json_object_get(root, key);

	*out = NULL;
	if (!value)
		return 0;
	if (!json_is_string(value))
		return nti_machine_bad(l, "\"%s\" must be text", key);
	*out = strdup(json_string_value(value));
	return *out ? 0 : nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
}

/* The object behind @key, or NULL with 0 when it is absent. */
static int get_object(struct nti_machine_loader *l, const json_t *root, const char *key,
		      json_t **out)
{
	*out = json_object_get(root, key);
	if (*out && !json_is_object(*out))
		return nti_machine_bad(l, "\"%s\" must be an object", key);
	return 0;
}

static int check_format(struct nti_machine_loader *l, const json_t *root)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *version = json_object_get(root, "version");

	if (!format || strcmp(format, NTI_MACHINE_FORMAT) != 0)
		return nti_machine_bad(l, "is not a machine file: \"format\" must be \"%s\"",
				       NTI_MACHINE_FORMAT);
	if (!json_is_integer(version))
		return nti_machine_bad(l, "\"version\" must be a number");
	if (json_integer_value(version) != NTI_MACHINE_VERSION)
		return nti_machine_bad(
			l,
			"has version %" JSON_INTEGER_FORMAT
			" of the format, only version %d can be read: use a newer ntime",
			json_integer_value(version), NTI_MACHINE_VERSION);
	return 0;
}

static int load_privileged(struct nti_machine_loader *l, const json_t *root)
{
	const json_t *value = json_object_get(root, "privileged");
	const char *text = json_string_value(value);

	if (!value || json_is_boolean(value)) {
		l->m->is_root = json_is_true(value);
		l->m->is_perfmon = l->m->is_root;
		return 0;
	}
	if (!text || strcmp(text, "perfmon") != 0)
		return nti_machine_bad(l, "\"privileged\" must be true, false or \"perfmon\"");
	l->m->is_perfmon = true;
	return 0;
}

static int load_denied(struct nti_machine_loader *l, const json_t *root)
{
	const json_t *value = json_object_get(root, "denied_perf");

	if (!value)
		return 0;
	if (json_is_string(value))
		l->m->denied_perf = nti_errno_parse(json_string_value(value));
	if (!l->m->denied_perf)
		return nti_machine_bad(
			l, "\"denied_perf\" must be the name of an error such as \"EPERM\"");
	return 0;
}

static int load_head(struct nti_machine_loader *l, const json_t *root)
{
	const json_t *description = json_object_get(root, "description");
	const char *source = json_string_value(json_object_get(root, "source"));
	int ret = get_text(l, root, "arch", &l->m->arch);

	if (ret)
		return ret;
	if (description && !json_is_string(description))
		return nti_machine_bad(l, "\"description\" must be text");
	if (!source || !*source)
		return nti_machine_bad(
			l, "\"source\" is missing: say \"recorded\" or which documents it was "
			   "written from");
	if (!l->m->arch || !*l->m->arch)
		return nti_machine_bad(
			l, "\"arch\" is missing: the machine's 'uname -m', such as \"x86_64\"");
	ret = load_privileged(l, root);
	return ret ? ret : load_denied(l, root);
}

/* One section of the tree: files, links or errors. */
struct section {
	struct nti_machine_loader *l;
	const char *name;
	enum nti_machine_node_kind kind;
};

/* Absolute, in its shortest form, printable: the tree is searched by comparing paths. */
static bool is_plain(const char *path)
{
	size_t length = strlen(path);
	const char *c;

	for (c = path; *c; c++)
		if ((unsigned char)*c < ' ')
			return false;
	if (*path != '/' || length < 2 || path[length - 1] == '/' || strstr(path, "//") ||
	    strstr(path, "/./") || strstr(path, "/../"))
		return false;
	return strcmp(path + length - 2, "/.") != 0 &&
	       (length < 3 || strcmp(path + length - 3, "/..") != 0);
}

static int add_node(void *arg, const char *path, const char *text)
{
	struct section *s = arg;
	int ret;

	if (!is_plain(path))
		return nti_machine_bad(s->l, "%s.\"%s\" is not a plain absolute path", s->name,
				       path);
	if (strlen(path) >= NTI_MACHINE_PATH_BYTES)
		return nti_machine_bad(s->l, "%s has a path longer than %d bytes", s->name,
				       NTI_MACHINE_PATH_BYTES - 1);
	if (s->kind == NTI_MACHINE_NODE_ERROR)
		ret = nti_machine_add(s->l->m, s->kind, path, NULL, nti_errno_parse(text), 0);
	else
		ret = nti_machine_add(s->l->m, s->kind, path, text, 0, 0);
	return ret == -ENOMEM ? nti_error(s->l->e, ret, "%s: memory is short", s->l->name) : ret;
}

static int check_node_text(struct section *s, const char *key, const char *text)
{
	if (s->kind == NTI_MACHINE_NODE_ERROR && !nti_errno_parse(text))
		return nti_machine_bad(
			s->l, "%s.\"%s\": \"%s\" is not the name of an error such as \"EACCES\"",
			s->name, key, text);
	if (s->kind == NTI_MACHINE_NODE_LINK && (!*text || strlen(text) >= NTI_MACHINE_PATH_BYTES))
		return nti_machine_bad(s->l, "%s.\"%s\" must be a target of 1 to %d bytes", s->name,
				       key, NTI_MACHINE_PATH_BYTES - 1);
	if (strlen(text) > NTI_OS_TEXT_BYTES)
		return nti_machine_bad(s->l, "%s.\"%s\" is longer than %d bytes", s->name, key,
				       NTI_OS_TEXT_BYTES);
	return 0;
}

static int load_section(struct nti_machine_loader *l, const json_t *root, const char *name,
			enum nti_machine_node_kind kind)
{
	struct section s = { .l = l, .name = name, .kind = kind };
	const char *key, *why = NULL;
	json_t *object, *value;
	int ret = get_object(l, root, name, &object);

	if (ret || !object)
		return ret;
	json_object_foreach(object, key, value)
	{
		if (!json_is_string(value))
			return nti_machine_bad(l, "%s.\"%s\" must be text", name, key);
		ret = check_node_text(&s, key, json_string_value(value));
		if (!ret)
			ret = nti_expand(key, json_string_value(value), NTI_MACHINE_MAX_ENTRIES,
					 add_node, &s, &why);
		if (ret == -EINVAL)
			return nti_machine_bad(l, "%s.\"%s\" %s", name, key, why);
		if (ret == -E2BIG)
			return nti_machine_bad(
				l, "%s.\"%s\" leads to more than %u entries or %u MiB of text",
				name, key, NTI_MACHINE_MAX_ENTRIES, NTI_MACHINE_FILE_BYTES >> 20);
		if (ret)
			return ret;
	}
	return 0;
}

static int load_cpuid_entry(struct nti_machine_loader *l, const json_t *entry, size_t i,
			    struct nti_machine_cpuid *out)
{
	static const char *const keys[] = { "leaf", "subleaf", "eax", "ebx", "ecx", "edx", NULL };
	uint32_t *to[] = {
		&out->leaf, &out->subleaf, &out->r[0], &out->r[1], &out->r[2], &out->r[3]
	};
	char where[64];
	uint64_t number;
	size_t k;
	int ret;

	(void)snprintf(where, sizeof(where), "cpuid[%zu] ", i);
	if (!json_is_object(entry))
		return nti_machine_bad(l, "cpuid[%zu] must be an object", i);
	ret = nti_machine_known(l, entry, keys, where);
	for (k = 0; !ret && keys[k]; k++) {
		const json_t *value = json_object_get(entry, keys[k]);

		(void)snprintf(where, sizeof(where), "cpuid[%zu].%s", i, keys[k]);
		if (!value && k == 1)
			continue; /* most leaves have no subleaf */
		ret = nti_machine_number(l, value, UINT32_MAX, &number, where);
		if (!ret)
			*to[k] = (uint32_t)number;
	}
	return ret;
}

static int load_cpuid(struct nti_machine_loader *l, const json_t *root)
{
	const json_t *array = json_object_get(root, "cpuid");
	size_t i, count = json_array_size(array);
	int ret = 0;

	if (array && !json_is_array(array))
		return nti_machine_bad(l, "\"cpuid\" must be an array");
	if (count > NTI_MACHINE_MAX_ENTRIES)
		return nti_machine_bad(l, "\"cpuid\" has more than %u entries",
				       NTI_MACHINE_MAX_ENTRIES);
	if (!count)
		return 0;
	l->m->cpuid = calloc(count, sizeof(*l->m->cpuid));
	if (!l->m->cpuid)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	l->m->cpuid_count = count;
	for (i = 0; !ret && i < count; i++)
		ret = load_cpuid_entry(l, json_array_get(array, i), i, &l->m->cpuid[i]);
	return ret;
}

static int load_topology(struct nti_machine_loader *l, const json_t *root)
{
	static const char *const keys[] = { "xml", "synthetic", NULL };
	json_t *topology;
	const char *xml, *synthetic;
	int ret = get_object(l, root, "topology", &topology);

	if (ret || !topology)
		return ret;
	ret = nti_machine_known(l, topology, keys, "topology ");
	if (ret)
		return ret;
	xml = json_string_value(json_object_get(topology, "xml"));
	synthetic = json_string_value(json_object_get(topology, "synthetic"));
	if (!xml == !synthetic || json_object_size(topology) != 1)
		return nti_machine_bad(
			l, "\"topology\" must have the text \"xml\" or the text \"synthetic\"");
	l->m->topology_xml = xml ? strdup(xml) : NULL;
	l->m->topology_synthetic = synthetic ? strdup(synthetic) : NULL;
	if (!l->m->topology_xml && !l->m->topology_synthetic)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	return 0;
}

struct register_row {
	struct nti_machine_loader *l;
	uint32_t address;
	uint64_t value;
};

static int add_register(void *arg, unsigned int cpu)
{
	struct register_row *row = arg;
	struct nti_machine *m = row->l->m;

	if (m->register_count >= NTI_MACHINE_MAX_ENTRIES)
		return nti_machine_bad(row->l, "registers.msr has more than %u values",
				       NTI_MACHINE_MAX_ENTRIES);
	if (!nti_grow(&m->registers, m->register_count))
		return nti_error(row->l->e, -ENOMEM, "%s: memory is short", row->l->name);
	m->registers[m->register_count++] = (struct nti_machine_register){ .cpu = cpu,
									   .address = row->address,
									   .value = row->value };
	return 0;
}

/* The registers of one key of "msr": "*" or a list of CPUs. */
static int load_register_set(struct nti_machine_loader *l, const char *cpus, json_t *set)
{
	struct register_row row = { .l = l };
	char where[128];
	const char *key;
	json_t *value;
	uint64_t number;
	int ret;

	if (!json_is_object(set))
		return nti_machine_bad(l, "registers.msr.\"%s\" must be an object", cpus);
	json_object_foreach(set, key, value)
	{
		if (nti_text_parse_u64(key, &number) < 0 || number > UINT32_MAX)
			return nti_machine_bad(
				l, "registers.msr.\"%s\": \"%s\" is not a register address", cpus,
				key);
		row.address = (uint32_t)number;
		(void)snprintf(where, sizeof(where), "registers.msr.\"%s\".\"%s\"", cpus, key);
		ret = nti_machine_number(l, value, UINT64_MAX, &row.value, where);
		if (ret)
			return ret;
		if (strcmp(cpus, "*") == 0)
			ret = add_register(&row, NTI_MACHINE_ANY_CPU);
		else
			ret = nti_text_for_each_in_list(cpus, NTI_CPU_LIMIT, add_register, &row);
		if (ret == -EINVAL || ret == -ERANGE)
			return nti_machine_bad(
				l, "registers.msr.\"%s\" is neither \"*\" nor a list of CPUs",
				cpus);
		if (ret)
			return ret;
	}
	return 0;
}

static int compare_registers(const void *a, const void *b)
{
	const struct nti_machine_register *ra = a, *rb = b;

	if (ra->cpu != rb->cpu)
		return ra->cpu < rb->cpu ? -1 : 1;
	return ra->address < rb->address ? -1 : ra->address > rb->address;
}

static int sort_registers(struct nti_machine_loader *l)
{
	struct nti_machine *m = l->m;
	size_t i;

	if (m->register_count)
		qsort(m->registers, m->register_count, sizeof(*m->registers), compare_registers);
	for (i = 1; i < m->register_count; i++)
		if (!compare_registers(&m->registers[i - 1], &m->registers[i]))
			return nti_machine_bad(l,
					       "registers.msr has register 0x%x of one CPU twice",
					       m->registers[i].address);
	return 0;
}

static int load_registers(struct nti_machine_loader *l, const json_t *root)
{
	static const char *const keys[] = { "msr", NULL };
	json_t *registers, *msr, *set;
	const char *cpus;
	int ret = get_object(l, root, "registers", &registers);

	if (ret || !registers)
		return ret;
	ret = nti_machine_known(l, registers, keys, "registers ");
	if (ret)
		return ret;
	msr = json_object_get(registers, "msr");
	if (!json_is_object(msr))
		return nti_machine_bad(l, "registers.msr must be an object");
	l->m->has_registers = true;
	json_object_foreach(msr, cpus, set)
	{
		ret = load_register_set(l, cpus, set);
		if (ret)
			return ret;
	}
	return sort_registers(l);
}

static int load_fault(struct nti_machine_loader *l, const json_t *entry, size_t i,
		      struct nti_machine_fault *out)
{
	static const char *const keys[] = { "call", "nth", "errno", NULL };
	const char *call, *name;
	char where[64];
	int ret, number;

	(void)snprintf(where, sizeof(where), "faults[%zu] ", i);
	if (!json_is_object(entry))
		return nti_machine_bad(l, "faults[%zu] must be an object", i);
	ret = nti_machine_known(l, entry, keys, where);
	if (ret)
		return ret;
	call = json_string_value(json_object_get(entry, "call"));
	name = json_string_value(json_object_get(entry, "errno"));
	number = call ? nti_call_parse(call) : -1;
	if (number < 0)
		return nti_machine_bad(
			l,
			"faults[%zu].call must be text, list, link, access, open, perf_open, read, "
			"pread, pwrite or ioctl",
			i);
	out->call = (enum nti_call)number;
	out->error = name ? nti_errno_parse(name) : 0;
	if (!out->error)
		return nti_machine_bad(
			l, "faults[%zu].errno must be the name of an error such as \"EIO\"", i);
	(void)snprintf(where, sizeof(where), "faults[%zu].nth", i);
	ret = nti_machine_number(l, json_object_get(entry, "nth"), UINT64_MAX, &out->nth, where);
	if (!ret && !out->nth)
		return nti_machine_bad(l, "%s counts from 1", where);
	return ret;
}

static int load_faults(struct nti_machine_loader *l, const json_t *root)
{
	const json_t *array = json_object_get(root, "faults");
	size_t i, count = json_array_size(array);
	int ret = 0;

	if (array && !json_is_array(array))
		return nti_machine_bad(l, "\"faults\" must be an array");
	if (count > 1000)
		return nti_machine_bad(l, "\"faults\" has more than 1000 entries");
	if (!count)
		return 0;
	l->m->faults = calloc(count, sizeof(*l->m->faults));
	if (!l->m->faults)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	l->m->fault_count = count;
	for (i = 0; !ret && i < count; i++)
		ret = load_fault(l, json_array_get(array, i), i, &l->m->faults[i]);
	return ret;
}

struct msr_devices {
	struct nti_machine *m;
	size_t sorted; /* nodes that were there before, the only ones in order */
};

static int add_msr_device(void *arg, unsigned int cpu)
{
	struct msr_devices *a = arg;
	size_t count = a->m->node_count;
	const struct nti_machine_node *there;
	char path[64];

	(void)snprintf(path, sizeof(path), "/dev/cpu/%u/msr", cpu);
	a->m->node_count = a->sorted;
	there = nti_machine_node_find(a->m, path);
	a->m->node_count = count;
	return there ? 0 : nti_machine_add(a->m, NTI_MACHINE_NODE_MSR, path, NULL, 0, cpu);
}

/* Registers make the msr devices of the CPUs on line appear, as loading the driver does. */
static int add_msr_devices(struct nti_machine_loader *l)
{
	static const char path[] = "/sys/devices/system/cpu/online";
	const struct nti_machine_node *online = nti_machine_node_find(l->m, path);
	struct msr_devices devices = { .m = l->m, .sorted = l->m->node_count };
	char *list;
	int ret;

	if (!l->m->has_registers)
		return 0;
	if (!online || online->kind != NTI_MACHINE_NODE_FILE)
		return nti_machine_bad(
			l, "has registers but no file %s that says which CPUs there are", path);
	list = strdup(online->text);
	if (!list)
		return nti_error(l->e, -ENOMEM, "%s: memory is short", l->name);
	ret = nti_text_for_each_in_list(nti_text_trim(list), NTI_CPU_LIMIT, add_msr_device,
					&devices);
	free(list);
	if (ret == -EINVAL || ret == -ERANGE)
		return nti_machine_bad(l, "files.\"%s\" is not a list of CPUs", path);
	if (ret == -E2BIG)
		return nti_machine_bad(l, "leads to more than %u entries", NTI_MACHINE_MAX_ENTRIES);
	return ret < 0 ? nti_error(l->e, ret, "%s: memory is short", l->name) : 0;
}

static int seal(struct nti_machine_loader *l)
{
	const struct nti_machine_node *clash;

	if (nti_machine_seal(l->m, &clash) < 0)
		return nti_machine_bad(
			l, "\"%s\" is there twice, or is a file or link and a directory at once",
			clash->path);
	return 0;
}

static int load_tree(struct nti_machine_loader *l, const json_t *root)
{
	int ret = load_section(l, root, "files", NTI_MACHINE_NODE_FILE);

	if (!ret)
		ret = load_section(l, root, "links", NTI_MACHINE_NODE_LINK);
	if (!ret)
		ret = load_section(l, root, "errors", NTI_MACHINE_NODE_ERROR);
	return ret ? ret : seal(l);
}

NTI_WEAK int nti_machine_load_counting(struct nti_machine_loader *l, json_t *counting)
{
	(void)l;
	(void)counting;
	return 0;
}

static int load_root(struct nti_machine_loader *l, const json_t *root)
{
	static const char *const keys[] = { "format",	   "version",	 "description", "source",
					    "arch",	   "privileged", "files",	"links",
					    "errors",	   "cpuid",	 "topology",	"registers",
					    "denied_perf", "counting",	 "faults",	NULL };
	json_t *counting = NULL;
	int ret = check_format(l, root);

	if (!ret)
		ret = nti_machine_known(l, root, keys, "");
	if (!ret)
		ret = load_head(l, root);
	if (!ret)
		ret = load_tree(l, root);
	if (!ret)
		ret = load_cpuid(l, root);
	if (!ret)
		ret = load_topology(l, root);
	if (!ret)
		ret = load_registers(l, root);
	if (!ret)
		ret = add_msr_devices(l);
	if (!ret)
		ret = seal(l);
	if (!ret)
		ret = load_faults(l, root);
	if (!ret)
		ret = get_object(l, root, "counting", &counting);
	return ret || !counting ? ret : nti_machine_load_counting(l, counting);
}

int nti_machine_load_text(const char *name, const char *text, size_t bytes,
			  struct nti_machine **out, struct nti_error *e)
{
	struct nti_machine_loader l = { .name = name, .e = e };
	json_error_t where;
	json_t *root;
	int ret;

	*out = NULL;
	if (bytes > NTI_MACHINE_FILE_BYTES)
		return nti_error(e, -EFBIG, "%s: exceeds the %u MiB limit for machine files", name,
				 NTI_MACHINE_FILE_BYTES >> 20);
	ret = nti_library_need(&nti_lazy_jansson, name, e);
	if (ret < 0)
		return ret;
	root = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, &where);
	if (!root)
		return nti_machine_bad(&l, "line %d, column %d: %s", where.line, where.column,
				       where.text);
	if (!json_is_object(root)) {
		ret = nti_machine_bad(&l, "is not a machine file: a JSON object is expected");
		goto out;
	}
	l.m = calloc(1, sizeof(*l.m));
	if (!l.m) {
		ret = nti_error(e, -ENOMEM, "%s: memory is short", name);
		goto out;
	}
	ret = load_root(&l, root);
	if (ret)
		nti_machine_free(l.m);
	else
		*out = l.m;
out:
	json_decref(root);
	return ret;
}

/*
 * Read all of @f, at most one byte more than is allowed, so that the caller sees that it is too
 * much.
 */
static int read_all(FILE *f, char **out, size_t *bytes)
{
	size_t room = 65536, used = 0;
	char *text = malloc(room), *more;

	*out = NULL;
	*bytes = 0;
	if (!text)
		return -ENOMEM;
	for (;;) {
		errno = 0;
		used += fread(text + used, 1, room - used, f);
		if (used < room || used > NTI_MACHINE_FILE_BYTES)
			break;
		room *= 2;
		more = realloc(text, room);
		if (!more) {
			free(text);
			return -ENOMEM;
		}
		text = more;
	}
	if (ferror(f)) {
		int ret = errno ? -errno : -EIO;

		free(text);
		return ret;
	}
	*out = text;
	*bytes = used;
	return 0;
}

int nti_machine_load(const char *path, struct nti_machine **out, struct nti_error *e)
{
	int fd = nti_file_open_text(path), ret = fd;
	size_t bytes;
	char *text;
	FILE *f;

	*out = NULL;
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (!f && fd >= 0) {
		ret = -errno;
		nti_file_close(fd);
	}
	if (!f)
		return nti_error(e, ret, "machine file %s cannot be opened: %s", path,
				 nti_file_why(ret));
	ret = read_all(f, &text, &bytes);
	(void)fclose(f);
	if (ret)
		return nti_error(e, ret, "machine file %s cannot be read: %s", path,
				 strerror(-ret));
	ret = nti_machine_load_text(path, text, bytes, out, e);
	free(text);
	return ret;
}
