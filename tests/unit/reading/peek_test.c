/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/peek.h"

#include "lib/test.h"

#include <string.h>
#include <zlib.h>

#define FITS "<!doctype html><title>Orbs</title><p>The garden spider spins an orb web and waits."
#define MISSES "<!doctype html><title>Trains</title><p>Tickets are sold on the ground floor."

static double score_with(struct reading_tools *t, const struct peek_start *start)
{
    struct str keywords = STR("spider,orb web^2");
    struct topic *topic = NULL;
    struct arena *arena = arena_open(4096, 1 << 20);
    struct buf why = {.max = 1000};
    double score = -2;
    if (arena && topic_open(&keywords, 1, &topic, &why) == RC_OK)
        score = peek_score(t, topic, start, arena);
    topic_close(topic);
    arena_close(arena);
    buf_done(&why);
    return score;
}

static double score_of(const struct peek_start *start)
{
    struct reading_tools *t;
    assert_rc(reading_tools_open(1 << 20, &t), RC_OK);
    double score = score_with(t, start);
    reading_tools_close(t);
    return score;
}

static struct peek_start html(struct str body)
{
    return (struct peek_start){.type = STR("text/html"), .body = body};
}

static void a_start_that_speaks_of_the_topic_fits(void **state)
{
    (void)state;
    struct peek_start fits = html(STR(FITS)), misses = html(STR(MISSES));
    assert_true(score_of(&fits) > 0.5);
    assert_true(score_of(&misses) == 0);
    fits = html(STR("<title>The spider</title><p>nothing more of it"));
    assert_true(score_of(&fits) > 0.3);
}

static void what_has_no_words_or_is_no_html_is_not_judged(void **state)
{
    (void)state;
    static const struct {
        const char *name, *type, *encoding, *body;
    } rows[] = {
        {"a picture", "image/png", NULL, "\x89PNG\r\n\x1a\n trains trains trains"},
        {"a sitemap", "application/xml", NULL,
         "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'><url>"},
        {"a feed", "application/rss+xml", NULL, "<rss version='2.0'><channel><title>Trains"},
        {"plain text", "text/plain", NULL, "Trains leave every hour."},
        {"a style sheet", "text/css", NULL, "p { color: red }"},
        {"scripts and style alone", "text/html", NULL,
         "<title>Trains</title><script>trains()</script><style>p{}</style><div>  "},
        {"a coding that is not understood", "text/html", "compress", "\x1f\x9d\x90zzzz"},
        {"nothing", "text/html", NULL, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct peek_start s = {.type = str_c(rows[i].type),
                               .encoding = rows[i].encoding ? str_c(rows[i].encoding) : STR_NONE,
                               .body = str_c(rows[i].body)};
        double score = score_of(&s);
        if (score != -1)
            fail_msg("%s: %f", rows[i].name, score);
    }
}

/* The first bytes of a gzip stream: what they give is judged. */
static void a_body_in_a_coding_is_read_as_far_as_it_came(void **state)
{
    (void)state;
    static unsigned char raw[200000], packed[200000];
    unsigned seed = 1;
    for (int misses = 0; misses < 2; misses++) {
        const char *text = misses ? MISSES : FITS;
        size_t n = strlen(text);
        memcpy(raw, text, n);
        for (size_t i = n; i < sizeof raw; i++) /* words that do not pack well */
            raw[i] = (unsigned char)((seed = seed * 1103515245 + 12345) >> 16 & 7
                                         ? 'a' + (seed >> 20) % 26
                                         : ' ');
        z_stream z = {
            .next_in = raw, .avail_in = sizeof raw, .next_out = packed, .avail_out = sizeof packed};
        assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
        assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
        assert_true(z.total_out > 60000);
        (void)deflateEnd(&z);
        struct peek_start s = html(str_make((const char *)packed, 40000));
        s.encoding = STR("gzip");
        double score = score_of(&s);
        assert_true(misses ? score == 0 : score > 0);
        struct buf chunked = {.max = 1 << 20};
        buf_printf(&chunked, "ffff0\r\n");
        buf_add(&chunked, s.body);
        s.body = buf_str(&chunked);
        s.is_chunked = true;
        assert_true(score_of(&s) == score);
        buf_done(&chunked);
    }
}

static void a_miss_is_below_what_is_kept(void **state)
{
    (void)state;
    assert_false(peek_misses(-1, 0.1));
    assert_true(peek_misses(0, 0.1));
    assert_true(peek_misses(0.09, 0.1));
    assert_false(peek_misses(0.1, 0.1));
    assert_true(peek_misses(0, 0)); /* not a word of the topic, whatever is kept */
    assert_false(peek_misses(0.01, 0));
}

/* Without memory the page is taken. */
static enum rc without_memory(void *ctx)
{
    struct peek_start s = html(STR(MISSES));
    struct reading_tools *t;
    (void)ctx;
    enum rc rc = reading_tools_open(1 << 20, &t);
    if (rc)
        return rc;
    double score = score_with(t, &s);
    reading_tools_close(t);
    return score == 0 ? RC_OK : score < 0 ? RC_NOMEM : RC_INVALID;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(without_memory, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_that_speaks_of_the_topic_fits),
        cmocka_unit_test(what_has_no_words_or_is_no_html_is_not_judged),
        cmocka_unit_test(a_body_in_a_coding_is_read_as_far_as_it_came),
        cmocka_unit_test(a_miss_is_below_what_is_kept),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
