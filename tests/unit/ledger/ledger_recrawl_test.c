/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning anew, and the power cut at every call on the way. */
#include "ledger/host_records.h"
#include "small_crawl.h"

#include "base/hash.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdio.h>

enum { KNOWN = 22, NEW = 8 }; /* pages of the small web; URLs asked for again here */

static struct small_crawl one, two;
static struct small_truth truth;

static struct frontier_counts counts_of(struct small_crawl *c)
{
    struct frontier_counts sum = {0};
    for (unsigned i = 0; i < c->shards; i++) {
        struct frontier_counts n = frontier_counts(ledger_frontier(c->ledger, i));
        sum.known += n.known;
        sum.queued += n.queued;
    }
    return sum;
}

static struct disk *crawled_disk(unsigned shards, unsigned steps)
{
    struct disk *d;
    bool more = true;
    memset(&truth, 0, sizeof truth);
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(small_open(&one, d, shards, &truth), RC_OK);
    for (unsigned i = 0; i < steps && more; i++)
        assert_rc(small_step(&one, true, &more), RC_OK);
    if (more && steps == UINT32_MAX)
        assert_rc(small_finish(&one), RC_OK);
    else
        assert_rc(ledger_finish(one.ledger), RC_OK);
    small_close(&one);
    return d;
}

/* A URL that is met again. */
static enum rc meet(struct small_crawl *c, unsigned i)
{
    char path[16], url[48], host[16];
    (void)snprintf(host, sizeof host, "h%u.test", i % SMALL_HOSTS);
    (void)snprintf(path, sizeof path, "/again%u", i);
    (void)snprintf(url, sizeof url, "http://%s%s", host, path);
    struct candidate link = {.fingerprint = hash64(str_c(url)),
                             .host_hash = hash64(str_c(host)),
                             .host = str_c(host),
                             .path = str_c(path),
                             .seed_path = STR("L")};
    struct ledger_outcome o = {.links = &link, .link_count = 1};
    unsigned shard = frontier_bucket(link.host_hash) % c->shards, epoch;
    enum admitted became;
    enum rc rc = ledger_record_outcome(c->ledger, 0, &o, &epoch);
    return rc ? rc : ledger_admit(c->ledger, shard, epoch, &link, 1, c->clock.now, &became);
}

/* Checks out and records everything that is queued. */
static unsigned ask_all(struct small_crawl *c)
{
    struct checkout l;
    unsigned asked = 0, epoch;
    for (unsigned i = 0; i < c->shards; i++)
        while (frontier_checkout(ledger_frontier(c->ledger, i), 0, UINT64_MAX / 2, &l) == RC_OK) {
            struct ledger_outcome o = {.checkout = &l, .how = CHECKIN_DONE, .pages = 1};
            assert_non_null(host_record_of(l.host));
            assert_rc(ledger_record_outcome(c->ledger, i, &o, &epoch), RC_OK);
            asked++;
        }
    return asked;
}

