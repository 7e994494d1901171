/* SPDX-License-Identifier: Apache-2.0 */
/* A look into a journal's files. A crash leaves a torn tail: the last batch is not whole and
 * nothing stands behind it. Damage looks the same at first, but whole batches follow. A batch says
 * its own position, so the look finds them again behind any number of bad bytes, and behind a
 * segment that is missing. */
#include "store/journal_replay.h"

#include "base/bytes.h"

struct looking {
    struct segments *segments;
    uint64_t from;
    journal_each *each, *behind;
    void *ctx;
    bool is_gap; /* a batch before this point is not whole */
    struct journal_found *found;
};

static enum rc take_behind(void *ctx, uint64_t position, struct str batch)
{
    struct looking *l = ctx;
    l->found->behind++;
    return l->behind ? l->behind(l->ctx, position, batch) : RC_OK;
}

/* The next whole batch at or behind `position`, before `end`; *ret is `end` if there is none. */
static enum rc find_batch(struct journal_reading *r, uint64_t position, uint64_t end, uint64_t *ret)
{
    struct str batch;
    bool is_whole = false;
    enum rc rc = RC_OK;
    while (position < end && rc == RC_OK && !is_whole) {
        rc = journal_reading_batch(r, position, &is_whole, &batch);
        position += !is_whole;
    }
    *ret = position;
    return rc;
}

/* Everything of the segment behind the gap. */
static enum rc look_behind(struct looking *l, struct journal_reading *r, uint64_t position,
                           uint64_t end)
{
    enum rc rc = RC_OK;
    while (position < end && rc == RC_OK) {
        uint64_t at = end, behind = end;
        rc = find_batch(r, position, end, &at);
        if (rc == RC_OK && at < end) {
            rc = journal_read_run(r, at, l->from, take_behind, l, &behind);
            l->found->last = behind;
        }
        position = behind;
    }
    return rc;
}

/* The head of a batch may be right though the rest of it is not there. */
static enum rc read_torn_head(struct looking *l, struct journal_reading *r)
{
    char head[JOURNAL_HEAD_BYTES];
    size_t got = 0;
    uint64_t at = l->found->end;
    enum rc rc = disk_read(r->file, at - r->start, head, sizeof head, &got);
    if (rc == RC_OK && got == sizeof head && get_le64(head) == at)
        l->found->torn_end = at + JOURNAL_HEAD_BYTES + get_le32(head + 8);
    return rc;
}

/* `next` begins the segment behind this one; UINT64_MAX: there is none. Bytes behind the last batch
 * are no gap if the next segment goes on where that batch ends. */
static enum rc look_into(struct looking *l, uint64_t start, uint64_t next)
{
    struct journal_reading r = {0};
    uint64_t size = 0, position = start;
    enum rc rc = journal_reading_open(&r, l->segments, start);
    rc = rc ? rc : disk_size(r.file, &size);
    if (rc == RC_OK && !l->is_gap) {
        rc = journal_read_run(&r, start, l->from, l->each, l->ctx, &position);
        l->found->end = l->found->last = position;
        l->found->torn_bytes = start + size - position;
        l->is_gap = l->found->torn_bytes > 0 && next != position;
        rc = rc || !l->is_gap ? rc : read_torn_head(l, &r);
    }
    if (rc == RC_OK && l->is_gap)
        rc = look_behind(l, &r, position, start + size);
    journal_reading_done(&r);
    return rc;
}

static enum rc look_at_all(struct looking *l)
{
    const struct segments *s = l->segments;
    size_t first = journal_first_needed(s, l->from);
    enum rc rc = s->starts[first] > l->from ? RC_CORRUPT : RC_OK;
    l->found->end = l->found->last = s->starts[first];
    for (size_t i = first; i < s->count && rc == RC_OK; i++) {
        l->is_gap = l->is_gap || s->starts[i] != l->found->end;
        rc = look_into(l, s->starts[i], i + 1 < s->count ? s->starts[i + 1] : UINT64_MAX);
    }
    if (rc == RC_OK && l->found->end < l->from)
        rc = RC_CORRUPT;
    return rc;
}

enum rc journal_look(struct disk *d, const char *folder, uint64_t from, journal_each *each,
                     journal_each *behind, void *ctx, struct journal_found *ret)
{
    struct segments segments = {0};
    struct looking l = {.segments = &segments,
                        .from = from,
                        .each = each,
                        .behind = behind,
                        .ctx = ctx,
                        .found = ret};
    *ret = (struct journal_found){.end = from, .last = from};
    enum rc rc = segments_list(&segments, d, folder);
    if (rc == RC_NOT_FOUND || (rc == RC_OK && !segments.count))
        rc = from ? RC_CORRUPT : RC_OK;
    else if (rc == RC_OK)
        rc = look_at_all(&l);
    ret->segments = segments.count;
    segments_done(&segments);
    return rc;
}
