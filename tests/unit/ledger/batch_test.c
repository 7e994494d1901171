/* SPDX-License-Identifier: Apache-2.0 */
/* Cards and batches: what is written is read back the same, and nothing else is read at all. */
#include "ledger/batch.h"
#include "ledger/host_records.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "ledger/manifest.h"
#include "lib/test.h"

#include <stdio.h>

/* Cards --------------------------------------------------------------------------------------- */

static struct host *some_host(struct frontier **ret)
{
    struct frontier_settings s = {.max_hosts = 10, .max_host_queue = 10};
    struct candidate c = {.fingerprint = 7,
                          .host_hash = hash64(STR("a.test")),
                          .host = STR("a.test"),
                          .path = STR("/")};
    enum admitted what;
    size_t done;
    *ret = frontier_open(&s, 0, 1);
    if (!*ret || frontier_admit(*ret, &c, 1, 0, &what, &done))
        return NULL;
    return frontier_host(*ret, c.host_hash, c.host);
}

static enum rc set_rules(struct host_record *c, uint16_t port, const char *text, bool failing,
                         int64_t at)
{
    struct robots *rules = NULL;
    enum rc rc = text ? robots_parse(str_c(text), STR("orbweaver"), &rules) : RC_OK;
    return rc ? rc : host_record_set_robots(c, port % 2, port, rules, failing, at);
}

/* What a host has brought is in a record's form since version 3; a record of version 1 is a host that
 * has brought nothing. */
static void a_card_tells_what_its_host_has_brought(void **state)
{
    (void)state;
    static const char old[] = "\1\0"                    /* version, flags */
                              "\7\0\0\0\0\0\0\0"        /* pages */
                              "\11\0\0\0\0\0\0\0"       /* bytes */
                              "\1\0\0\0\2\0\0\0\0\0\0"; /* failures, tries, dead code */
    struct host_record c = {.pages = 7, .bytes = 9, .failures = 1, .tries = 2};
    struct host_record copy = {.brought = {1, 1, 1}};
    struct buf bytes = {.max = 1000};
    host_record_write(&c, false, &bytes); /* while there is nothing to tell, as it always was */
    assert_str(buf_str(&bytes), str_make(old, sizeof old));
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_OK);
    assert_true(copy.pages == 7 && copy.brought.sitemaps == 0 && copy.brought.url_bytes == 0);

    c.brought = (struct brought){10000, UINT64_C(1) << 40, 77};
    buf_clear(&bytes);
    host_record_write(&c, true, &bytes);
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_OK);
    assert_memory_equal(&copy.brought, &c.brought, sizeof c.brought);
    for (size_t cut = 0; cut < bytes.n; cut++)
        assert_true(host_record_read(&copy, str_first(buf_str(&bytes), cut)) != RC_OK);
    buf_done(&bytes);
}