static void what_is_done_is_forgotten_once(void **state)
{
    (void)state;
    struct disk *d = crawled_disk(2, UINT32_MAX);
    assert_rc(small_open_anew(&one, d, 2, &truth), RC_OK);
    assert_true(one.report.has_begun_recrawl && one.report.is_recrawl && one.report.needs_requeue);
    struct ledger_recrawl first = ledger_last_recrawl(one.ledger);
    assert_true(first.id && first.wall_ms);
    assert_int_equal(counts_of(&one).known, 0);
    assert_int_equal(ledger_totals(one.ledger).pages, 0);
    for (unsigned i = 0; i < NEW; i++)
        assert_rc(meet(&one, i), RC_OK);
    assert_rc(ledger_finish(one.ledger), RC_OK);
    small_close(&one);

    assert_rc(small_open_anew(&one, d, 3, &truth), RC_OK); /* it has not ended: it goes on */
    assert_true(!one.report.has_begun_recrawl && one.report.is_recrawl && one.report.needs_requeue);
    assert_int_equal(counts_of(&one).queued, NEW);
    assert_int_equal(ask_all(&one), NEW);
    ledger_requeued(one.ledger);
    assert_rc(ledger_finish(one.ledger), RC_OK);
    small_close(&one);

    assert_rc(small_open(&one, d, 3, &truth), RC_OK); /* it has */
    assert_true(!one.report.has_begun_recrawl && one.report.is_recrawl &&
                !one.report.needs_requeue);
    assert_int_equal(ledger_last_recrawl(one.ledger).id, first.id); /* the same, until the next */
    assert_int_equal(ledger_last_recrawl(one.ledger).wall_ms, first.wall_ms);
    assert_int_equal(counts_of(&one).known, NEW);
    assert_int_equal(ledger_totals(one.ledger).pages, NEW);
    small_close(&one);
    assert_rc(small_open_anew(&one, d, 3, &truth), RC_OK);
    assert_true(one.report.has_begun_recrawl);
    assert_true(ledger_last_recrawl(one.ledger).id > first.id);
    assert_int_equal(counts_of(&one).known, 0);
    small_close(&one);
    disk_close(d);
}

static void what_is_queued_stays(void **state)
{
    (void)state;
    struct disk *d = crawled_disk(2, 25);
    assert_rc(small_open(&one, d, 2, &truth), RC_OK);
    struct frontier_counts before = counts_of(&one);
    assert_true(before.queued > 0 && before.known > before.queued);
    small_close(&one);
    assert_rc(small_open_anew(&one, d, 2, &truth), RC_OK);
    assert_int_equal(counts_of(&one).queued, before.queued);
    assert_int_equal(counts_of(&one).known, before.queued);
    small_close(&one);
    disk_close(d);
}

static void without_an_end_it_is_not_over(void **state)
{
    (void)state;
    struct disk *d = crawled_disk(1, UINT32_MAX);
    assert_rc(small_open_anew(&one, d, 1, &truth), RC_OK);
    assert_rc(ledger_finish(one.ledger), RC_OK); /* nothing queued, but not all was met */
    small_close(&one);
    assert_rc(small_open_anew(&one, d, 1, &truth), RC_OK);
    assert_true(!one.report.has_begun_recrawl && one.report.needs_requeue);
    assert_rc(meet(&one, 0), RC_OK);
    ledger_conclude(one.ledger); /* a limit, though something is queued */
    assert_rc(ledger_finish(one.ledger), RC_OK);
    small_close(&one);
    assert_rc(small_open_anew(&one, d, 1, &truth), RC_OK);
    assert_true(one.report.has_begun_recrawl);
    assert_int_equal(counts_of(&one).queued, 1);
    small_close(&one);
    disk_close(d);
}

static void a_new_crawl_is_no_recrawl(void **state)
{
    (void)state;
    struct disk *d;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(small_open_anew(&one, d, 1, &truth), RC_OK);
    assert_true(one.report.is_new && !one.report.has_begun_recrawl && !one.report.is_recrawl);
    small_close(&one);
    disk_close(d);
}

static void a_mark_of_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const marks[] = {"",
                                        "begun",
                                        "begun x\n",
                                        "over 1\n",
                                        "ended -1\n",
                                        "begun 1",
                                        "begun 1 1 5 6\n",
                                        "begun 1 1 5 #0000000000000000\n",
                                        "begun 1 1 5 #\n"};
    struct disk *d = crawled_disk(1, UINT32_MAX);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        assert_rc(disk_replace(d, "state/RECRAWL", str_c(marks[i])), RC_OK);
        assert_rc(small_open(&one, d, 1, &truth), RC_CORRUPT);
        assert_non_null(strstr(one.why, "state/RECRAWL"));
        small_close(&one);
    }
    disk_close(d);
}

/* The power cut ------------------------------------------------------------------------------- */

struct trial {
    unsigned met, synced; /* URLs met again since, and of these safe */
    uint64_t tried, before, after;
    char why[400];
};

