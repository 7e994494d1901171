/* SPDX-License-Identifier: Apache-2.0 */
/* Two directories of agents, of which one began anew, and what is lost with it. */
#include "outputs/lost.h"

#include "base/mem.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

static const char words[] = "done bee 1 5 L 0 http://x/lost\n"
                            "done bee 1 5 L 0 http://x/lost-and-known-here\n"
                            "done bee 1 5 - 3 http://x/asked\n"
                            "again - 0 0 - 3 http://x/asked\n"
                            "done bee 1 5 L 0 http://x/done-again\n"
                            "done cat 1 6 L 0 http://x/done-again\n"
                            "done bee 2 5 L 0 http://x/of-the-new-disk\n"
                            "done dog 1 5 L 0 http://x/nobody-knows-the-dog\n"
                            "again - 0 0 L 0 http://x/asked-then-told\n"
                            "done bee 1 9 LL 1 http://x/asked-then-told\n"
                            "done bee 1 5 L 0 http://x/in-the-other-index\n"
                            "nonsense\n";

static void put(struct disk *d, const char *path, struct str text)
{
    assert_rc(disk_replace(d, path, text), RC_OK);
}

static struct disk *directory(struct str agent, struct str told, const char *captured)
{
    struct disk *d;
    struct buf index = {.max = 1000};
    static const char *const folders[] = {"state", "indexes", "indexes/parts", "scratch"};
    assert_rc(disk_crash_open(&d), RC_OK);
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        assert_rc(disk_mkdir(d, folders[i]), RC_OK);
    put(d, "state/agent", agent);
    put(d, "state/elsewhere", told);
    buf_printf(&index,
               "x)/ 20240506070809 {\"url\":\"%s\",\"length\":\"9\",\"offset\":\"0\",\"filename\":"
               "\"f.warc.gz\"}\n",
               captured);
    put(d, "indexes/parts/index.cdxj", buf_str(&index));
    buf_done(&index);
    return d;
}

static enum rc print(void *ctx, const struct lost_capture *c)
{
    buf_printf(ctx, STR_FMT " " STR_FMT " %llu '" STR_FMT "' %u%s\n", STR_ARG(c->url),
               STR_ARG(c->agent), (unsigned long long)c->inc, STR_ARG(c->seed_path), c->class,
               c->is_asked ? " asked" : "");
    return RC_OK;
}

static void what_no_directory_has_any_more_is_lost(void **state)
{
    (void)state;
    struct disk *list[] = {directory(STR("cat 1\n"), str_c(words), "http://x/lost-and-known-here"),
                           directory(STR("bee 2\n"), STR(""), "http://x/in-the-other-index")};
    struct crawl_set both = {list, 2};
    struct lost_agents agents = {0};
    struct lost_counts counts;
    struct buf out = {.max = 10000};
    assert_rc(lost_agents_read(&agents, both), RC_OK);
    assert_int_equal(lost_agents_first(&agents, STR("bee")), 2);
    assert_int_equal(lost_agents_first(&agents, STR("dog")), 0);
    assert_rc(lost_find(both, &agents, "scratch/lost", print, &out, &counts), RC_OK);
    assert_str(buf_str(&out), STR("http://x/asked bee 1 '' 3 asked\n"
                                  "http://x/asked-then-told bee 1 'LL' 1\n"
                                  "http://x/lost bee 1 'L' 0\n"));
    assert_true(counts.lost == 3 && counts.away == 1 && counts.damaged == 1);
    /* One directory alone does not know of the other's disk, but what it was told. */
    buf_clear(&out);
    assert_rc(lost_agents_add(&agents, STR("dog"), UINT64_MAX), RC_OK);
    assert_rc(lost_find(crawl_set_one(list), &agents, "scratch/lost", print, &out, &counts), RC_OK);
    assert_true(counts.lost == 5 && counts.away == 0);
    lost_agents_done(&agents);
    buf_done(&out);
    disk_close(list[0]);
    disk_close(list[1]);
}

static enum rc find(void *ctx)
{
    struct disk *d = ctx;
    struct lost_agents agents = {0};
    struct lost_counts counts;
    struct buf out = {.max = 10000};
    enum rc rc = lost_agents_add(&agents, STR("bee"), 2);
    rc = rc ? rc : lost_find(crawl_set_one(&d), &agents, "scratch/lost", print, &out, &counts);
    lost_agents_done(&agents);
    buf_done(&out);
    return rc;
}

static void whatever_call_of_the_disk_fails_it_is_said(void **state)
{
    (void)state;
    bool hit = true;
    uint64_t call = 1;
    for (; hit; call++) {
        struct disk *d = directory(STR("cat 1\n"), str_c(words), "http://x/y");
        disk_crash_fail_at(d, call, RC_IO, 0);
        enum rc rc = find(d);
        hit = disk_crash_has_failed(d);
        assert_true(hit ? rc == RC_IO || rc == RC_SYNC || rc == RC_OK : rc == RC_OK);
        disk_close(d);
    }
    assert_true(call > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_no_directory_has_any_more_is_lost),
        cmocka_unit_test(whatever_call_of_the_disk_fails_it_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
