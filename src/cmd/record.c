/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dwell record: captures of what runs now. So far the locks of a program. */
#define _GNU_SOURCE 1
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/locks.h"
#include "base/mem.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "record/lock_attach.h"
#include "record/lock_launch.h"
#include "record/lock_left.h"
#include "record/lock_since.h"
#include "record/lock_table.h"
#include "render/locktab_json.h"
#include "render/locktab_text.h"
#include "render/text.h"

struct options {
	const char *output, *class;
	int64_t top, repeat, interval, attach, duration, every;
	int hold, sort, to;
	bool follow, no_follow, stacks, split;
};

#define EVERY_DEFAULT INT64_C(5000000)

static const char *const holds[] = { "sample", "all", "none", NULL };
static const enum wire_hold hold_modes[] = { WIRE_HOLD_SAMPLE, WIRE_HOLD_ALL, WIRE_HOLD_NONE };

enum { TO_JSON, TO_LOCK_STAT };
static const char *const targets[] = { "json", "lock_stat", NULL };

#define OPT(member) offsetof(struct options, member)

static const struct option options[] = {
	{ "output", 'o', OPTION_STRING, OPT(output), 0, 0, NULL, "FILE",
	  "write everything to FILE as JSON, which explain, diff and convert read", "Recording" },
	{ "to", 0, OPTION_ENUM, OPT(to), 0, 0, targets, NULL,
	  "what FILE gets: json (default), or text of lock_stat, which has less and is read as "
	  "well",
	  "Recording" },
	{ "repeat", 'r', OPTION_COUNT, OPT(repeat), 1, 1000, NULL, "N",
	  "run the program N times; FILE then has N tables, which diff takes for N runs",
	  "Recording" },
	{ "interval", 'i', OPTION_TIME, OPT(interval), INT64_C(10000000), 0, NULL, "TIME",
	  "print what was counted since the last time, every TIME, such as 1s; FILE gets the whole",
	  "Recording" },
	{ "hold", 'H', OPTION_ENUM, OPT(hold), 0, 0, holds, NULL,
	  "which holds are timed: sample (default: a lock's first, then one in 512), all or none",
	  "Recording" },
	{ "stacks", 'S', OPTION_FLAG, OPT(stacks), 0, 0, NULL, NULL,
	  "keep the calls that led to each wait; some microseconds more for each", "Recording" },
	{ "split", 'P', OPTION_FLAG, OPT(split), 0, 0, NULL, NULL,
	  "a table for each process instead of their sum", "Recording" },
	{ "follow", 'f', OPTION_FLAG, OPT(follow), 0, 0, NULL, NULL,
	  "count in the programs that the program runs in turn, too (default)", "Recording" },
	{ "no-follow", 'F', OPTION_FLAG, OPT(no_follow), 0, 0, NULL, NULL,
	  "leave out the programs that the program runs in turn", "Recording" },
	{ "attach", 'p', OPTION_COUNT, OPT(attach), 1, INT_MAX, NULL, "PID",
	  "look at a program that already runs, of any kind: waits alone, and all of it estimated",
	  "A running program" },
	{ "duration", 'd', OPTION_TIME, OPT(duration), INT64_C(1000000), 0, NULL, "TIME",
	  "for how long, such as 10s (default: until it ends, or Ctrl-C)", "A running program" },
	{ "every", 'e', OPTION_TIME, OPT(every), INT64_C(100000), INT64_C(3600000000000), NULL,
	  "TIME", "look so often, at random times around it (default 5ms)", "A running program" },
	{ "class", 'C', OPTION_STRING, OPT(class), 0, 0, NULL, "PATTERN",
	  "show these classes of locks in full, such as 'queue.*'", "Output" },
	{ "sort", 's', OPTION_ENUM, OPT(sort), 0, 0, lock_sort_names, "KEY",
	  "the order of locks: wait (default), wait-max, wait-mean, contentions, rate, bounces, "
	  "hold, hold-max, hold-mean or acquisitions",
	  "Output" },
	{ "top", 't', OPTION_COUNT, OPT(top), 1, 1000000, NULL, "N",
	  "rows of a table that text shows (default 8)", "Output" },
	{ 0 },
};

