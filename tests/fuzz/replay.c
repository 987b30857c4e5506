/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target as an ordinary test: every file of its corpora, then seeded mutations of them.
 *
 *	fuzz_NAME [-n MUTATIONS] [-s SEED] [-m LONGEST] [-d DICTIONARY] FILE-OR-FOLDER...
 *
 * Each part runs in a child of its own. If it dies, the input it died of is written to
 * fuzz_NAME.PART beside the program, to be given as FILE for another look.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "fuzz.h"
#include "mutate.h"

#define SECONDS_AN_INPUT 20 /* of CPU time; what takes longer hangs */
#define LONGEST_FILE (1u << 20)

struct input {
	char *name;
	uint8_t *data;
	size_t size;
};

/* What the child is at; the parent sees it when the child is gone. */
struct current {
	size_t size, count;
	char name[256];
	uint8_t data[2 * LONGEST_FILE];
};

struct replay {
	const char *program;
	VEC(struct input) inputs;
	VEC(char *) words;
	size_t mutations, longest;
	uint64_t seed;
	struct current *current;
};

static void fail(const char *what, const char *name)
{
	fprintf(stderr, "%s '%s': %s\n", what, name, strerror(errno));
	exit(1);
}

/* The file, or the first LONGEST_FILE bytes of it. */
static uint8_t *file_read(const char *path, size_t *size)
{
	struct stat st;
	FILE *f = fopen(path, "rb");
	if (!f || fstat(fileno(f), &st))
		fail("cannot open", path);
	size_t most = (size_t)st.st_size < LONGEST_FILE ? (size_t)st.st_size : LONGEST_FILE;
	uint8_t *data = mem_alloc(most);
	*size = fread(data, 1, most, f);
	if (ferror(f))
		fail("cannot read", path);
	fclose(f);
	return data;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name); /* whatever the locale */
}

static void inputs_add(struct replay *r, const char *path)
{
	struct stat st;
	if (stat(path, &st))
		fail("cannot find", path);
	if (S_ISDIR(st.st_mode)) {
		struct dirent **names;
		int n = scandir(path, &names, NULL, by_name);
		if (n < 0)
			fail("cannot list", path);
		for (int i = 0; i < n; i++) {
			struct strbuf cleanup_strbuf full = { 0 };
			strbuf_printf(&full, "%s/%s", path, names[i]->d_name);
			if (names[i]->d_name[0] != '.')
				inputs_add(r, full.p);
			free(names[i]);
		}
		free(names);
		return;
	}
	struct input in = { .name = mem_strdup(path) };
	in.data = file_read(path, &in.size);
	vec_push(&r->inputs, in);
}

static int hex(char c)
{
	return c >= '0' && c <= '9'                 ? c - '0'
	       : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10
						    : -1;
}

/* name="value" with \\, \" and \xAB, as libFuzzer and AFL read it. */
static void words_add(struct replay *r, const char *path)
{
	size_t size;
	cleanup_free uint8_t *data = file_read(path, &size);
	struct str text = fuzz_str(data, size), line;
	while (fuzz_line(&text, &line)) {
		ptrdiff_t from = str_find_char(line, '"'), to = str_rfind_char(line, '"');
		if (line.p[0] == '#' || from < 0 || to <= from)
			continue;
		char *word = mem_alloc(line.n + 1), *out = word;
		for (const char *p = line.p + from + 1; p < line.p + to; p++) {
			if (*p == '\\' && p[1] == 'x' && hex(p[2]) >= 0 && hex(p[3]) >= 0) {
				*out++ = (char)(hex(p[2]) * 16 + hex(p[3]));
				p += 3;
			} else {
				p += *p == '\\';
				*out++ = *p;
			}
		}
		vec_push(&r->words, word);
	}
}

static void run_one(struct replay *r, const char *name, size_t size)
{
	struct current *c = r->current;
	snprintf(c->name, sizeof(c->name), "%s", name);
	c->size = size;
	c->count++;
	struct itimerval limit = { .it_value = { .tv_sec = SECONDS_AN_INPUT } };
	setitimer(ITIMER_PROF, &limit, NULL);
	/* A copy that ends where it ends, for the sanitizers. */
	cleanup_free uint8_t *data = mem_alloc(size);
	if (size)
		memcpy(data, c->data, size);
	fuzz_one(data, size);
}

