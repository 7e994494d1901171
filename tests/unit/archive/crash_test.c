/* SPDX-License-Identifier: Apache-2.0 */
/* Two shards' archives beside the real journal, on a disk whose power is cut at every call: after
 * recovery the archives hold each capture that the journal names, whole and once, and nothing else;
 * what was synced is among them; and the crawl goes on from there. */
#include "archive/capture.h"
#include "archive/recover.h"

#include "base/rng.h"
#include "disk/disk_crash.h"
#include "lib/test.h"
#include "power_cut.h"
#include "store/journal.h"
#include "warc/reader.h"
#include "warc/verify.h"

#include <stdio.h>

enum { SHARDS = 2, MAX_CAPTURES = 64, BODY_ROOM = 6000 };
static const struct journal_settings journal_small = {.segment_bytes = 3000, .buffer_bytes = 9000};

/* Captures ------------------------------------------------------------------------------------ */

/* Capture i, always the same: every fourth has the body of the one before; some are long. */
struct made {
    char uri[40], head[120], body[BODY_ROOM];
    struct warc_fetch_facts facts;
    struct capture capture;
};

static void make(struct made *m, uint32_t i)
{
    uint32_t like = i % 4 == 3 ? i - 1 : i;
    size_t n = like % 5 == 2 ? 5000 : 40 + like * 13 % 200;
    struct rng rng;
    rng_init(&rng, like);
    for (size_t at = 0; at < n; at++)
        m->body[at] = (char)rng_next(&rng);
    (void)snprintf(m->uri, sizeof m->uri, "http://h%u.example/%u", i % SHARDS, i);
    (void)snprintf(m->head, sizeof m->head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", n);
    m->facts = (struct warc_fetch_facts){.hops_from_seed = STR("L"), .fetch_time_ms = i};
    m->capture = (struct capture){.target_uri = str_c(m->uri),
                                  .ip_address = STR("127.0.0.1"),
                                  .date_ms = INT64_C(1700000000000) + i,
                                  .request = STR("GET / HTTP/1.1\r\n\r\n"),
                                  .head = str_c(m->head),
                                  .body = str_make(m->body, n),
                                  .facts = &m->facts};
}

/* A crawl ------------------------------------------------------------------------------------- */

struct crawl {
    struct journal *journal;
    struct warc_files *files[SHARDS];
    struct capture_writer *writer;
    struct digest_table *table;
};

/* What a replay of the journal says. */
struct story {
    uint32_t count; /* captures, from `first` on */
    uint32_t first;
    struct outcome {
        char file[WARC_FILES_NAME_BYTES];
        uint64_t offset, bytes;
    } outcomes[MAX_CAPTURES];
    uint32_t trust_count;
    struct outcome trusted[MAX_CAPTURES];
    const char *why;
};

/* "O number file offset bytes", "T file bytes", "V count": outcomes from that number on are void.
 * Text, for the test's sake. */
static enum rc take(void *ctx, uint64_t position, struct str batch)
{
    struct story *s = ctx;
    char text[300], file[WARC_FILES_NAME_BYTES];
    unsigned number;
    unsigned long long offset, bytes;
    (void)position;
    memcpy(text, batch.p, batch.n);
    text[batch.n] = 0;
    if (sscanf(text, "V %u", &number) == 1) { // NOLINT(cert-err34-c)
        s->count = number - s->first;
    } else if (sscanf(text, "T %150s %llu", file, &bytes) == 2) { // NOLINT(cert-err34-c)
        struct outcome *o = &s->trusted[s->trust_count++];
        (void)snprintf(o->file, sizeof o->file, "%s", file);
        o->bytes = bytes;
    } else if (sscanf(text, "O %u %150s %llu %llu", &number, file, &offset, // NOLINT(cert-err34-c)
                      &bytes) == 4) {
        struct outcome *o = &s->outcomes[s->count];
        if (number != s->first + s->count++)
            s->why = "the journal's outcomes are not in order";
        (void)snprintf(o->file, sizeof o->file, "%s", file);
        o->offset = offset;
        o->bytes = bytes;
    }
    return RC_OK;
}

static enum rc add_text(struct journal *j, const char *format, ...) PRINTF_LIKE(2, 3);
static enum rc add_text(struct journal *j, const char *format, ...)
{
    char text[300];
    uint64_t position;
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    struct str piece = str_make(text, (size_t)n);
    return journal_add(j, &piece, 1, &position);
}

static void crawl_close(struct crawl *c)
{
    for (uint32_t i = 0; i < SHARDS; i++)
        warc_files_close(c->files[i]);
    journal_close(c->journal);
    capture_writer_close(c->writer);
    digest_table_close(c->table);
}

/* Everything but the journal, which recovery has opened. */
static enum rc crawl_open(struct crawl *c, struct disk *d, uint64_t seed)
{
    enum rc rc = RC_OK;
    c->writer = capture_writer_open();
    c->table = digest_table_open(100000);
    if (!c->writer || !c->table)
        return RC_NOMEM;
    for (uint32_t i = 0; i < SHARDS && rc == RC_OK; i++) {
        struct warc_files_settings s = {.folder = "archive",
                                        .prefix = STR("T"),
                                        .host = STR("test"),
                                        .serial_first = i,
                                        .serial_step = SHARDS,
                                        .roll_bytes = 2500,
                                        .buffer_bytes = 9000,
                                        .id_seed = seed * SHARDS + i,
                                        .info = {.software = STR("orbweaver/test")}};
        rc = warc_files_open(d, &s, &c->files[i]);
    }
    return rc;
}

static enum rc crawl_capture(struct crawl *c, uint32_t number)
{
    static struct made m;
    struct warc_location p;
    make(&m, number);
    enum rc rc = capture_write(c->writer, c->files[number % SHARDS], c->table, &m.capture, &p);
    if (rc == RC_OK)
        rc = add_text(c->journal, "O %u %s %llu %llu", number, p.file, (unsigned long long)p.offset,
                      (unsigned long long)p.bytes);
    if (rc == RC_OK)
        capture_remember(c->table, &m.capture, &p);
    return rc;
}

/* Archives first, then the journal, then full files get their names. */
static enum rc crawl_sync(struct crawl *c, uint32_t *ret_synced, uint32_t added)
{
    uint64_t ends[SHARDS];
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < SHARDS; i++)
        ends[i] = warc_files_position(c->files[i]);
    for (uint32_t i = 0; i < SHARDS && rc == RC_OK; i++)
        rc = warc_files_sync(c->files[i]);
    rc = rc ? rc : journal_sync(c->journal);
    if (rc == RC_OK)
        *ret_synced = added;
    for (uint32_t i = 0; i < SHARDS && rc == RC_OK; i++)
        rc = warc_files_seal(c->files[i], ends[i]);
    return rc;
}

