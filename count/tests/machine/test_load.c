// SPDX-License-Identifier: MIT
/*
 * Machine files: what is refused and with which sentence, ranges in keys, links, lists, CPUID,
 * registers.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "count/tests/machine/recorded.h"

#define HEAD "{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"test\",\"arch\":\"x86_64\""
#define ONLINE "\"/sys/devices/system/cpu/online\":\"0-3\\n\""

static const struct bad_row {
	int line;
	const char *text;
	const char *sentence; /* behind "m.json: " */
} bad_rows[] = {
	{ __LINE__, "", "line 1, column 0: '[' or '{' expected near end of file" },
	{ __LINE__, "{", "line 1, column 1: string or '}' expected near end of file" },
	{ __LINE__, "[]", "is not a machine file: a JSON object is expected" },
	{ __LINE__, "{}", "is not a machine file: \"format\" must be \"ntime-machine\"" },
	{ __LINE__, "{\"format\":\"x\"}",
	  "is not a machine file: \"format\" must be \"ntime-machine\"" },
	{ __LINE__, "{\"format\":\"ntime-machine\"}", "\"version\" must be a number" },
	{ __LINE__, "{\"format\":\"ntime-machine\",\"version\":2}",
	  "has version 2 of the format, only version 1 can be read: use a newer ntime" },
	{ __LINE__, "{\"format\":\"ntime-machine\",\"version\":1}",
	  "\"source\" is missing: say \"recorded\" or which documents it was written from" },
	{ __LINE__, "{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"x\"}",
	  "\"arch\" is missing: the machine's 'uname -m', such as \"x86_64\"" },
	{ __LINE__, HEAD ",\"arch\":\"x\"}",
	  "line 1, column 76: duplicate object key near '\"arch\"'" },
	{ __LINE__, HEAD ",\"filez\":{}}",
	  "key \"filez\" is not known in version 1 of the format" },
	{ __LINE__, HEAD ",\"description\":1}", "\"description\" must be text" },
	{ __LINE__, HEAD ",\"privileged\":1}",
	  "\"privileged\" must be true, false or \"perfmon\"" },
	{ __LINE__, HEAD ",\"denied_perf\":\"EFOO\"}",
	  "\"denied_perf\" must be the name of an error such as \"EPERM\"" },
	{ __LINE__, HEAD ",\"files\":[]}", "\"files\" must be an object" },
	{ __LINE__, HEAD ",\"files\":{\"/a\":1}}", "files.\"/a\" must be text" },
	{ __LINE__, HEAD ",\"files\":{\"a\":\"\"}}", "files.\"a\" is not a plain absolute path" },
	{ __LINE__, HEAD ",\"files\":{\"/a/../b\":\"\"}}",
	  "files.\"/a/../b\" is not a plain absolute path" },
	{ __LINE__, HEAD ",\"files\":{\"/a/\":\"\"}}",
	  "files.\"/a/\" is not a plain absolute path" },
	{ __LINE__, HEAD ",\"files\":{\"/a\":\"\",\"/a/b\":\"\"}}",
	  "\"/a\" is there twice, or is a file or link and a directory at once" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0,0}\":\"\"}}",
	  "\"/a0\" is there twice, or is a file or link and a directory at once" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-}\":\"\"}}",
	  "files.\"/a{0-}\" has a range that is not like {0-27} or {0,2,4-6}" },
	{ __LINE__, HEAD ",\"files\":{\"/a{3-1}\":\"\"}}",
	  "files.\"/a{3-1}\" has a range that is not like {0-27} or {0,2,4-6}" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1\":\"\"}}",
	  "files.\"/a{0-1\" has a range without its closing brace" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0}{0}{0}{0}\":\"\"}}",
	  "files.\"/a{0}{0}{0}{0}\" has more than three ranges" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1}\":\"{m}\"}}",
	  "files.\"/a{0-1}\" uses n, m or k without a range for it in the key" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1}\":\"{n/0}\"}}",
	  "files.\"/a{0-1}\" divides by zero in braces" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1}\":\"{n-1}\"}}",
	  "files.\"/a{0-1}\" computes a number below zero in braces" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1}\":\"{n n}\"}}",
	  "files.\"/a{0-1}\" has braces with something that is no expression between them" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1}\":\"{}\"}}",
	  "files.\"/a{0-1}\" has braces without an expression of n, m, k and numbers between "
	  "them" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1}\":\"}\"}}",
	  "files.\"/a{0-1}\" has a closing brace without an opening one (a brace itself is written "
	  "twice)" },
	{ __LINE__, HEAD ",\"files\":{\"/a{0-1}\":\"{n*9999999}\"}}",
	  "files.\"/a{0-1}\" has a number above 1000000 in braces" },
	{ __LINE__, HEAD ",\"files\":{\"/a{1}\":\"{1000000*1000000*2}\"}}",
	  "files.\"/a{1}\" computes a number that is too large in braces" },
	{ __LINE__, HEAD ",\"files\":{\"/{0-999}/{0-999}\":\"\"}}",
	  "files.\"/{0-999}/{0-999}\" leads to more than 200000 entries or 64 MiB of text" },
	{ __LINE__, HEAD ",\"links\":{\"/a\":\"\"}}",
	  "links.\"/a\" must be a target of 1 to 1023 bytes" },
	{ __LINE__, HEAD ",\"errors\":{\"/a\":\"EVIL\"}}",
	  "errors.\"/a\": \"EVIL\" is not the name of an error such as \"EACCES\"" },
	{ __LINE__, HEAD ",\"cpuid\":{}}", "\"cpuid\" must be an array" },
	{ __LINE__, HEAD ",\"cpuid\":[1]}", "cpuid[0] must be an object" },
	{ __LINE__, HEAD ",\"cpuid\":[{\"leaf\":0,\"eax\":0,\"ebx\":0,\"ecx\":0}]}",
	  "cpuid[0].edx must be a number such as 31 or \"0x1f\"" },
	{ __LINE__, HEAD ",\"cpuid\":[{\"leaf\":\"0x100000000\"}]}",
	  "cpuid[0].leaf is 4294967296, the largest possible value is 4294967295" },
	{ __LINE__, HEAD ",\"cpuid\":[{\"laef\":0}]}",
	  "cpuid[0] key \"laef\" is not known in version 1 of the format" },
	{ __LINE__, HEAD ",\"topology\":{}}",
	  "\"topology\" must have the text \"xml\" or the text \"synthetic\"" },
	{ __LINE__, HEAD ",\"topology\":{\"xml\":\"\",\"synthetic\":\"\"}}",
	  "\"topology\" must have the text \"xml\" or the text \"synthetic\"" },
	{ __LINE__, HEAD ",\"registers\":{}}", "registers.msr must be an object" },
	{ __LINE__, HEAD ",\"registers\":{\"msr\":{\"*\":{\"0x10\":true}}}}",
	  "registers.msr.\"*\".\"0x10\" must be a number such as 31 or \"0x1f\"" },
	{ __LINE__, HEAD ",\"registers\":{\"msr\":{\"*\":{\"tsc\":1}}}}",
	  "registers.msr.\"*\": \"tsc\" is not a register address" },
	{ __LINE__, HEAD ",\"registers\":{\"msr\":{\"all\":{\"0x10\":1}}}}",
	  "registers.msr.\"all\" is neither \"*\" nor a list of CPUs" },
	{ __LINE__, HEAD ",\"registers\":{\"msr\":{\"0\":{\"0x10\":1,\"16\":2}}}}",
	  "registers.msr has register 0x10 of one CPU twice" },
	{ __LINE__, HEAD ",\"registers\":{\"msr\":{}}}",
	  "has registers but no file /sys/devices/system/cpu/online that says which CPUs there "
	  "are" },
	{ __LINE__, HEAD ",\"faults\":[{\"call\":\"mmap\"}]}",
	  "faults[0].call must be text, list, link, access, open, perf_open, read, pread, pwrite "
	  "or ioctl" },
	{ __LINE__, HEAD ",\"faults\":[{\"call\":\"read\",\"errno\":\"EIO\",\"nth\":0}]}",
	  "faults[0].nth counts from 1" },
	{ __LINE__, HEAD ",\"faults\":[{\"call\":\"read\",\"nth\":1}]}",
	  "faults[0].errno must be the name of an error such as \"EIO\"" },
	{ __LINE__, HEAD ",\"counting\":1}", "\"counting\" must be an object" },
	{ __LINE__, HEAD ",\"counting\":{\"rate\":1}}",
	  "counting key \"rate\" is not known in version 1 of the format" },
	{ __LINE__, HEAD ",\"counting\":{\"clock\":\"fast\"}}",
	  "counting.clock must be \"real\" or { \"step_ns\": N }" },
	{ __LINE__, HEAD ",\"counting\":{\"clock\":{\"step_ns\":0}}}",
	  "counting.clock.step_ns must be at least 1" },
	{ __LINE__, HEAD ",\"counting\":{\"slice_ns\":10}}",
	  "counting.slice_ns must be at least 1000" },
	{ __LINE__, HEAD ",\"counting\":{\"rates\":{\"cycle\":1}}}",
	  "counting.rates: \"cycle\" is neither a generic event such as cycles nor like cpu:0x3c "
	  "or 4:0x3c" },
	{ __LINE__, HEAD ",\"counting\":{\"rates\":{\"cycles\":-1}}}",
	  "counting.rates.\"cycles\" must be a number such as 31 or \"0x1f\"" },
	{ __LINE__, HEAD ",\"counting\":{\"counters\":{\"cpu\":{\"general\":65}}}}",
	  "counting.counters.\"cpu\".general is 65, the largest possible value is 64" },
	{ __LINE__, HEAD ",\"counting\":{\"wobble\":{\"permille\":1,\"period_ns\":1}}}",
	  "counting.wobble.period_ns must be at least 2" },
	{ __LINE__, HEAD ",\"counting\":{\"unsupported\":[1]}}",
	  "counting.unsupported[0] must be text" },
};

