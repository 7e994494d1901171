/* SPDX-License-Identifier: Apache-2.0 */
/* Archives by other programs, read to the end. The numbers were found apart from our reader, by a
 * few lines of Python over the unpacked files. */
#include "kit.h"

#include <stdio.h>

static const struct {
    const char *file;
    size_t records, blocks_right, payloads_right, payloads_stored, payloads_elsewhere;
} files[] = {
    {"jwarc__cc.warc.gz", 1, 1, 1, 0, 0},
    {"jwarc__gzip_extra_sl.warc.gz", 1, 1, 0, 0, 0},
    {"wac__IAH-urls-wget.warc.gz", 36, 36, 11, 5, 0},
    {"wac__mutliple-headers.warc", 1, 1, 1, 0, 0},
    {"warcio__example-iana.org-chunked.warc", 3, 2, 0, 1, 0},
    {"warcio__example-resource.warc.gz", 3, 1, 1, 0, 0},
    {"warcio__example.warc", 6, 2, 1, 0, 1},
    {"warcio__example.warc.gz", 6, 4, 3, 0, 1},
    {"warcio__post-test.warc.gz", 6, 6, 3, 0, 0},
    {"warciojs__post-test-more.warc", 6, 6, 5, 1, 0},
    {"warciojs__redirect.warc", 2, 2, 2, 0, 0},
};
enum { FILES = sizeof files / sizeof *files };

struct tally {
    size_t records, faults, blocks[WARC_CHECK_NONSENSE + 1], payloads[WARC_CHECK_NONSENSE + 1];
    bool whole;
    char problem[200];
};

static void count(struct tally *t, struct warc_verifier *v)
{
    struct warc_verdict d;
    assert_rc(warc_verifier_end(v, &d), RC_OK);
    t->records++;
    t->faults += warc_verdict_is_fault(&d);
    t->blocks[d.block]++;
    t->payloads[d.payload]++;
}

static struct tally tally_of(struct str archive, size_t step)
{
    struct tally t = {0};
    struct warc_reader *r = warc_reader_open(NULL);
    struct warc_verifier *v = warc_verifier_open();
    assert_true(r && v);
    enum warc_event e;
    struct str piece;
    while ((e = warc_reader_next(r, &piece)) != WARC_END && e != WARC_BROKEN) {
        if (e == WARC_MORE) {
            struct str next = str_first(archive, step);
            archive = str_from(archive, next.n);
            next.n ? warc_reader_feed(r, next) : warc_reader_finish(r);
        } else if (e == WARC_RECORD) {
            warc_verifier_begin(v, warc_reader_record(r));
        } else if (e == WARC_BLOCK) {
            warc_verifier_add(v, piece);
        } else {
            count(&t, v);
        }
    }
    t.whole = e == WARC_END;
    if (!t.whole)
        snprintf(t.problem, sizeof t.problem, "%s", warc_reader_problem(r)->text);
    warc_verifier_close(v);
    warc_reader_close(r);
    return t;
}

static bool row_holds(size_t i, const struct tally *t)
{
    return t->whole && t->faults == 0 && t->records == files[i].records &&
           t->blocks[WARC_CHECK_OK] == files[i].blocks_right &&
           t->payloads[WARC_CHECK_OK] == files[i].payloads_right &&
           t->payloads[WARC_CHECK_STORED] == files[i].payloads_stored &&
           t->payloads[WARC_CHECK_SKIPPED] == files[i].payloads_elsewhere;
}

static void archives_by_others_are_read_to_the_end(void **state)
{
    (void)state;
    if (!test_conformance("warc/valid"))
        skip();
    struct score s = {.set = "warc/valid"};
    for (size_t i = 0; i < FILES; i++) {
        char name[200];
        struct buf archive;
        snprintf(name, sizeof name, "warc/valid/%s", files[i].file);
        const char *path = test_conformance(name);
        if (!path || !test_slurp(path, &archive))
            fail_msg("%s cannot be read", name);
        struct tally whole = tally_of(buf_str(&archive), archive.n);
        struct tally bytes = tally_of(buf_str(&archive), 1);
        score_row(
            &s, row_holds(i, &whole) && row_holds(i, &bytes),
            "%s: %zu records, %zu faults, blocks %zu, payloads %zu, stored %zu, elsewhere %zu %s",
            files[i].file, whole.records, whole.faults, whole.blocks[WARC_CHECK_OK],
            whole.payloads[WARC_CHECK_OK], whole.payloads[WARC_CHECK_STORED],
            whole.payloads[WARC_CHECK_SKIPPED], whole.problem);
        buf_done(&archive);
    }
    score_end(&s, 11);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_by_others_are_read_to_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