static void a_card_comes_back_as_it_was(void **state)
{
    (void)state;
    struct frontier *f;
    struct host *h = some_host(&f);
    struct host_record *c = host_record_of(h);
    struct host_record copy = {.pages = 99};
    struct buf bytes = {.max = 1 << 20};
    assert_non_null(c);
    assert_ptr_equal(host_record_if(h), c);
    *c = (struct host_record){
        .pages = 3, .bytes = 1u << 31, .failures = 2, .tries = 1, .dead_code = -6};
    c->is_listed = true;
    assert_rc(set_rules(c, 0, "User-agent: *\nDisallow: /a\n", false, 1000), RC_OK);
    assert_rc(set_rules(c, 443, NULL, true, 2000), RC_OK);
    host_record_write(c, true, &bytes);
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_OK);
    assert_true(copy.pages == 3 && copy.bytes == 1u << 31 && copy.failures == 2);
    assert_true(copy.tries == 1 && copy.dead_code == -6 && copy.is_listed);
    assert_int_equal(copy.robots_count, 2);
    struct host_robots *r = host_robots_of(&copy, false, 0);
    assert_true(r && r->had_wall_ms == 1000 && !r->is_failing && !r->failures);
    assert_false(robots_check(r->rules, STR("/a")).allowed);
    r = host_robots_of(&copy, true, 443);
    assert_true(r && !r->rules && r->is_failing && r->failures == 1 && !r->had_wall_ms);
    for (size_t cut = 0; cut < bytes.n; cut++)
        assert_true(host_record_read(&copy, str_first(buf_str(&bytes), cut)) != RC_OK);
    buf_byte(&bytes, 0);
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_CORRUPT);
    buf_clear(&bytes);
    c->pages = 4;
    host_record_write(c, false, &bytes); /* the rules that are there stay */
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_OK);
    assert_true(copy.pages == 4 && copy.robots_count == 2);
    bytes.p[0] = 9;
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_VERSION);
    bytes.p[0] = 1;
    bytes.p[1] = 2; /* says that rules follow, and none do */
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_CORRUPT);
    buf_clear(&bytes);
    struct host_record none = {0};
    host_record_write(&none, true, &bytes); /* an empty list frees the copy's */
    assert_rc(host_record_read(&copy, buf_str(&bytes)), RC_OK);
    buf_done(&bytes);
    frontier_close(f);
}

static void origins_of_a_card_come_back_in_an_image(void **state)
{
    (void)state;
    struct frontier *f, *g;
    struct host_record *c = host_record_of(some_host(&f)), *copy = host_record_of(some_host(&g));
    struct host_record_clocks then = {.now_ms = 100, .wall_ms = 5000, .most_wait_ms = 1000};
    struct host_record_clocks now = {.now_ms = 7, .wall_ms = 5010, .most_wait_ms = 1000};
    struct buf bytes = {.max = 1 << 20};
    c->pages = 3;
    struct host_origin *o = host_origin_of(c, true, 8443, true);
    assert_non_null(o);
    *o = (struct host_origin){
        .port = 8443, .is_https = true, .failures = 4, .dead_code = -6, .next_ms = 150};
    o = host_origin_of(c, false, 0, true);
    assert_non_null(o);
    o->next_ms = 99; /* has passed */
    host_record_write_all(c, &then, true, &bytes);
    for (size_t cut = 0; cut < bytes.n; cut++)
        assert_true(host_record_read_all(copy, &now, str_first(buf_str(&bytes), cut)) != RC_OK);
    assert_rc(host_record_read_all(copy, &now, buf_str(&bytes)), RC_OK);
    assert_true(copy->pages == 3 && copy->origin_count == 2);
    o = host_origin_of(copy, true, 8443, false);
    assert_true(o && o->failures == 4 && o->dead_code == -6);
    assert_int_equal(o->next_ms, 7 + 40); /* 50 from then, 10 of which have passed */
    o = host_origin_of(copy, false, 0, false);
    assert_true(o && o->next_ms == 0);
    buf_done(&bytes);
    frontier_close(f);
    frontier_close(g);
}

static void the_oldest_rules_make_way(void **state)
{
    (void)state;
    struct frontier *f;
    struct host_record *c = host_record_of(some_host(&f));
    for (uint16_t i = 0; i < HOST_RECORD_MAX_ORIGINS; i++)
        assert_rc(set_rules(c, (uint16_t)(2 * i), "User-agent: *\nDisallow: /\n", false,
                            i == 5 ? 1 : 100 + i),
                  RC_OK);
    assert_rc(set_rules(c, 5000, "", false, 900), RC_OK);
    assert_int_equal(c->robots_count, HOST_RECORD_MAX_ORIGINS);
    assert_null(host_robots_of(c, false, 10));
    assert_non_null(host_robots_of(c, false, 5000));
    assert_rc(set_rules(c, 0, NULL, true, 950), RC_OK); /* the old rules stay */
    assert_non_null(host_robots_of(c, false, 0)->rules);
    assert_rc(set_rules(c, 0, NULL, true, 960), RC_OK);
    assert_int_equal(host_robots_of(c, false, 0)->failures, 2);
    frontier_close(f);
}