TEST(bad_files_are_refused_with_a_sentence)
{
	TT_FOR_EACH_ROW(r, bad_rows) {
		struct nti_error e = { 0 };
		struct nti_machine *m = (struct nti_machine *)1;
		char want[512];

		snprintf(want, sizeof(want), "m.json: %s", r->sentence);
		TT_EQ(r, nti_machine_load_text("m.json", r->text, strlen(r->text), &m, &e),
		      -EBADMSG);
		TT_STR(r, e.text, want);
		TT_EQ(r, e.code, -EBADMSG);
		assert_null(m);
	}
}

TEST(missing_and_unreadable_files)
{
	struct nti_error e = { 0 };
	struct nti_machine *m;

	TT_IS(nti_machine_load("/nowhere/m.json", &m, &e), -ENOENT);
	TT_TEXT(e.text, "machine file /nowhere/m.json cannot be opened: No such file or directory");
	TT_IS(nti_machine_load("/tmp", &m, &e), -EISDIR);
	TT_TEXT(e.text, "machine file /tmp cannot be read: Is a directory");
}

static int append(void *arg, const char *name)
{
	strcat(arg, name);
	strcat(arg, " ");
	return 0;
}

static const struct expand_row {
	int line;
	const char *key, *text;
	const char *path, *content; /* one of what it leads to */
	unsigned int count;
} expand_rows[] = {
	{ __LINE__, "/u{0-27}/type", "{n+37}", "/u27/type", "64", 28 },
	{ __LINE__, "/u{0-27}/type", "{n*2}-{n*2+1}", "/u5/type", "10-11", 28 },
	{ __LINE__, "/{0-1}/{0,2,4-5}", "{n*10+m}", "/1/4", "14", 8 },
	{ __LINE__, "/{0-1}/{0-1}/{0-1}", "{n}{m}{k}", "/1/0/1", "101", 8 },
	{ __LINE__, "/c{0-7}", "{n/4}.{n%4}", "/c6", "1.2", 8 },
	{ __LINE__, "/c{9-11}", "0x{n+1:x}", "/c9", "0xa", 3 },
	{ __LINE__, "/c{2-3}/d{n*8}", "", "/c3/d24", "", 2 },
	{ __LINE__, "/c{7}", "{{{n}}}", "/c7", "{7}", 1 },
	{ __LINE__, "/plain", "{n} }} {{", "/plain", "{n} }} {{", 1 },
	{ __LINE__, "/a{{0}}", "x", "/a{0}", "x", 1 },
	{ __LINE__, "/n{1-2}", "{20-n-2*n}", "/n2", "14", 2 },
};

