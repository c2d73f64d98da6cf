/* SPDX-License-Identifier: MIT */
/* How a number spreads over the runs of a command. */
#ifndef CLI_STATISTICS_SPREAD_H
#define CLI_STATISTICS_SPREAD_H

#include <stdbool.h>
#include <stddef.h>

/* In order. */
void cli_sort(double *number, size_t n);
/* @share of @n sorted numbers is below it, between two of them in a line; @n is not 0. */
double cli_quantile(const double *number, size_t n, double share);
/* The number that a normal one of mean 0 and standard deviation 1 is below with probability @p. */
double cli_normal_quantile(double p);

/**
 * struct cli_spread - a number over several runs
 * @run:	the numbers in the order of the runs; freed by cli_spread_fini()
 * @n:		of them: runs that gave a number
 * @mean, @min, @max: of them
 * @m2:		sum of squared differences from the mean (Welford's method: no cancellation)
 */
struct cli_spread {
	double *run;
	size_t n;
	double mean;
	double min;
	double max;
	double m2;
};

void cli_spread_add(struct cli_spread *s, double number);
/* Add the numbers of @more to those of @s. */
void cli_spread_join(struct cli_spread *s, const struct cli_spread *more);
void cli_spread_fini(struct cli_spread *s);

/* Half of the mean's 95 % interval: t * sqrt(m2 / (n - 1) / n); 0 below two runs. */
double cli_spread_ci95(const struct cli_spread *s);
/* Standard deviation of the runs; 0 below two. */
double cli_spread_sd(const struct cli_spread *s);
/* 0 where there is no run. */
double cli_spread_median(const struct cli_spread *s);

/**
 * struct cli_exceptions - runs that gave another number than most did
 * @number:	what most runs gave
 * @n:		how many did not; all of them where no number has more than half of the runs
 * @most:	the largest distance from @number
 */
struct cli_exceptions {
	double number;
	size_t n;
	double most;
};
struct cli_exceptions cli_spread_exceptions(const struct cli_spread *s);

/*
 * Runs below @low and above @high are far from the others: outside of the quartiles by more than
 * three times what is between them (J. W. Tukey, "Exploratory Data Analysis": far out). Of fewer
 * than five runs none is.
 */
struct cli_fences {
	double low, high;
};
struct cli_fences cli_spread_fences(const struct cli_spread *s);
bool cli_fences_are_passed(const struct cli_fences *f, double number);

/**
 * struct cli_drift - whether runs that follow each other are alike
 * @crossings:	times that a run was on the other side of the median than the one before
 * @expected:	of them, if runs are independent
 * @p:		probability of so few, if runs are independent; 1 where nothing can be said
 */
struct cli_drift {
	size_t crossings;
	double expected;
	double p;
};

/* Of so many independent sets of runs one is called dependent. */
#define CLI_DRIFT_P 0.01

/* A. Wald and J. Wolfowitz' test of runs; numbers that are the median itself say nothing. */
struct cli_drift cli_spread_drift(const struct cli_spread *s);

#endif
