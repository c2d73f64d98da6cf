// SPDX-License-Identifier: MIT
/*
 * Where the kernel is locked down, raw registers are not written. The last program in a guest:
 * there is no way back from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "lab/tests/guest/driver.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

TEST(locked_down_registers_are_only_read)
{
	const struct lab_pair *pair = lab_need_pair();
	uint64_t before, value;
	int fd, lock, open_before;

	if (access(LOCKDOWN, F_OK) != 0)
		(void)mount("securityfs", "/sys/kernel/security", "securityfs", 0, NULL);
	lock = open(LOCKDOWN, O_WRONLY | O_CLOEXEC);
	if (lock < 0)
		TT_SKIP("this guest's kernel cannot be locked down");
	open_before = (int)LAB_GOOD(lab_reg_flip(pair->control, pair->flip, &before));
	if (write(lock, "integrity", 9) != 9)
		fail_msg("%s: %s", LOCKDOWN, strerror(errno));
	(void)close(lock);
	/* What was lent before is given back. */
	(void)close(open_before);
	LAB_REG_IS(pair->control, before);
	TT_IS(lab_reg_open(pair->control, O_WRONLY), -EPERM);
	TT_IS(lab_reg_open(pair->control, O_RDWR), -EPERM);
	TT_IS(lab_reg_open(pair->counter, O_WRONLY), -EPERM);
	LAB_REFUSED("lock");
	/* Reading goes on, and the register is free. */
	fd = LAB_OPEN(pair->control, O_RDONLY);
	LAB_GOOD(lab_fd_text(fd, &value));
	TT_IS(lab_status_number("open"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAB_DRIVER_TEST(locked_down_registers_are_only_read),
	};

	return LAB_DRIVER_RUN(tests);
}
