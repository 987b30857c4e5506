/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "record/lock_folder.h"

static void make(struct lock_folder *f)
{
	struct err err = { 0 };
	assert_int_equal(lock_folder_make(f, &err), 0);
}

static void put(const struct lock_folder *f, const char *name)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	int fd = open(path, O_WRONLY | O_CREAT, 0600);
	assert_true(fd >= 0);
	close(fd);
}

static void take_back(const struct lock_folder *f, const char *name)
{
	char path[300];
	snprintf(path, sizeof(path), "%s/%s", f->path, name);
	assert_int_equal(unlink(path), 0);
}

static bool exists(const char *path)
{
	struct stat st;
	return stat(path, &st) == 0;
}

/* As the kernel does for one that is killed. */
static void die(struct lock_folder *f)
{
	close(f->alive);
}

static void bury(struct lock_folder *f)
{
	free(f->path);
	f->path = NULL;
}

static void test_remove(void **state)
{
	(void)state;
	struct lock_folder f;
	make(&f);
	char path[300];
	snprintf(path, sizeof(path), "%s", f.path);
	put(&f, "1.locks");
	lock_folder_remove(&f);
	assert_null(f.path);
	assert_false(exists(path));
	lock_folder_remove(&f);
}

static void test_left(void **state)
{
	(void)state;
	struct lock_folder living, dead, next;
	make(&living);
	put(&living, "1.locks");
	make(&dead);
	put(&dead, "1.locks");
	put(&dead, "2.locks");
	die(&dead);
	make(&next);
	assert_true(exists(living.path));
	assert_false(exists(dead.path));
	assert_true(exists(next.path));
	bury(&dead);
	lock_folder_remove(&living);
	lock_folder_remove(&next);
}

/* What is not dwell's: a file in its folder, and a folder of such a name. */
static void test_others(void **state)
{
	(void)state;
	char theirs[] = "/dev/shm/dwell-theirs-XXXXXX";
	if (!mkdtemp(theirs))
		skip();
	struct lock_folder dead, next;
	make(&dead);
	put(&dead, "1.locks");
	put(&dead, "notes");
	die(&dead);
	make(&next);
	assert_true(exists(theirs));
	assert_true(exists(dead.path));
	take_back(&dead, "notes");
	assert_int_equal(rmdir(dead.path), 0); /* all else was removed */
	assert_int_equal(rmdir(theirs), 0);
	bury(&dead);
	lock_folder_remove(&next);
}

static void test_counts(void **state)
{
	(void)state;
	assert_true(lock_folder_has_counts("12.locks"));
	assert_false(lock_folder_has_counts(".locks"));
	assert_false(lock_folder_has_counts("12.locks~"));
	assert_false(lock_folder_has_counts("a"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_remove),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
