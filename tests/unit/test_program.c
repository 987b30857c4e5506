/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What can be recorded is said before it runs; files are made up here, byte by byte. */
#define _GNU_SOURCE 1
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/lock_launch.h"
#include "record/program.h"

static char folder[] = "/tmp/test-program-XXXXXX", path[64];

static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/program", folder);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(folder);
}

#if defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_X86_64
#endif

struct made {
	Elf64_Ehdr head;
	Elf64_Phdr segment;
	char text[64]; /* the interpreter at its beginning, any word at 40 */
};

static struct made dynamic(void)
{
	struct made m = { .text = "/lib64/ld-linux-x86-64.so.2" };
	memcpy(m.head.e_ident, ELFMAG, SELFMAG);
	m.head.e_ident[EI_CLASS] = ELFCLASS64;
	m.head.e_machine = MACHINE;
	m.head.e_phoff = offsetof(struct made, segment);
	m.head.e_phentsize = sizeof(Elf64_Phdr);
	m.head.e_phnum = 1;
	m.segment.p_type = PT_INTERP;
	m.segment.p_offset = offsetof(struct made, text);
	m.segment.p_filesz = 28;
	return m;
}

static int check(const void *bytes, size_t n, struct err *err)
{
	*err = (struct err){ 0 };
	unlink(path);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0700);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, n), (ssize_t)n);
	close(fd);
	return program_check(path, err);
}

static void refused(const struct made *m, const char *word)
{
	struct err err;
	assert_int_equal(check(m, sizeof(*m), &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, word));
	assert_non_null(strstr(err.msg, path));
}

static void test_programs(void **state)
{
	(void)state;
	struct err err;
	struct made m = dynamic();
	assert_int_equal(check(&m, sizeof(m), &err), 0);
	m.segment.p_type = PT_LOAD;
	refused(&m, "statically linked");
	m = dynamic();
	m.head.e_ident[EI_CLASS] = ELFCLASS32;
	refused(&m, "32 bits");
	m = dynamic();
	m.head.e_machine = EM_S390;
	refused(&m, "another machine");
	m = dynamic();
	strcpy(m.text, "/lib/ld-musl-x86_64.so.1");
	refused(&m, "musl");
	m = dynamic();
	strcpy(m.text + 40, "__tsan_init");
	refused(&m, "ThreadSanitizer");
}

/* No program of ours to refuse: to run it will tell. */
static void test_others(void **state)
{
	(void)state;
	struct err err;
	assert_int_equal(check("#!/bin/sh\n", 10, &err), 0);
	assert_int_equal(check("", 0, &err), 0);
	assert_int_equal(check("\177ELF", 4, &err), 0);
}

/* Offsets and counts that lead out of the file. */
static void test_broken(void **state)
{
	(void)state;
	struct err err;
	struct made m = dynamic();
	for (size_t n = 0; n <= sizeof(m); n++)
		(void)!check(&m, n, &err);
	m.head.e_phoff = UINT64_MAX - 8;
	refused(&m, "statically linked");
	m = dynamic();
	m.head.e_phnum = UINT16_MAX;
	m.head.e_phentsize = UINT16_MAX;
	assert_int_equal(check(&m, sizeof(m), &err), 0);
	m = dynamic();
	m.segment.p_offset = UINT64_MAX;
	m.segment.p_filesz = UINT64_MAX;
	assert_int_equal(check(&m, sizeof(m), &err), 0);
}

/* A real one, with a few bytes of its tables changed: whatever it is taken for, it ends. */
static void test_damaged(void **state)
{
	(void)state;
	static unsigned char was[1 << 17], bytes[sizeof(was)];
	int self = open("/proc/self/exe", O_RDONLY);
	ssize_t n = read(self, was, sizeof(was));
	close(self);
	assert_true(n > 4096);
	srand(1);
	for (int i = 0; i < 300; i++) {
		struct err err;
		memcpy(bytes, was, (size_t)n);
		for (int k = 0; k < 1 + i % 8; k++)
			bytes[rand() % 1024] = (unsigned char)rand();
		int ret = check(bytes, (size_t)n, &err);
		assert_true(ret == 0 || ret == -ENOEXEC);
	}
}

static void test_rights(void **state)
{
	(void)state;
	struct err err;
	struct made m = dynamic();
	assert_int_equal(check(&m, sizeof(m), &err), 0);
	if (geteuid() || chown(path, 65534, 65534) || chmod(path, 04755))
		return; /* only root can make one */
	assert_int_equal(program_check(path, &err), -ENOEXEC);
	assert_non_null(strstr(err.msg, "changes its user"));
}

static void test_path(void **state)
{
	(void)state;
	struct err err = { 0 };
	struct made m = dynamic();
	m.segment.p_type = PT_LOAD;
	assert_int_equal(check(&m, sizeof(m), &err), -ENOEXEC);
	setenv("PATH", "/no/such:::/nor/this", 1);
	assert_int_equal(program_check("program", &err), -ENOENT);
	char path_there[128];
	snprintf(path_there, sizeof(path_there), "/no/such:%s", folder);
	setenv("PATH", path_there, 1);
	assert_int_equal(program_check("program", &err), -ENOEXEC);
}

/* -- lock_launch --------------------------------------------------------------------------------- */

static int launch(const char *library, const char *program, struct err *err)
{
	char *command[] = { (char *)(uintptr_t)program, NULL };
	struct lock_run r;
	struct lock_launch_options o = { .command = command, .library = library };
	*err = (struct err){ 0 };
	int ret = lock_launch(&r, &o, err);
	assert_true(ret < 0);
	assert_null(r.folder.path);
	assert_int_equal(r.processes.n, 0);
	return ret;
}

static void test_launch(void **state)
{
	(void)state;
	struct err err;
	struct made m = dynamic();
	assert_int_equal(check(&m, sizeof(m), &err), 0);
	assert_int_equal(launch("/no/such/library.so", path, &err), -ENOENT);
	assert_non_null(strstr(err.msg, "preload library"));
	assert_int_equal(launch(path, "/no/such/program", &err), -ENOENT);
	chmod(path, 0600); /* only the kernel finds out */
	assert_int_equal(launch(path, path, &err), -EACCES);
	assert_non_null(strstr(err.msg, "cannot run"));
	/* LD_PRELOAD takes a blank or a colon for the end of a name. */
	char odd[128];
	snprintf(odd, sizeof(odd), "%s/a b", folder);
	int fd = open(odd, O_WRONLY | O_CREAT, 0600);
	close(fd);
	assert_int_equal(launch(odd, path, &err), -EINVAL);
	unlink(odd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_programs), cmocka_unit_test(test_others),
		cmocka_unit_test(test_broken),   cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_rights),   cmocka_unit_test(test_launch),
		cmocka_unit_test(test_path),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
