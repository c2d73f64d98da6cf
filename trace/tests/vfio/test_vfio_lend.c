// SPDX-License-Identifier: MIT
/* Cards to vfio-pci and back, on a machine made of files with a kernel behind it. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ntime/trace/vfio.h>

#include "trace/lib/vfio/group.h"
#include "base/tests/tt.h"
#include "trace/tests/vfio/fake_pci.h"

#define RECORD "/run/ntime-vfio/group-1"
#define DEVICES "/sys/bus/pci/devices/"
#define SDA "/sys/devices/pci0000:00/" FAKE_DISK "/ata1/host0/target0:0:0/block/sda"

static int bind_card(const char *card, uint32_t flags)
{
	return ntime_vfio_bind(&fake.ctx, card, flags, NULL, NULL);
}

static int unbind_card(const char *card, uint32_t flags)
{
	return ntime_vfio_unbind(&fake.ctx, card, flags, NULL, NULL);
}

/* It refuses, and says so. */
#define REFUSED(got, want, why) (TT_IS((got), (want)), TT_HAS(fake.ctx.error.text, (why)))

static void is_as_before(void)
{
	TT_TEXT(fake_pci_state(FAKE_CARD), "nouveau -");
	TT_TEXT(fake_pci_state(FAKE_SOUND), "snd_hda_intel snd_hda_intel");
	TT_TEXT(fake_pci_state(FAKE_BRIDGE), "pcieport -");
}

/* And nothing is on record. */
static void is_given_back(void)
{
	is_as_before();
	assert_false(fake_pci_has(RECORD));
}

static void is_lent(void)
{
	TT_TEXT(fake_pci_state(FAKE_CARD), "vfio-pci vfio-pci");
	TT_TEXT(fake_pci_state(FAKE_SOUND), "vfio-pci vfio-pci");
	TT_TEXT(fake_pci_state(FAKE_BRIDGE), "pcieport -");
}

TEST(there_and_back)
{
	TT_IS(bind_card("05:00.1", 0), 2);
	is_lent();
	TT_TEXT(fake.log, "devices/0000:05:00.0/driver_override vfio-pci\n"
			  "drivers/nouveau/unbind 0000:05:00.0\n"
			  "drivers/vfio-pci/bind 0000:05:00.0\n"
			  "devices/0000:05:00.1/driver_override vfio-pci\n"
			  "drivers/snd_hda_intel/unbind 0000:05:00.1\n"
			  "drivers/vfio-pci/bind 0000:05:00.1\n");
	assert_true(fake_pci_has(RECORD));
	/* Again: nothing to do, and what they had is not forgotten. */
	fake.writes = 0;
	TT_IS(bind_card(FAKE_CARD, 0), 0);
	TT_IS(fake.writes, 0);
	fake.log[0] = '\0';
	TT_IS(unbind_card(FAKE_CARD, 0), 2);
	is_as_before();
	TT_TEXT(fake.log, "devices/0000:05:00.1/driver_override snd_hda_intel\n"
			  "drivers/vfio-pci/unbind 0000:05:00.1\n"
			  "drivers/snd_hda_intel/bind 0000:05:00.1\n"
			  "devices/0000:05:00.0/driver_override \n"
			  "drivers/vfio-pci/unbind 0000:05:00.0\n"
			  "drivers/nouveau/bind 0000:05:00.0\n");
	assert_false(fake_pci_has(RECORD));
	TT_IS(unbind_card(FAKE_CARD, 0), 0);
}

TEST(a_card_without_driver_goes_back_to_none)
{
	TT_IS(bind_card(FAKE_ALONE, 0), 1);
	TT_TEXT(fake_pci_state(FAKE_ALONE), "vfio-pci vfio-pci");
	TT_IS(unbind_card(FAKE_ALONE, 0), 1);
	TT_TEXT(fake_pci_state(FAKE_ALONE), "- -");
}

/* The second function is refused: the first one goes back as well. */
TEST(all_or_nothing)
{
	fake.refuse = FAKE_SOUND;
	fake.refuser = "vfio-pci";
	REFUSED(bind_card(FAKE_CARD, 0), -EIO,
		"cannot write '0000:05:00.1' to "
		"/sys/bus/pci/drivers/vfio-pci/bind: Invalid argument; all "
		"functions have the drivers again that they had");
	is_given_back();
}