struct seen {
	const struct expand_row *row;
	unsigned int count;
	bool is_found;
};

static int see(void *arg, const char *key, const char *text)
{
	struct seen *seen = arg;

	seen->count++;
	if (strcmp(key, seen->row->path) != 0)
		return 0;
	TT_STR(seen->row, text, seen->row->content);
	seen->is_found = true;
	return 0;
}

TEST(ranges_expand)
{
	TT_FOR_EACH_ROW(r, expand_rows) {
		struct seen seen = { .row = r };
		const char *why = NULL;

		TT_EQ(r, nti_expand(r->key, r->text, 1000, see, &seen, &why), 0);
		TT_EQ(r, seen.is_found, 1);
		TT_EQ(r, seen.count, r->count);
		TT_EQ(r, nti_expand(r->key, r->text, r->count - 1, see, &seen, &why), -E2BIG);
	}
}

/* The example of the manual page is a machine file. */
TEST(the_manual_is_right)
{
	static char text[65536], example[4096];
	FILE *f = fopen("count/man/ntime-machine.5", "r");
	char *from, *to, *out = example;
	struct nti_os *os;
	char buf[16];

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	from = strstr(text, ".Bd -literal");
	assert_non_null(from);
	from = strchr(from, '\n') + 1;
	to = strstr(from, ".Ed");
	assert_non_null(to);
	for (; from < to; from++) {
		*out++ = *from;
		if (from[0] == '\\' && from[1] == 'e')
			from++;
	}
	os = os_of_text(example);
	TT_IS(os->ops->text(os, "/sys/bus/event_source/devices/uncore_imc_1/type", buf,
			    sizeof(buf)),
	      3);
	TT_TEXT(buf, "21\n");
	os->ops->free(os);
}

