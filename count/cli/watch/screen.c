// SPDX-License-Identifier: MIT
/*
 * The full screen of ntime watch (ncursesw).
 *
 * The library sends what has changed only. Its handler of SIGWINCH is kept, so that another size
 * comes as KEY_RESIZE; the signal is blocked but while we wait, so that none comes just before.
 * Signals that end ntime have handlers already when it is set up, so it leaves them alone; the
 * terminal is restored on the way out of the loop.
 */
#include <curses.h>
#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termcap.h>
#include <unistd.h>

#include <ntime/topology.h>

#include "base/output/clean.h"
#include "base/output/say.h"
#include "base/output/stamp.h"
#include "base/command/wait.h"
#include "base/output/memory.h"
#include "count/cli/watch/table.h"
#include "base/lazy/lazy.h"

/* Nobody reads more than this. */
#define DRAW_NS 50000000u

/* What is shown while it is paused: samples go on, so that no counter wraps. */
struct frozen {
	struct ntime_value *value;
	bool is_unsure;
	uint64_t at_ns, period_ns, wall_ns, missed;
};

/**
 * struct screen - the view's state
 * @lines:	of the table
 * @first:	of them that is seen
 * @frozen:	.value is NULL unless it is paused
 */
struct screen {
	SCREEN *screen;
	WINDOW *window; /* all of the screen; not stdscr, which base/lazy cannot give */
	size_t lines, first;
	uint64_t drawn_ns;
	bool shows_counts, has_colours, has_keys;
	struct frozen frozen;
	char machine[96];
};

static void thaw(struct screen *s)
{
	free(s->frozen.value);
	s->frozen = (struct frozen){ .value = NULL };
}

static void freeze(const struct cli_watch *w, struct screen *s)
{
	size_t n = w->rows.n * w->rows.items;

	thaw(s);
	s->frozen.value = cli_calloc(n + 1, sizeof(*s->frozen.value));
	memcpy(s->frozen.value, w->rows.value, n * sizeof(*s->frozen.value));
	s->frozen.at_ns = w->at_ns;
	s->frozen.period_ns = w->period_ns;
	s->frozen.wall_ns = w->wall_ns;
	s->frozen.is_unsure = w->rows.is_unsure;
	s->frozen.missed = w->sampler.missed;
}

static attr_t attribute_of(const struct screen *s, enum cli_colour look)
{
	switch (look) {
	case CLI_BOLD:
		return A_BOLD;
	case CLI_DIM:
		return A_DIM;
	case CLI_WARN:
		return s->has_colours ? (attr_t)COLOR_PAIR(1) : A_BOLD;
	default:
		return A_NORMAL;
	}
}

static void put_at(const struct screen *s, int line, int column, const char *text,
		   enum cli_colour look)
{
	int columns = getmaxx(s->window);

	if (line < 0 || line >= getmaxy(s->window) || column >= columns)
		return;
	wattrset(s->window, (int)attribute_of(s, look));
	mvwaddnstr(s->window, line, column, cli_clean(text), columns - column);
	wattrset(s->window, A_NORMAL);
}

/* Lines between title and footer. */
static size_t room(const struct screen *s)
{
	int lines = getmaxy(s->window);

	return lines > 2 ? (size_t)lines - 2 : 0;
}

/* For the table: what lies outside of the part that is seen is left out. */
static void put_part(void *arg, size_t line, unsigned int column, const char *text,
		     enum cli_colour look)
{
	const struct screen *s = arg;

	if (line >= s->first && line - s->first < room(s))
		put_at(s, (int)(line - s->first) + 1, (int)column, text, look);
}

static void fill(const struct screen *s, int line, const char *text)
{
	int columns = getmaxx(s->window), width = columns < 511 ? columns : 511;
	char bar[512];

	snprintf(bar, sizeof(bar), "%-*.*s", width, width, cli_clean(text));
	wattrset(s->window, (int)A_REVERSE);
	mvwaddnstr(s->window, line, 0, bar, columns);
	wattrset(s->window, (int)attribute_of(s, CLI_PLAIN));
}

