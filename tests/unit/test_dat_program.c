/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of an event by its own "print fmt:": what C makes of it, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <endian.h>
#include <stdio.h>

#include "read/dat_program.h"

/* One record has them all. */
static const char fields[] =
	"	field:unsigned short common_type;	offset:0;	size:2;	signed:0;\n"
	"	field:u8 u8;	offset:2;	size:1;	signed:0;\n"
	"	field:s8 s8;	offset:3;	size:1;	signed:1;\n"
	"	field:int i;	offset:4;	size:4;	signed:1;\n"
	"	field:unsigned int u;	offset:8;	size:4;	signed:0;\n"
	"	field:u16 h;	offset:12;	size:2;	signed:0;\n"
	"	field:u64 big;	offset:16;	size:8;	signed:0;\n"
	"	field:s64 neg;	offset:24;	size:8;	signed:1;\n"
	"	field:void * p;	offset:32;	size:8;	signed:0;\n"
	"	field:char comm[16];	offset:40;	size:16;	signed:0;\n"
	"	field:__data_loc char[] str;	offset:56;	size:4;	signed:0;\n"
	"	field:__data_loc u32[] list;	offset:60;	size:4;	signed:0;\n"
	"	field:__data_loc unsigned long[] mask;	offset:64;	size:4;	signed:0;\n"
	"	field:__rel_loc char[] rel;	offset:68;	size:4;	signed:0;\n"
	"	field:u8 addr[16];	offset:72;	size:16;	signed:0;\n"
	"	field:__data_loc u8[] sock;	offset:88;	size:4;	signed:0;\n"
	"	field:u64 far;	offset:4000;	size:8;	signed:0;\n";

static void at(unsigned char *r, size_t offset, const void *p, size_t n)
{
	memcpy(r + offset, p, n);
}

static void at32(unsigned char *r, size_t offset, uint32_t v)
{
	v = htole32(v);
	at(r, offset, &v, 4);
}

static void at64(unsigned char *r, size_t offset, uint64_t v)
{
	v = htole64(v);
	at(r, offset, &v, 8);
}

#define RECORD_N 160

static void fill_record(unsigned char *r)
{
	static const unsigned char v6[16] = { 0x20, 1, 0x0d, 0xb8, [11] = 5, [15] = 1 };
	static const unsigned char in6[24] = { 10, 0, 0x1f, 0x90, [23] = 1 };
	memset(r, 0, RECORD_N);
	r[2] = 200;
	r[3] = (unsigned char)-3;
	at32(r, 4, (uint32_t)-5);
	at32(r, 8, 0xfffffffb);
	r[12] = 0x34, r[13] = 0x12;
	at64(r, 16, 0xfedcba9876543210);
	at64(r, 24, (uint64_t)-1000000007);
	at64(r, 32, 0xffffffff81000110);
	at(r, 40, "a comm", 6);
	at32(r, 56, 6u << 16 | 96); /* "hello" */
	at(r, 96, "hello", 6);
	at32(r, 60, 8u << 16 | 104);
	at32(r, 104, 7);
	at32(r, 108, 0xff);
	at32(r, 64, 16u << 16 | 112);
	at64(r, 112, 0x8000000f);
	at64(r, 120, 0x3);
	at32(r, 68, 3u << 16 | (128 - 72));
	at(r, 128, "re", 3);
	at(r, 72, v6, 16);
	at32(r, 88, 24u << 16 | 132);
	at(r, 132, in6, 24);
}

static const char kallsyms[] = "ffffffff81000100 t do_one\nffffffff81000200 T do_two\t[mod]\n"
			       "ffffffff81000300 T do_three\n";

struct bench {
	struct names names;
	struct dat_formats formats;
	struct dat_file file;
	struct dat_symbols symbols;
	struct strbuf format, text;
	struct dat_program program;
	const struct dat_event *event;
	uint32_t long_size;
	size_t budget;
	FILE *symbols_file;
};

/* The symbols, as the part of a file: u32 size, text. */
static void set_symbols(struct bench *b)
{
	uint32_t n = htole32(sizeof(kallsyms) - 1);
	b->symbols_file = tmpfile();
	assert_non_null(b->symbols_file);
	fwrite(&n, 4, 1, b->symbols_file);
	fwrite(kallsyms, sizeof(kallsyms) - 1, 1, b->symbols_file);
	fflush(b->symbols_file);
	b->file.fd = fileno(b->symbols_file);
	b->file.size = 4 + sizeof(kallsyms) - 1;
	b->file.parts[DAT_KALLSYMS - DAT_FIRST_PART] = (struct dat_part){ 0, b->file.size, false };
	dat_symbols_init(&b->symbols, &b->file, &b->names);
}