/* Recovery ------------------------------------------------------------------------------------ */

struct trial {
    struct power_cut cut;
    uint32_t added;  /* captures that may be there */
    uint32_t synced; /* captures that must be there */
    uint64_t from;   /* the journal is replayed from here, */
    uint32_t first;  /* where this capture comes next */
};

static enum rc name_all(struct warc_recovery *r, struct story *s)
{
    enum rc rc = RC_OK;
    bool holds = true;
    for (uint32_t i = 0; i < s->trust_count && rc == RC_OK; i++)
        rc = warc_recovery_trust(r, str_c(s->trusted[i].file), s->trusted[i].bytes);
    uint32_t named = s->count;
    for (uint32_t i = 0; i < named && rc == RC_OK; i++) {
        const struct outcome *o = &s->outcomes[i];
        rc = warc_recovery_name(r, str_c(o->file), o->offset, o->bytes, &holds);
        if (rc == RC_OK && holds && i > s->count)
            s->why = "an outcome holds behind one that does not";
        if (rc == RC_OK && !holds && i < s->count)
            s->count = i;
    }
    return rc;
}

/* Opens the journal, judges the archives, voids what does not hold, cuts. On RC_OK `t` knows how
 * many captures there are, and the journal is open. */
static enum rc resume(struct trial *t, struct disk *d, struct story *s, struct journal **ret)
{
    struct warc_recovery *r = NULL;
    memset(s, 0, sizeof *s);
    s->first = t->first;
    enum rc rc = journal_open(d, "journal", &journal_small, t->from, take, s, ret);
    rc = rc ? rc : warc_recovery_open(d, "archive", NULL, &r);
    rc = rc ? rc : name_all(r, s);
    uint32_t there = s->first + s->count;
    if (rc == RC_OK && !s->why && (there < t->synced || there > t->added))
        s->why = there < t->synced ? "a synced capture is lost" : "a capture too many is there";
    if (rc == RC_OK) {
        t->added = t->synced = there;
        rc = add_text(*ret, "V %u", there);
    }
    rc = rc ? rc : journal_sync(*ret);
    rc = rc ? rc : warc_recovery_finish(r, NULL, NULL);
    warc_recovery_close(r);
    return rc;
}