/* And the way back is refused too: what is left stays on record, and the next try ends it. */
TEST(what_cannot_be_given_back_stays_on_record)
{
	TT_IS(bind_card(FAKE_CARD, 0), 2);
	fake.refuse = FAKE_CARD;
	fake.refuser = "nouveau";
	REFUSED(unbind_card(FAKE_CARD, 0), -EINVAL, "drivers/nouveau/bind: Invalid argument");
	TT_TEXT(fake_pci_state(FAKE_CARD), "- -");
	TT_TEXT(fake_pci_state(FAKE_SOUND), "snd_hda_intel snd_hda_intel");
	assert_true(fake_pci_has(RECORD));
	fake.refuse = NULL;
	TT_IS(unbind_card(FAKE_SOUND, 0), 1);
	is_given_back();
}

TEST(a_driver_that_was_unloaded_is_named)
{
	TT_IS(bind_card(FAKE_CARD, 0), 2);
	fake_pci_remove("/sys/bus/pci/drivers/nouveau");
	REFUSED(unbind_card(FAKE_CARD, 0), -EIO,
		"0000:05:00.0 cannot be given back to nouveau, which is not loaded any more");
	assert_true(fake_pci_has(RECORD));
}

static int die_after(void *arg, const struct ntime_vfio_write *write)
{
	int *left = arg;

	(void)write;
	if (--*left == 0)
		_exit(9);
	return 0;
}

/*
 * A command that is killed after its first, second, ... write is put right by unbind; and bind goes
 * on where it stopped.
 */
TEST(killed_at_each_write)
{
	int at, status = 0;

	for (at = 1; at <= 6; at++) {
		int left = at;
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0) {
			ntime_vfio_bind(&fake.ctx, FAKE_CARD, 0, die_after, &left);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(WEXITSTATUS(status), 9);
		assert_true(fake_pci_has(RECORD));
		if (at % 2) {
			assert_true(bind_card(FAKE_CARD, 0) >= 0);
			is_lent();
		}
		assert_true(unbind_card(FAKE_CARD, 0) > 0);
		is_given_back();
	}
}

static int stop_at_third(void *arg, const struct ntime_vfio_write *write)
{
	int *n = arg;

	(void)write;
	return ++*n == 3 ? 42 : 0;
}

TEST(the_callback_may_end_it)
{
	int n = 0;

	TT_IS(ntime_vfio_bind(&fake.ctx, FAKE_CARD, 0, stop_at_third, &n), 42);
	is_given_back();
}

static int add_text(void *arg, const struct ntime_vfio_write *write)
{
	char *text = arg;

	TT_IS(write->error, 0);
	(void)snprintf(text + strlen(text), 1024 - strlen(text), "%s>%s\n", write->text,
		       write->path);
	return 0;
}

TEST(looking_changes_nothing)
{
	char text[1024] = "";

	fake.is_root = false;
	TT_IS(ntime_vfio_bind(&fake.ctx, FAKE_ALONE, NTIME_VFIO_LOOK, add_text, text), 1);
	TT_TEXT(text, "vfio-pci>/sys/bus/pci/devices/0000:07:00.0/driver_override\n"
		      "0000:07:00.0>/sys/bus/pci/drivers/vfio-pci/bind\n");
	TT_IS(fake.writes, 0);
	assert_false(fake_pci_has("/run/ntime-vfio"));
	fake.is_root = true;
	TT_IS(bind_card(FAKE_ALONE, 0), 1);
	fake.writes = 0;
	text[0] = '\0';
	TT_IS(ntime_vfio_unbind(&fake.ctx, FAKE_ALONE, NTIME_VFIO_LOOK, add_text, text), 1);
	TT_TEXT(text, ">/sys/bus/pci/devices/0000:07:00.0/driver_override\n"
		      "0000:07:00.0>/sys/bus/pci/drivers/vfio-pci/unbind\n");
	TT_IS(fake.writes, 0);
	TT_IS(unbind_card(FAKE_ALONE, 0), 1);
	TT_TEXT(fake_pci_state(FAKE_ALONE), "- -");
}

TEST(not_root)
{
	fake.is_root = false;
	TT_IS(bind_card(FAKE_CARD, 0), -EACCES);
	TT_TEXT(fake.ctx.error.text, "only root can lend cards: run as root");
	TT_IS(unbind_card(FAKE_CARD, 0), -EACCES);
	TT_TEXT(fake.ctx.error.text, "only root can give back cards: run as root");
	is_as_before();
}