static void bench_init(struct bench *b, const char *print)
{
	*b = (struct bench){ .long_size = 8, .budget = DAT_NODES_ALL };
	names_init(&b->names);
	set_symbols(b);
	strbuf_printf(&b->format, "name: x\nID: 1\nformat:\n%s\nprint fmt: %s\n", fields, print);
	b->event = dat_formats_add(&b->formats, str_of("test"), strbuf_get(&b->format), &b->names);
	assert_non_null(b->event);
	strbuf_str(&b->text, "");
}

static void bench_fini(struct bench *b)
{
	dat_program_fini(&b->program);
	dat_formats_fini(&b->formats);
	dat_symbols_fini(&b->symbols);
	names_fini(&b->names);
	strbuf_fini(&b->format);
	strbuf_fini(&b->text);
	fclose(b->symbols_file);
}

static bool print(struct bench *b)
{
	unsigned char record[RECORD_N];
	fill_record(record);
	const struct dat_data data = { record, sizeof(record), false };
	const struct dat_printer to = { &b->symbols, b->long_size, &b->text };
	dat_program_compile(&b->program, b->event, b->long_size, &b->budget);
	return b->program.works && dat_program_run(&b->program, &to, &data);
}

struct example {
	const char *print, *text; /* text NULL: refused */
};

static void expect(const struct example *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bench b;
		bench_init(&b, e[i].print);
		bool ok = print(&b);
		if (ok != !!e[i].text)
			print_error("%s: %s\n", e[i].print, ok ? b.text.p : "refused");
		assert_int_equal(ok, e[i].text != NULL);
		if (ok)
			assert_string_equal(b.text.p, e[i].text);
		assert_true(ok || !b.text.n);
		bench_fini(&b);
	}
}

#define EXPECT(examples) expect(examples, sizeof(examples) / sizeof((examples)[0]))

static void test_conversions(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{ "\"\"", "" },
		{ "\"100%%\\t\\\"x\\\"\\n\"", "100%\t\"x\"" },
		{ "\"a\\nb\\n\"", "a\nb" },
		{ "\"%d %i %u\", REC->i, REC->i, REC->i", "-5 -5 4294967291" },
		{ "\"%hhd|%hd|%hu\", REC->u8, REC->i, REC->i", "-56|-5|65531" },
		{ "\"%ld %lld %zd\", REC->neg, REC->neg, REC->neg",
		  "-1000000007 -1000000007 -1000000007" },
		{ "\"%llu %llx %llX %llo\", REC->big, REC->big, REC->big, REC->h",
		  "18364758544493064720 fedcba9876543210 FEDCBA9876543210 11064" },
		{ "\"%x\", REC->big", "76543210" },
		{ "\"[%5u|%-5u|%05u|%+d|%#x|%#06x]\", REC->u8, REC->u8, REC->u8, REC->u8, REC->h, "
		  "REC->h",
		  "[  200|200  |00200|+200|0x1234|0x1234]" },
		{ "\"%.4d %-08lx|\", 7, 0xabUL", "0007 ab      |" },
		{ "\"%c%c%c|\", 'x', 0x41, 0", "xA|" },
		{ "\"%s|%8s|%-8s|%.2s\", REC->comm, REC->comm, __get_str(str), \"literal\"",
		  "a comm|  a comm|hello   |li" },
		{ "\"%.*s|%*d\", 3, REC->comm, 4, REC->u8", "a c| 200" },
		{ "\"%s %s\", __get_rel_str(rel), REC->str", "re hello" },
		{ "\"two \" \"pieces %d\", 1", "two pieces 1" },
	};
	EXPECT(examples);
}

