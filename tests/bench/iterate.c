/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What any reader of trace.dat that builds on libtracecmd must do at least: take every record. */
#include <stdio.h>
#include <trace-cmd.h>

static int count(struct tracecmd_input *handle, struct tep_record *record, int cpu, void *data)
{
	(void)handle, (void)record, (void)cpu;
	++*(unsigned long long *)data;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long long n = 0;
	struct tracecmd_input *handle = argc > 1 ? tracecmd_open(argv[1], 0) : NULL;
	if (!handle)
		return 1;
	tracecmd_iterate_events(handle, NULL, 0, count, &n);
	for (int i = 0; i < tracecmd_buffer_instances(handle); i++) {
		struct tracecmd_input *buffer = tracecmd_buffer_instance_handle(handle, i);
		if (!buffer)
			continue;
		tracecmd_iterate_events(buffer, NULL, 0, count, &n);
		tracecmd_close(buffer);
	}
	tracecmd_close(handle);
	printf("%llu\n", n);
	return 0;
}