/* Another part of the title or the last line, if it has room or @is_needed. */
static void add_part(const struct screen *s, char *text, size_t size, bool is_needed,
		     const char *format, ...) __attribute__((format(printf, 5, 6)));

static void add_part(const struct screen *s, char *text, size_t size, bool is_needed,
		     const char *format, ...)
{
	size_t used = strlen(text);
	char part[160];
	va_list args;

	va_start(args, format);
	(void)vsnprintf(part, sizeof(part), format, args);
	va_end(args);
	if (*part && (is_needed || used + 2 + strlen(part) <= (size_t)getmaxx(s->window)))
		snprintf(text + used, size - used, "%s%s", used ? "  " : "", part);
}

/* What matters most stands first; what has no room is left out. */
static void draw_title(const struct cli_watch *w, const struct screen *s)
{
	const char *host = cli_host_name();
	char text[512] = "", methods[64];

	cli_watch_methods(w, methods, sizeof(methods));
	if (s->frozen.value)
		add_part(s, text, sizeof(text), true, "PAUSED");
	if (w->emulated)
		add_part(s, text, sizeof(text), true, "emulated machine: %s", w->emulated);
	else if (w->o.machine || w->items.is_simulated)
		add_part(s, text, sizeof(text), true, "simulated: %s",
			 w->o.machine ? "a recording" : "gpu0");
	if (s->shows_counts)
		add_part(s, text, sizeof(text), true, "counts");
	if (w->sampler.missed)
		add_part(s, text, sizeof(text), true, "late");
	add_part(s, text, sizeof(text), false, "%s", w->o.machine ? "" : host);
	add_part(s, text, sizeof(text), false, "%s",
		 cli_stamp_clock(w->wall_ns ? w->wall_ns : cli_wall_ns(), false).text);
	add_part(s, text, sizeof(text), false, "every %g s", (double)w->o.interval_ns / 1e9);
	add_part(s, text, sizeof(text), false, "via %s", *methods ? methods : "nothing");
	add_part(s, text, sizeof(text), false, "%s", s->machine);
	add_part(s, text, sizeof(text), false, "%.0f s", (double)w->at_ns / 1e9);
	fill(s, 0, text);
}

static void draw_footer(const struct cli_watch *w, const struct screen *s)
{
	const char *per = cli_per_word(w->rows.per);
	char text[512] = "";

	if (getmaxx(s->window) < 50)
		add_part(s, text, sizeof(text), true, "q quit s %s p d", per);
	else
		add_part(s, text, sizeof(text), true,
			 "q quit  p pause  s per %s  d %s  arrows scroll", per,
			 s->shows_counts ? "rates" : "counts");
	if (s->lines > room(s))
		add_part(s, text, sizeof(text), true, "%zu-%zu/%zu", s->first + 1,
			 s->first + room(s), s->lines);
	if (w->items.absences)
		add_part(s, text, sizeof(text), false, "%zu not here", w->items.absences);
	fill(s, getmaxy(s->window) - 1, text);
}

static void draw_all(const struct cli_watch *w)
{
	struct screen *s = w->state;
	int columns = getmaxx(s->window);
	struct cli_watch_table table = {
		.width = columns > 0 ? (unsigned int)columns : 1,
		.shows_counts = s->shows_counts,
		.put = put_part,
		.arg = s,
	};

	werase(s->window);
	if (w->shown || w->at_ns) {
		s->lines = cli_watch_table_draw(&table, w);
		/* A table that has become shorter is not scrolled out of sight. */
		if (s->first && s->first + room(s) > s->lines) {
			s->first = s->lines > room(s) ? s->lines - room(s) : 0;
			werase(s->window);
			s->lines = cli_watch_table_draw(&table, w);
		}
	} else {
		put_at(s, 1, 0, "Waiting for the first sample.", CLI_DIM);
	}
	draw_title(w, s);
	if (getmaxy(s->window) > 2)
		draw_footer(w, s);
	wrefresh(s->window);
	s->drawn_ns = cli_now_ns();
}

