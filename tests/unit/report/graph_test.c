/* SPDX-License-Identifier: Apache-2.0 */
/* A graph made at random, exported, and compared with the matrix it came from; and the same with
 * every allocation and every call of the disk failing. */
#include "report/graph.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "disk/disk_crash.h"
#include "lib/test.h"
#include "linkindex/link_index.h"
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"
#include "report/report.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 60, OUTSIDE = 5, ALL = NODES + OUTSIDE };

struct model {
    bool has[NODES][ALL]; /* [page][target] */
    uint64_t links[NODES];
};

static uint64_t print_of(unsigned i)
{
    return hash64_mix(i + 1);
}

static void put_file(struct disk *d, const char *path, const struct buf *text)
{
    struct disk_file *f;
    struct str piece = buf_str(text);
    assert_rc(buf_rc(text), RC_OK);
    assert_rc(disk_open(d, path, DISK_APPEND, &f), RC_OK);
    assert_rc(disk_append(f, &piece, 1), RC_OK);
    disk_file_close(f);
}

static void put_node(struct buf *nodes, unsigned i)
{
    buf_hex16(nodes, print_of(i));
    buf_printf(nodes, " http://a.example/%u\n", i);
}

/* Every third node has its line again: several pages have brought the URL. */
static void make_crawl(struct disk *d, struct model *m, uint64_t seed)
{
    struct buf nodes = {.max = 1 << 20}, arcs = {.max = 1 << 24};
    struct rng r;
    rng_init(&r, seed);
    *m = (struct model){0};
    for (unsigned i = 0; i < NODES; i++) {
        put_node(&nodes, i);
        if (rng_below(&r, 3) == 0)
            put_node(&nodes, (unsigned)rng_below(&r, i + 1));
        uint64_t links = rng_below(&r, 4) ? rng_below(&r, 40) : 0;
        buf_hex16(&arcs, print_of(i));
        for (m->links[i] = links; links; links--) {
            unsigned to = (unsigned)rng_below(&r, ALL);
            m->has[i][to] = true;
            buf_printf(&arcs, " %c", "LERX"[rng_below(&r, 4)]);
            buf_hex16(&arcs, print_of(to));
        }
        buf_byte(&arcs, '\n');
    }
    assert_rc(disk_mkdir(d, "links"), RC_OK);
    put_file(d, "links/links.nodes", &nodes);
    put_file(d, "links/links.arcs", &arcs);
    buf_done(&nodes);
    buf_done(&arcs);
}

/* The graph ----------------------------------------------------------------------------------- */

struct expected {
    const struct model *model;
    unsigned at; /* page * NODES + target: the least that may come next */
    uint64_t count;
};

static enum rc check_arc(void *ctx, struct str line)
{
    struct expected *e = ctx;
    uint64_t to, from;
    struct str rest = line;
    assert_rc(str_to_u64(str_take_until(&rest, ' '), &from), RC_OK);
    assert_rc(str_to_u64(rest, &to), RC_OK);
    while (!e->model->has[e->at / NODES][e->at % NODES])
        e->at++;
    assert_int_equal(from * NODES + to, e->at);
    e->at++;
    e->count++;
    return RC_OK;
}

static enum rc check_node(void *ctx, struct str line)
{
    uint64_t *count = ctx;
    char text[64];
    int n = snprintf(text, sizeof text, "%llu http://a.example/%llu", (unsigned long long)*count,
                     (unsigned long long)*count);
    assert_str(line, str_make(text, (size_t)n));
    ++*count;
    return RC_OK;
}

