/* SPDX-License-Identifier: Apache-2.0 */
#include "html/css.h"

#include "lib/test.h"

struct row {
    const char *name, *css, *urls; /* joined by " | ", imports with '@' in front */
};

static const struct row rows[] = {
    {"no quotes", "a{background:url(x.png)}", "x.png"},
    {"double quotes", "a{background:url(\"x.png\")}", "x.png"},
    {"single quotes with white space around", "a{background:url( 'x.png'\n)}", "x.png"},
    {"white space around a bare address", "url(\n x.png\t )", "x.png"},
    {"several, in order", "a{b:url(1),url(2)} c{d:url(3)}", "1 | 2 | 3"},
    {"URL in capitals", "a{b:URL(x)}", "x"},
    {"the name itself escaped", "a{b:u\\72 l(x)}", "x"},
    {"a name that only ends in url", "a{b:curl(x)}", ""},
    {"a name with a dash", "a{b:-url(x)}", ""},
    {"a dimension is no function", "a{b:10url(x)}", ""},
    {"white space before the parenthesis makes it no url", "a{b:url (x)}", ""},
    {"a hash is no function", "a{b:#url(x)}", ""},
    {"in a comment", "/* url(x) */ a{b:url(y)}", "y"},
    {"a comment of stars", "/***/url(y)/*/ url(x)", "y"},
    {"a comment never closed", "url(y)/* url(x)", "y"},
    {"no comment inside a bare address", "url(/*x*/y)", "/*x*/y"},
    {"in a string", "a{content:\"url(x)\"} b{c:url(y)}", "y"},
    {"a string with an escaped quote", "a{content:\"\\\"url(x)\"} b{c:url(y)}", "y"},
    {"a newline ends a string", "a{content:\"x\n} b{c:url(y)}", "y"},
    {"an escaped newline does not", "a{content:\"x\\\n url(x)\"} b{c:url(y)}", "y"},
    {"an escaped newline vanishes from an address", "url(\"a\\\nb\\\r\nc\")", "abc"},
    {"hexadecimal escapes in a bare address", "url(a\\20 b\\000043c)", "a bCc"},
    {"six digits are the most", "url(\\0000411)", "A1"},
    {"escaped parentheses", "url(a\\(b\\)c)", "a(b)c"},
    {"escapes in a quoted address", "url('a\\'b\\e9 c')",
     "a'b\xc3\xa9"
     "c"},
    {"zero, a surrogate and too large become U+FFFD", "url(\\0 \\d800 \\110000 )",
     "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"},
    {"a quote inside a bare address breaks it", "url(a'b) url(y)", "y"},
    {"a broken url ends at its parenthesis, not at an escaped one", "url(a\"\\)b url(x)) url(y)",
     "y"},
    {"white space inside a bare address breaks it", "url(a b) url(y)", "y"},
    {"a parenthesis inside a bare address breaks it", "url(a(b) url(y)", "y"},
    {"the end closes a bare address", "url(x", "x"},
    {"the end closes a quoted address", "url('x", "x"},
    {"the end behind a backslash breaks a bare address", "url(x\\", ""},
    {"a data address", "url(data:image/gif;base64,R0l+/=)", "data:image/gif;base64,R0l+/="},
    {"an empty address is none", "url() url('') url(y)", "y"},
    {"bytes past ASCII go through", "url(\xc3\xa9.png)", "\xc3\xa9.png"},
    {"import of a string", "@import \"x.css\";", "@x.css"},
    {"import of a url", "@import url(x.css) screen;", "@x.css"},
    {"import of a quoted url", "@import url('x.css');url(y)", "@x.css | y"},
    {"import without white space", "@import'x.css'", "@x.css"},
    {"import in capitals behind a comment", "@IMPORT/**/\"x.css\";", "@x.css"},
    {"import with an escaped name", "@\\69mport 'x.css'", "@x.css"},
    {"the conditions of an import name nothing", "@import 'x' supports(a:url(n)) layer('m');url(y)",
     "@x | y"},
    {"an import must begin with its address", "@import x 'n';url(y)", "y"},
    {"an import of nothing ends at the semicolon", "@import; a{content:'n'} b{c:url(y)}", "y"},
    {"@imported is another rule", "@imported 'n'; url(y)", "y"},
    {"charset is no link", "@charset \"utf-8\"; url(y)", "y"},
    {"namespace is no link", "@namespace svg url(http://n/); url(y)", "y"},
    {"document is no link, its rules are", "@-moz-document url(http://n/){a{b:url(y)}}", "y"},
    {"font-face", "@font-face{src:url(a.woff2) format('woff2'),url(b.woff)}", "a.woff2 | b.woff"},
    {"media", "@media screen{@import 'x';a{b:url(y)}}", "@x | y"},
    {"image-set of strings", "a{b:image-set('1.png' 1x, \"2.png\" type('image/png') 2x)}",
     "1.png | 2.png"},
    {"image-set of a url and a string",
     "a{b:-webkit-image-set(url('1') 1x, '2' 2x)} c{content:'n'}", "1 | 2"},
    {"a style attribute", "background:url(x) no-repeat;color:red", "x"},
    {"HTML's comment marks are passed over", "<!--url(x)-->url(y)", "x | y"},
    {"nothing", "", ""},
    {"a lone backslash", "\\", ""},
    {"a lone quote", "\"", ""},
    {"a lone at", "@", ""},
};