static const char *const details[] = {
	"Runs PROGRAM and says for its locks what lock_stat says for those of a kernel: who "
	"waited, "
	"how long, for whom; how often each was taken, on another CPU than before, and for how "
	"long "
	"it was held. It needs no root, and the program is not compiled anew: a library is loaded "
	"into it (LD_PRELOAD) that stands before the functions that take locks, and counts.",
	"Counted are the mutexes, rwlocks and spinlocks of POSIX threads, of C11, and of C++ "
	"through "
	"them; and, apart from them, waits for conditions, barriers, semaphores, and for futexes "
	"by "
	"syscall() (Rust and others: waits alone).",
	"With --attach nothing is loaded: it is looked at which threads of a program that already "
	"runs wait for a futex. That sees static programs and Go, but counts nothing: how long was "
	"waited is estimated, with its 95 % interval.",
	"Not seen are locks inside the C library, those that a program makes itself without "
	"syscall(), and programs that are static (Go), setuid, of musl or with a sanitizer "
	"(thread, address, memory).",
	"The exit code and standard output are the program's: what dwell says goes to standard "
	"error. "
	"125: dwell itself failed.",
	"  dwell record locks -- ./work-queue\n"
	"  dwell record locks -o before.json -- ./server --threads 4\n"
	"  dwell record locks --attach 1234 --duration 10s",
	NULL,
};

/* -- Finding the library ------------------------------------------------------------------------ */

#define LIBRARY "libdwell-locks.so"

/* Where it is installed, or where it was built beside this program. */
static const char *find_library(struct arena *a)
{
	char exe[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe));
	ptrdiff_t slash = n > 0 ? str_rfind_char((struct str){ exe, (size_t)n }, '/') : -1;
	if (slash >= 0) {
		const char *built = arena_printf(a, "%.*s/preload/" LIBRARY, (int)slash, exe);
		if (access(built, R_OK) == 0)
			return built;
	}
	return DWELL_LIBDIR "/" LIBRARY;
}

/* -- Output ------------------------------------------------------------------------------------ */

/* The file of --output; with none, nothing is written. */
struct output {
	const char *path;
	FILE *file;
	int to;
	struct json json;
	size_t tables;
};

static int output_open(struct output *out, const struct options *o, struct err *err)
{
	*out = (struct output){ .path = o->output, .to = o->to };
	if (!out->path)
		return 0;
	out->file = fopen(out->path, "we");
	if (!out->file)
		return err_set(err, errno, "cannot write '%s': %s", out->path, strerror(errno));
	if (out->to != TO_JSON)
		return 0;
	json_put_init(&out->json, out->file, false);
	json_put_open(&out->json, '[');
	return 0;
}

static void output_table(struct output *out, const struct capture *c)
{
	if (!out->file)
		return;
	if (out->to == TO_JSON)
		render_locktab_json(&out->json, c);
	else {
		fputs(out->tables ? "\n" : "", out->file);
		render_locktab_text(out->file, c);
	}
	out->tables++;
}

static int output_close(struct output *out, struct err *err)
{
	if (!out->file)
		return 0;
	struct stat st;
	if (!out->tables && !fstat(fileno(out->file), &st) && S_ISREG(st.st_mode))
		unlink(out->path); /* nothing was recorded: no file that looks as if */
	if (out->to == TO_JSON) {
		json_put_close(&out->json, ']');
		json_put_end(&out->json);
	}
	bool failed = ferror(out->file);
	if (fclose(out->file) || failed)
		return err_set(err, errno ? errno : EIO, "cannot write '%s': %s", out->path,
			       strerror(errno ? errno : EIO));
	return 0;
}