static void a_graph_at_random_is_exported_as_it_is(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 20; round++) {
        struct disk *d, *to;
        struct model m;
        struct graph_counts counts;
        assert_rc(disk_crash_open(&d), RC_OK);
        assert_rc(disk_crash_open(&to), RC_OK);
        make_crawl(d, &m, test_seed(1) + round);
        assert_rc(graph_export(crawl_set_one(&d), to, &counts), RC_OK);
        uint64_t arcs = 0, outside = 0, nodes = 0;
        for (unsigned i = 0; i < NODES; i++)
            for (unsigned j = 0; j < ALL; j++)
                *(j < NODES ? &arcs : &outside) += m.has[i][j];
        struct expected e = {.model = &m};
        assert_rc(crawl_dir_each(to, "links.arcs", check_arc, &e), RC_OK);
        assert_rc(crawl_dir_each(to, "links.nodes", check_node, &nodes), RC_OK);
        assert_true(e.count == arcs && counts.arcs == arcs && counts.outside == outside);
        assert_true(nodes == NODES && counts.nodes == NODES && counts.damaged == 0);
        disk_close(d);
        disk_close(to);
    }
}

/* Back links ----------------------------------------------------------------------------------- */

struct pages {
    bool links[NODES];
    unsigned last;
    bool any_order;
};

static enum rc note_page(void *ctx, struct str url, struct str seed_path)
{
    struct pages *p = ctx;
    uint64_t page;
    assert_true(seed_path.n >= 1 && seed_path.n <= 4);
    assert_rc(str_to_u64(str_from(url, STR("http://a.example/").n), &page), RC_OK);
    assert_false(p->links[page]);
    assert_true(p->any_order || page >= p->last);
    p->last = (unsigned)page;
    p->links[page] = true;
    return RC_OK;
}

static void the_pages_that_link_to_a_url_are_those_that_do(void **state)
{
    (void)state;
    struct disk *d;
    struct model m;
    assert_rc(disk_crash_open(&d), RC_OK);
    make_crawl(d, &m, test_seed(2));
    for (unsigned to = 0; to < ALL; to++) {
        struct pages p = {0};
        struct buf why = {.max = 1000};
        assert_rc(graph_pages_to(crawl_set_one(&d), print_of(to), note_page, &p, &why), RC_OK);
        for (unsigned i = 0; i < NODES; i++)
            assert_int_equal(p.links[i], m.has[i][to]);
    }
    disk_close(d);
}

static void the_link_index_knows_the_same_pages(void **state)
{
    (void)state;
    struct disk *d;
    struct model m;
    struct pages p = {0};
    struct buf why = {.max = 1000};
    struct link_index_settings small = {.chunk_bytes = 1000, .fan_in = 3};
    uint64_t count = 77;
    assert_rc(disk_crash_open(&d), RC_OK);
    make_crawl(d, &m, test_seed(6));
    assert_rc(graph_some_pages_to(crawl_set_one(&d), print_of(1), 5, note_page, &p, &count, &why),
              RC_NOT_FOUND);
    assert_rc(link_index_rebuild(d, &small), RC_OK);
    for (unsigned to = 0; to < ALL; to++) {
        struct disk *twice[2] = {d, d};
        struct pages all = {.any_order = true}, some = all, both = all;
        unsigned right = 0, seen = 0;
        assert_rc(graph_pages_to(crawl_set_one(&d), print_of(to), note_page, &all, &why), RC_OK);
        assert_rc(
            graph_pages_to((struct crawl_set){twice, 2}, print_of(to), note_page, &both, &why),
            RC_OK);
        assert_rc(
            graph_some_pages_to(crawl_set_one(&d), print_of(to), 5, note_page, &some, &count, &why),
            RC_OK);
        for (unsigned i = 0; i < NODES; i++) {
            assert_int_equal(all.links[i], m.has[i][to]);
            assert_int_equal(both.links[i], m.has[i][to]);
            right += m.has[i][to];
            seen += some.links[i] != 0;
        }
        assert_int_equal(count, right);
        assert_int_equal(seen, right < 5 ? right : 5);
    }
    disk_close(d);
}

/* Degrees ------------------------------------------------------------------------------------- */

