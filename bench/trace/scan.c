// SPDX-License-Identifier: MIT
/*
 * What people write when they need a converter: getline(3), sscanf(3), printf(3). A peer for the
 * benchmark; reads "PID@SEC.USEC:" lines alone.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	FILE *in = argc > 1 ? fopen(argv[1], "r") : stdin;
	uint64_t offset, value;
	unsigned int pid, us, region, width;
	char *line = NULL, device[12];
	size_t room = 0;
	long seconds;

	if (!in) {
		perror(argv[1]);
		return 1;
	}
	while (getline(&line, &room, in) > 0) {
		if (sscanf(line,
			   "%u@%ld.%u:vfio_region_write (%12c:region%u+0x%" SCNx64 ", 0x%" SCNx64
			   ", %u)",
			   &pid, &seconds, &us, device, &region, &offset, &value, &width) == 8)
			printf("W %u %ld.%06u %u 0x%" PRIx64 " 0x%" PRIx64 " 0x0 0\n", width,
			       seconds, us, region, offset, value);
		else if (sscanf(line,
				"%u@%ld.%u:vfio_region_read (%12c:region%u+0x%" SCNx64
				", %u) = 0x%" SCNx64,
				&pid, &seconds, &us, device, &region, &offset, &width, &value) == 8)
			printf("R %u %ld.%06u %u 0x%" PRIx64 " 0x%" PRIx64 " 0x0 0\n", width,
			       seconds, us, region, offset, value);
	}
	free(line);
	return ferror(in) || fclose(stdout) ? 1 : 0;
}
