/* SPDX-License-Identifier: Apache-2.0 */
/* References become links, and links are judged. */
#include "scope/link_judge.h"

#include "base/hash.h"
#include "lib/test.h"
#include "url/normalise.h"

#include <stdio.h>

enum { HOST_BYTES = 60, PATH_BYTES = 100, LINK_BYTES = 1000, PAGE_FINGERPRINT = 77 };

/* A judge over a scope with one seed, http://a.test/, and the page that it judges. */
struct world {
    struct arena *arena;
    struct scope *scope;
    struct link_judge *judge;
    struct url page;
    char room[URL_ROOM_BYTES];
    struct link_source source;
    struct found_links links;
    struct link_tally tally;
};

static struct url parsed(const char *text, char *room)
{
    struct url u;
    struct url_parser parser = {0};
    assert_rc(url_parse(&parser, str_c(text), NULL, (struct url_room){room, URL_ROOM_BYTES}, &u),
              RC_OK);
    url_normalise(&u, URL_RULES_DEFAULT);
    return u;
}

static struct scope *open_scope(struct arena *arena, uint64_t depth)
{
    struct scope_settings settings = {0};
    struct scope *s = NULL;
    struct buf why = {.max = 1000};
    char room[URL_ROOM_BYTES];
    assert_rc(options_default(scope_options, &settings, arena), RC_OK);
    settings.depth = depth;
    assert_rc(scope_open(&settings, &s, &why), RC_OK);
    buf_done(&why);
    struct url seed = parsed("http://a.test/", room);
    assert_rc(scope_add_seed(s, &seed), RC_OK);
    return s;
}

static void open_world(struct world *w, enum link_origin origin, const char *page,
                       const char *seed_path)
{
    *w = (struct world){.arena = arena_open(4096, 16 << 20)};
    assert_non_null(w->arena);
    w->scope = open_scope(w->arena, 3);
    w->judge = link_judge_open(&(struct link_judge_settings){.scope = w->scope,
                                                             .host_bytes = HOST_BYTES,
                                                             .path_bytes = PATH_BYTES,
                                                             .link_bytes = LINK_BYTES});
    assert_non_null(w->judge);
    if (page)
        w->page = parsed(page, w->room);
    w->source = (struct link_source){.origin = origin,
                                     .arena = w->arena,
                                     .page = page ? &w->page : NULL,
                                     .seed_path = str_c(seed_path),
                                     .fingerprint = PAGE_FINGERPRINT};
}

static void close_world(struct world *w)
{
    link_judge_close(w->judge);
    scope_close(w->scope);
    arena_close(w->arena);
}

static void begin(struct world *w)
{
    assert_rc(link_judge_begin(w->judge, &w->source, 50, &w->links), RC_OK);
}

static void end(struct world *w)
{
    w->tally = link_judge_end(w->judge);
}

static void refer(struct world *w, const char *raw, char hop)
{
    link_judge_reference(w->judge, &(struct link_reference){
                                       .raw = str_c(raw), .context = STR("a/@href"), .hop = hop});
}

/* The verdict on one reference of the page: the link, or NULL if nothing was made of it. */
static const struct found_link *one(struct world *w, const char *raw, char hop)
{
    begin(w);
    refer(w, raw, hop);
    end(w);
    return w->links.count ? &w->links.list[0] : NULL;
}

static void a_reference_becomes_a_url_of_its_page(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/dir/page", "LL");
    const struct found_link *l = one(&w, "../other.html?x=1#part", 'L');
    assert_non_null(l);
    assert_str(l->href, STR("http://a.test/other.html?x=1"));
    assert_str(l->host, STR("a.test"));
    assert_str(l->path, STR("/other.html?x=1"));
    assert_str(l->seed_path, STR("LLL"));
    assert_str(l->context, STR("a/@href"));
    assert_true(l->host_hash == hash64(STR("a.test")) && l->via == PAGE_FINGERPRINT);
    assert_true(l->is_wanted && !l->is_seed && !l->is_https && l->hop == 'L' && l->port == 0);
    struct url same = parsed("http://a.test/other.html?x=1", w.room);
    assert_true(l->fingerprint == url_fingerprint(&same));
    close_world(&w);
}

