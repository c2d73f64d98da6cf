// SPDX-License-Identifier: MIT
/* What tracing needs, on a machine that has it all, and with each thing taken away. */
#include <errno.h>

#include <ntime/trace/vfio.h>

#include "trace/lib/vfio/doctor.h"
#include "base/tests/tt.h"
#include "trace/tests/vfio/fake_pci.h"

static int set_up(void **state)
{
	TT_IS(fake_pci_set_up(state), 0);
	fake_pci_file("/proc/cpuinfo",
		      "processor\t: 0\nflags\t\t: fpu vme ssse3 vmx ept\n\nflags\t\t: fpu\n");
	fake_pci_file("/dev/kvm", "");
	fake_pci_file("/sys/firmware/acpi/tables/DMAR", "");
	fake_pci_file("/proc/cmdline", "quiet intel_iommu=on\n");
	fake_pci_file("/dev/vfio/vfio", "");
	fake_pci_file("/sys/module/vfio_iommu_type1/refcnt", "0\n");
	fake_pci_file("/proc/sys/kernel/osrelease", "6.1.0-56-amd64\n");
	fake_pci_file(
		"/lib/modules/6.1.0-56-amd64/modules.dep",
		"kernel/drivers/vfio/vfio.ko.xz:\nkernel/drivers/vfio/pci/vfio-pci.ko.xz: x\n");
	return 0;
}

/* One check of the answer. */
struct wanted {
	const char *name;
	int state; /* -1: it was not told */
	char reason[1024], remedy[512];
};

static int keep(void *arg, const struct ntime_vfio_check *check)
{
	struct wanted *w = arg;

	TT_IS(check->size, sizeof(*check));
	assert_true(*check->what && *check->reason);
	/* What is missing has a way out. */
	if (check->state == NTIME_VFIO_MISSING)
		assert_true(*check->remedy);
	if (strcmp(check->name, w->name) != 0)
		return 0;
	w->state = (int)check->state;
	(void)snprintf(w->reason, sizeof(w->reason), "%s", check->reason);
	(void)snprintf(w->remedy, sizeof(w->remedy), "%s", check->remedy);
	return 0;
}

static const char version[] = "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7)\nCopyright\n";

static int ask(const char *card, const char *qemu_version, struct wanted *w)
{
	struct ntime_vfio_question q = { .size = sizeof(q),
					 .card = card,
					 .qemu_version = qemu_version };

	w->state = -1;
	w->reason[0] = w->remedy[0] = '\0';
	return ntime_vfio_doctor(&fake.ctx, &q, keep, w);
}

static const char *check_of(const char *name, int state)
{
	static struct wanted w;

	w.name = name;
	assert_true(ask(FAKE_CARD, version, &w) >= 0);
	TT_IS(w.state, state);
	return w.reason;
}

TEST(nothing_is_missing)
{
	struct wanted w = { .name = "command" };

	TT_IS(ntime_vfio_bind(&fake.ctx, FAKE_CARD, 0, NULL, NULL), 2);
	TT_IS(ask(FAKE_CARD, version, &w), 0);
	TT_HAS(w.reason, "qemu-system-x86_64 -machine q35,accel=kvm -m 4G -device "
			 "vfio-pci,host=0000:05:00.0,x-no-mmap=on,x-no-kvm-ioeventfd=on");
	TT_HAS(w.reason, "-msg timestamp=on -D card.log");
	/* The machine alone */
	TT_IS(ask(NULL, version, &w), 0);
}

