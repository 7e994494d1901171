/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"
#include "tokens.h"

struct row {
    const char *name, *html, *tokens;
};

/* \x01 ends a field and \x02 a token; here they are written ; and newline. */
static void readable(struct str from, struct buf *to)
{
    buf_clear(to);
    for (size_t i = 0; i < from.n; i++) {
        char c = from.p[i];
        if (c == 1)
            c = ';';
        else if (c == 2)
            c = '\n';
        buf_byte(to, c);
    }
}

static const struct html_options page_mode = {.follow_content = true};

static void check_rows(const struct row *rows, size_t n, const struct html_options *options)
{
    static const uint64_t feeds[] = {0, 1, 7, 99};
    struct tokens k;
    struct html_tokenizer *t;
    struct buf text;
    tokens_init(&k);
    buf_init(&text, 1 << 20);
    assert_rc(tokenizer_open(&tokens_handler, &k, options, &t), RC_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < 4; f++) {
            tokenizer_reset(t, options);
            assert_rc(tokens_run(&k, t, str_c(rows[i].html), feeds[f]), RC_OK);
            readable(buf_str(&k.out), &text);
            if (!str_eq(buf_str(&text), str_c(rows[i].tokens)))
                print_error("%s (feed %zu)\n", rows[i].name, f);
            assert_str(buf_str(&text), str_c(rows[i].tokens));
        }
    tokenizer_close(t);
    tokens_done(&k);
    buf_done(&text);
}

#define CHECK_ROWS(rows, options) check_rows(rows, sizeof(rows) / sizeof *(rows), options)

static void test_markup(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a tag has a name and attributes", "<a href='x' B=\"y\" c=z d>",
         "start \"a;\"href;\"x;\"b;\"y;\"c;\"z;\"d;\";\n"},
        {"the first of two attributes of one name counts", "<a x=1 X=2>", "start \"a;\"x;\"1;\n"},
        {"an attribute right behind a quote is one", "<a b='1'c='2'>",
         "start \"a;\"b;\"1;\"c;\"2;\n"},
        {"a slash ends an element only in front of >", "<br/><a b=c/><i / x>",
         "start \"br;/\nstart \"a;\"b;\"c/;\nstart \"i;\"x;\";\n"},
        {"references in text need no semicolon", "&ltx&notit;", "text <x\xc2\xacit;\n"},
        {"in a value a name without one is left before a letter or =",
         "<a b='&ltx &lt= &lt;x &lt'>", "start \"a;\"b;\"&ltx &lt= <x <;\n"},
        {"a lone < is text", "a < b <3", "text a < b <3\n"},
        {"</> is nothing", "a</>b", "text ab\n"},
        {"<? is a comment", "<?php x?>y", "comment \"?php x?;\ntext y\n"},
        {"a comment ends at --> and at --!>", "<!--a-->b<!--c--!>d",
         "comment \"a;\ntext b\ncomment \"c;\ntext d\n"},
        {"<!--> is a whole comment", "<!-->a<!--->b", "comment \";\ntext a\ncomment \";\ntext b\n"},
        {"a tag the input ends in is dropped", "a<b c='d", "text a\n"},
        {"CR LF is one line feed, CR too", "a\r\nb\rc", "text a\nb\nc\n"},
        {"a doctype has a name and identifiers", "<!DOCTYPE Html PUBLIC 'p' \"s\">",
         "doctype \"html;\"p;\"s;\n"},
        {"a doctype without name is quirky", "<!doctype>", "doctype -;-;-;quirks\n"},
    };
    CHECK_ROWS(rows, NULL);
}

