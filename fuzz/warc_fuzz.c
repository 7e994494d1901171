/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for any bytes: reading them whole and in pieces tells the same; where the archive
 * can be cut it is whole; and as a record's block they come back as they were, in every coding. */
#include "base/hash.h"
#include "fuzz.h"
#include "warc/reader.h"
#include "warc/records.h"
#include "warc/verify.h"

enum { STORY_MAX = 256 << 20, MAX_INPUT = 1 << 20 };

struct telling {
    struct buf story;
    enum warc_event last;
    struct warc_problem problem;
    uint64_t whole_bytes;
};

static void tell_record(struct buf *story, const struct warc_record *r)
{
    buf_printf(story, "record %u.%u %d %llu+%llu %llu %u\n", r->version_major, r->version_minor,
               r->type, (unsigned long long)r->position.offset,
               (unsigned long long)r->position.in_member, (unsigned long long)r->block_bytes,
               r->notes);
    for (size_t i = 0; i < r->field_count; i++) {
        buf_add(story, r->fields[i].name);
        buf_byte(story, '=');
        buf_add(story, r->fields[i].value);
        buf_byte(story, '\n');
    }
}

/* Everything said about `all`, fed in steps; a verifier listens, for whatever it may trip over. */
static void tell(struct str all, size_t step, struct telling *t)
{
    struct warc_reader *r = warc_reader_open(NULL);
    struct warc_verifier *v = warc_verifier_open();
    MUST(r && v);
    *t = (struct telling){.story = {.max = STORY_MAX}};
    struct str piece;
    struct warc_verdict verdict;
    while ((t->last = warc_reader_next(r, &piece)) != WARC_END && t->last != WARC_BROKEN) {
        if (t->last == WARC_MORE) {
            struct str next = str_first(all, step);
            all = str_from(all, next.n);
            if (next.n)
                warc_reader_feed(r, next);
            else
                warc_reader_finish(r);
        } else if (t->last == WARC_RECORD) {
            tell_record(&t->story, warc_reader_record(r));
            warc_verifier_begin(v, warc_reader_record(r));
        } else if (t->last == WARC_BLOCK) {
            MUST(piece.n > 0);
            buf_add(&t->story, piece);
            warc_verifier_add(v, piece);
        } else {
            MUST(warc_verifier_end(v, &verdict) == RC_OK);
            struct warc_ended e = warc_reader_ended(r);
            buf_printf(&t->story, "\nend %llu %d %u %d %d %u\n", (unsigned long long)e.bytes,
                       e.own_member, e.notes, verdict.block, verdict.payload, verdict.defects);
        }
    }
    t->problem = *warc_reader_problem(r);
    t->whole_bytes = warc_reader_whole_bytes(r);
    warc_verifier_close(v);
    warc_reader_close(r);
}

/* zlib notices damaged deflate data a few bytes sooner or later, depending on what it was given. */
static bool offsets_agree(const struct warc_problem *a, const struct warc_problem *b)
{
    uint64_t low = a->at.offset < b->at.offset ? a->at.offset : b->at.offset;
    uint64_t high = a->at.offset < b->at.offset ? b->at.offset : a->at.offset;
    bool deflate = strcmp(a->text, "expected valid deflate data") == 0;
    return high - low <= (deflate ? 16 : 0);
}

static void pieces_change_nothing(struct str all, size_t step)
{
    struct telling whole, cut;
    tell(all, all.n ? all.n : 1, &whole);
    tell(all, step, &cut);
    MUST(whole.last == cut.last && whole.whole_bytes == cut.whole_bytes);
    MUST(str_eq(buf_str(&whole.story), buf_str(&cut.story)));
    MUST(whole.problem.rc == cut.problem.rc && whole.problem.torn == cut.problem.torn);
    MUST(strcmp(whole.problem.text, cut.problem.text) == 0);
    MUST(offsets_agree(&whole.problem, &cut.problem));
    MUST(whole.whole_bytes <= all.n && whole.problem.at.offset <= all.n);
    buf_done(&whole.story);
    buf_done(&cut.story);
    uint64_t again;
    struct str kept = str_first(all, (size_t)whole.whole_bytes);
    if (kept.n)
        MUST(warc_recover(kept, &again, NULL) == RC_OK && again == kept.n);
}

static void write_block(struct str block, size_t step, enum warc_coding coding, struct buf *out)
{
    struct warc_writer_options o = {.coding = coding};
    struct warc_writer *w = warc_writer_open(&o);
    MUST(w);
    struct warc_resource r = {.capture = {.target_uri = STR("http://a/")},
                              .content_type = STR("a/b")};
    warc_write_resource(w, &r, block.n, out);
    for (struct str rest = block; rest.n; rest = str_from(rest, step))
        warc_writer_add_body(w, str_first(rest, step));
    MUST(warc_writer_end(w) == RC_OK && warc_writer_record_bytes(w) == out->n);
    warc_writer_close(w);
}

static void a_block_comes_back(struct str block, size_t step, enum warc_coding coding)
{
    struct buf out = {.max = STORY_MAX};
    write_block(block, step, coding, &out);
    struct warc_reader *r = warc_reader_open(NULL);
    MUST(r);
    warc_reader_feed(r, buf_str(&out));
    warc_reader_finish(r);
    struct str piece;
    enum warc_event e;
    size_t at = 0;
    while ((e = warc_reader_next(r, &piece)) != WARC_END) {
        MUST(e != WARC_BROKEN);
        if (e != WARC_BLOCK)
            continue;
        MUST(at + piece.n <= block.n && memcmp(block.p + at, piece.p, piece.n) == 0);
        at += piece.n;
    }
    MUST(at == block.n && warc_reader_ended(r).bytes == out.n);
    warc_reader_close(r);
    buf_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n > MAX_INPUT)
        return 0;
    struct str all = str_make((const char *)data, n);
    uint64_t choice = hash64(all);
    size_t step = 1 + choice % 97;
    pieces_change_nothing(all, step);
    a_block_comes_back(all, step, (enum warc_coding)(choice / 97 % 3));
    return 0;
}