static enum rc host_record_steps(void *ctx)
{
    struct frontier *f = NULL;
    struct buf bytes = {.max = 1 << 20};
    (void)ctx;
    struct host *h = some_host(&f);
    struct host_record *c = h ? host_record_of(h) : NULL;
    enum rc rc = c ? set_rules(c, 0, "User-agent: *\nDisallow: /a\n", false, 1) : RC_NOMEM;
    rc = rc ? rc : set_rules(c, 2, "User-agent: *\nDisallow: /b\n", false, 1);
    if (rc == RC_OK) {
        host_record_write(c, true, &bytes);
        rc = buf_rc(&bytes);
    }
    rc = rc ? rc : host_record_read(c, buf_str(&bytes));
    if (c)
        assert_true(c->robots_count <= 2);
    buf_done(&bytes);
    frontier_close(f);
    return rc;
}

static void every_allocation_of_a_card_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(host_record_steps, NULL);
}

/* Batches ------------------------------------------------------------------------------------- */

struct whole { /* an outcome with everything, and its batch */
    struct frontier *frontier;
    struct checkout checkout;
    struct warc_location location;
    struct history_entry history;
    struct ledger_line lines[2];
    struct candidate links[2];
    struct ledger_outcome outcome;
    struct buf bytes;
};

static void make_whole(struct whole *w)
{
    static const struct batch_totals totals = {11, 22, 33};
    char front[BATCH_FRONT_BYTES];
    memset(w, 0, sizeof *w);
    struct host *h = some_host(&w->frontier);
    host_record_of(h)->pages = 5;
    assert_rc(frontier_checkout(w->frontier, 0, 0, &w->checkout), RC_OK);
    (void)snprintf(w->location.file, sizeof w->location.file, "T-1.warc.gz");
    w->location.offset = 100;
    w->location.bytes = 200;
    w->history = (struct history_entry){.url = STR("http://a.test/"),
                                        .via = 4,
                                        .seed_path = STR("LL"),
                                        .date_ms = -5,
                                        .code = -404,
                                        .has_digest = true,
                                        .etag = STR(""),
                                        .mime = STR("text/html"),
                                        .fetches = 3,
                                        .changes = 2,
                                        .forward = 513};
    memset(w->history.record_id, 7, sizeof w->history.record_id);
    w->lines[0] = (struct ledger_line){LEDGER_CRAWL_LOG, STR("one\n")};
    w->lines[1] = (struct ledger_line){LEDGER_ARCS, STR("two\nthree\n")};
    w->links[0] = (struct candidate){.fingerprint = 1,
                                     .host_hash = hash64(STR("b.test")),
                                     .host = STR("b.test"),
                                     .path = STR("/x?y"),
                                     .via = 9,
                                     .port = 8080,
                                     .is_https = true,
                                     .class = 2,
                                     .seed_path = STR("LRE")};
    w->links[1] = (struct candidate){.host = STR("c.test"), .path = STR("")};
    w->outcome = (struct ledger_outcome){.checkout = &w->checkout,
                                         .how = CHECKIN_LAST,
                                         .location = &w->location,
                                         .fingerprint = 77,
                                         .history = &w->history,
                                         .lines = w->lines,
                                         .line_count = 2,
                                         .links = w->links,
                                         .link_count = 2};
    buf_init(&w->bytes, 1 << 20);
    batch_put_front(front, &totals);
    buf_add(&w->bytes, str_make(front, sizeof front));
    struct batch_body body;
    batch_put_body(&w->bytes, &w->outcome, 123456, &body);
    assert_rc(buf_rc(&w->bytes), RC_OK);
}

static void whole_done(struct whole *w)
{
    buf_done(&w->bytes);
    frontier_close(w->frontier);
}