static void test_content(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"markup in a title is text, references are not", "<title><b>&amp;</title>",
         "start \"title;\ntext <b>&\nend \"title;\n"},
        {"references in a style are text", "<style>&amp;<p></style >",
         "start \"style;\ntext &amp;<p>\nend \"style;\n"},
        {"a script ends at its end tag in any case", "<script>a</b></SCRIPT>b",
         "start \"script;\ntext a</b>\nend \"script;\ntext b\n"},
        {"an escaped script within a script does not end it",
         "<script><!--<script></script>--></script>",
         "start \"script;\ntext <!--<script></script>-->\nend \"script;\n"},
        {"noscript is markup", "<noscript><a>", "start \"noscript;\nstart \"a;\n"},
        {"behind plaintext all is text", "<plaintext></plaintext><a>",
         "start \"plaintext;\ntext </plaintext><a>\n"},
        {"a CDATA section in svg is text", "<svg><![CDATA[<a>&amp;]]></svg>",
         "start \"svg;\ntext <a>&amp;\nend \"svg;\n"},
        {"a CDATA section elsewhere is a comment", "<p><![CDATA[<a>]]>",
         "start \"p;\ncomment \"[CDATA[<a;\ntext ]]>\n"},
        {"a title in svg is no RCDATA", "<svg><title><a></title></svg>",
         "start \"svg;\nstart \"title;\nstart \"a;\nend \"title;\nend \"svg;\n"},
        {"an HTML element in svg ends it", "<svg><div><![CDATA[x]]>",
         "start \"svg;\nstart \"div;\ncomment \"[CDATA[x]];\n"},
        {"foreignObject in svg is HTML again", "<svg><foreignObject><style><a></style>",
         "start \"svg;\nstart \"foreignobject;\nstart \"style;\ntext <a>\nend \"style;\n"},
    };
    CHECK_ROWS(rows, &page_mode);
}

/* Input too large for the limits: the same tokens whole and in pieces, and they are cut. */
static void check_cut(struct str html, const char *start)
{
    struct tokens whole, pieces;
    struct html_tokenizer *t, *u;
    tokens_init(&whole);
    tokens_init(&pieces);
    assert_rc(tokenizer_open(&tokens_handler, &whole, NULL, &t), RC_OK);
    assert_rc(tokenizer_open(&tokens_handler, &pieces, NULL, &u), RC_OK);
    assert_rc(tokens_run(&whole, t, html, 0), RC_OK);
    /* byte by byte, which takes minutes under emulation, and in pieces of random length */
    for (uint64_t seed = TEST_IS_EMULATED ? 4 : 1; seed < 5; seed += 3) {
        tokenizer_reset(u, NULL);
        assert_rc(tokens_run(&pieces, u, html, seed), RC_OK);
        assert_true(str_eq(buf_str(&whole.out), buf_str(&pieces.out)));
    }
    tokenizer_reset(u, NULL); /* all but the end in one piece: what is held of it is bounded */
    tokens_clear(&pieces);
    assert_rc(tokenizer_feed(u, str_first(html, html.n - 9)), RC_OK);
    assert_rc(tokens_go_on(&pieces, u, str_from(html, html.n - 9), 0), RC_OK);
    assert_true(str_eq(buf_str(&whole.out), buf_str(&pieces.out)));
    if (!str_starts(buf_str(&whole.out), str_c(start)))
        print_error("wanted %s, got %.60s\n", start, whole.out.p);
    assert_true(str_starts(buf_str(&whole.out), str_c(start)));
    tokenizer_close(t);
    tokenizer_close(u);
    tokens_done(&whole);
    tokens_done(&pieces);
}

/* `head`, then `body` as often as it takes to have n bytes, then `tail`. */
static void make(struct buf *b, const char *head, const char *body, size_t n, const char *tail)
{
    buf_clear(b);
    buf_add(b, str_c(head));
    while (b->n < n)
        buf_add(b, str_c(body));
    buf_add(b, str_c(tail));
}