static void run_corpus(struct replay *r)
{
	vec_each (in, &r->inputs) {
		if (in->size)
			memcpy(r->current->data, in->data, in->size);
		run_one(r, in->name, in->size);
	}
}

/* Somewhere in the input, from the beginning of a line on. */
static size_t window(struct mutator *m, const struct input *in, size_t longest)
{
	if (in->size <= longest || mutate_below(m, 2))
		return 0;
	size_t at = mutate_below(m, in->size - longest);
	while (at && in->data[at - 1] != '\n')
		at--;
	return at;
}

static void run_mutations(struct replay *r)
{
	struct mutator m = { .state = r->seed, .words = r->words.at, .n_words = r->words.n };
	for (size_t i = 0; i < r->mutations; i++) {
		const struct input *in = &r->inputs.at[mutate_below(&m, r->inputs.n)];
		/* Most of them short: they are many, and the parsers look at lines. */
		size_t longest = mutate_below(&m, 8) ? 2048 : r->longest;
		if (longest > r->longest)
			longest = r->longest;
		size_t from = window(&m, in, longest), size = in->size - from;
		size = size < longest ? size : longest;
		if (size)
			memcpy(r->current->data, in->data + from, size);
		size = mutate(&m, r->current->data, size, r->longest);
		run_one(r, in->name, size);
	}
}

static void keep(const struct replay *r, const char *part)
{
	struct strbuf cleanup_strbuf path = { 0 };
	strbuf_printf(&path, "%s.%s", r->program, part);
	FILE *f = fopen(path.p, "wb");
	if (f) {
		fwrite(r->current->data, 1, r->current->size, f);
		fclose(f);
		fprintf(stderr, "# the input is in %s\n", path.p);
	}
}

static bool run_part(struct replay *r, int number, const char *part, void (*run)(struct replay *))
{
	r->current->count = 0;
	fflush(NULL);
	pid_t pid = fork();
	if (pid < 0)
		fail("cannot fork", r->program);
	if (!pid) {
		run(r);
		exit(0);
	}
	int status;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	bool ok = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	printf("%sok %d - %s: %zu inputs\n", ok ? "" : "not ", number, part, r->current->count);
	if (!ok) {
		fprintf(stderr, "# %s: %s at input %zu, from %s\n", part,
			WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit",
			r->current->count, r->current->name);
		keep(r, part);
	}
	return ok;
}

static size_t number_of(const char *z)
{
	struct str s = str_of(z);
	int64_t n;
	if (!str_number(&s, &n) || s.n || n < 0) {
		fprintf(stderr, "'%s' is not a number\n", z);
		exit(2);
	}
	return (size_t)n;
}

static void options_read(struct replay *r, int argc, char **argv)
{
	int c;
	while ((c = getopt(argc, argv, "n:s:m:d:")) != -1) {
		switch (c) {
		case 'n':
			r->mutations = number_of(optarg);
			break;
		case 's':
			r->seed = number_of(optarg);
			break;
		case 'm':
			r->longest = number_of(optarg);
			break;
		case 'd':
			words_add(r, optarg);
			break;
		default:
			exit(2);
		}
	}
	if (r->longest > LONGEST_FILE)
		r->longest = LONGEST_FILE;
	for (int i = optind; i < argc; i++)
		inputs_add(r, argv[i]);
	if (!r->inputs.n) {
		fprintf(stderr, "no inputs\n");
		exit(2);
	}
}

static void replay_fini(struct replay *r)
{
	vec_each (in, &r->inputs) {
		free(in->name);
		free(in->data);
	}
	vec_fini(&r->inputs);
	vec_each (w, &r->words)
		free(*w);
	vec_fini(&r->words);
	munmap(r->current, sizeof(*r->current));
}

int main(int argc, char **argv)
{
	struct replay r = { .program = argv[0], .mutations = 1000, .longest = 16384 };
	r.current = mmap(NULL, sizeof(*r.current), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (r.current == MAP_FAILED)
		fail("cannot map", r.program);
	options_read(&r, argc, argv);

	bool ok = run_part(&r, 1, "corpus", run_corpus);
	ok &= run_part(&r, 2, "mutations", run_mutations);
	printf("1..2\n");
	replay_fini(&r);
	return ok ? 0 : 1;
}