TEST(what_is_no_card)
{
	REFUSED(bind_card("eth0", 0), -EINVAL, "'eth0' is not the address of a PCI function");
	REFUSED(bind_card("09:00.0", 0), -ENODEV, "there is no PCI function 0000:09:00.0 here");
	fake_pci_remove(DEVICES FAKE_ALONE "/iommu_group");
	REFUSED(bind_card(FAKE_ALONE, 0), -ENOTSUP, "is in no IOMMU group");
	fake_pci_file("/sys/kernel/iommu_groups/1/devices/fff51000.ethernet", "");
	REFUSED(bind_card(FAKE_CARD, 0), -ENOTSUP, "IOMMU group 1 holds fff51000.ethernet too");
	TT_IS(bind_card(FAKE_DISK, 16), -EINVAL);
	fake_pci_remove("/sys/bus/pci/drivers/vfio-pci");
	REFUSED(bind_card(FAKE_DISK, 0), -ENOENT, "modprobe vfio-pci");
}

TEST(a_group_of_bridges)
{
	fake_pci_remove("/sys/kernel/iommu_groups/1/devices/" FAKE_CARD);
	fake_pci_remove("/sys/kernel/iommu_groups/1/devices/" FAKE_SOUND);
	REFUSED(bind_card(FAKE_BRIDGE, 0), -EINVAL, "holds bridges only");
}

/* ---- what is in use ---- */

static void refuses(const char *card, const char *why)
{
	TT_IS(bind_card(card, 0), -EBUSY);
	TT_HAS(fake.ctx.error.text, why);
	TT_IS(fake.writes, 0);
	assert_false(fake_pci_has("/run/ntime-vfio"));
}

TEST(the_console)
{
	fake_pci_file(DEVICES FAKE_CARD "/boot_vga", "1\n");
	/* Also when another function of the group is named. */
	refuses(FAKE_SOUND, "0000:05:00.0, of IOMMU group 1, is in use: it is the graphics card");
	TT_IS(bind_card(FAKE_CARD, NTIME_VFIO_FORCE), 2);
	/* Nobody's console any more: asking again is no error. */
	TT_IS(bind_card(FAKE_CARD, 0), 0);
}

TEST(a_lit_screen)
{
	fake_pci_file(DEVICES FAKE_CARD "/boot_vga", "0\n");
	fake_pci_file(DEVICES FAKE_CARD "/drm/card1/card1-DP-1/enabled", "disabled\n");
	fake_pci_file(DEVICES FAKE_CARD "/drm/card1/card1-HDMI-A-1/enabled", "enabled\n");
	refuses(FAKE_CARD, "a screen is lit on its connector card1-HDMI-A-1");
}

static void add_disk(void)
{
	fake_pci_link("/sys/block/sda",
		      "../devices/pci0000:00/" FAKE_DISK "/ata1/host0/target0:0:0/block/sda");
	fake_pci_file(SDA "/dev", "8:0\n");
	fake_pci_file(SDA "/sda1/dev", "8:1\n");
}

TEST(a_mounted_disk)
{
	add_disk();
	fake_pci_file("/proc/self/mountinfo",
		      "21 1 0:20 / /proc rw - proc proc rw\n"
		      "22 1 8:1 / /home rw,relatime shared:1 - ext4 /dev/sda1 rw\n");
	refuses(FAKE_DISK, "sda1 on it is mounted on /home");
	/* Others are not concerned. */
	TT_IS(bind_card(FAKE_NET, 0), 1);
	fake_pci_file("/proc/self/mountinfo", "22 1 8:17 / /home rw - ext4 /dev/sdb1 rw\n");
	TT_IS(bind_card(FAKE_DISK, 0), 1);
}

/* btrfs has a number of its own. */
TEST(a_disk_mounted_by_name)
{
	add_disk();
	fake_pci_file("/proc/self/mountinfo",
		      "22 1 0:33 /root / rw - btrfs /dev/sda1 rw,subvol=/root\n");
	refuses(FAKE_DISK, "sda1 on it is mounted on /");
}

TEST(a_disk_of_raid)
{
	add_disk();
	fake_pci_file(SDA "/sda1/holders/dm-0", "");
	refuses(FAKE_DISK, "sda1 on it is in use");
}