TEST(the_card)
{
	TT_HAS(check_of("card", NTIME_VFIO_OK), "0000:05:00.0 is 10de:0640, class 030000");
	TT_HAS(check_of("card-driver", NTIME_VFIO_MISSING), "nouveau has it");
	TT_HAS(check_of("card-group", NTIME_VFIO_MISSING),
	       "group 1, with 0000:00:01.0 (pcieport, a bridge, stays), 0000:05:00.1 "
	       "(snd_hda_intel)");
	check_of("card-use", NTIME_VFIO_OK);
	check_of("card-open", -1);
	fake_pci_file("/sys/bus/pci/devices/" FAKE_CARD "/boot_vga", "1\n");
	TT_HAS(check_of("card-use", NTIME_VFIO_MISSING), "shows the console");
	fake_pci_file("/dev/vfio/1", "");
	check_of("card-open", NTIME_VFIO_OK);
	fake.held = "/dev/vfio/1";
	TT_HAS(check_of("card-open", NTIME_VFIO_MISSING), "a program has /dev/vfio/1 open");
	fake_pci_remove("/sys/bus/pci/devices/" FAKE_CARD "/iommu_group");
	TT_HAS(check_of("card-group", NTIME_VFIO_MISSING), "in no IOMMU group");
	fake_pci_remove("/sys/bus/pci/devices/" FAKE_CARD);
	TT_HAS(check_of("card", NTIME_VFIO_MISSING), "there is no PCI function 0000:05:00.0");
}

TEST(the_processor)
{
	TT_HAS(check_of("cpu", NTIME_VFIO_OK), "vmx, and /dev/kvm is there");
	fake_pci_remove("/dev/kvm");
	TT_HAS(check_of("cpu", NTIME_VFIO_MISSING), "there is no /dev/kvm");
	TT_HAS(check_of("command", NTIME_VFIO_OK), "accel=tcg");
	/* Parts of words are none, nor are flags of another line. */
	fake_pci_file("/proc/cpuinfo", "flags\t\t: fpu vmx_foo xvmx\nvmx flags\t: vmx svm\n");
	TT_HAS(check_of("cpu", NTIME_VFIO_MISSING), "neither vmx nor svm");
	fake_pci_file("/proc/cpuinfo", "flags\t\t: svm\n");
	fake_pci_file("/dev/kvm", "");
	TT_HAS(check_of("cpu", NTIME_VFIO_OK), "svm, and");
}

TEST(the_iommu)
{
	TT_HAS(check_of("iommu-groups", NTIME_VFIO_OK), "has 4 of them");
	fake_pci_file("/proc/cmdline", "quiet\n");
	TT_HAS(check_of("iommu-command-line", NTIME_VFIO_OK), "by default");
	fake_pci_remove("/sys/kernel/iommu_groups");
	TT_HAS(check_of("iommu-groups", NTIME_VFIO_MISSING), "is not there");
	TT_HAS(check_of("iommu-command-line", NTIME_VFIO_MISSING), "does not switch the IOMMU on");
	check_of("iommu-firmware", NTIME_VFIO_OK);
	fake_pci_file("/proc/cmdline", "quiet intel_iommu=off\n");
	TT_HAS(check_of("iommu-command-line", NTIME_VFIO_MISSING), "switches the IOMMU off");
	fake_pci_file("/proc/cmdline", "quiet amd_iommu=on\n");
	TT_HAS(check_of("iommu-command-line", NTIME_VFIO_OK), "another cause");
	fake_pci_remove("/sys/firmware/acpi/tables/DMAR");
	TT_HAS(check_of("iommu-firmware", NTIME_VFIO_MISSING), "no ACPI table");
	fake_pci_remove("/sys/firmware");
	check_of("iommu-firmware", NTIME_VFIO_UNKNOWN);
}

TEST(the_modules)
{
	struct wanted w = { .name = "vfio-pci" };

	fake_pci_remove("/sys/bus/pci/drivers/vfio-pci");
	assert_true(ask(NULL, version, &w) == 1);
	TT_IS(w.state, NTIME_VFIO_MISSING);
	TT_TEXT(w.remedy, "modprobe vfio-pci");
	fake_pci_remove("/sys/module/vfio_iommu_type1");
	/* Not in modules.dep: the kernel has none. */
	TT_HAS(check_of("vfio-iommu", NTIME_VFIO_MISSING),
	       "this kernel has no module vfio_iommu_type1");
	fake_pci_remove("/lib/modules");
	TT_HAS(check_of("vfio-iommu", NTIME_VFIO_MISSING), "is not known");
	/* IOMMUFD does as well. */
	fake_pci_file("/dev/iommu", "");
	check_of("vfio-iommu", NTIME_VFIO_OK);
}