static void assert_history(const struct history_entry *p)
{
    assert_str(p->url, STR("http://a.test/"));
    assert_str(p->seed_path, STR("LL"));
    assert_true(p->via == 4 && p->date_ms == -5 && p->code == -404 && p->has_digest);
    assert_true(p->etag.p && !p->etag.n && !p->last_modified.p && p->record_id[15] == 7);
    assert_str(p->mime, STR("text/html"));
    assert_true(p->fetches == 3 && p->changes == 2 && p->forward == 513);
}

static void an_outcome_comes_back_as_it_was(void **state)
{
    (void)state;
    struct whole w;
    struct batch b;
    struct ledger_line line;
    struct candidate link;
    const char *why;
    make_whole(&w);
    assert_rc(batch_read(buf_str(&w.bytes), &b, &why), RC_OK);
    assert_true(b.kind == BATCH_OUTCOME && b.has_url && b.has_location && b.has_history);
    assert_true(b.totals.pages == 11 && b.totals.bytes == 22 && b.totals.archive_bytes == 33);
    assert_str(b.url.host, STR("a.test"));
    assert_str(b.url.path, STR("/"));
    assert_true(b.url.how == CHECKIN_LAST && b.url.due_wall_ms == 123456);
    assert_true(b.url.sequence == w.checkout.sequence && b.url.host_hash == hash64(STR("a.test")));
    assert_str(b.location.file, STR("T-1.warc.gz"));
    assert_true(b.location.offset == 100 && b.location.bytes == 200 && b.fingerprint == 77);
    assert_history(&b.history);
    assert_true(batch_next_line(&b.lines, &line) && line.file == LEDGER_CRAWL_LOG);
    assert_true(batch_next_line(&b.lines, &line));
    assert_str(line.text, STR("two\nthree\n"));
    assert_false(batch_next_line(&b.lines, &line));
    assert_true(batch_next_link(&b.links, &link, NULL));
    assert_true(link.fingerprint == 1 && link.host_hash == w.links[0].host_hash && link.via == 9);
    assert_true(link.port == 8080 && link.is_https && link.class == 2);
    assert_str(link.seed_path, STR("LRE"));
    assert_str(link.path, STR("/x?y"));
    assert_true(batch_next_link(&b.links, &link, NULL));
    assert_false(batch_next_link(&b.links, &link, NULL));
    struct host_record record = {0};
    assert_rc(host_record_read(&record, b.url.record), RC_OK);
    assert_int_equal(record.pages, 5);
    whole_done(&w);
}

static void a_drop_comes_back_as_it_was(void **state)
{
    (void)state;
    const uint64_t gone[] = {7, UINT64_MAX};
    char room[100];
    struct buf bytes = buf_on(room, sizeof room);
    struct batch b;
    const char *why;
    uint64_t fingerprint;
    batch_put_drop(&bytes, 4711, gone, 2);
    assert_rc(batch_read(buf_str(&bytes), &b, &why), RC_OK);
    assert_true(b.kind == BATCH_DROP && b.drop_batch == 4711);
    assert_true(batch_next_drop(&b.drops, &fingerprint) && fingerprint == 7);
    assert_true(batch_next_drop(&b.drops, &fingerprint) && fingerprint == UINT64_MAX);
    assert_false(batch_next_drop(&b.drops, &fingerprint));
    for (size_t cut = 0; cut < bytes.n; cut++)
        if (cut != 10 && cut != 18)
            assert_rc(batch_read(str_first(buf_str(&bytes), cut), &b, &why), RC_CORRUPT);
}

static void what_is_cut_or_longer_is_refused_with_a_reason(void **state)
{
    (void)state;
    struct whole w;
    struct batch b;
    const char *why;
    make_whole(&w);
    for (size_t cut = 0; cut < w.bytes.n; cut++) {
        assert_rc(batch_read(str_first(buf_str(&w.bytes), cut), &b, &why), RC_CORRUPT);
        assert_non_null(why);
    }
    for (size_t at = 0; at < w.bytes.n;
         at++) /* no checksum here: it may pass, and must not crash */
        for (int bit = 0; bit < 8; bit++) {
            w.bytes.p[at] ^= (char)(1 << bit);
            (void)!batch_read(buf_str(&w.bytes), &b, &why);
            w.bytes.p[at] ^= (char)(1 << bit);
        }
    buf_byte(&w.bytes, 'x');
    assert_rc(batch_read(buf_str(&w.bytes), &b, &why), RC_CORRUPT);
    w.bytes.p[1] = 2;
    assert_rc(batch_read(buf_str(&w.bytes), &b, &why), RC_VERSION);
    whole_done(&w);
}