TEST(a_disk_of_swap)
{
	add_disk();
	fake.held = "/dev/sda1";
	refuses(FAKE_DISK, "sda1 on it is in use");
}

/* It lies below none of its controllers. */
TEST(a_disk_with_several_paths)
{
	fake_pci_link("/sys/block/nvme0n1",
		      "../devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1");
	fake_pci_link("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0",
		      "../../../pci0000:00/" FAKE_DISK "/nvme/nvme0");
	fake_pci_file("/sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1/dev", "259:0\n");
	fake_pci_file("/proc/self/mountinfo", "22 1 259:0 / / rw - xfs /dev/nvme0n1 rw\n");
	refuses(FAKE_DISK, "nvme0n1 on it is mounted on /");
	TT_IS(bind_card(FAKE_NET, 0), 1);
}

TEST(a_network_that_is_up)
{
	fake_pci_link("/sys/class/net/eth0",
		      "../../devices/pci0000:00/0000:00:1c.0/" FAKE_NET "/net/eth0");
	fake_pci_file("/sys/devices/pci0000:00/0000:00:1c.0/" FAKE_NET "/net/eth0/flags",
		      "0x1003\n");
	refuses(FAKE_NET, "its network device eth0 is up");
	fake_pci_file("/sys/devices/pci0000:00/0000:00:1c.0/" FAKE_NET "/net/eth0/flags",
		      "0x1002\n");
	TT_IS(bind_card(FAKE_NET, 0), 1);
}

/* ---- unbind ---- */

TEST(not_of_ours)
{
	fake_pci_file(DEVICES FAKE_ALONE "/driver_override", "vfio-pci\n");
	fake_pci_link(DEVICES FAKE_ALONE "/driver", "../../../bus/pci/drivers/vfio-pci");
	fake_pci_file("/sys/bus/pci/drivers/nouveau/bind", "");
	TT_IS(bind_card(FAKE_ALONE, 0), 0);
	REFUSED(unbind_card(FAKE_ALONE, 0), -ENOENT, "ntime did not give them to it");
	TT_TEXT(fake_pci_state(FAKE_ALONE), "vfio-pci vfio-pci");
	TT_IS(unbind_card(FAKE_ALONE, NTIME_VFIO_FORCE), 1);
	TT_TEXT(fake_pci_state(FAKE_ALONE), "nouveau -");
}

TEST(while_a_program_has_it)
{
	TT_IS(bind_card(FAKE_CARD, 0), 2);
	fake.held = "/dev/vfio/1";
	REFUSED(unbind_card(FAKE_CARD, 0), -EBUSY, "a program has IOMMU group 1 open");
	is_lent();
	fake.held = NULL;
	TT_IS(unbind_card(FAKE_CARD, 0), 2);
}

/* Somebody bound it elsewhere in the meantime: that is his. */
TEST(what_somebody_else_has_now_stays)
{
	TT_IS(bind_card(FAKE_CARD, 0), 2);
	fake_pci_file(DEVICES FAKE_CARD "/driver_override", "nvidia\n");
	fake_pci_link(DEVICES FAKE_CARD "/driver", "../../../bus/pci/drivers/nvidia");
	TT_IS(unbind_card(FAKE_CARD, 0), 1);
	TT_TEXT(fake_pci_state(FAKE_CARD), "nvidia nvidia");
	TT_TEXT(fake_pci_state(FAKE_SOUND), "snd_hda_intel snd_hda_intel");
}

/* And when we lend it again it goes back to him, not to what it had once. */
TEST(what_somebody_else_had_last_comes_back)
{
	TT_IS(bind_card(FAKE_CARD, 0), 2);
	fake_pci_file(DEVICES FAKE_CARD "/driver_override", "snd_hda_intel\n");
	fake_pci_link(DEVICES FAKE_CARD "/driver", "../../../bus/pci/drivers/snd_hda_intel");
	TT_IS(bind_card(FAKE_CARD, 0), 1);
	is_lent();
	TT_IS(unbind_card(FAKE_CARD, 0), 2);
	TT_TEXT(fake_pci_state(FAKE_CARD), "snd_hda_intel snd_hda_intel");
	TT_TEXT(fake_pci_state(FAKE_SOUND), "snd_hda_intel snd_hda_intel");
}