TEST(escaped_keys_come_back)
{
	static const char key[] = "/a{0-3}/{{b}/{n}";
	static const struct expand_row row = { __LINE__, NULL, NULL, key, "text", 1 };
	struct seen seen = { .row = &row };
	char *escaped = nti_expand_escape(key);
	const char *why;

	TT_IS(nti_expand(escaped, "text", 10, see, &seen, &why), 0);
	TT_IS(seen.is_found, 1);
	TT_IS(seen.count, 1);
	free(escaped);
}

static const char tree[] = HEAD
	",\"privileged\":true,\"files\":{" ONLINE ","
	"\"/sys/devices/cpu/type\":\"4\\n\",\"/sys/devices/cpu/format/event\":\"config:0-7\\n\","
	"\"/sys/devices/cpu-x\":\"\",\"/sys/devices/cpu.y\":\"\",\"/sys/devices/cpu0/a\":\"\"},"
	"\"links\":{\"/sys/bus/event_source/devices/cpu\":\"../../../devices/cpu\","
	"\"/sys/class\":\"/sys/bus/event_source\",\"/sys/a\":\"b\",\"/sys/b\":\"a\","
	"\"/sys/gone\":\"nowhere\"},"
	"\"errors\":{\"/sys/kernel/tracing\":\"EACCES\",\"/sys/secret\":\"EPERM\"}}";

