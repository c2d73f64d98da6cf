// SPDX-License-Identifier: MIT
/* The full screen of ntime watch where ntime is built without ncursesw. */
#include "count/cli/watch/watch.h"

const struct cli_watch_view *const cli_watch_screen_view = NULL;
