/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/topic.h"

#include "fetch/words.h"
#include "lib/test.h"

/* Words ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name, *text, *words;
} word_rows[] = {
    {"nothing has no words", "", ""},
    {"what is no letter stands between words", "Orb-web, 2nd\n(ed.)", "orb web 2nd ed"},
    {"cases fold in every script", "ÄPFEL ΟΔΟΣ Паук", "äpfel οδοσ паук"},
    {"a soft hyphen is nothing",
     "spi\xc2\xad"
     "der",
     "spider"},
    {"ideographs and kana are words of their own", "クモ网x", "ク モ 网 x"},
    {"marks belong to their letters", "e\xcc\x81t", "e\xcc\x81t"},
    {"bytes that are not UTF-8 stand between words",
     "a\xff"
     "b\xc3",
     "a b"},
    {"letters beyond the first plane", "\xf0\x90\x90\x80", "\xf0\x90\x90\xa8"},
};

static void words_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof word_rows / sizeof *word_rows; i++) {
        struct buf out = {.max = 1000};
        struct words w = {.rest = str_c(word_rows[i].text)};
        while (words_next(&w)) {
            if (out.n)
                buf_byte(&out, ' ');
            buf_add(&out, w.word);
        }
        print_message("# %s\n", word_rows[i].name);
        assert_str(buf_str(&out), str_c(word_rows[i].words));
        buf_done(&out);
    }
}

static void long_words_are_cut(void **state)
{
    (void)state;
    char text[1000];
    memset(text, 'A', sizeof text);
    struct words w = {.rest = str_make(text, sizeof text)};
    assert_true(words_next(&w));
    assert_int_equal(w.word.n, WORDS_MAX_BYTES);
    assert_int_equal(w.letters, WORDS_MAX_BYTES);
    assert_false(words_next(&w));
}

/* Scores --------------------------------------------------------------------------------------- */

static double score_of(const char *keywords, struct topic_field field)
{
    struct topic *t = NULL;
    struct buf why = {.max = 1000};
    struct str text = str_c(keywords);
    assert_rc(topic_open(&text, 1, &t, &why), RC_OK);
    double score = topic_score(t, &field, 1);
    assert_true(score >= 0 && score < 1);
    topic_close(t);
    buf_done(&why);
    return score;
}

static const struct {
    const char *name, *keywords, *text;
    bool fits;
} rows[] = {
    {"a word is found in any case", "spider", "The SPIDER sits", true},
    {"a word with a short ending is the same", "crawl", "crawling crawlers", true},
    {"four letters more are another word", "spin", "spinneret", false},
    {"a short word takes one letter more", "cat", "cats", true},
    {"and no two", "cat", "cater", false},
    {"a star takes every ending", "arachn*", "arachnophobia", true},
    {"a word inside another is none", "web", "cobweb", false},
    {"a phrase is its words in a row", "orb web", "an Orb-Webs builder", true},
    {"a phrase with a word between is none", "orb web", "orb of web", false},
    {"a phrase at the end of the text is not cut", "orb web", "an orb", false},
    {"a phrase whose start comes twice", "orb orb web", "orb orb orb web", true},
    {"ideographs are found in the middle of a line", "蜘蛛", "大蜘蛛网", true},
    {"letters with accents are compared as written", "über", "ÜBER", true},
    {"a weight below zero takes away", "spider,game^-3", "the spider game", false},
    {"no keywords, no score", " , ", "spider", false},
    {"endings are letters, not bytes", "паук", "паукам", true},
};

static void texts_fit_or_not(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        print_message("# %s\n", rows[i].name);
        double score = score_of(rows[i].keywords, (struct topic_field){str_c(rows[i].text), 1, 0});
        assert_int_equal(score > 0, rows[i].fits);
    }
}

static void scores_keep_their_order(void **state)
{
    (void)state;
    struct buf text = {.max = 100000};
    struct topic_field f = {.times = 1};
    for (int i = 0; i < 499; i++)
        buf_add(&text, STR("word "));
    buf_add(&text, STR("spider"));
    f.text = buf_str(&text);
    double once = score_of("spider", f);
    assert_true(once > 0.30 && once < 0.32);
    assert_true(score_of("spider^2", f) > once);
    assert_true(score_of("spider,other,more", f) == once); /* more keywords do not lessen it */
    f.times = 3;
    assert_true(score_of("spider", f) > once);
    f.times = 1;
    for (int i = 0; i < 5000; i++)
        buf_add(&text, STR(" word"));
    f.text = buf_str(&text);
    assert_true(score_of("spider", f) < once); /* the longer the text, the less */
    buf_clear(&text);
    for (int i = 0; i < 1000; i++)
        buf_add(&text, STR("spider "));
    f.text = buf_str(&text);
    assert_true(score_of("spider", f) > once && score_of("spider", f) < 0.5);
    buf_done(&text);
}

