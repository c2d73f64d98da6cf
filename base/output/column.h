/* SPDX-License-Identifier: MIT */
/*
 * Columns of a result: described once, printed as CSV (csv.h), JSON (json.h) and as a table for
 * people (table.h).
 *
 * A result has a constant table of columns and one function that fills a row of cells. A cell that
 * is left zero has no value: it is empty in CSV, null or no member in JSON, "-" for people, and
 * never 0.
 */
#ifndef CLI_OUTPUT_COLUMN_H
#define CLI_OUTPUT_COLUMN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cli_cell_kind {
	CLI_CELL_NONE,
	CLI_CELL_TEXT,
	CLI_CELL_WORDS, /* text, separated by blanks: an array in JSON */
	CLI_CELL_COUNT, /* 1234; "1,234" for people */
	CLI_CELL_REAL,	/* the shortest digits that read back as the same double */
	CLI_CELL_RATE,	/* a real number of which CSV has six digits */
	CLI_CELL_NS,	/* nanoseconds, a real number; "1.5 ms" for people */
	CLI_CELL_HEX,	/* 0x1f, text in JSON */
	CLI_CELL_HEX64, /* with all 16 digits */
	CLI_CELL_BOOL,	/* 1 or 0 in CSV */
	CLI_CELL_MADE,	/* a JSON value that @make makes; elsewhere @shown */
};

/**
 * struct cli_cell - a value in one column of one row
 * @shown:	for people, where that differs from what @kind makes of the value; NULL
 *
 * Texts live until the row is printed.
 */
struct cli_cell {
	enum cli_cell_kind kind;
	union {
		const char *text;
		uint64_t count;
		double real;
		struct {
			json_t *(*make)(const void *of);
			const void *of;
		};
	};
	const char *shown;
};

/* Of results whose cells are filled where the columns are not known. */
#define CLI_COLUMNS_MAX 48

/* Flags of a column. */
#define CLI_COLUMN_NOT_CSV (1u << 0)
#define CLI_COLUMN_NOT_JSON (1u << 1)
/* No member in JSON where there is no value, whatever the others do. */
#define CLI_COLUMN_OMIT (1u << 2)
#define CLI_COLUMN_YES (1u << 3)  /* a boolean is yes or no in CSV */
#define CLI_COLUMN_LEFT (1u << 4) /* people see it aligned at the left: text */
#define CLI_COLUMN_SET (1u << 5)  /* 0 and "" of the member are no value */

/**
 * struct cli_column - what a column is called, and where it is printed
 * @name:	in CSV, and in JSON where @key is NULL. NULL: for people alone
 * @key:	in JSON; "a.count" is member count of object a. The first member of an object
 *		decides whether there is one
 * @title:	for people; NULL: they do not see it
 * @flags:	CLI_COLUMN_*
 * @rank:	for people: 0 is always there; the larger, the sooner left out where there is no
 *		room
 * @kind, @at, @bytes: member of the result's struct that cli_cells_fill() takes the value from; see
 *		CLI_OF()
 * @word:	the text that the 32-bit number at @at stands for, of a CLI_CELL_TEXT; NULL: the
 *		text itself is there
 * @if_flag, @flag_at: it does so only where the 32 flags at @flag_at have this one, see CLI_IF(); a
 *		boolean is whether its own member has it
 * @only:	bit of struct cli_columns.with without which the column is not there; 0: it always
 *		is
 */
struct cli_column {
	const char *name;
	const char *key;
	const char *title;
	unsigned int flags;
	unsigned int rank;
	enum cli_cell_kind kind;
	size_t at, bytes;
	const char *(*word)(uint32_t number);
	uint32_t if_flag;
	size_t flag_at;
	unsigned int only;
};

/*
 * A result lists its columns once, as #define LIST(X) X(ID, "name", .title = ...) X(...), which is
 * made an enum by which rows are filled, and the table that is printed by.
 */
#define CLI_COLUMN_ID(id, ...) id,
#define CLI_COLUMN_ROW(id, ...) [id] = { __VA_ARGS__ },

/*
 * Behind the names of a column: its value is @member, an unsigned number, a double or a text, as
 * its CLI_CELL_@of says.
 */
#define CLI_OF(type, member, of)                                                                   \
	.kind = CLI_CELL_##of, .at = offsetof(type, member), .bytes = sizeof(((type *)0)->member)

/* The same: only where @member, 32 flags, has @flag. */
#define CLI_IF(type, member, flag) .if_flag = (flag), .flag_at = offsetof(type, member)

/**
 * struct cli_columns - the columns of a result
 * @with:	which columns of those that have .only are wanted
 * @separator:	in place of commas; '\t' has control characters replaced instead of quotes
 * @none:	in place of nothing, in CSV
 * @has_nulls:	JSON has null where there is no value; else no member
 */
struct cli_columns {
	const struct cli_column *column;
	size_t n;
	unsigned int with;
	char separator;
	const char *none;
	bool has_nulls;
};

/*
 * Take the values of columns with a member from @of; the other cells have none. @cell: one per
 * column.
 */
void cli_cells_fill(struct cli_cell *cell, const struct cli_columns *c, const void *of);

static inline bool cli_column_is_on(const struct cli_columns *c, const struct cli_column *column)
{
	return !column->only || column->only & c->with;
}

static inline struct cli_cell cli_text(const char *text)
{
	return (struct cli_cell){ .kind = CLI_CELL_TEXT, .text = text };
}

/* No value where it is "". */
static inline struct cli_cell cli_some_text(const char *text)
{
	return (struct cli_cell){ .kind = *text ? CLI_CELL_TEXT : CLI_CELL_NONE, .text = text };
}

static inline struct cli_cell cli_words(const char *text)
{
	return (struct cli_cell){ .kind = CLI_CELL_WORDS, .text = text };
}

static inline struct cli_cell cli_count(uint64_t count)
{
	return (struct cli_cell){ .kind = CLI_CELL_COUNT, .count = count };
}

static inline struct cli_cell cli_real(double real)
{
	return (struct cli_cell){ .kind = CLI_CELL_REAL, .real = real };
}

static inline struct cli_cell cli_rate(double real)
{
	return (struct cli_cell){ .kind = CLI_CELL_RATE, .real = real };
}

static inline struct cli_cell cli_ns(double ns)
{
	return (struct cli_cell){ .kind = CLI_CELL_NS, .real = ns };
}

static inline struct cli_cell cli_hex(uint64_t value)
{
	return (struct cli_cell){ .kind = CLI_CELL_HEX, .count = value };
}

static inline struct cli_cell cli_hex64(uint64_t value)
{
	return (struct cli_cell){ .kind = CLI_CELL_HEX64, .count = value };
}

static inline struct cli_cell cli_bool(bool is_true)
{
	return (struct cli_cell){ .kind = CLI_CELL_BOOL, .count = is_true };
}

static inline struct cli_cell cli_made(json_t *(*make)(const void *of), const void *of,
				       const char *shown)
{
	return (struct cli_cell){ .kind = CLI_CELL_MADE, .make = make, .of = of, .shown = shown };
}

/* The same where it is known, else no value. */
static inline struct cli_cell cli_if(bool is_known, struct cli_cell cell)
{
	return is_known ? cell : (struct cli_cell){ .shown = cell.shown };
}

#endif