static void print_report(const struct options *o, const struct capture *c)
{
	struct lock_explain_options how = { o->class, o->top, (enum lock_sort)o->sort };
	struct report r = { 0 };
	struct strbuf cleanup_strbuf out = { 0 };
	analyze_locks(c, &how, &r);
	render_text(&r, output_colour(), &out);
	output_text(strbuf_get(&out));
	report_fini(&r);
}

static const char *command_text(struct arena *a, char *const *command)
{
	struct strbuf cleanup_strbuf text = { 0 };
	for (int i = 0; command[i]; i++)
		strbuf_printf(&text, "%s%s", i ? " " : "", command[i]);
	return arena_str(a, strbuf_get(&text));
}

/* A shell's: 128 and the signal. */
static int exit_code(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* In the order of their start. */
static void report_processes(const struct options *o, const struct lock_run *run,
			     struct output *out)
{
	for (size_t i = 0; i < run->processes.n; i++) {
		struct capture c;
		capture_init(&c, NULL);
		lock_table_process(&c, run, i);
		if (i)
			output_text(str_of("\n"));
		print_report(o, &c);
		output_table(out, &c);
		capture_fini(&c);
	}
}

static void report_whole(const struct options *o, const struct lock_run *run, char *const *command,
			 struct output *out)
{
	struct capture c;
	capture_init(&c, NULL);
	lock_table(&c, run, command_text(&c.arena, command));
	print_report(o, &c);
	output_table(out, &c);
	capture_fini(&c);
}

static void report_run(const struct options *o, const struct lock_run *run, char *const *command,
		       struct output *out)
{
	if (run->broken)
		output_warning("the counts of %s are missing: an address space is limited "
			       "(ulimit -v) to less than 2.4 GB, /dev/shm is full, or the preload "
			       "library is of another version than dwell",
			       run->broken == 1 ? "a process" : "some processes");
	else if (!run->processes.n)
		output_warning("'%s' could not be counted: the preload library was not loaded into "
			       "it, or it cleared its environment",
			       command[0]);
	if (run->processes.n && o->split)
		report_processes(o, run, out);
	else
		report_whole(o, run, command, out);
	if (WIFSIGNALED(run->status))
		output_warning("'%s' was ended by signal %d: what was counted until then is shown",
			       command[0], WTERMSIG(run->status));
}

static void report_interval(const struct options *o, struct lock_run *run, struct lock_past *past,
			    char *const *command)
{
	struct capture c;
	struct lock_run since;
	lock_since(&since, run, past);
	capture_init(&c, NULL);
	lock_table(&c, &since, command_text(&c.arena, command));
	print_report(o, &c);
	output_text(str_of("\n"));
	capture_fini(&c);
	lock_since_fini(&since);
}

/* Until the program ends. */
static int wait_for(const struct options *o, struct lock_run *run, char *const *command,
		    struct err *err)
{
	struct lock_past past = { 0 };
	int ret;
	while ((ret = lock_wait(run, o->interval, err)) > 0) {
		ret = lock_collect(run, err);
		if (ret)
			break;
		report_interval(o, run, &past, command);
	}
	lock_past_fini(&past);
	return ret;
}

/* One run. *code is the program's. */
static int record_once(const struct options *o, const struct lock_launch_options *how,
		       struct output *out, int *code, struct err *err)
{
	struct lock_run run;
	int ret = lock_launch(&run, how, err);
	if (ret)
		return ret;
	ret = wait_for(o, &run, how->command, err);
	if (!ret)
		ret = lock_collect(&run, err);
	if (!ret) {
		run.running += lock_left(&run);
		lock_run_clear(&run); /* to write a report may end us: SIGPIPE */
		report_run(o, &run, how->command, out);
		*code = exit_code(run.status);
	}
	lock_run_fini(&run);
	return ret;
}

/* The status of the first run that failed, if any did. */
static int record_locks(const struct options *o, char *const *command, struct err *err)
{
	struct arena a = { 0 };
	struct output out;
	struct lock_launch_options how = {
		.command = command,
		.hold = hold_modes[o->hold],
		.follow = !o->no_follow,
		.stacks = o->stacks,
		.library = find_library(&a),
	};
	int ret = output_open(&out, o, err), status = 0;
	output_to_stderr();
	if (!ret) {
		for (int64_t i = 0; i < o->repeat && !ret; i++) {
			int code = 0;
			if (i)
				output_text(str_of("\n"));
			ret = record_once(o, &how, &out, &code, err);
			status = status ? status : code;
		}
		int closed = output_close(&out, ret ? NULL : err);
		ret = ret ? ret : closed;
	}
	arena_fini(&a);
	return ret ? COMMAND_NO_RUN : status;
}

/* -- A running program -------------------------------------------------------------------------- */

static volatile sig_atomic_t enough;

static void on_signal(int sig)
{
	enough = sig;
}

static int attach_table(const struct options *o, struct capture *c, struct err *err)
{
	struct lock_attach_options how = { o->attach, o->every, o->duration, &enough };
	struct sigaction a = { .sa_handler = on_signal };
	sigaction(SIGINT, &a, NULL);
	sigaction(SIGTERM, &a, NULL);
	return lock_attach(&how, c, err);
}

static int attach_locks(const struct options *o, struct err *err)
{
	struct output out;
	struct capture c;
	int ret = output_open(&out, o, err);
	if (ret)
		return COMMAND_NO_RUN;
	capture_init(&c, NULL);
	ret = attach_table(o, &c, err);
	if (!ret) {
		print_report(o, &c);
		output_table(&out, &c);
	}
	capture_fini(&c);
	int closed = output_close(&out, ret ? NULL : err);
	return ret || closed ? COMMAND_NO_RUN : 0;
}

/* What does not go with the kind of recording that was asked for; NULL: all does. */
static const char *misfit(const struct options *o, bool program)
{
	if (o->follow && o->no_follow)
		return "either --follow or --no-follow, not both";
	if (o->to && !o->output)
		return "--to goes with --output alone";
	if (o->split && o->interval)
		return "--split does not go with --interval, which prints sums";
	if (!o->attach)
		return !program      ? "no program given: 'dwell record locks -- PROGRAM'"
		       : o->duration ? "--duration goes with --attach alone"
		       : o->every != EVERY_DEFAULT ? "--every goes with --attach alone"
						   : NULL;
	return program          ? "either --attach or a program, not both"
	       : o->repeat != 1 ? "--repeat does not go with --attach"
	       : o->interval    ? "--interval does not go with --attach"
	       : o->hold        ? "--hold does not go with --attach: holds are not seen"
	       : o->stacks      ? "--stacks does not go with --attach"
	       : o->split       ? "--split does not go with --attach: it looks at one process"
	       : o->no_follow   ? "--no-follow does not go with --attach"
				: NULL;
}

static int record_run(int argc, char **argv)
{
	struct options o = { .top = 8, .repeat = 1, .every = EVERY_DEFAULT };
	struct operands operands;
	int code = command_begin(&cmd_record, &o, argc, argv, &operands);
	if (code != COMMAND_GOES_ON)
		return code;
	if (!operands.n || strcmp(operands.at[0], "locks") != 0)
		return command_usage_error("say what to record: 'dwell record locks -- PROGRAM'");
	const char *wrong = misfit(&o, operands.n > 1);
	if (wrong)
		return command_usage_error("%s", wrong);

	char **command = mem_array((size_t)operands.n, sizeof(*command));
	for (int i = 1; i < operands.n; i++)
		command[i - 1] = operands.at[i];
	struct err err = { 0 };
	code = o.attach ? attach_locks(&o, &err) : record_locks(&o, command, &err);
	if (err.code)
		output_error("%s", err.msg);
	free(command);
	return code;
}

const struct command cmd_record = {
	.name = "record",
	.purpose = "run a program and say which of its locks are waited for, and who holds them",
	.group = "Recording",
	.operands = "locks [-- PROGRAM [ARGUMENT...]]",
	.first = "locks",
	.program = 2,
	.details = details,
	.options = options,
	.run = record_run,
};
