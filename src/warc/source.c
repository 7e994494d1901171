/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/source.h"

#include "base/mem.h"
#include "warc/inflate.h"

enum { ROOM_BYTES = 64 << 10, GZIP_FIRST_BYTE = 0x1f };

void source_done(struct source *s)
{
    inflater_close(s->inflater);
    mem_free(s->room);
    *s = (struct source){0};
}

void source_reset(struct source *s)
{
    *s = (struct source){
        .inflater = s->inflater,
        .room = s->room,
        .max_ratio = s->max_ratio,
        .any_ratio_bytes = s->any_ratio_bytes,
    };
}

void source_feed(struct source *s, struct str bytes)
{
    s->in = bytes;
}

void source_finish(struct source *s)
{
    s->ended = true;
}

void source_take(struct source *s, size_t n)
{
    s->window = str_from(s->window, n);
    s->at = source_position_after(s, s->at, n);
}

struct warc_position source_position_after(const struct source *s, struct warc_position from,
                                           size_t n)
{
    if (s->form == SOURCE_GZIP)
        from.in_member += n;
    else
        from.offset += n;
    from.plain += n;
    return from;
}

struct warc_position source_end_position(const struct source *s)
{
    return (struct warc_position){.offset = s->in_offset, .plain = s->at.plain};
}

static enum source_state broken(struct source *s, enum rc rc, uint64_t back, const char *expected)
{
    s->problem = (struct warc_problem){.rc = rc, .at = source_end_position(s)};
    s->problem.at.offset -= back < s->problem.at.offset ? back : s->problem.at.offset;
    struct buf text = buf_on(s->problem.text, sizeof s->problem.text - 1);
    buf_add(&text, str_c(expected));
    return SOURCE_BROKEN;
}

static enum source_state torn(struct source *s)
{
    broken(s, RC_INVALID, 0, "");
    s->problem.torn = true;
    struct buf text = buf_on(s->problem.text, sizeof s->problem.text - 1);
    buf_printf(&text, "expected more of the gzip member that begins at %llu, the archive ends",
               (unsigned long long)s->member_offset);
    return SOURCE_BROKEN;
}

static enum source_state open_member(struct source *s)
{
    if ((unsigned char)s->in.p[0] != GZIP_FIRST_BYTE)
        return broken(s, RC_INVALID, 0, "expected a gzip member (1f 8b) behind the last");
    if (!s->inflater)
        s->inflater = inflater_open();
    if (!s->room)
        s->room = mem_alloc(ROOM_BYTES);
    if (!s->inflater || !s->room)
        return broken(s, RC_NOMEM, 0, rc_text(RC_NOMEM));
    inflater_reset(s->inflater);
    s->member_open = true;
    s->member_offset = s->in_offset;
    s->member_out = 0;
    s->pending = INFLATE_MORE;
    s->at.offset = s->in_offset;
    s->at.in_member = 0;
    return SOURCE_READY;
}

/* Fills the window from the open member; leaves in `pending` what remains to be said. */
static void inflate_some(struct source *s)
{
    size_t made = 0;
    size_t before = s->in.n;
    s->pending = (int)inflater_run(s->inflater, &s->in, s->room, ROOM_BYTES, &made);
    s->in_offset += before - s->in.n;
    s->member_out += made;
    s->window = str_make(s->room, made);
}

static bool is_bomb(const struct source *s)
{
    uint64_t taken = s->in_offset - s->member_offset;
    return s->member_out > s->any_ratio_bytes && s->member_out / s->max_ratio > taken;
}

/* The state that the inflater reached, told once its bytes are used up. */
static enum source_state source_verdict(struct source *s)
{
    if (s->pending == INFLATE_END) {
        s->member_open = false;
        s->member_end = s->in_offset;
        s->at.offset = s->in_offset;
        s->at.in_member = 0;
        return SOURCE_BOUNDARY;
    }
    if (s->pending == INFLATE_NOMEM)
        return broken(s, RC_NOMEM, 0, rc_text(RC_NOMEM));
    return broken(s, RC_INVALID, inflater_problem_back(s->inflater), inflater_problem(s->inflater));
}

static enum source_state fill_gzip(struct source *s)
{
    if (!s->member_open) {
        if (s->in.n == 0)
            return s->ended ? SOURCE_END : SOURCE_MORE;
        enum source_state state = open_member(s);
        if (state != SOURCE_READY)
            return state;
    }
    while (s->pending == INFLATE_MORE) {
        bool had_input = s->in.n > 0;
        inflate_some(s);
        if (is_bomb(s))
            return broken(s, RC_LIMIT, 0, "expected a gzip member that does not expand so far");
        if (s->window.n)
            return SOURCE_READY;
        if (s->pending == INFLATE_MORE && !had_input)
            return s->ended ? torn(s) : SOURCE_MORE;
    }
    return source_verdict(s);
}

static enum source_state fill_plain(struct source *s)
{
    if (s->in.n == 0)
        return s->ended ? SOURCE_END : SOURCE_MORE;
    s->window = s->in;
    s->in_offset += s->in.n;
    s->in = STR_NONE;
    return SOURCE_READY;
}

enum source_state source_fill(struct source *s)
{
    if (s->window.n)
        return SOURCE_READY;
    if (s->problem.rc)
        return SOURCE_BROKEN;
    if (s->form == SOURCE_UNKNOWN && s->in.n)
        s->form = (unsigned char)s->in.p[0] == GZIP_FIRST_BYTE ? SOURCE_GZIP : SOURCE_PLAIN;
    return s->form == SOURCE_GZIP ? fill_gzip(s) : fill_plain(s);
}