static const struct version_row {
	int line;
	const char *text;
	int state;
	const char *reason;		   /* a part of it */
	bool has_timestamp, has_ioeventfd; /* options of the command line */
} version_rows[] = {
	{ __LINE__, "QEMU emulator version 10.1.0", NTIME_VFIO_OK, "2025-07-21T", true, true },
	{ __LINE__, "QEMU emulator version 7.2.22 (Debian)", NTIME_VFIO_OK, "THREAD@SECONDS", true,
	  true },
	{ __LINE__, "QEMU emulator version 5.2.0", NTIME_VFIO_OK, "begin with 'THREAD@", false,
	  true },
	{ __LINE__, "QEMU emulator version 2.11.1", NTIME_VFIO_OK, "begin with 'PROCESS@", false,
	  false },
	{ __LINE__, "QEMU emulator version 2.4.0", NTIME_VFIO_MISSING, "x-no-mmap", false, false },
	{ __LINE__, "QEMU emulator version 1.7", NTIME_VFIO_MISSING, "x-no-mmap", false, false },
	{ __LINE__, "busybox", NTIME_VFIO_UNKNOWN, "does not print its version: busybox", true,
	  true },
	{ __LINE__, NULL, NTIME_VFIO_MISSING, "cannot be run", true, true },
};

TEST(versions_of_qemu)
{
	TT_FOR_EACH_ROW(r, version_rows) {
		struct wanted w = { .name = "qemu" };

		assert_true(ask(NULL, r->text, &w) >= 0);
		TT_EQ(r, w.state, r->state);
		TT_HAS(w.reason, r->reason);
		w.name = "command";
		assert_true(ask(NULL, r->text, &w) >= 0);
		TT_EQ(r, strstr(w.reason, "-msg") != NULL, r->has_timestamp);
		/* Properties that old ones lack would keep them from starting. */
		TT_EQ(r, strstr(w.reason, "ioeventfd=on") != NULL, r->has_ioeventfd);
	}
}

TEST(memory)
{
	fake.is_root = false;
	check_of("memory", NTIME_VFIO_UNKNOWN);
	fake_pci_file("/proc/self/limits",
		      "Limit  Soft Limit  Hard Limit\nMax locked memory  65536  65536  bytes\n");
	TT_HAS(check_of("memory", NTIME_VFIO_MISSING), "65536 bytes");
	fake_pci_file(
		"/proc/self/limits",
		"Max locked memory         unlimited            unlimited            bytes\n");
	check_of("memory", NTIME_VFIO_OK);
}

static int fail_at_once(void *arg, const struct ntime_vfio_check *check)
{
	(void)check;
	++*(int *)arg;
	return -ECANCELED;
}

TEST(wrong_questions)
{
	struct ntime_vfio_question q = { .size = sizeof(q), .card = "x" };
	int calls = 0;

	TT_IS(ntime_vfio_doctor(&fake.ctx, &q, fail_at_once, &calls), -EINVAL);
	TT_HAS(fake.ctx.error.text, "'x' is not the address of a PCI function");
	q.card = NULL;
	q.size = 8;
	TT_IS(ntime_vfio_doctor(&fake.ctx, &q, fail_at_once, &calls), -EINVAL);
	TT_IS(calls, 0);
	q.size = sizeof(q);
	TT_IS(ntime_vfio_doctor(&fake.ctx, &q, fail_at_once, &calls), -ECANCELED);
	TT_IS(calls, 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, fake_pci_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(nothing_is_missing),
		CASE(the_card),
		CASE(the_processor),
		CASE(the_iommu),
		CASE(the_modules),
		CASE(versions_of_qemu),
		CASE(memory),
		CASE(wrong_questions),
	};

	return TT_RUN(tests);
}
