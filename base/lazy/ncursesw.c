// SPDX-License-Identifier: MIT
/*
 * ncursesw: the full screen of ntime watch. Its variables (stdscr, LINES) are not to be had this
 * way: windows know all that.
 */
#define NCURSES_NOMACROS
#include <curses.h>
#include <termcap.h>

#include "base/lazy/define.h"

#define FUNCTIONS(F)                                                                               \
	F(SCREEN *, NULL, newterm, (const char *type, FILE *out, FILE *in), (type, out, in))       \
	F(void, (void)0, delscreen, (SCREEN * screen), (screen))                                   \
	F(int, ERR, endwin, (void), ())                                                            \
	F(int, ERR, cbreak, (void), ())                                                            \
	F(int, ERR, noecho, (void), ())                                                            \
	F(int, ERR, curs_set, (int visibility), (visibility))                                      \
	F(int, ERR, set_escdelay, (int ms), (ms))                                                  \
	F(bool, FALSE, has_colors, (void), ())                                                     \
	F(int, ERR, start_color, (void), ())                                                       \
	F(int, ERR, use_default_colors, (void), ())                                                \
	F(int, ERR, init_pair, (short pair, short foreground, short background),                   \
	  (pair, foreground, background))                                                          \
	F(WINDOW *, NULL, newwin, (int lines, int columns, int line, int column),                  \
	  (lines, columns, line, column))                                                          \
	F(int, ERR, delwin, (WINDOW * w), (w))                                                     \
	F(int, ERR, nodelay, (WINDOW * w, bool is_on), (w, is_on))                                 \
	F(int, ERR, keypad, (WINDOW * w, bool is_on), (w, is_on))                                  \
	F(int, ERR, wmove, (WINDOW * w, int line, int column), (w, line, column))                  \
	F(int, ERR, wattrset, (WINDOW * w, int attributes), (w, attributes))                       \
	F(int, ERR, waddnstr, (WINDOW * w, const char *text, int bytes), (w, text, bytes))         \
	F(int, ERR, winnstr, (WINDOW * w, char *text, int bytes), (w, text, bytes))                \
	F(int, ERR, werase, (WINDOW * w), (w))                                                     \
	F(int, ERR, wrefresh, (WINDOW * w), (w))                                                   \
	F(int, ERR, wgetch, (WINDOW * w), (w))                                                     \
	F(int, -1, tgetent, (char *entry, const char *name), (entry, name))                        \
	F(char *, NULL, tgetstr, (const char *name, char **room), (name, room))

NTI_LAZY_DEFINE(ncursesw, "libncursesw.so.6", "libncursesw6", "the full screen of ntime watch",
		FUNCTIONS)