/* Reading what is there ----------------------------------------------------------------------- */

struct look_through {
    struct disk *disk;
    uint32_t answers[MAX_CAPTURES], requests[MAX_CAPTURES], metadata[MAX_CAPTURES];
    bool is_response[MAX_CAPTURES];
    uint32_t refers[MAX_CAPTURES]; /* 1 + the capture that this number's revisit refers to */
    const char *why;
};

static uint32_t number_of(struct str uri)
{
    uint64_t n = MAX_CAPTURES - 1;
    while (uri.p && str_find(uri, '/') < uri.n)
        (void)str_take_until(&uri, '/');
    return str_to_u64(uri, &n) == RC_OK && n < MAX_CAPTURES ? (uint32_t)n : MAX_CAPTURES - 1;
}

static void count_record(struct look_through *l, const struct warc_record *r)
{
    uint32_t n = number_of(warc_record_target(r));
    if ((r->number == 0) != (r->type == WARC_WARCINFO))
        l->why = "a file has not one warcinfo, at its start";
    if (r->type == WARC_REQUEST)
        l->requests[n]++;
    if (r->type == WARC_METADATA)
        l->metadata[n]++;
    if (r->type == WARC_RESPONSE || r->type == WARC_REVISIT)
        l->answers[n]++;
    if (r->type == WARC_RESPONSE)
        l->is_response[n] = true;
    if (r->type == WARC_REVISIT)
        l->refers[n] = 1 + number_of(warc_record_get(r, STR("WARC-Refers-To-Target-URI")));
}

static void read_archive(struct look_through *l, struct str archive)
{
    struct warc_reader *r = warc_reader_open(NULL);
    struct warc_verifier *v = warc_verifier_open();
    struct warc_verdict verdict;
    struct str piece;
    enum warc_event event;
    assert_non_null(r);
    assert_non_null(v);
    warc_reader_feed(r, archive);
    warc_reader_finish(r);
    while ((event = warc_reader_next(r, &piece)) != WARC_END && event != WARC_BROKEN) {
        if (event == WARC_RECORD) {
            count_record(l, warc_reader_record(r));
            warc_verifier_begin(v, warc_reader_record(r));
        } else if (event == WARC_BLOCK) {
            warc_verifier_add(v, piece);
        } else if (event == WARC_RECORD_END) {
            assert_rc(warc_verifier_end(v, &verdict), RC_OK);
            if (warc_verdict_is_fault(&verdict))
                l->why = "a record is not what it says";
        }
    }
    if (event == WARC_BROKEN)
        l->why = "a file is not whole";
    warc_verifier_close(v);
    warc_reader_close(r);
}

static enum rc read_file(void *ctx, struct str name, bool is_folder)
{
    struct look_through *l = ctx;
    char path[300];
    struct buf all;
    (void)is_folder;
    if (!str_ends(name, STR(".warc.gz")))
        l->why = "a file is still open";
    (void)snprintf(path, sizeof path, "archive/" STR_FMT, STR_ARG(name));
    buf_init(&all, 1 << 20);
    enum rc rc = disk_read_whole(l->disk, path, &all);
    if (rc == RC_OK)
        read_archive(l, buf_str(&all));
    buf_done(&all);
    return rc;
}

/* Whether the archives hold captures 0 to count - 1, once, and nothing else. */
static const char *look_at_archives(struct disk *d, uint32_t count)
{
    static struct look_through l;
    memset(&l, 0, sizeof l);
    l.disk = d;
    enum rc rc = disk_list(d, "archive", read_file, &l);
    if (rc && rc != RC_NOT_FOUND)
        return rc_text(rc);
    for (uint32_t i = 0; i < MAX_CAPTURES && !l.why; i++) {
        uint32_t times = i < count;
        if (l.answers[i] != times || l.requests[i] != times || l.metadata[i] != times)
            l.why = times ? "a capture is not there once"
                          : "a capture that the journal does not name is there";
        if (l.refers[i] && !l.is_response[l.refers[i] - 1])
            l.why = "a revisit refers to nothing";
    }
    return l.why;
}

/* The power cut ------------------------------------------------------------------------------- */