static void run_row(const struct row *row)
{
    char room[256];
    struct buf joined = buf_on(room, sizeof room), scratch;
    buf_init(&scratch, 4096);
    struct css_scan scan;
    struct css_url url;
    css_scan_init(&scan, str_c(row->css), &scratch);
    while (css_scan_next(&scan, &url)) {
        if (joined.n)
            buf_add(&joined, STR(" | "));
        if (url.is_import)
            buf_byte(&joined, '@');
        buf_add(&joined, url.raw);
    }
    if (!str_eq(buf_str(&joined), str_c(row->urls)))
        fail_msg("%s: " STR_FMT, row->name, STR_ARG(buf_str(&joined)));
    assert_rc(buf_rc(&scratch), RC_OK);
    buf_done(&scratch);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        run_row(&rows[i]);
}

static void test_nul_becomes_replacement(void **state)
{
    (void)state;
    struct buf scratch;
    buf_init(&scratch, 64);
    struct css_scan scan;
    struct css_url url;
    css_scan_init(&scan, STR("url(a\0b) url('\\\0')"), &scratch);
    assert_true(css_scan_next(&scan, &url));
    assert_str(url.raw, STR("a\xef\xbf\xbd"
                            "b"));
    assert_true(css_scan_next(&scan, &url));
    assert_str(url.raw, STR("\xef\xbf\xbd"));
    assert_false(css_scan_next(&scan, &url));
    buf_done(&scratch);
}

static void test_full_scratch_ends_the_scan(void **state)
{
    (void)state;
    struct buf scratch;
    buf_init(&scratch, 4);
    struct css_scan scan;
    struct css_url url;
    css_scan_init(&scan, STR("url(long-but-plain) url(long-and-e\\73 caped) url(x)"), &scratch);
    assert_true(css_scan_next(&scan, &url));
    assert_false(css_scan_next(&scan, &url));
    assert_rc(buf_rc(&scratch), RC_LIMIT);
    assert_false(css_scan_next(&scan, &url));
    buf_done(&scratch);
}

static enum rc scan_all(void *ctx)
{
    struct buf scratch;
    buf_init(&scratch, 4096);
    struct css_scan scan;
    struct css_url url;
    css_scan_init(&scan, *(struct str *)ctx, &scratch);
    while (css_scan_next(&scan, &url))
        continue;
    enum rc rc = buf_rc(&scratch);
    buf_done(&scratch);
    return rc;
}

static void test_allocations(void **state)
{
    (void)state;
    struct str css = STR("@import 'a\\62'; a{b:url(\\63 d)}");
    test_each_allocation_fails(scan_all, &css);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_nul_becomes_replacement),
        cmocka_unit_test(test_full_scratch_ends_the_scan),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
