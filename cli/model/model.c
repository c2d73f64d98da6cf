// SPDX-License-Identifier: MIT
/* ntime model: find the program that is a card, and become it. */
#include <stddef.h>

#include "cli/base/options.h"
#include "cli/base/program.h"

/* Where "make install" puts it; meson says. */
#ifndef NTIME_MODEL_INSTALLED
#define NTIME_MODEL_INSTALLED "/usr/libexec/ntime/ntime-model"
#endif

enum {
	ID_LISTEN = 256,
	ID_BUSY,
	ID_SCENE,
	ID_LOG,
	ID_TPC,
	ID_ROP,
	ID_MP,
};

/* For help and completion; models/port/card/main.c parses them. */
static const struct cli_option options[] = {
	{ ID_LISTEN, "listen", "SOCKET", "run: serve the card at this socket" },
	{ ID_SCENE, "scene", "FILE", "run: what the card works on; ntime-model(1) has the form" },
	{ ID_LOG, "log", "FILE", "run: write each access of a register there, for ntime trace" },
	{ ID_TPC, "tpc", "MASK", "run: the board has these TPCs alone, as in 0x6" },
	{ ID_ROP, "rop", "MASK", "run: and these memory partitions" },
	{ ID_MP, "mp", "MASK", "run: and these multiprocessors in each TPC" },
	{ ID_BUSY, "busy", "CLOCKS", "play: draw for so many more clocks, at 1 GHz" },
	CLI_OPTION_HELP,
	CLI_OPTION_END,
};

static int run_model(const struct cli_command *self, int argc, char **argv)
{
	static const struct cli_program card = {
		.variable = "NTIME_MODEL_PROGRAM",
		.file = "model-program",
		.installed = NTIME_MODEL_INSTALLED,
		.package = "ntime-lab",
		.actions = "run, read, play, truth or vectors",
	};

	return cli_program_run(self, &card, argc, argv);
}

const struct cli_command cli_model_command = {
	.name = "model",
	.usage = "model run CHIP --listen SOCKET [--scene FILE] [--log FILE] "
		 "[--tpc MASK] [--rop MASK] [--mp MASK]\n"
		 "model read SOCKET ADDRESS\n"
		 "model play SOCKET FRAMES [--busy CLOCKS]\n"
		 "model truth SOCKET EVENT|FUNCTION\n"
		 "model vectors FILE",
	.about = "a graphics card that is emulated, to try its counters on",
	.details = "run is a card with this chip (G80, G84, G86, G92, G94, G96, G98, G200, GT215, "
		   "GT216 or GT218) until ^C; the socket goes away with it. read prints a register "
		   "of its BAR 0. play lets it work for so many frames, those of the scene or "
		   "made up, always the same, and draws on with --busy; its time stands still "
		   "otherwise. truth prints how often an event, or a function of wires such as "
		   "'trast.1 & trast.6', was true in the last play, or the sum of its amounts, "
		   "found without any counter. vectors runs test vectors of its counters from a "
		   "file. ntime counts on it with --model SOCKET.",
	.options = options,
	.words = run_model,
	.run = run_model,
};