static void urls_are_words_too(void **state)
{
    (void)state;
    struct topic_field f = {STR("/wiki/Orb%2DWeaver_spiders.html?x=%E8%9C%98%E8%9B%9B%"), 1, true};
    assert_true(score_of("spider", f) > 0);
    assert_true(score_of("orb weaver", f) > 0);
    assert_true(score_of("蜘蛛", f) > 0);
    f.is_url = false;
    assert_true(score_of("orb weaver", f) == 0);
}

static void links_are_seen_in_the_light_of_their_page(void **state)
{
    (void)state;
    assert_true(topic_link_score(0, -1) == 0);
    assert_true(topic_link_score(0.4, -1) == 0.4);
    assert_true(topic_link_score(0, 0.5) == 0.25);
    assert_true(topic_link_score(0.4, 0.5) > 0.5);
    assert_true(topic_link_score(0.4, 0.5) < 1);
}

/* Keywords as written -------------------------------------------------------------------------- */

static const struct {
    const char *name, *keywords, *why;
} wrong[] = {
    {"a weight that is none", "spider^x", "keywords: \"spider^x\": behind ^ stands a weight"},
    {"a weight of 0", "spider^0", "keywords: \"spider^0\": behind ^ stands a weight"},
    {"a weight without end", "a^1e999", "keywords: \"a^1e999\": behind ^"},
    {"a weight that is no number", "a^nan", "keywords: \"a^nan\": behind ^"},
    {"two weights", "a^1^2", "keywords: \"a^1^2\": behind ^"},
    {"a keyword without letters", "a,--", "keywords: \"--\": it has no letter"},
    {"a phrase that is too long", "a b c d e f g h i j k l m n o p q",
     "keywords: \"a b c d e f g h i j k l m n o p q\": it has more than 16"},
};

static void keywords_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct topic *t = NULL;
        struct buf why = {.max = 1000};
        struct str text = str_c(wrong[i].keywords);
        print_message("# %s\n", wrong[i].name);
        assert_rc(topic_open(&text, 1, &t, &why), RC_INVALID);
        assert_null(t);
        assert_true(str_starts(buf_str(&why), str_c(wrong[i].why)));
        buf_done(&why);
    }
}

static void there_are_only_so_many(void **state)
{
    (void)state;
    struct buf text = {.max = 1 << 20}, why = {.max = 1000};
    struct topic *t = NULL;
    for (int i = 0; i < TOPIC_MAX_KEYWORDS; i++)
        buf_printf(&text, "word%d,", i);
    struct str s = buf_str(&text);
    assert_rc(topic_open(&s, 1, &t, &why), RC_OK);
    assert_int_equal(topic_keywords(t), TOPIC_MAX_KEYWORDS);
    topic_close(t);
    buf_add(&text, STR("more"));
    s = buf_str(&text);
    assert_rc(topic_open(&s, 1, &t, &why), RC_LIMIT);
    buf_done(&text);
    buf_done(&why);
}

static enum rc open_one(void *ctx)
{
    (void)ctx;
    struct topic *t = NULL;
    struct buf why = {.max = 1000};
    struct str text = STR("orb web^2,spider,arachn*");
    enum rc rc = topic_open(&text, 1, &t, &why);
    buf_done(&why);
    if (rc)
        return rc;
    struct topic_field f = {STR("an orb web"), 1, false};
    assert_true(topic_score(t, &f, 1) > 0);
    topic_close(t);
    return RC_OK;
}

static void memory_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(open_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found),
        cmocka_unit_test(long_words_are_cut),
        cmocka_unit_test(texts_fit_or_not),
        cmocka_unit_test(scores_keep_their_order),
        cmocka_unit_test(urls_are_words_too),
        cmocka_unit_test(links_are_seen_in_the_light_of_their_page),
        cmocka_unit_test(keywords_are_refused),
        cmocka_unit_test(there_are_only_so_many),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
