/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "read/dat_source.h"

struct dat_source {
	struct source source;
	struct dat_merge merge;
	struct dat_decoder *decoder;
	struct dat_file *file;
	const struct dat_buffer *buffer;
	struct capture *capture;
	struct dat_stream *pending; /* its record comes next: a loss came before it */
	int64_t last_time;          /* of an event: that of a loss at the end */
	size_t n_stats, n_cut;      /* of the statistics, of the streams: already told */
	bool begun, ended;
};

/* ns from what the clock counts (mul_u64_u32_shr() in trace-input.c), and the file's offset. */
static int64_t time_of(const struct dat_source *s, uint64_t stamp)
{
	const struct dat_file *f = s->file;
	if (f->tsc_mult)
		stamp = (uint64_t)((unsigned __int128)stamp * f->tsc_mult >> f->tsc_shift);
	return (int64_t)(stamp + (uint64_t)f->offset_ns);
}

/* Numbers the events, as lines of a text would be; the number stays where it can grow no more. */
static void number(struct dat_source *s, struct event *e)
{
	struct capture *c = s->capture;
	e->line = c->last_line += c->last_line < UINT32_MAX;
}

static void lose(struct dat_source *s, struct event *e, uint32_t cpu, int64_t time, int64_t n)
{
	*e = (struct event){ .kind = EVENT_LOST, .cpu = (uint16_t)cpu, .time = time };
	s->source.payload.lost = n;
	capture_lost(s->capture, n);
	number(s, e);
}

static const struct dat_stream *stream_of(const struct dat_source *s, uint32_t cpu)
{
	vec_each (stream, &s->merge.streams) {
		if (stream->cpu == cpu)
			return stream;
	}
	return NULL;
}

/*
 * Of a file that was cut short the events of some CPUs are missing: from here on, or from the
 * beginning, which is told before the first event.
 */
static int lose_cut(struct dat_source *s, struct event *e, bool empty, int64_t time)
{
	while (s->n_cut < s->merge.streams.n) {
		const struct dat_stream *stream = &s->merge.streams.at[s->n_cut++];
		if (!stream->cut || stream->empty != empty)
			continue;
		lose(s, e, stream->cpu, time, -1);
		return 1;
	}
	return 0;
}

/*
 * What the recorder's statistics count beyond what the pages told, at the end. Of a file that was
 * cut short the pages that would tell are missing.
 */
static int lose_rest(struct dat_source *s, struct event *e)
{
	while (s->n_stats < s->file->stats.n) {
		const struct dat_stat *stat = &s->file->stats.at[s->n_stats++];
		const struct dat_stream *stream = stream_of(s, stat->cpu);
		const char *of = stat->buffer && strcmp(stat->buffer, "top") ? stat->buffer : "";
		if (strcmp(of, s->buffer->name) != 0)
			continue;
		int64_t told = stream ? stream->lost_told : 0;
		if ((stream && stream->cut) || told < 0 || stat->lost <= told)
			continue;
		lose(s, e, stat->cpu, s->last_time, stat->lost - told);
		return 1;
	}
	return 0;
}

static void note_rest(struct dat_source *s)
{
	struct dat_decoder *d = s->decoder;
	struct capture *c = s->capture;
	if (d->n_short)
		capture_damage(c, 0,
			       arena_printf(&c->arena,
					    "%llu records are too short to be "
					    "events, and left out",
					    (unsigned long long)d->n_short));
	if (d->n_unknown)
		capture_damage(c, 0,
			       arena_printf(&c->arena,
					    "the file does not say what %llu of "
					    "its events are",
					    (unsigned long long)d->n_unknown));
	vec_each (why, &s->file->damage)
		capture_damage(c, 0, arena_str(&c->arena, str_of(*why)));
	s->file->damage.n = 0;
	d->n_short = d->n_unknown = 0;
}

static int dat_source_next(struct source *source, struct event *e, struct err *err)
{
	(void)err;
	struct dat_source *s = (struct dat_source *)source;
	struct dat_decoder *d = s->decoder;
	d->wanted = source->wanted;
	d->points = source->points;
	d->want_text = source->want_text;
	while (!s->ended) {
		struct dat_stream *stream = s->pending ? s->pending : dat_merge_next(&s->merge);
		s->pending = NULL;
		if (!stream)
			break;
		int64_t time = time_of(s, stream->record.time);
		if (!s->begun && lose_cut(s, e, true, time)) {
			s->pending = stream;
			return 1;
		}
		if (!s->begun)
			s->n_cut = 0;
		s->begun = true;
		if (stream->lost) {
			lose(s, e, stream->cpu, time, stream->lost);
			stream->lost = 0;
			s->pending = stream;
			return 1;
		}
		struct dat_data data = { stream->record.data, stream->record.n, d->big };
		*e = (struct event){ .time = time, .cpu = (uint16_t)stream->cpu };
		if (!dat_decode(d, &data, e, &source->payload))
			continue;
		number(s, e);
		s->last_time = time;
		return 1;
	}
	if (!s->ended && (lose_cut(s, e, false, s->last_time) || lose_rest(s, e)))
		return 1;
	if (!s->ended)
		note_rest(s);
	s->ended = true;
	return 0;
}

struct source *dat_source_open(struct dat_file *f, struct dat_decoder *d,
			       const struct dat_layout *layout, const struct dat_buffer *b,
			       struct capture *c)
{
	struct dat_source *s = mem_alloc(sizeof(*s));
	s->source.next = dat_source_next;
	s->decoder = d;
	s->file = f;
	s->buffer = b;
	s->capture = c;
	dat_merge_init(&s->merge, f, layout, c, b);
	return &s->source;
}

void dat_source_close(struct source *source)
{
	struct dat_source *s = (struct dat_source *)source;
	if (!s)
		return;
	dat_merge_fini(&s->merge);
	free(s);
}
