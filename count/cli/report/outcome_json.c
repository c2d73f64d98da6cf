// SPDX-License-Identifier: MIT
/* How runs ended, and places of a machine, in JSON. */
#include "count/cli/report/outcome_json.h"

#include <errno.h>
#include <sys/wait.h>

json_t *cli_exit_json(int status, bool timed_out)
{
	json_t *json = json_object();

	if (WIFSIGNALED(status))
		json_object_set_new(json, "signal", json_integer(WTERMSIG(status)));
	else
		json_object_set_new(json, "status", json_integer(WEXITSTATUS(status)));
	json_object_set_new(json, "timeout", json_boolean(timed_out));
	return json;
}

json_t *cli_outcome_json(const struct cli_outcome *o)
{
	json_t *json = o->was_killed ? json_object() : cli_exit_json(o->status, o->timed_out);

	if (o->was_killed)
		json_object_set_new(json, "signal", json_null());
	json_object_set_new(json, "interrupted", json_boolean(o->was_interrupted));
	return json;
}

json_t *cli_outcomes_json(const struct cli_outcomes *all)
{
	json_t *json = json_array();

	for (size_t i = 0; i < all->n; i++) {
		json_t *of = cli_outcome_json(&all->of[i].outcome);

		json_object_set_new(of, "runs", json_integer((json_int_t)all->of[i].runs));
		json_array_append_new(json, of);
	}
	return json;
}

/* wait(2)'s status of what ended so: bits 8 to 15 are an exit status, the lowest a signal. */
static int status_from(const json_t *of)
{
	const json_t *exit_status = json_object_get(of, "status"),
		     *sig = json_object_get(of, "signal");
	json_int_t number = json_integer_value(exit_status ? exit_status : sig);

	if (number < 0 || number > (exit_status ? 0xff : 0x7e))
		return -EINVAL;
	return (int)(exit_status ? number << 8 : number);
}

int cli_outcome_from_json(struct cli_outcome *o, const json_t *json)
{
	*o = (struct cli_outcome){
		.status = status_from(json),
		.timed_out = json_is_true(json_object_get(json, "timeout")),
		.was_interrupted = json_is_true(json_object_get(json, "interrupted")),
		.was_killed = json_is_null(json_object_get(json, "signal")),
	};
	return o->status < 0 ? -EINVAL : 0;
}

int cli_outcomes_from_json(struct cli_outcomes *all, const json_t *json)
{
	for (size_t i = 0; i < json_array_size(json); i++) {
		const json_t *of = json_array_get(json, i);
		json_int_t runs = json_integer_value(json_object_get(of, "runs"));
		struct cli_outcome o;

		if (cli_outcome_from_json(&o, of) || runs < 1)
			return -EINVAL;
		cli_outcomes_add_runs(all, &o, (size_t)runs);
	}
	return 0;
}

json_t *cli_row_json(const struct cli_row *row)
{
	json_t *json = json_object();

	json_object_set_new(json, "where", json_string(row->name));
	if (row->package >= 0)
		json_object_set_new(json, "socket", json_integer(row->package));
	if (row->core >= 0)
		json_object_set_new(json, "core", json_integer(row->core));
	if (row->cpu >= 0)
		json_object_set_new(json, "cpu", json_integer(row->cpu));
	return json;
}