static const char *look_at(struct trial *t, struct disk *image)
{
    bool kept[SMALL_URLS] = {0};
    for (unsigned i = 0; i < KNOWN; i++)
        kept[i] = true;
    enum rc rc = small_open(&two, image, 2, &truth);
    if (rc)
        return rc_text(rc);
    struct frontier_counts n = counts_of(&two);
    bool is_anew = two.report.is_recrawl;
    t->before += !is_anew;
    t->after += is_anew;
    if (!is_anew && (n.known != KNOWN || t->synced))
        return "not begun anew, and not as before";
    if (is_anew && (n.known < t->synced || n.known > t->met || !two.report.needs_requeue))
        return "begun anew, and something is lost or was never met";
    small_close(&two);
    rc = small_open_anew(&two, image, 2, &truth);
    if (rc)
        return rc_text(rc);
    if (two.report.has_begun_recrawl == is_anew)
        return "begun anew twice, or not at all";
    if (counts_of(&two).known != (is_anew ? n.known : 0))
        return "the second opening does not go on where the first was";
    return small_check_kept(image, kept);
}

static enum rc check_image(void *ctx, struct disk *image, const char *what)
{
    struct trial *t = ctx;
    t->tried++;
    const char *why = look_at(t, image);
    if (why)
        (void)snprintf(t->why, sizeof t->why, "%s %s (%s)", why, two.why, what);
    small_close(&two);
    return why ? RC_CLOSED : RC_OK;
}

static void look(void *ctx, struct disk *d, const char *call)
{
    struct trial *t = ctx;
    struct disk_crash_limits limits = {4, 2, test_seed(3) + t->tried, true};
    (void)call;
    if (!t->why[0])
        (void)!disk_crash_images(d, &limits, check_image, t);
}

static void a_cut_leaves_it_as_it_was_or_begun_anew(void **state)
{
    (void)state;
    static struct trial t;
    struct disk *d = crawled_disk(2, UINT32_MAX);
    memset(&t, 0, sizeof t);
    disk_crash_before_each(d, look, &t);
    assert_rc(small_open_anew(&one, d, 2, &truth), RC_OK);
    for (unsigned i = 0; i < NEW; i++) {
        t.met++;
        assert_rc(meet(&one, i), RC_OK);
        assert_rc(ledger_turn(one.ledger, i % 2), RC_OK);
        if (i % 3 == 2) {
            assert_rc(ledger_sync(one.ledger), RC_OK);
            t.synced = t.met;
        }
    }
    assert_rc(ledger_finish(one.ledger), RC_OK);
    t.synced = t.met;
    look(&t, d, "end");
    small_close(&one);
    disk_close(d);
    if (t.why[0])
        fail_msg("%s", t.why);
    print_message("# %llu images, %llu as before\n", (unsigned long long)t.tried,
                  (unsigned long long)t.before);
    assert_true(t.before > 10 && t.after > 50);
}

static enum rc every_step(void *ctx)
{
    struct disk *d;
    bool more;
    (void)ctx;
    memset(&truth, 0, sizeof truth);
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = small_open(&one, d, 2, &truth);
    for (int i = 0; i < 5 && rc == RC_OK; i++)
        rc = small_step(&one, true, &more);
    rc = rc ? rc : ledger_finish(one.ledger);
    small_close(&one);
    rc = rc ? rc : small_open_anew(&one, d, 2, &truth);
    rc = rc ? rc : ledger_finish(one.ledger);
    small_close(&one);
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
        cmocka_unit_test(what_is_done_is_forgotten_once),
        cmocka_unit_test(what_is_queued_stays),
        cmocka_unit_test(without_an_end_it_is_not_over),
        cmocka_unit_test(a_new_crawl_is_no_recrawl),
        cmocka_unit_test(a_mark_of_no_sense_is_refused),
        cmocka_unit_test(a_cut_leaves_it_as_it_was_or_begun_anew),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("ledger_recrawl", tests, NULL, NULL);
}
