// SPDX-License-Identifier: MIT
/* The harness: which program draws, and what is written of it. */
#include "gl/cli/harness.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/command/child.h"
#include "base/output/memory.h"
#include "base/output/number.h"
#include "base/output/say.h"

#define WORDS 24

static const char *const modes[] = { "immediate", "array", "vbo", NULL };
static const char *const textures[] = { "small", "large", NULL };

const char *cli_gl_mode_word(size_t i)
{
	return modes[i];
}

const char *cli_gl_texture_word(size_t i)
{
	return textures[i];
}

int cli_gl_scene_check(struct cli_gl_scene *s, const char *name, uint64_t most_frames)
{
	s->model = s->model ? s->model : "torus";
	s->mode = s->mode ? s->mode : modes[CLI_GL_VBO];
	s->texture = s->texture ? s->texture : textures[0];
	s->count_text = s->count_text ? s->count_text : "1";
	s->frames_text = s->frames_text ? s->frames_text : "100";
	while (strcmp(s->mode, modes[s->mode_is]) != 0)
		s->mode_is++;
	s->has_large_texture = strcmp(s->texture, textures[0]) != 0;
	if (cli_number_parse(s->count_text, 1, CLI_GL_MOST_COPIES, &s->count))
		return cli_misuse(name, "--model-count %s: say a number from 1 to %d",
				  s->count_text, CLI_GL_MOST_COPIES);
	if (cli_number_parse(s->frames_text, 1, most_frames, &s->frames))
		return cli_misuse(name, "--num-frames %s: say a number from 1 to %llu",
				  s->frames_text, (unsigned long long)most_frames);
	return 0;
}

/* What replays it may end by a signal where it is none. 0 or -EINVAL after a sentence. */
static int check_trace(const char *path)
{
	char *argv[] = { "apitrace", "dump", "--calls=0", (char *)path, NULL }, text[4];
	int ret = access(path, R_OK) ? -errno : cli_child_read(argv, text, sizeof(text));

	/* Without apitrace, that eglretrace is not there will be told. */
	if (ret == -ENOENT && access(path, R_OK) == 0)
		return 0;
	if (ret < 0)
		cli_say("cannot read the recording %s: %s", path, strerror(-ret));
	else if (ret || !*text)
		cli_say("%s is no recording of apitrace, or it is empty", path);
	return ret || !*text ? -EINVAL : 0;
}

/* Frame 0 is in no statistic: one more is drawn. */
char **cli_gl_harness_program(const struct cli_gl_harness *h)
{
	const struct cli_gl_scene *s = &h->scene;
	char **word = cli_calloc(WORDS, sizeof(*word)), **next = word;

	if (h->trace) {
		if (check_trace(h->trace)) {
			free(word);
			return NULL;
		}
		(void)setenv("WAFFLE_PLATFORM", s->is_window ? "x11_egl" : "surfaceless_egl", 1);
		*next++ = cli_strdup("eglretrace");
		*next++ = cli_strdup("--benchmark");
		if (!s->is_window)
			*next++ = cli_strdup("--headless");
		*next++ = cli_strdup(h->trace);
		return word;
	}
	*next++ = cli_strdup("/proc/self/exe");
	*next++ = cli_strdup("scene");
	*next++ = cli_format("--model=%s", s->model);
	*next++ = cli_format("--model-count=%s", s->count_text);
	*next++ = cli_format("--render-mode=%s", s->mode);
	*next++ = cli_format("--texture=%s", s->texture);
	*next++ = cli_format("--num-frames=%llu", (unsigned long long)s->frames + 1);
	if (s->is_window)
		*next++ = cli_strdup("--window");
	return word;
}

/* "models/bunny.obj" is the model bunny. */
static char *stem_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	char *stem = cli_strndup(name, dot && dot > name ? (size_t)(dot - name) : strlen(name));

	/* A word of a line. */
	for (char *at = stem; *at; at++)
		if ((unsigned char)*at <= ' ')
			*at = '_';
	return stem;
}

static void write_options(FILE *f, const struct cli_gl_harness *h, const char *counter)
{
	char *name = stem_of(h->trace ? h->trace : h->scene.model);

	fputs("OPTIONS:\n", f);
	if (h->trace)
		fprintf(f, "trace=%s\n", name);
	else
		fprintf(f, "model=%s\nmodel-count=%s\nrender-mode=%s\ntexture=%s\n", name,
			h->scene.count_text, h->scene.mode, h->scene.texture);
	fprintf(f, "num-frames=%s\n", h->scene.frames_text);
	if (!h->trace)
		fputs("fullscreen=no\n", f);
	fprintf(f, "counter=%s\n", counter);
	free(name);
}

static void write_number(FILE *f, const char *name, double value, const char *unit)
{
	/* A share has three digits, as those that were published. */
	if (strcmp(unit, "%") == 0)
		fprintf(f, "%s=%.3g%%\n", name, value);
	else
		fprintf(f, "%s=%s\n", name, cli_number_exact(value).text);
}

void cli_gl_harness_write(FILE *f, const struct cli_gl_run *run)
{
	for (size_t i = 0; i < run->frames.n; i++) {
		const struct cli_gl_series *s = &run->frames.series[i];
		struct cli_gl_summary length = cli_gl_summarize(s, SIZE_MAX);

		for (size_t k = 0; k < s->items && length.n; k++) {
			struct cli_gl_summary sum;

			if (s->item[k].is_hidden)
				continue;
			sum = cli_gl_summarize(s, k);
			if (!sum.n)
				continue;
			write_options(f, run->harness, s->item[k].name);
			fprintf(f, "STATS:\nfps=%.3g\n", 1e9 / length.mean);
			write_number(f, "mean", sum.mean, s->item[k].unit_text);
			write_number(f, "min", sum.min, s->item[k].unit_text);
			write_number(f, "max", sum.max, s->item[k].unit_text);
			fputs("\n", f);
		}
	}
}