static void degrees_are_those_of_the_matrix(void **state)
{
    (void)state;
    struct disk *d;
    struct model m;
    struct report *r;
    assert_rc(disk_crash_open(&d), RC_OK);
    make_crawl(d, &m, test_seed(3));
    assert_rc(report_open(d, true, &r), RC_OK);
    uint64_t sum = 0, most = 0, in_sum = 0, in_most = 0, linked = 0;
    for (unsigned i = 0; i < NODES; i++) {
        sum += m.links[i];
        most = m.links[i] > most ? m.links[i] : most;
    }
    for (unsigned j = 0; j < ALL; j++) {
        uint64_t in = 0;
        for (unsigned i = 0; i < NODES; i++)
            in += m.has[i][j];
        in_sum += in;
        in_most = in > in_most ? in : in_most;
        linked += in > 0;
    }
    assert_true(r->out.count == NODES && r->out.sum == sum && r->out.most == most);
    assert_true(r->in.count == linked && r->in.sum == in_sum && r->in.most == in_most);
    assert_true(r->top_count == REPORT_TOP && r->top[0].pages == in_most);
    for (size_t i = 1; i < r->top_count; i++)
        assert_true(r->top[i].pages <= r->top[i - 1].pages);
    assert_int_equal(r->known, NODES);
    assert_int_equal(r->remaining, NODES);
    report_close(r);
    disk_close(d);
}

/* Failures ------------------------------------------------------------------------------------ */

static enum rc export_and_report(struct disk *d)
{
    struct disk *to = NULL;
    struct graph_counts counts;
    struct report *r = NULL;
    struct pages p = {0};
    struct buf why = {.max = 1000};
    enum rc rc = disk_crash_open(&to);
    rc = rc ? rc : graph_export(crawl_set_one(&d), to, &counts);
    rc = rc ? rc : graph_pages_to(crawl_set_one(&d), print_of(1), note_page, &p, &why);
    rc = rc ? rc : report_open(d, true, &r);
    rc = rc ? rc : report_write_files(d, r);
    report_close(r);
    buf_done(&why);
    disk_close(to);
    return rc;
}

static void whatever_call_of_the_disk_fails_it_is_said(void **state)
{
    (void)state;
    uint64_t call = 1;
    for (bool hit = true; hit; call++) {
        struct disk *d;
        struct model m;
        assert_rc(disk_crash_open(&d), RC_OK);
        make_crawl(d, &m, 4);
        disk_crash_fail_at(d, call, RC_IO, 0);
        enum rc rc = export_and_report(d);
        hit = disk_crash_has_failed(d);
        if (!hit)
            assert_rc(rc, RC_OK);
        else if (rc != RC_OK) /* cleaning up may fail and nothing is lost */
            assert_true(rc == RC_IO || rc == RC_SYNC);
        disk_close(d);
    }
    assert_true(call > 30);
}

static enum rc with_its_own_disk(void *ctx)
{
    return export_and_report(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct disk *d;
    struct model m;
    assert_rc(disk_real_open("report_graph_test.tmp", &d), RC_OK);
    make_crawl(d, &m, 5);
    test_each_allocation_fails(with_its_own_disk, d);
    disk_close(d);
}

static int clean(void **state)
{
    (void)state;
    static const char *const names[] = {"links/links.nodes",
                                        "links/links.arcs",
                                        "links",
                                        "scratch/LOCK",
                                        "scratch",
                                        "reports/seeds-report.txt",
                                        "reports/hosts-report.txt",
                                        "reports/mimetype-report.txt",
                                        "reports/responsecode-report.txt",
                                        "reports",
                                        ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[100];
        (void)snprintf(path, sizeof path, "report_graph_test.tmp/%s", names[i]);
        (void)remove(path);
    }
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_graph_at_random_is_exported_as_it_is),
        cmocka_unit_test(the_pages_that_link_to_a_url_are_those_that_do),
        cmocka_unit_test(the_link_index_knows_the_same_pages),
        cmocka_unit_test(degrees_are_those_of_the_matrix),
        cmocka_unit_test(whatever_call_of_the_disk_fails_it_is_said),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, clean, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