TEST(a_full_record_takes_no_more)
{
	char *text = NULL;
	size_t n;
	FILE *out = open_memstream(&text, &n);
	unsigned int i;

	fprintf(out, "ntime-vfio-1\tfirst-boot\t1\n");
	for (i = 0; i < NTI_VFIO_FUNCTIONS_MAX; i++)
		fprintf(out, "0001:%02x:00.0\tnouveau\t-\n", i);
	fprintf(out, "end\t%u\n", i);
	(void)fclose(out);
	fake_pci_file(RECORD, text);
	free(text);
	REFUSED(bind_card(FAKE_CARD, 0), -ENOSPC, "no room to write down what 0000:05:00.0 has");
	TT_IS(fake.writes, 0);
	is_as_before();
	/* Those functions are not there any more. */
	TT_IS(unbind_card(FAKE_CARD, 0), 0);
	TT_IS(bind_card(FAKE_CARD, 0), 2);
	is_lent();
}

TEST(records_of_an_earlier_boot_are_nobodys)
{
	fake_pci_file(RECORD, "ntime-vfio-1\tolder-boot\t1\n" FAKE_CARD "\tnvidia\t-\nend\t1\n");
	TT_IS(unbind_card(FAKE_CARD, 0), 0);
	is_given_back();
	fake_pci_file(RECORD, "ntime-vfio-1\tolder-boot\t1\n" FAKE_CARD "\tnvidia\t-\nend\t1\n");
	TT_IS(bind_card(FAKE_CARD, 0), 2);
	TT_IS(unbind_card(FAKE_CARD, 0), 2);
	is_as_before();
}

TEST(damaged_records_are_not_believed)
{
	fake_pci_file(RECORD, "ntime-vfio-1\tfirst-boot\t1\n" FAKE_CARD "\tnv");
	REFUSED(bind_card(FAKE_CARD, 0), -EBADMSG,
		"cannot use /run/ntime-vfio/group-1: it is not whole");
	TT_IS(unbind_card(FAKE_CARD, 0), -EBADMSG);
	TT_IS(fake.writes, 0);
	is_as_before();
}

static int add_function(void *arg, const struct ntime_vfio_function *f)
{
	char *text = arg;

	(void)snprintf(text + strlen(text), 1024 - strlen(text), "%u %s %08x %06x %s<%s %u%u\n",
		       f->group, f->name, f->vendor_device, f->pci_class, f->driver, f->had,
		       f->is_bridge, f->is_lent);
	return 0;
}

TEST(functions)
{
	char text[1024] = "";

	TT_IS(bind_card(FAKE_CARD, 0), 2);
	TT_IS(ntime_vfio_function_for_each(&fake.ctx, FAKE_CARD, add_function, text), 0);
	TT_TEXT(text, "1 0000:00:01.0 10de0c01 060400 pcieport< 10\n"
		      "1 0000:05:00.0 10de0640 030000 vfio-pci<nouveau 01\n"
		      "1 0000:05:00.1 10de0be3 040300 vfio-pci<snd_hda_intel 01\n");
	TT_IS(ntime_vfio_function_for_each(&fake.ctx, "09:00.0", add_function, text), -ENODEV);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fake_pci_set_up, fake_pci_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(there_and_back),
		CASE(a_card_without_driver_goes_back_to_none),
		CASE(all_or_nothing),
		CASE(what_cannot_be_given_back_stays_on_record),
		CASE(a_driver_that_was_unloaded_is_named),
		CASE(killed_at_each_write),
		CASE(the_callback_may_end_it),
		CASE(looking_changes_nothing),
		CASE(not_root),
		CASE(what_is_no_card),
		CASE(a_group_of_bridges),
		CASE(the_console),
		CASE(a_lit_screen),
		CASE(a_mounted_disk),
		CASE(a_disk_mounted_by_name),
		CASE(a_disk_of_raid),
		CASE(a_disk_of_swap),
		CASE(a_disk_with_several_paths),
		CASE(a_network_that_is_up),
		CASE(not_of_ours),
		CASE(while_a_program_has_it),
		CASE(what_somebody_else_has_now_stays),
		CASE(what_somebody_else_had_last_comes_back),
		CASE(a_full_record_takes_no_more),
		CASE(records_of_an_earlier_boot_are_nobodys),
		CASE(damaged_records_are_not_believed),
		CASE(functions),
	};

	return TT_RUN(tests);
}