static const struct text_row {
	int line;
	const char *path;
	int ret;
	const char *text;
} text_rows[] = {
	{ __LINE__, "/sys/devices/cpu/type", 2, "4\n" },
	{ __LINE__, "/sys/bus/event_source/devices/cpu/type", 2, "4\n" },
	{ __LINE__, "/sys/class/devices/cpu/format/event", 11, "config:0-7\n" },
	{ __LINE__, "//sys/./devices/../devices/cpu//type", 2, "4\n" },
	{ __LINE__, "/sys/bus/event_source/devices/cpu/../cpu0/a", 0, "" },
	{ __LINE__, "/../sys/devices/cpu/type", 2, "4\n" },
	{ __LINE__, "/sys/devices/cpu/typ", -ENOENT, NULL },
	{ __LINE__, "/sys/devices/cpu", -EISDIR, NULL },
	{ __LINE__, "/", -EISDIR, NULL },
	{ __LINE__, "/sys/devices/cpu/type/x", -ENOTDIR, NULL },
	{ __LINE__, "/sys/a", -ELOOP, NULL },
	{ __LINE__, "/sys/gone", -ENOENT, NULL },
	{ __LINE__, "/sys/secret", -EPERM, NULL },
	{ __LINE__, "/sys/kernel/tracing/events/sched", -EACCES, NULL },
	{ __LINE__, "sys/devices/cpu/type", -ENOENT, NULL },
};

TEST(texts_and_links)
{
	struct nti_os *os = os_of_text(tree);
	char buf[64];

	TT_FOR_EACH_ROW(r, text_rows) {
		TT_EQ(r, os->ops->text(os, r->path, buf, sizeof(buf)), r->ret);
		if (r->text)
			TT_STR(r, buf, r->text);
	}
	TT_IS(os->ops->text(os, "/sys/devices/cpu/type", buf, 2), -E2BIG);
	TT_IS(os->ops->text(os, "/sys/devices/cpu/type", buf, 3), 2);
	TT_IS(os->ops->link(os, "/sys/bus/event_source/devices/cpu", buf, sizeof(buf)), 20);
	TT_TEXT(buf, "../../../devices/cpu");
	TT_IS(os->ops->link(os, "/sys/class/devices/cpu", buf, sizeof(buf)), 20);
	TT_IS(os->ops->link(os, "/sys/devices/cpu", buf, sizeof(buf)), -EINVAL);
	os->ops->free(os);
}

static int stop(void *arg, const char *name)
{
	strcpy(arg, name);
	return 7;
}

TEST(lists_are_sorted_and_without_repetition)
{
	struct nti_os *os = os_of_text(tree);
	char seen[256] = "";

	TT_IS(os->ops->list(os, "/sys/devices", append, seen), 0);
	TT_TEXT(seen, "cpu cpu-x cpu.y cpu0 system ");
	seen[0] = '\0';
	TT_IS(os->ops->list(os, "/sys/class/devices/cpu/", append, seen), 0);
	TT_TEXT(seen, "format type ");
	seen[0] = '\0';
	TT_IS(os->ops->list(os, "/", append, seen), 0);
	TT_TEXT(seen, "sys ");
	TT_IS(os->ops->list(os, "/sys/devices", stop, seen), 7);
	TT_TEXT(seen, "cpu");
	TT_IS(os->ops->list(os, "/sys/devices/cpu/type", append, seen), -ENOTDIR);
	TT_IS(os->ops->list(os, "/sys/kernel/tracing", append, seen), -EACCES);
	TT_IS(os->ops->list(os, "/proc", append, seen), -ENOENT);
	os->ops->free(os);
}

TEST(access_follows_privilege)
{
	struct nti_os *os = os_of_text(tree);

	TT_IS(os->ops->access(os, "/sys/devices/cpu/type", R_OK), 0);
	TT_IS(os->ops->access(os, "/sys/devices/cpu/type", W_OK), 0);
	TT_IS(os->ops->access(os, "/sys/devices/cpu", R_OK), 0);
	TT_IS(os->ops->access(os, "/sys/devices/none", F_OK), -ENOENT);
	TT_IS(os->ops->access(os, "/sys/secret", F_OK), 0);
	TT_IS(os->ops->access(os, "/sys/secret", R_OK), -EPERM);
	TT_IS(os->ops->is_privileged(os, false), 1);
	os->ops->free(os);
	os = os_of_text(HEAD ",\"privileged\":\"perfmon\",\"files\":{\"/a\":\"\"}}");
	TT_IS(os->ops->access(os, "/a", R_OK), 0);
	TT_IS(os->ops->access(os, "/a", W_OK), -EACCES);
	TT_IS(os->ops->is_privileged(os, false), 0);
	TT_IS(os->ops->is_privileged(os, true), 1);
	os->ops->free(os);
}