static void commits_and_voids_come_back(void **state)
{
    (void)state;
    struct buf bytes = {.max = 1 << 16};
    struct batch_commit c = {.position = 5, .elapsed_ms = 6, .totals = {1, 2, 3}};
    struct batch b;
    const char *why;
    struct str name;
    uint64_t length;
    c.lengths[LEDGER_SEEDS] = 42;
    batch_put_commit(&bytes, &c);
    batch_put_file(&bytes, STR("one"), 10);
    batch_put_file(&bytes, STR("two"), 20);
    assert_rc(batch_read(buf_str(&bytes), &b, &why), RC_OK);
    assert_true(b.kind == BATCH_COMMIT && memcmp(&b.commit, &c, sizeof c) == 0);
    assert_true(batch_next_file(&b.files, &name, &length) && length == 10);
    assert_true(batch_next_file(&b.files, &name, &length) && length == 20);
    assert_str(name, STR("two"));
    assert_false(batch_next_file(&b.files, &name, &length));
    assert_rc(batch_read(str_first(buf_str(&bytes), bytes.n - 1), &b, &why), RC_CORRUPT);
    buf_clear(&bytes);
    batch_put_void(&bytes, 900);
    assert_rc(batch_read(buf_str(&bytes), &b, &why), RC_OK);
    assert_true(b.kind == BATCH_VOID && b.void_from == 900);
    assert_rc(batch_read(STR("\7\1"), &b, &why), RC_CORRUPT);
    buf_done(&bytes);
}

/* A flipped bit is damage wherever it is, also in the version; another version is whole. */
static void a_manifest_of_another_version_is_no_damaged_one(void **state)
{
    (void)state;
    char room[200];
    struct buf bytes = buf_on(room, sizeof room);
    struct manifest m = {.generation = 1, .position = 2, .snapshot_bytes = 3}, got;
    struct str commit;
    manifest_write(&m, STR("commit"), &bytes);
    assert_rc(manifest_read(buf_str(&bytes), &got, &commit), RC_OK);
    assert_str(commit, STR("commit"));
    for (size_t at = 0; at < bytes.n; at++) {
        bytes.p[at] ^= 2;
        assert_rc(manifest_read(buf_str(&bytes), &got, &commit), RC_CORRUPT);
        bytes.p[at] ^= 2;
    }
    put_le32(bytes.p + 8, MANIFEST_VERSION + 1);
    put_le64(bytes.p + bytes.n - 8, hash64(str_first(buf_str(&bytes), bytes.n - 8)));
    assert_rc(manifest_read(buf_str(&bytes), &got, &commit), RC_VERSION);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_card_comes_back_as_it_was),
        cmocka_unit_test(a_card_tells_what_its_host_has_brought),
        cmocka_unit_test(origins_of_a_card_come_back_in_an_image),
        cmocka_unit_test(the_oldest_rules_make_way),
        cmocka_unit_test(every_allocation_of_a_card_may_fail),
        cmocka_unit_test(an_outcome_comes_back_as_it_was),
        cmocka_unit_test(a_drop_comes_back_as_it_was),
        cmocka_unit_test(what_is_cut_or_longer_is_refused_with_a_reason),
        cmocka_unit_test(commits_and_voids_come_back),
        cmocka_unit_test(a_manifest_of_another_version_is_no_damaged_one),
    };
    return cmocka_run_group_tests_name("batch", tests, NULL, NULL);
}