static void a_base_element_counts_where_it_is_a_url_that_can_be_one(void **state)
{
    (void)state;
    static const struct {
        const char *base, *href;
    } rows[] = {
        {"/b/", "http://a.test/b/x"},
        {"http://a.test/c/d", "http://a.test/c/x"},
        {"data:text/plain,", "http://a.test/dir/x"},
        {"http://[", "http://a.test/dir/x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        open_world(&w, LINK_OF_PAGE, "http://a.test/dir/page", "");
        w.source.base = str_c(rows[i].base);
        const struct found_link *l = one(&w, "x", 'L');
        assert_non_null(l);
        assert_str(l->href, str_c(rows[i].href));
        close_world(&w);
    }
}

static void a_query_is_written_in_the_encoding_of_the_page(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    w.source.charset = "windows-1252";
    assert_str(one(&w, "/?\xc3\xa9", 'L')->href, STR("http://a.test/?%E9"));
    w.source.charset = "no such encoding";
    assert_str(one(&w, "/?\xc3\xa9", 'L')->href, STR("http://a.test/?%C3%A9"));
    w.source.charset = NULL;
    assert_str(one(&w, "/?\xc3\xa9", 'L')->href, STR("http://a.test/?%C3%A9"));
    close_world(&w);
}

static void what_is_no_url_of_the_web_leaves_no_trace(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    assert_null(one(&w, "mailto:x@a.test", 'L'));
    assert_null(one(&w, "http://[", 'L'));
    for (size_t i = 0; i < SCOPE_VERDICTS_; i++)
        assert_int_equal(w.tally.rejected[i], 0);
    close_world(&w);
}

static void each_url_counts_once_a_page(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    for (int page = 0; page < 2; page++) {
        begin(&w);
        refer(&w, "/x", 'L');
        refer(&w, "/y", 'E');
        refer(&w, "http://a.test/x#again", 'E');
        end(&w);
        assert_int_equal(w.links.count, 2);
        assert_true(w.links.list[0].hop == 'L' && w.links.list[1].hop == 'E');
        assert_str(w.links.list[1].seed_path, STR("E"));
    }
    close_world(&w);
}

static void what_no_frontier_can_hold_is_left_out(void **state)
{
    (void)state;
    struct world w;
    char text[2000], path[260];
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    snprintf(text, sizeof text, "/%099d", 0);
    assert_non_null(one(&w, text, 'L'));
    snprintf(text, sizeof text, "/%0100d", 0);
    assert_null(one(&w, text, 'L'));
    snprintf(text, sizeof text, "http://%055d.test/", 0); /* 60 bytes of host */
    assert_non_null(one(&w, text, 'L'));
    snprintf(text, sizeof text, "http://%056d.test/", 0);
    assert_null(one(&w, text, 'L'));
    memset(path, 'R', sizeof path);
    w.source.seed_path = str_make(path, 249);
    assert_non_null(one(&w, "/x", 'R'));
    w.source.seed_path = str_make(path, 250);
    assert_null(one(&w, "/x", 'R'));
    close_world(&w);
}

static void the_texts_of_a_page_are_bounded(void **state)
{
    (void)state;
    struct world w;
    char text[100];
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    begin(&w);
    for (int i = 0; i < 50; i++) { /* 23 bytes and 7 of context each */
        snprintf(text, sizeof text, "/%09d", i);
        refer(&w, text, 'L');
    }
    end(&w);
    assert_true(w.tally.is_cut);
    assert_int_equal(w.links.count, LINK_BYTES / (23 + 7));
    one(&w, "/x", 'L');
    assert_false(w.tally.is_cut);
    close_world(&w);
}

static void links_outside_of_the_scope_are_counted_by_verdict_and_not_wanted(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "LLL");
    assert_false(one(&w, "http://a.test/deep", 'L')->is_wanted);
    assert_int_equal(w.tally.rejected[SCOPE_TOO_DEEP], 1);
    assert_true(one(&w, "http://b.test/image", 'E')->is_wanted);
    w.source.seed_path = STR("L");
    assert_false(one(&w, "http://b.test/", 'L')->is_wanted);
    assert_int_equal(w.tally.rejected[SCOPE_OUTSIDE], 1);
    assert_int_equal(w.tally.rejected[SCOPE_TOO_DEEP], 0);
    close_world(&w);
}

