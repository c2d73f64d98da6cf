// SPDX-License-Identifier: MIT
/* What every report says of a comparison, in the same words. */
#include "count/cli/compare/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/statistics/spread.h"

/* From this factor on, one says how many times. */
#define MANY_TIMES 2

/* Decimals that show two digits of how exact the number is. */
static int decimals_of(double half)
{
	double wanted = half > 0 ? 1 - floor(log10(half)) : 3;

	return (int)fmin(fmax(wanted, 0), 4);
}

static struct cli_percent percent_text(double percent, int decimals)
{
	double shown = fabs(percent);
	struct cli_percent p;

	/* What is not 0 is not shown as 0, and what is enormous not in 20 digits. */
	if (shown > 0 && (shown < 0.5 * pow(10, -decimals) || shown >= 1e7))
		(void)snprintf(p.text, sizeof(p.text), "%.1g", percent);
	else
		(void)snprintf(p.text, sizeof(p.text), "%.*f", decimals, shown > 0 ? percent : 0);
	return p;
}

struct cli_saying cli_compare_say(const struct cli_change *c, bool is_speed)
{
	bool is_less = c->factor.estimate < 1;
	double sign = is_less ? -1 : 1;
	double at = sign * (c->factor.estimate - 1) * 100;
	double low = (is_less ? 1 - c->factor.high : c->factor.low - 1) * 100;
	double high = (is_less ? 1 - c->factor.low : c->factor.high - 1) * 100;
	int decimals = c->factor.is_known ? decimals_of((high - low) / 2) : 1;
	const char *word = is_speed ? (is_less ? "faster" : "slower") : is_less ? "less" : "more";
	double times = is_less ? 1 / c->factor.estimate : c->factor.estimate;
	struct cli_saying s;
	size_t used;

	used = (size_t)snprintf(s.what, sizeof(s.what), "%s %% %s", percent_text(at, decimals).text,
				word);
	if (times >= MANY_TIMES)
		(void)snprintf(s.what + used, sizeof(s.what) - used, " (%s times)",
			       cli_number_short(times).text);
	(void)snprintf(s.range, sizeof(s.range), "%s .. %s %%", percent_text(low, decimals).text,
		       percent_text(high, decimals).text);
	return s;
}

struct cli_percent cli_compare_bound(const struct cli_change *c)
{
	double bound = fmax(c->factor.high - 1, 1 - c->factor.low) * 100;
	int decimals = decimals_of(bound);
	double unit = pow(10, -decimals);

	return percent_text(ceil(bound / unit) * unit, decimals);
}

char *cli_compare_short(const struct cli_results *r, size_t side, size_t metric)
{
	struct cli_change c = cli_change_of(r, side, metric);
	double half = (c.factor.high - c.factor.low) * 50;

	if (!c.factor.is_known)
		return NULL;
	return cli_format("%s %s (+-%s %%)", r->side[side].name,
			  cli_compare_say(&c, cli_metric_is_speed(r->metric[metric].name)).what,
			  percent_text(half, decimals_of(half)).text);
}

const char *cli_compare_metric(const char *name)
{
	static const char *const texts[][2] = {
		{ CLI_METRIC_REAL, "real time" },
		{ CLI_METRIC_USER, "user time" },
		{ CLI_METRIC_SYS, "system time" },
		{ CLI_METRIC_CPU, "CPU time" },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strcmp(name, texts[i][0]) == 0)
			return texts[i][1];
	return name;
}

static char *value_like(double value, double like, const char *unit, bool utf8)
{
	const char *shown;
	struct cli_number n = cli_number_value_like(value, like, unit, utf8, &shown);

	return cli_format("%s%s%s", n.text, *shown ? " " : "", shown);
}

char *cli_compare_value(double value, const char *unit, bool utf8)
{
	return value_like(value, value, unit, utf8);
}

char *cli_compare_numbers(const struct cli_results *r, size_t side, size_t metric, bool has_range,
			  bool utf8)
{
	const char *unit = r->metric[metric].unit;
	double *number, median;
	size_t n;
	char *text, *middle, *low, *high;

	number = cli_side_numbers(r, side, metric, &n);
	if (!n) {
		free(number);
		return cli_strdup("-");
	}
	cli_sort(number, n);
	/* One unit, so that they can be read against each other. */
	median = cli_quantile(number, n, 0.5);
	middle = cli_compare_value(median, unit, utf8);
	low = value_like(number[0], median, unit, utf8);
	high = value_like(number[n - 1], median, unit, utf8);
	text = has_range ? cli_format("%s (%s .. %s)", middle, low, high) : cli_strdup(middle);
	free(middle);
	free(low);
	free(high);
	free(number);
	return text;
}

char *cli_compare_interval(const struct cli_interval *of, const char *unit, bool utf8)
{
	char *middle = cli_compare_value(of->estimate, unit, utf8),
	     *low = value_like(of->low, of->estimate, unit, utf8),
	     *high = value_like(of->high, of->estimate, unit, utf8),
	     *text = cli_format("%s (95 %%: %s .. %s)", middle, low, high);

	free(middle);
	free(low);
	free(high);
	return text;
}
