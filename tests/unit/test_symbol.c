/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of addresses of this very program. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "record/memory_map.h"
#include "symbol/symbol.h"

static struct cache {
	int before;
	struct shard {
		char name[24];
		struct {
			long lock[4];
		} mu;
	} shards[8];
	union {
		int word;
		char bytes[4];
	};
} cache __attribute__((used));
static long plain_lock[4] __attribute__((used));

static uint64_t taken_at;

static __attribute__((noinline)) void take(void)
{
	taken_at = (uint64_t)(uintptr_t)__builtin_return_address(0);
}

enum { LINE_OF_CALL = __LINE__ + 4, LINE_OF_INLINED = __LINE__ + 10 };

static inline __attribute__((always_inline)) void inlined(void)
{
	take();
	__asm__ volatile("");
}

static __attribute__((noinline)) void outer(void)
{
	inlined();
	__asm__ volatile("");
}

/* -- */

static struct symbols *of_this(void)
{
	struct symbols *s = symbols_new();
	struct memory_map m = { 0 };
	struct strbuf cleanup_strbuf text = { 0 };
	char block[4096];
	size_t n;
	FILE *f = fopen("/proc/self/maps", "re");
	assert_non_null(f);
	while ((n = fread(block, 1, sizeof(block), f)) > 0)
		strbuf_add(&text, block, n);
	fclose(f);
	memory_map_parse(&m, strbuf_get(&text));
	vec_each (at, &m.at) {
		if (at->name[0] == '/')
			symbols_map(s, at->start, at->end, at->offset, at->name);
	}
	memory_map_fini(&m);
	return s;
}

static const char *line(int n)
{
	static char text[64];
	snprintf(text, sizeof(text), "test_symbol.c:%d", n);
	return text;
}

static void test_code(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct symbols *s = of_this();
	outer();
	struct symbol_frame frame[SYMBOL_FRAMES];
	assert_int_equal(symbols_frames(s, &a, taken_at, frame, SYMBOL_FRAMES), 2);
	assert_string_equal(frame[0].place.function, "inlined");
	assert_string_equal(frame[0].place.where, line(LINE_OF_CALL));
	assert_true(frame[0].inlined && !frame[0].of_system);
	assert_string_equal(frame[1].place.function, "outer");
	assert_string_equal(frame[1].place.where, line(LINE_OF_INLINED));
	assert_false(frame[1].inlined);
	assert_int_equal(symbols_frames(s, &a, taken_at, frame, 1), 1);
	assert_int_equal(symbols_frames(s, &a, taken_at, frame, 0), 0);
	assert_string_equal(symbols_code(s, &a, taken_at).function, "inlined");
	symbols_free(s);
	arena_fini(&a);
}

static void test_data(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct symbols *s = of_this();
	const struct {
		const void *at;
		const char *name;
	} cases[] = {
		{ &cache.shards[3].mu, "cache.shards[].mu.lock[]" },
		{ &cache.shards[0].mu, "cache.shards[].mu.lock[]" },
		{ &cache.before, "cache.before" },
		{ plain_lock, "plain_lock[]" },
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(symbols_data(s, &a, (uint64_t)(uintptr_t)cases[i].at),
				    cases[i].name);
	int on_the_stack;
	assert_null(symbols_data(s, &a, (uint64_t)(uintptr_t)&on_the_stack));
	assert_null(symbols_data(s, &a, (uint64_t)(uintptr_t)outer)); /* code is no data */
	assert_null(symbols_data(s, &a, 0));
	assert_null(symbols_data(s, &a, UINT64_MAX));
	symbols_free(s);
	arena_fini(&a);
}

/* A file without symbols, or that is gone: file and offset. No file: the address. */
static void test_nothing(void **state)
{
	(void)state;
	struct arena a = { 0 };
	struct symbols *s = symbols_new();
	symbols_map(s, 0x10000, 0x20000, 0x1000, "/no/such/libgone.so");
	symbols_map(s, 0x20000, 0x30000, 0x11000, "/no/such/libgone.so");
	symbols_map(s, 0x50000, 0x60000, 0, "/dev/zero"); /* not opened */
	symbols_map(s, UINT64_MAX - 4096, UINT64_MAX, UINT64_MAX, "");
	struct symbol_place p = symbols_code(s, &a, 0x10010);
	assert_null(p.function);
	assert_string_equal(p.where, "[libgone.so+0x1010]");
	assert_string_equal(symbols_code(s, &a, 0x2fff0).where, "[libgone.so+0x20ff0]");
	assert_string_equal(symbols_code(s, &a, 0x55555).where, "[zero+0x5555]");
	assert_string_equal(symbols_code(s, &a, 0x99999).where, "[0x99999]");
	assert_string_equal(symbols_code(s, &a, 0).where, "[0x0]");
	assert_null(symbols_data(s, &a, 0x10010));
	symbols_free(s);
	symbols_free(NULL);
	arena_fini(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