static void where_a_seed_redirects_to_joins_the_seeds(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    const struct found_link *l = one(&w, "https://www.a.test/", 'R');
    assert_true(l->is_wanted && l->is_seed && l->is_https);
    w.source.seed_path = STR("R");
    assert_true(one(&w, "https://www.a.test/page", 'L')->is_wanted); /* the scope has grown */
    w.source.seed_path = STR("L");
    l = one(&w, "https://c.test/", 'R'); /* a page redirects there, and no seed */
    assert_true(!l->is_wanted && !l->is_seed);
    close_world(&w);
}

static void a_page_that_is_judged_again_draws_no_scope(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_IS_REJUDGED, "http://a.test/", "");
    const struct found_link *l = one(&w, "https://www.a.test/", 'R');
    assert_true(!l->is_wanted && !l->is_seed);
    assert_null(one(&w, "/relative", 'L')); /* the archive has whole URLs */
    l = one(&w, "http://a.test/x", 'L');
    assert_true(l->is_wanted && l->via == PAGE_FINGERPRINT);
    assert_str(l->seed_path, STR("L"));
    close_world(&w);
}

static void seeds_draw_the_scope_and_have_no_path(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_IS_SEED, NULL, "");
    const struct found_link *l = one(&w, "http://new.test/dir/", 'L');
    assert_true(l->is_seed && l->is_wanted && l->via == 0);
    assert_str(l->seed_path, STR(""));
    l = one(&w, "http://a.test:25/", 'L'); /* a port that may not be asked draws nothing */
    assert_true(l->is_seed && !l->is_wanted);
    assert_int_equal(w.tally.rejected[SCOPE_BAD_PORT], 1);
    w.source.origin = LINK_OF_PAGE;
    w.page = parsed("http://a.test/", w.room);
    w.source.page = &w.page;
    assert_true(one(&w, "http://new.test/", 'L')->is_wanted);
    close_world(&w);
}

static void a_requeued_url_keeps_its_path_and_its_page(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_IS_REQUEUED, NULL, "");
    begin(&w);
    link_judge_requeued(w.judge, STR("http://a.test/1"), STR("LE"), 5, 7);
    link_judge_requeued(w.judge, STR("http://a.test/2"), STR_NONE, 0, 0);
    link_judge_requeued(w.judge, STR("http://a.test/3"), STR("LLLL"), 6, 0);
    link_judge_requeued(w.judge, STR("http://a.test/4"), STR("PX"), 7,
                        0); /* has no page: any host */
    end(&w);
    assert_int_equal(w.links.count, 4);
    const struct found_link *l = w.links.list;
    assert_true(l[0].is_wanted && l[0].via == 5 && l[0].hop == 'E' && l[0].forward == 7);
    assert_true(w.links.are_revisits && !w.links.are_of_page);
    assert_str(l[0].seed_path, STR("LE"));
    assert_true(l[1].is_wanted && l[1].via == 0 && l[1].hop == 'L' && !l[1].is_seed);
    assert_str(l[1].seed_path, STR(""));
    assert_true(!l[2].is_wanted && l[3].is_wanted);
    assert_int_equal(w.tally.rejected[SCOPE_TOO_DEEP], 1);
    close_world(&w);
}

static void a_sitemap_names_urls_of_its_own_host_alone(void **state)
{
    (void)state;
    char room[URL_ROOM_BYTES];
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/sitemap.xml", "P");
    struct url other = parsed("http://b.test/", room);
    assert_rc(scope_add_seed(w.scope, &other), RC_OK);
    assert_true(one(&w, "http://a.test/1", 'X')->is_wanted);
    assert_false(one(&w, "http://b.test/1", 'X')->is_wanted);
    assert_int_equal(w.tally.rejected[SCOPE_OUTSIDE], 1);
    assert_false(one(&w, "http://b.test/2.xml", 'P')->is_wanted); /* an index names a sitemap */
    assert_true(one(&w, "http://a.test/2.xml", 'P')->is_wanted);
    w.source.seed_path = STR("");
    assert_true(one(&w, "http://b.test/2.xml", 'P')->is_wanted); /* robots.txt may */
    close_world(&w);
}

static bool knows_none(void *ctx, uint64_t host_hash, uint64_t fingerprint)
{
    (void)ctx;
    (void)host_hash;
    (void)fingerprint;
    return false;
}