static void test_expressions(void **state)
{
	(void)state;
	static const struct example examples[] = {
		/* precedence, and that of the same level from the left */
		{ "\"%d\", 2 + 3 * 4 - 6 / 3 % 2", "14" },
		{ "\"%d\", 1 << 2 + 1", "8" },
		{ "\"%d\", 7 & 3 == 3", "1" },
		{ "\"%d %d\", 1 | 6 ^ 2 & 3, !0 && 0 || 1", "5 1" },
		{ "\"%d\", 20 - 5 - 3", "12" },
		/* int, unsigned int, and long: what C converts */
		{ "\"%d %d\", REC->i < 0, REC->i < 1U", "1 0" },
		{ "\"%d\", REC->i > REC->u", "0" },
		{ "\"%d\", REC->i < (long)1", "1" },
		{ "\"%lld\", REC->u + 10", "5" },
		{ "\"%lld\", (u64)REC->u + 10", "4294967301" },
		{ "\"%d %lld\", REC->u8 + REC->s8, ~REC->u8", "197 -201" },
		{ "\"%d %u\", REC->i >> 1, REC->u >> 28", "-3 15" },
		{ "\"%d %d\", REC->i / 2, REC->i % 3", "-2 -2" },
		{ "\"%u\", REC->i / 2", "4294967294" },
		{ "\"%u\", REC->u / 2", "2147483645" },
		{ "\"%llx\", -1UL", "ffffffffffffffff" },
		{ "\"%lld\", -REC->neg", "1000000007" },
		/* casts */
		{ "\"%d %d\", (char)REC->u8, (unsigned char)REC->i", "-56 251" },
		{ "\"%lld\", (long long)(int)REC->big", "1985229328" },
		{ "\"%llx\", (unsigned long)(unsigned short)REC->big", "3210" },
		{ "\"%d,%d\", ((unsigned int) ((REC->u) >> 20)), "
		  "((unsigned int) ((REC->u) & ((1U << 20) - 1)))",
		  "4095,1048571" },
		{ "\"%llx\", (((u64)(REC)->h << 32) | (REC)->u8)", "1234000000c8" },
		{ "\"%d\", sizeof(u32) + sizeof(unsigned long) + sizeof(char)", "13" },
		/* conditions: only what is chosen is looked at */
		{ "\"%s\", REC->i < 0 ? \"minus\" : \"plus\"", "minus" },
		{ "\"%s\", REC->i > 0 ? \"plus\" : REC->i == -5 ? REC->comm : \"x\"", "a comm" },
		{ "\"%d\", REC->i ? 1 : 1 / (REC->i + 5)", "1" },
		{ "\"%d\", 0 && 1 / REC->far", "0" },
		{ "\"%x\", REC->addr[0] + REC->addr[1]", "21" },
		{ "\"%u %u\", REC->list[1], __get_dynamic_array_len(list)", "255 8" },
		{ "\"%lu.%09u\", __print_ns_to_secs(REC->big), __print_ns_without_secs(REC->big)",
		  "18364758544.493064720" },
		{ "\"%d\", __builtin_expect(!!(REC->i), 0) ? 3 : 4", "3" },
	};
	EXPECT(examples);
}

static void test_macros(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{ "\"%s\", __print_flags(5, \"|\", { 1, \"A\" }, { 2, \"B\" }, { 4, \"C\" })",
		  "A|C" },
		{ "\"%s\", __print_flags(REC->u8, \", \", { 1 << 3, \"EIGHT\" }, { 0x80, \"HIGH\" "
		  "})",
		  "EIGHT, HIGH, 0x40" },
		{ "\"[%s]\", __print_flags(0, \"|\", { 1, \"A\" })", "[]" },
		{ "\"[%6s]\", __print_flags(1, \"|\", { 1, \"A\" })", "[     A]" },
		/* a name that the kernel left unresolved is none */
		{ "\"%s\", __print_flags(3, \"|\", { AN_ENUM, \"A\" }, { 2, \"B\" })", "B|0x1" },
		{ "\"%s\", __print_flags(3, \"|\", {( unsigned long)((( gfp_t)((((1UL))) << "
		  "(1)))), "
		  "\"A\"}, { -1, ((void *)0) } ) ",
		  "A|0x1" },
		{ "\"%s %s\", __print_symbolic(REC->i, { -5, \"MINUS\" }), "
		  "__print_symbolic(REC->u8, { 1, \"ONE\" })",
		  "MINUS 0xc8" },
		{ "\"%s\", __print_symbolic(1, )", "0x1" },
		{ "\"%s|%s\", __print_hex(REC->addr, 4), __print_hex_str(REC->addr, 4)",
		  "20 01 0d b8|20010db8" },
		{ "\"%s\", __print_array(__get_dynamic_array(list), "
		  "__get_dynamic_array_len(list) / sizeof(u32), sizeof(u32))",
		  "{0x7,0xff}" },
		{ "\"%s\", __get_bitmask(mask)", "00000000,00000003,00000000,8000000f" },
		{ "\"%*pbl\", 128, __get_dynamic_array(mask)", "0-3,31,64-65" },
	};
	EXPECT(examples);
}