static void draw(struct cli_watch *w)
{
	struct screen *s = w->state;
	struct cli_watch shown = *w;

	if (s->frozen.value) {
		shown.rows.value = s->frozen.value;
		shown.at_ns = s->frozen.at_ns;
		shown.period_ns = s->frozen.period_ns;
		shown.wall_ns = s->frozen.wall_ns;
		shown.rows.is_unsure = s->frozen.is_unsure;
		shown.sampler.missed = s->frozen.missed;
	}
	draw_all(&shown);
}

/* The rows are others: what was kept of them is of no use. */
static void redraw(struct cli_watch *w)
{
	struct screen *s = w->state;

	if (s->frozen.value)
		freeze(w, s);
	draw(w);
}

static void describe_machine(struct cli_watch *w, struct screen *s)
{
	struct ntime_topology t = { .size = sizeof(t) };

	if (ntime_topology_get(w->ctx, &t) == 0)
		snprintf(s->machine, sizeof(s->machine), "%u socket%s, %u core%s, %u CPU%s",
			 t.packages, t.packages == 1 ? "" : "s", t.cores, t.cores == 1 ? "" : "s",
			 t.online_cpus, t.online_cpus == 1 ? "" : "s");
}

static void set_colours(struct screen *s)
{
	const char *no_color = getenv("NO_COLOR");

	if ((no_color && *no_color) || !has_colors() || start_color() == ERR)
		return;
	use_default_colors();
	init_pair(1, COLOR_YELLOW, -1);
	s->has_colours = true;
}

/*
 * Looked at before the library is set up, for that loses memory, or ends the program, where it
 * fails.
 */
static bool can_be_drawn_on(void)
{
	const char *term = getenv("TERM");
	char text[2048], *at = text;

	return term && *term && tgetent(NULL, term) == 1 && tgetstr("cm", &at);
}

static int begin(struct cli_watch *w)
{
	struct screen *s = cli_calloc(1, sizeof(*s));
	char why[NTI_LAZY_WHY_BYTES];
	sigset_t size_changes;
	int ret;

	w->state = s;
	ret = nti_lazy_load(&nti_lazy_ncursesw, why);
	if (ret == -ENOMEM)
		cli_memory_end();
	if (ret < 0) {
		cli_say("no full screen, printing lines: %s; install %s", why,
			nti_lazy_ncursesw.package);
		free(s);
		w->state = NULL;
		return -ENOTTY;
	}
	describe_machine(w, s);
	/* curses asks the process how wide characters are. Nobody looks for names any more. */
	setlocale(LC_CTYPE, "");
	s->screen = can_be_drawn_on() ? newterm(NULL, stdout, stdin) : NULL;
	s->window = s->screen ? newwin(0, 0, 0, 0) : NULL;
	if (!s->window) {
		const char *term = getenv("TERM");

		if (s->screen) {
			endwin();
			delscreen(s->screen);
		}
		cli_say("the terminal '%s' cannot be drawn on: printing lines", term ? term : "");
		free(s);
		w->state = NULL;
		return -ENOTTY;
	}
	s->has_keys = isatty(STDIN_FILENO);
	sigemptyset(&size_changes);
	sigaddset(&size_changes, SIGWINCH);
	sigprocmask(SIG_BLOCK, &size_changes, NULL);
	cbreak();
	noecho();
	nodelay(s->window, TRUE);
	keypad(s->window, TRUE);
	/* A lone Escape is no key of ours: nobody is to wait for the rest of it. */
	set_escdelay(25);
	curs_set(0);
	set_colours(s);
	draw(w);
	return 0;
}

static int sample(struct cli_watch *w)
{
	struct screen *s = w->state;

	if (s->frozen.value || (w->o.interval_ns < DRAW_NS && cli_now_ns() - s->drawn_ns < DRAW_NS))
		return 0;
	draw(w);
	return 0;
}