static void what_a_host_may_not_bring_is_counted_and_no_link_is_made_of_it(void **state)
{
    (void)state;
    struct world w;
    struct brought host = {0};
    struct bringing bringing = {.limits = {.sitemap_urls = 2},
                                .asks = {.knows = knows_none},
                                .host_name = STR("a.test"),
                                .host = &host};
    open_world(&w, LINK_OF_PAGE, "http://a.test/sitemap.xml", "P");
    w.source.bringing = &bringing;
    begin(&w);
    refer(&w, "/1", 'X');
    refer(&w, "http://b.test/", 'X'); /* outside: not charged */
    refer(&w, "/2", 'X');
    refer(&w, "/3", 'X');
    refer(&w, "/4", 'X');
    end(&w);
    assert_int_equal(w.links.count, 3);
    assert_str(w.links.list[2].path, STR("/2"));
    assert_int_equal(w.links.left_out[BRING_SITEMAP_URLS], 2);
    assert_int_equal(w.links.left_out[BRING_OK], 0);
    close_world(&w);
}

static void what_focus_does_not_want_is_a_link_that_is_not_followed(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    begin(&w);
    refer(&w, "/wanted", 'L');
    link_judge_reference(
        w.judge, &(struct link_reference){.raw = STR("/not"), .hop = 'L', .is_unwanted = true});
    link_judge_reference(
        w.judge, &(struct link_reference){.raw = STR("/wanted"), .hop = 'L', .is_unwanted = true});
    link_judge_reference(
        w.judge,
        &(struct link_reference){.raw = STR("http://c.test/"), .hop = 'L', .is_unwanted = true});
    end(&w);
    assert_int_equal(w.links.count, 3);
    assert_true(w.links.list[0].is_wanted && !w.links.list[1].is_wanted);
    assert_int_equal(w.tally.off_topic, 1);
    assert_int_equal(w.tally.rejected[SCOPE_OUTSIDE], 1);
    close_world(&w);
}

static void without_memory_a_page_has_no_links(void **state)
{
    (void)state;
    struct world w;
    open_world(&w, LINK_OF_PAGE, "http://a.test/", "");
    struct arena *small = arena_open(64, 1000);
    assert_non_null(small);
    w.source.arena = small;
    assert_rc(link_judge_begin(w.judge, &w.source, 1000, &w.links), RC_NOMEM);
    assert_int_equal(w.links.count, 0);
    assert_rc(link_judge_begin(w.judge, &w.source, 3, &w.links), RC_OK);
    refer(&w, "/1", 'L');
    while (arena_alloc(small, 8)) /* the arena is full before the second */
        ;
    refer(&w, "/2", 'L');
    refer(&w, "/3", 'E'); /* nor is there memory for another path */
    end(&w);
    assert_int_equal(w.links.count, 1);
    arena_close(small);
    w.source.arena = w.arena;
    assert_non_null(one(&w, "/x", 'L'));
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_becomes_a_url_of_its_page),
        cmocka_unit_test(a_base_element_counts_where_it_is_a_url_that_can_be_one),
        cmocka_unit_test(a_query_is_written_in_the_encoding_of_the_page),
        cmocka_unit_test(what_is_no_url_of_the_web_leaves_no_trace),
        cmocka_unit_test(each_url_counts_once_a_page),
        cmocka_unit_test(what_no_frontier_can_hold_is_left_out),
        cmocka_unit_test(the_texts_of_a_page_are_bounded),
        cmocka_unit_test(links_outside_of_the_scope_are_counted_by_verdict_and_not_wanted),
        cmocka_unit_test(where_a_seed_redirects_to_joins_the_seeds),
        cmocka_unit_test(a_page_that_is_judged_again_draws_no_scope),
        cmocka_unit_test(seeds_draw_the_scope_and_have_no_path),
        cmocka_unit_test(a_requeued_url_keeps_its_path_and_its_page),
        cmocka_unit_test(a_sitemap_names_urls_of_its_own_host_alone),
        cmocka_unit_test(what_a_host_may_not_bring_is_counted_and_no_link_is_made_of_it),
        cmocka_unit_test(what_focus_does_not_want_is_a_link_that_is_not_followed),
        cmocka_unit_test(without_memory_a_page_has_no_links),
    };
    return cmocka_run_group_tests_name("link_judge", tests, NULL, NULL);
}