/* One more capture, synced and sealed. */
static enum rc one_more(struct trial *t, struct crawl *c, struct disk *d)
{
    enum rc rc = crawl_open(c, d, t->added + 100);
    t->added++;
    rc = rc ? rc : crawl_capture(c, t->added - 1);
    for (uint32_t i = 0; i < SHARDS && rc == RC_OK; i++)
        warc_files_roll(c->files[i]);
    return rc ? rc : crawl_sync(c, &t->synced, t->added);
}

static const char *go_on(struct power_cut *cut, struct disk *image)
{
    static struct story room[2]; /* an image of an image is looked at within the first's call */
    struct trial *t = (struct trial *)cut;
    struct story *s = &room[cut->depth - 1];
    struct crawl c = {0};
    enum rc rc = resume(t, image, s, &c.journal);
    const char *why = rc ? rc_text(rc) : s->why;
    if (!why)
        why = look_at_archives(image, t->added);
    if (!why && one_more(t, &c, image))
        why = "it cannot be gone on with";
    crawl_close(&c);
    power_cut_enough(image);
    if (!why)
        why = look_at_archives(image, t->added);
    return why;
}

static enum rc capture_some(struct trial *t, struct crawl *c, uint32_t count)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < count && rc == RC_OK; i++) {
        t->added++;
        rc = crawl_capture(c, t->added - 1);
        rc = rc ? rc : warc_files_write(c->files[t->added % SHARDS]);
        rc = rc ? rc : i % 2 ? journal_write(c->journal) : RC_OK;
    }
    return rc;
}

static enum rc trust_one(void *ctx, const char *file, uint64_t bytes)
{
    return add_text(ctx, "T %s %llu", file, (unsigned long long)bytes);
}

/* A commit: everything is synced, its lengths are said, and from then on it is where replay
 * begins. */
static enum rc commit(struct trial *t, struct crawl *c)
{
    uint64_t from = journal_end(c->journal);
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < SHARDS && rc == RC_OK; i++)
        rc = warc_files_list(c->files[i], warc_files_synced(c->files[i]), trust_one, c->journal);
    rc = rc ? rc : journal_sync(c->journal);
    if (rc == RC_OK) {
        t->from = from;
        t->first = t->added;
        rc = journal_trim(c->journal, from);
    }
    return rc;
}

static enum rc work(struct power_cut *cut, struct disk *d)
{
    struct trial *t = (struct trial *)cut;
    struct crawl c = {0};
    static struct story none;
    memset(&none, 0, sizeof none);
    enum rc rc = journal_open(d, "journal", &journal_small, 0, take, &none, &c.journal);
    rc = rc ? rc : crawl_open(&c, d, 1);
    rc = rc ? rc : capture_some(t, &c, 3);
    rc = rc ? rc : crawl_sync(&c, &t->synced, t->added);
    rc = rc ? rc : capture_some(t, &c, 5);
    rc = rc ? rc : crawl_sync(&c, &t->synced, t->added);
    rc = rc ? rc : commit(t, &c);
    rc = rc ? rc : capture_some(t, &c, 3);
    for (uint32_t i = 0; i < SHARDS && rc == RC_OK; i++)
        warc_files_roll(c.files[i]);
    rc = rc ? rc : crawl_sync(&c, &t->synced, t->added);
    rc = rc ? rc : capture_some(t, &c, 2);
    crawl_close(&c);
    return rc;
}

static const struct power_cut_test cut_test = {
    .bytes = sizeof(struct trial),
    .outer = {16, 4, 3, false},
    .nested = {4, 1, 9, false},
    .nested_every = 40,
    .work = work,
    .go_on = go_on,
};

static void whatever_the_cut_the_archives_hold_what_the_journal_names(void **state)
{
    (void)state;
    struct trial t = {.cut = {.test = &cut_test}};
    power_cut_everywhere(&t.cut, 300);
}

static void whatever_call_fails_the_archives_hold_what_the_journal_names(void **state)
{
    (void)state;
    static const enum rc ways[] = {RC_DISK_FULL, RC_SYNC};
    const struct trial t = {.cut = {.test = &cut_test}};
    power_cut_failures(&t.cut, ways, sizeof ways / sizeof *ways, 40);
}

static enum rc every_step(void *ctx)
{
    static struct story s;
    struct disk *d;
    struct trial t = {0};
    struct journal *j = NULL;
    (void)ctx;
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = work(&t.cut, d);
    rc = rc ? rc : resume(&t, d, &s, &j);
    journal_close(j);
    disk_close(d);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(every_step, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_cut_the_archives_hold_what_the_journal_names),
        cmocka_unit_test(whatever_call_fails_the_archives_hold_what_the_journal_names),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