TEST(cpuid_is_exact_or_zero)
{
	struct nti_os *os = os_of_text(
		HEAD ",\"cpuid\":[{\"leaf\":4,\"subleaf\":1,\"eax\":1,\"ebx\":2,\"ecx\":3,"
		     "\"edx\":\"0xffffffff\"}]}");
	uint32_t r[4];

	TT_IS(os->ops->cpuid(os, 4, 1, r), 0);
	TT_IS(r[0], 1);
	TT_IS(r[3], 0xffffffff);
	TT_IS(os->ops->cpuid(os, 4, 0, r), 0);
	TT_IS(r[0] | r[1] | r[2] | r[3], 0);
	TT_TEXT(os->ops->arch(os), "x86_64");
	os->ops->free(os);
	os = os_of_text("{\"format\":\"ntime-machine\",\"version\":1,\"source\":\"t\",\"arch\":"
			"\"aarch64\"}");
	TT_IS(os->ops->cpuid(os, 0, 0, r), -ENOTSUP);
	os->ops->free(os);
}

static const char registers[] = HEAD ",\"privileged\":true,\"files\":{" ONLINE
				     "},\"errors\":{\"/dev/cpu/3/msr\":\"EACCES\"},"
				     "\"registers\":{\"msr\":{\"*\":{\"0x10\":"
				     "\"0x1122334455667788\",\"0x606\":7},\"1-2\":{\"0x606\":8}}}}";

TEST(registers_read_and_write)
{
	struct nti_os *os = os_of_text(registers);
	uint64_t value = 0, pair[2];
	char seen[64] = "";
	int cpu0, cpu1;

	TT_IS(os->ops->list(os, "/dev/cpu", append, seen), 0);
	TT_TEXT(seen, "0 1 2 3 ");
	cpu0 = os->ops->open(os, "/dev/cpu/0/msr", O_RDWR);
	cpu1 = os->ops->open(os, "/dev/cpu/1/msr", O_RDWR);
	assert_true(cpu0 > 0 && cpu1 > 0 && cpu0 != cpu1);
	TT_IS(os->ops->open(os, "/dev/cpu/3/msr", O_RDONLY), -EACCES);
	TT_IS(os->ops->open(os, "/dev/cpu/4/msr", O_RDONLY), -ENOENT);
	TT_IS(os->ops->pread(os, cpu0, &value, 8, 0x10), 8);
	TT_IS(value, 0x1122334455667788);
	TT_IS(os->ops->pread(os, cpu0, &value, 8, 0x606), 8);
	TT_IS(value, 7);
	TT_IS(os->ops->pread(os, cpu1, pair, 16, 0x606), 16);
	TT_IS(pair[0], 8);
	TT_IS(pair[1], 8);
	TT_IS(os->ops->pread(os, cpu0, &value, 8, 0x11), -EIO);
	TT_IS(os->ops->pread(os, cpu0, &value, 8, 0x100000010), -EIO);
	TT_IS(os->ops->pread(os, cpu0, &value, 4, 0x10), -EINVAL);
	value = 99;
	TT_IS(os->ops->pwrite(os, cpu0, &value, 8, 0x606), 8);
	TT_IS(os->ops->pwrite(os, cpu0, &value, 8, 0x11), -EIO);
	TT_IS(os->ops->pread(os, cpu0, &value, 8, 0x606), 8);
	TT_IS(value, 99);
	TT_IS(os->ops->pread(os, cpu1, &value, 8, 0x606), 8);
	TT_IS(value, 8);
	os->ops->close(os, cpu0);
	TT_IS(os->ops->pread(os, cpu0, &value, 8, 0x10), -EBADF);
	TT_IS(os->ops->open(os, "/dev/cpu/2/msr", O_RDONLY), cpu0);
	TT_IS(os->ops->pwrite(os, cpu0, &value, 8, 0x606), -EBADF);
	os->ops->free(os);
}