static void test_limits(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 1 << 24);
    make(&b, "<a b='", "0123456789&amp;", 100000, "'><i>");
    check_cut(buf_str(&b), "start, cut \"a\x01\"b\x01\"0123456789&");
    make(&b, "<a b=", "x", 65536 + 5, "><i>");
    check_cut(buf_str(&b), "start \"a\x01\"b\x01\"xxx");
    make(&b, "<a b=", "x", 65537 + 5, "><i>");
    check_cut(buf_str(&b), "start, cut \"a\x01\"b\x01\"xxx");
    make(&b, "<", "a", 3000, " b><i>");
    check_cut(buf_str(&b), "start, cut \"aaa");
    make(&b, "<a ", "b", 3000, "=c><i>");
    check_cut(buf_str(&b), "start, cut \"a\x01\"bbb");
    make(&b, "<!--", "-x", 200000, "--><i>");
    check_cut(buf_str(&b), "comment, cut \"-x-x");
    make(&b, "<!--", "->", 200000, "--><i>");
    check_cut(buf_str(&b), "comment \"\x01\x02text");
    make(&b, "<?", "x", 200000, "><i>");
    check_cut(buf_str(&b), "comment, cut \"?xxx");
    make(&b, "<!doctype ", "h", 10000, "><i>");
    check_cut(buf_str(&b), "doctype, cut \"hhh");
    make(&b, "<a ", "  \n", 200000, "b=c><i>");
    check_cut(buf_str(&b), "start \"a\x01\"b\x01\"c\x01\x02start");
    make(&b, "<a ", "= ", 3000000, "b=c><i>");
    check_cut(buf_str(&b), "start \"a\x01\"=\x01\"=\x01\x02start");
    make(&b, "<a ", "=\n\n= ", 3000000, "b  ");
    check_cut(buf_str(&b), "");
    make(&b, "<a b ", "\n", 3000000, "= \n c><i>");
    check_cut(buf_str(&b), "start \"a\x01\"b\x01\"c\x01\x02start");
    make(&b, "&#", "0", 3000000, "65;<i>");
    check_cut(buf_str(&b), "text A\x02start");
    make(&b, "&#x", "9", 3000000, ";<i>");
    check_cut(buf_str(&b), "text \xef\xbf\xbd\x02start");
    make(&b, "<a", " a a", 200000, "><i>");
    check_cut(buf_str(&b), "start \"a\x01\"a\x01\"\x01\x02start");
    buf_done(&b);
}

static void test_many_attributes(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 1 << 24);
    buf_add(&b, STR("<a"));
    for (unsigned i = 0; i < 1000; i++)
        buf_printf(&b, " a%u=%u", i, i);
    buf_add(&b, STR("><i>"));
    check_cut(buf_str(&b), "start, cut \"a\x01\"a0\x01\"0\x01");
    buf_clear(&b);
    buf_add(&b, STR("<a")); /* each value fits, all together do not */
    for (unsigned i = 0; i < 10; i++) {
        buf_printf(&b, " a%u=", i);
        buf_fill(&b, 'x', 60000);
    }
    buf_add(&b, STR("><i>"));
    check_cut(buf_str(&b), "start, cut \"a\x01\"a0\x01\"xx");
    buf_done(&b);
}

static enum rc stop_at_i(void *ctx, const struct html_tag *tag)
{
    ++*(int *)ctx;
    return tag->element == ELEMENT_I ? RC_CLOSED : RC_OK;
}

static void test_handler_ends(void **state)
{
    (void)state;
    static const struct html_handler handler = {.start_tag = stop_at_i};
    struct html_tokenizer *t;
    int seen = 0;
    assert_rc(tokenizer_open(&handler, &seen, NULL, &t), RC_OK);
    assert_rc(tokenizer_feed(t, STR("<a><i><b><b>")), RC_CLOSED);
    assert_int_equal(seen, 2);
    assert_rc(tokenizer_feed(t, STR("<b>")), RC_CLOSED);
    assert_rc(tokenizer_finish(t), RC_CLOSED);
    tokenizer_reset(t, NULL);
    assert_rc(tokenizer_feed(t, STR("<b>")), RC_OK);
    assert_int_equal(seen, 3);
    tokenizer_close(t);
}

static enum rc tokenize_all(void *ctx)
{
    struct str html = *(struct str *)ctx;
    struct tokens k;
    struct html_tokenizer *t = NULL;
    tokens_init(&k);
    enum rc rc = tokenizer_open(&tokens_handler, &k, &page_mode, &t);
    if (rc == RC_OK)
        rc = tokens_run(&k, t, html, 5);
    tokenizer_close(t);
    tokens_done(&k);
    return rc;
}

static void test_no_memory(void **state)
{
    (void)state;
    struct str html = STR("<!doctype html><title>a &amp; b</title><p class='x&lt;y' "
                          "id=a>text<!-- a comment --><script>1 < 2</script><a href=x>");
    test_each_allocation_fails(tokenize_all, &html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_markup),       cmocka_unit_test(test_content),
        cmocka_unit_test(test_limits),       cmocka_unit_test(test_many_attributes),
        cmocka_unit_test(test_handler_ends), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests_name("html/tokenizer", tests, NULL, NULL);
}
