/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/inputs.h"

#include <errno.h>

#include "cmd/output.h"

static void warn_damage(const struct input *in)
{
	const struct capture *c = in->capture;
	if (!c->damaged)
		return;
	if (!c->damage.at[0].line) {
		output_warning("'%s' is damaged: %s%s", in->name, c->damage.at[0].why,
			       c->damaged > 1 ? " (--to json tells of more)" : "");
		return;
	}
	output_warning("'%s': %llu line%s could not be read; the first is line %u: %s", in->name,
		       (unsigned long long)c->damaged, c->damaged == 1 ? "" : "s",
		       c->damage.at[0].line, c->damage.at[0].why);
}

static int input_captures(struct reader *r, struct input_reader *to, struct err *err)
{
	struct input in = { .name = reader_name(r) };
	int ret;
	while ((ret = reader_next(r, &in.capture, &in.source, err)) > 0) {
		in.index++;
		ret = to->each(to, &in, err);
		if (ret)
			return ret;
		warn_damage(&in);
	}
	const char *trouble = reader_trouble(r);
	if (!ret && trouble && in.index)
		output_warning("%s: what comes before was read", trouble);
	else if (!ret && trouble)
		return err_set(err, EIO, "%s", trouble);
	if (!ret && !in.index)
		ret = err_set(err, ENODATA,
			      reader_lines(r) ? "'%s' holds nothing that can be read: looked for %s"
					      : "'%s' is empty: looked for %s",
			      in.name, reader_looks_for());
	return ret;
}

int inputs_each(const struct operands *files, struct input_reader *to)
{
	int code = COMMAND_OK;
	for (int i = 0; i < files->n; i++) {
		struct err err = { 0 };
		struct reader *r = reader_open(files->at[i], &err);
		progress_begin(&to->progress, to->streams);
		if (r)
			reader_watch(r, &to->progress.watch);
		if (!r || input_captures(r, to, &err)) {
			output_error("%s", err.msg);
			code = COMMAND_FAILED;
		}
		reader_close(r);
		output_status(NULL);
	}
	return code;
}