TEST(registers_need_root)
{
	struct nti_os *os = os_of_text(HEAD ",\"files\":{" ONLINE
					    "},\"registers\":{\"msr\":{\"*\":{\"16\":1}}}}");

	TT_IS(os->ops->open(os, "/dev/cpu/0/msr", O_RDONLY), -EACCES);
	TT_IS(os->ops->access(os, "/dev/cpu/0/msr", R_OK), -EACCES);
	os->ops->free(os);
}

TEST(faults_hit_the_nth_call)
{
	struct nti_os *os = os_of_text(
		HEAD ",\"files\":{\"/a\":\"x\"},\"faults\":[{\"call\":\"text\",\"nth\":2,"
		     "\"errno\":\"EIO\"},{\"call\":\"list\",\"nth\":1,\"errno\":\"ENOMEM\"}]}");
	char buf[8];

	TT_IS(os->ops->list(os, "/", append, buf), -ENOMEM);
	TT_IS(os->ops->text(os, "/a", buf, sizeof(buf)), 1);
	TT_IS(os->ops->text(os, "/a", buf, sizeof(buf)), -EIO);
	TT_IS(os->ops->text(os, "/a", buf, sizeof(buf)), 1);
	os->ops->free(os);
}

TEST(topology_is_handed_out)
{
	struct nti_os *os = os_of_text(HEAD ",\"topology\":{\"synthetic\":\"core:2\"}}");
	const struct nti_os_ops other = { .name = "test" };
	struct nti_os stranger = { .ops = &other };
	const char *xml, *synthetic;

	TT_IS(nti_machine_topology(os, &xml, &synthetic), 0);
	assert_null(xml);
	TT_TEXT(synthetic, "core:2");
	os->ops->free(os);
	os = os_of_text(HEAD "}");
	TT_IS(nti_machine_topology(os, &xml, &synthetic), -ENOENT);
	os->ops->free(os);
	TT_IS(nti_machine_topology(&stranger, &xml, &synthetic), -ENOTSUP);
}

TEST(clocks)
{
	struct nti_os *os = os_of_text(
		HEAD ",\"counting\":{\"clock\":{\"step_ns\":100},\"tsc_hz\":2000000000}}");
	uint64_t ticks, before;

	TT_IS(os->ops->now_ns(os), 100);
	TT_IS(os->ops->now_ns(os), 200);
	TT_IS(os->ops->tsc(os, &ticks), 0);
	TT_IS(ticks, 400);
	os->ops->free(os);
	os = os_of_text(HEAD "}");
	before = os->ops->now_ns(os);
	assert_true(before > 0 && os->ops->now_ns(os) >= before);
	TT_IS(os->ops->tsc(os, &ticks), -ENOTSUP);
	os->ops->free(os);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bad_files_are_refused_with_a_sentence),
		cmocka_unit_test(missing_and_unreadable_files),
		cmocka_unit_test(ranges_expand),
		cmocka_unit_test(the_manual_is_right),
		cmocka_unit_test(escaped_keys_come_back),
		cmocka_unit_test(texts_and_links),
		cmocka_unit_test(lists_are_sorted_and_without_repetition),
		cmocka_unit_test(access_follows_privilege),
		cmocka_unit_test(cpuid_is_exact_or_zero),
		cmocka_unit_test(registers_read_and_write),
		cmocka_unit_test(registers_need_root),
		cmocka_unit_test(faults_hit_the_nth_call),
		cmocka_unit_test(topology_is_handed_out),
		cmocka_unit_test(clocks),
	};

	return TT_RUN(tests);
}