/* A page leaves one line of the last one. */
static void scroll_by(struct cli_watch *w, int key)
{
	struct screen *s = w->state;
	size_t page = room(s) > 1 ? room(s) - 1 : 1;
	size_t last = s->lines > room(s) ? s->lines - room(s) : 0;

	if (key == KEY_UP || key == 'k')
		s->first -= s->first > 0;
	else if (key == KEY_DOWN || key == 'j')
		s->first++;
	else if (key == KEY_PPAGE)
		s->first -= s->first < page ? s->first : page;
	else if (key == KEY_NPAGE || key == ' ')
		s->first += page;
	else if (key == KEY_HOME || key == 'g')
		s->first = 0;
	else
		s->first = last;
	if (s->first > last)
		s->first = last;
}

static enum cli_watch_wish_of_key press(struct cli_watch *w, int key)
{
	struct screen *s = w->state;

	switch (key) {
	case 'q':
	case 'Q':
		return CLI_KEY_QUIT;
	case 's':
		return CLI_KEY_PER;
	case 'p':
		if (s->frozen.value)
			thaw(s);
		else
			freeze(w, s);
		return CLI_KEY_NOTHING;
	case 'd':
		s->shows_counts = !s->shows_counts;
		return CLI_KEY_NOTHING;
	case KEY_UP:
	case KEY_DOWN:
	case KEY_PPAGE:
	case KEY_NPAGE:
	case KEY_HOME:
	case KEY_END:
	case 'k':
	case 'j':
	case 'g':
	case 'G':
	case ' ':
		scroll_by(w, key);
		return CLI_KEY_NOTHING;
	default:
		return CLI_KEY_NOTHING;
	}
}

static enum cli_watch_wish_of_key key(struct cli_watch *w)
{
	struct screen *s = w->state;
	enum cli_watch_wish_of_key wish = CLI_KEY_NOTHING;
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	/* Something to read, or nobody who could send it. */
	bool has_input = poll(&p, 1, 0) > 0, has_keys = false;
	int c;

	while (wish == CLI_KEY_NOTHING && (c = wgetch(s->window)) != ERR) {
		wish = press(w, c);
		has_keys = true;
	}
	/*
	 * Input without a key in it is its end: the terminal is gone. What came behind the look for
	 * keys may be one.
	 */
	if (!has_keys && has_input)
		s->has_keys = false;
	if (wish == CLI_KEY_NOTHING && has_keys)
		draw(w);
	return wish;
}

static int input(const struct cli_watch *w)
{
	const struct screen *s = w->state;

	return s->has_keys ? STDIN_FILENO : -1;
}

/* The rows of the window, without what is empty at their ends; NULL: there are none. */
static char *last_picture(WINDOW *window)
{
	int rows = getmaxy(window), columns = getmaxx(window);
	size_t room = (size_t)columns * MB_LEN_MAX + 1, used = 0, whole = 0;
	char *row = cli_calloc(room, 1), *all = cli_calloc((size_t)rows + 1, room + 1);

	for (int y = 0; y < rows; y++) {
		int n = mvwinnstr(window, y, 0, row, (int)room - 1);

		while (n > 0 && row[n - 1] == ' ')
			n--;
		used += (size_t)snprintf(all + used, room + 1, "%.*s\n", n > 0 ? n : 0, row);
		whole = n > 0 ? used : whole;
	}
	all[whole] = '\0';
	free(row);
	return all;
}

static void end(struct cli_watch *w)
{
	struct screen *s = w->state;
	char *last;

	if (!s)
		return;
	last = last_picture(s->window);
	delwin(s->window);
	endwin();
	/* The terminal shows again what it did before; the last numbers stay below that. */
	fputs(last, stdout);
	free(last);
	delscreen(s->screen);
	thaw(s);
	free(s);
	w->state = NULL;
}

static const struct cli_watch_view view = {
	.begin = begin,
	.sample = sample,
	.redraw = redraw,
	.key = key,
	.end = end,
	.input = input,
};
const struct cli_watch_view *const cli_watch_screen_view = &view;
