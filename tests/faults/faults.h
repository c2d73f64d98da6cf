/* SPDX-License-Identifier: MIT */
/* What the preloaded object and those who look at it agree on. */
#ifndef TESTS_FAULTS_FAULTS_H
#define TESTS_FAULTS_FAULTS_H

#include <stdint.h>

/*
 * prctl(2) knows no such option: it marks where the program begins in a list of its system calls.
 */
#define FAULTS_BEGIN 0x6e74696d

#define FAULTS_PLACES 32768

/**
 * struct faults_page - what is found out; all zero at first; test_faults.py reads it
 * @calls:	that could fail
 * @failed:	of those
 * @spared:	of hwloc, which were to fail and did not
 * @loading:	of those that failed, how many by the loader, for a library that is wanted late
 * @places:	different stacks that allocate; counted where none is to fail
 * @status:	of the program as wait(2) has it, by calls.c
 * @where:	the stack of the first that failed, a line a frame; by calls.c the words of its
 *		error, then the call
 * @place:	number of the first call from each of @places
 */
struct faults_page {
	uint64_t calls, failed, spared, loading, places, status;
	char where[4048];
	uint64_t place[FAULTS_PLACES];
};

#endif