static void test_pointers(void **state)
{
	(void)state;
	static const struct example examples[] = {
		{ "\"%p %px %p\", REC->p, REC->p, 0", "ffffffff81000110 ffffffff81000110 "
						      "0000000000000000" },
		{ "\"%ps %pS\", (void *)REC->p, (void *)REC->p", "do_one do_one+0x10/0x100" },
		{ "\"%ps %ps\", (void *)0xffffffff81000208, (void *)0x123", "do_two [mod] 0x123" },
		{ "\"[%10ps|%-8ps]\", REC->p, REC->p", "[    do_one|do_one  ]" },
		{ "\"%pI4 %pM %pMF\", REC->addr, REC->addr, REC->addr",
		  "32.1.13.184 20:01:0d:b8:00:00 20-01-0d-b8-00-00" },
		{ "\"%pI6 %pI6c\", REC->addr, REC->addr",
		  "2001:0db8:0000:0000:0000:0005:0000:0001 2001:db8::5:0:1" },
		{ "\"%pISpc %pISc\", __get_sockaddr(sock), __get_sockaddr(sock)",
		  "[::1]:8080 ::1" },
		{ "\"%pU %pUl\", REC->addr, REC->addr",
		  "20010db8-0000-0000-0000-000500000001 b80d0120-0000-0000-0000-000500000001" },
		{ "\"%*ph|%*phC\", 4, REC->addr, 2, REC->addr", "20 01 0d b8|20:01" },
	};
	EXPECT(examples);
}

static void test_refused(void **state)
{
	(void)state;
	char deep[400] = "\"%d\", ", chain[3000] = "\"%d\", 1";
	for (int i = 0; i < 150; i++)
		strcat(deep, "(");
	strcat(deep, "1");
	for (int i = 0; i < 150; i++)
		strcat(deep, ")");
	for (int i = 0; i < 300; i++)
		strcat(chain, " + REC->i");
	const struct example examples[] = {
		{ "", NULL },
		{ "no literal", NULL },
		{ "\"%d\"", NULL },       /* too few arguments */
		{ "\"%d\", 1, 2", NULL }, /* too many */
		{ "\"%d\", 1 +", NULL },
		{ "\"%d\", (1", NULL },
		{ "\"%d\", REC->none", NULL },
		{ "\"%d\", REC->far", NULL }, /* behind the record's end */
		{ "\"%d\", REC->list[2]", NULL },
		{ "\"%d\", REC->list[-1]", NULL },
		{ "\"%d\", 1 / (REC->i + 5)", NULL },
		{ "\"%d\", 1 / 0", NULL },
		{ "\"%d\", 1 % (REC->u8 - 200)", NULL },
		{ "\"%d\", 1 << REC->u8", NULL },
		{ "\"%lld\", (-0x7fffffffffffffffLL - 1) / -1", "-9223372036854775808" },
		{ "\"%d\", REC->comm", NULL },
		{ "\"%s\", REC->p", NULL }, /* a string that stayed in the kernel */
		{ "\"%s\", AN_ENUM", NULL },
		{ "\"%d\", (some_t)1", NULL },
		{ "\"%d\", jiffies_to_msecs(REC->i)", NULL },
		{ "\"%s\", ({ int x = 1; x; })", NULL },
		{ "\"%pI4\", REC->p", NULL },
		{ "\"%pd\", REC->addr", NULL },
		{ "\"%n\", REC->p", NULL },
		{ "\"%f\", 1", NULL },
		{ "\"%s\", __print_flags(1, \"|\", { REC->i, \"A\" })", NULL },
		{ "\"%s\", __print_hex(REC->addr, 17)", NULL },
		{ "\"%s\", __print_array(REC->addr, 3, 3)", NULL },
		{ "\"%s\", __get_str(comm)", NULL }, /* no dynamic field */
		{ deep, NULL },
		{ chain, NULL },
	};
	EXPECT(examples);
}

/* A 32-bit kernel: long and pointers have four bytes. */
static void test_32(void **state)
{
	(void)state;
	struct bench b;
	bench_init(&b, "\"%lx %p %ld %s\", REC->big, REC->u, (long)REC->i, "
		       "__print_symbolic(REC->i, { -5, \"MINUS\" })");
	b.long_size = 4;
	assert_true(print(&b));
	assert_string_equal(b.text.p, "76543210 fffffffb -5 MINUS");
	bench_fini(&b);
}

/* What many events together may take is bounded. */
static void test_budget(void **state)
{
	(void)state;
	struct bench b;
	bench_init(&b, "\"%d\", REC->i");
	b.budget = 2;
	assert_true(print(&b));
	assert_int_equal(b.budget, 0);
	dat_program_fini(&b.program);
	assert_false(print(&b));
	bench_fini(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conversions), cmocka_unit_test(test_expressions),
		cmocka_unit_test(test_macros),      cmocka_unit_test(test_pointers),
		cmocka_unit_test(test_refused),     cmocka_unit_test(test_32),
		cmocka_unit_test(test_budget),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
