// SPDX-License-Identifier: MIT
/* What a shell understands and the kernel does not. */
#include "cli/base/shell.h"

#include <stddef.h>
#include <string.h>

/* Of POSIX and bash, those that are no programs anywhere. */
static const char *const own[] = { ".",	      "alias",	  "bg",	     "builtin", "case",	  "cd",
				   "command", "declare",  "eval",    "exec",	"export", "fg",
				   "for",     "function", "history", "if",	"jobs",	  "let",
				   "local",   "pushd",	  "popd",    "read",	"set",	  "shift",
				   "source",  "trap",	  "type",    "typeset", "ulimit", "umask",
				   "unset",   "until",	  "wait",    "while",	"[[" };

bool cli_is_of_shell(const char *word)
{
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		if (strcmp(word, own[i]) == 0)
			return true;
	return word[strcspn(word, " \t\n|&;<>()$`*?{}=")];
}
