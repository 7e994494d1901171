/* SPDX-License-Identifier: Apache-2.0 */
/* The tokenizer against html5lib's tests and the list of all named character references. */
#include "base/utf8.h"
#include "lib/test.h"
#include "tokens.h"

#include <jansson.h>

/* "\uHHHH" inside an already decoded string; lone surrogates become U+FFFD. */
static void unescape(struct str s, struct buf *out)
{
    uint32_t high = 0;
    while (s.n) {
        uint32_t code;
        size_t used = 6;
        if (s.n < 6 || s.p[0] != '\\' || s.p[1] != 'u') {
            (void)utf8_decode(s, &code, &used);
        } else {
            code = 0;
            for (int i = 2; i < 6; i++)
                code = code << 4 | (uint32_t)ascii_hex(s.p[i]);
        }
        s = str_from(s, used);
        if (high && code >= 0xdc00 && code < 0xe000)
            code = 0x10000 + ((high - 0xd800) << 10) + (code - 0xdc00);
        else if (high)
            buf_utf8(out, UTF8_REPLACEMENT);
        high = 0;
        if (code >= 0xd800 && code < 0xdc00)
            high = code;
        else
            buf_utf8(out, code);
    }
    if (high)
        buf_utf8(out, UTF8_REPLACEMENT);
}

static struct str json_str(const json_t *j)
{
    return json_is_string(j) ? str_make(json_string_value(j), json_string_length(j)) : STR_NONE;
}

static struct str text_of(const json_t *j, bool escaped, struct buf *scratch)
{
    struct str s = json_str(j);
    if (!escaped || !s.p)
        return s;
    buf_clear(scratch);
    unescape(s, scratch);
    return buf_str(scratch);
}

/* The expected tokens, as tokens.h writes them. */
static void expect_token(struct tokens *k, const json_t *token, bool escaped)
{
    struct str kind = json_str(json_array_get(token, 0));
    if (str_eq(kind, STR("Character"))) {
        tokens_add_text(k, text_of(json_array_get(token, 1), escaped, &k->scratch));
        return;
    }
    if (str_eq(kind, STR("StartTag"))) {
        const char *name;
        json_t *value;
        tokens_kind(k, "start ");
        tokens_field(k, text_of(json_array_get(token, 1), escaped, &k->scratch));
        json_object_foreach(json_array_get(token, 2), name, value)
        {
            json_t *n = json_string(name);
            tokens_field(k, text_of(n, escaped, &k->scratch));
            tokens_field(k, text_of(value, escaped, &k->scratch));
            json_decref(n);
        }
        buf_add(&k->out, str_c(json_is_true(json_array_get(token, 3)) ? "/\x02" : "\x02"));
        return;
    }
    bool is_doctype = str_eq(kind, STR("DOCTYPE"));
    tokens_kind(k, is_doctype ? "doctype " : str_eq(kind, STR("EndTag")) ? "end " : "comment ");
    for (size_t i = 1; i < (is_doctype ? 4u : 2u); i++)
        tokens_field(k, text_of(json_array_get(token, i), escaped, &k->scratch));
    bool quirks = is_doctype && json_is_false(json_array_get(token, 4));
    buf_add(&k->out, str_c(quirks ? "quirks\x02" : "\x02"));
}

static void expect_all(struct tokens *k, const json_t *output, bool escaped)
{
    size_t i;
    json_t *token;
    tokens_clear(k);
    json_array_foreach(output, i, token) expect_token(k, token, escaped);
    buf_add(&k->out, str_c(k->in_text ? "\x02" : ""));
}

static enum html_state state_of(struct str name)
{
    static const struct {
        const char *name;
        enum html_state state;
    } rows[] = {
        {"Data state", HTML_DATA},          {"PLAINTEXT state", HTML_PLAINTEXT},
        {"RCDATA state", HTML_RCDATA},      {"RAWTEXT state", HTML_RAWTEXT},
        {"Script data state", HTML_SCRIPT}, {"CDATA section state", HTML_CDATA},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_eq(name, str_c(rows[i].name)))
            return rows[i].state;
    fail_msg("unknown state " STR_FMT, STR_ARG(name));
    return HTML_DATA;
}

struct bench_of_test {
    struct html_tokenizer *t;
    struct tokens got, expected;
    struct buf input;
    struct score score;
};

static void one_state(struct bench_of_test *b, const json_t *test, enum html_state state)
{
    static const uint64_t feeds[] = {0, 1, 2, 12345};
    struct html_options options = {
        .state = state, .last_start_tag = json_str(json_object_get(test, "lastStartTag"))};
    bool same = true;
    for (size_t f = 0; f < sizeof feeds / sizeof *feeds && same; f++) {
        tokenizer_reset(b->t, &options);
        assert_rc(tokens_run(&b->got, b->t, buf_str(&b->input), feeds[f]), RC_OK);
        same = str_eq(buf_str(&b->got.out), buf_str(&b->expected.out));
    }
    score_row(&b->score, same, "%s\n#   in  " STR_FMT "\n#   got " STR_FMT "\n#   not " STR_FMT,
              json_string_value(json_object_get(test, "description")), STR_ARG(buf_str(&b->input)),
              STR_ARG(buf_str(&b->got.out)), STR_ARG(buf_str(&b->expected.out)));
}

static void one_test(struct bench_of_test *b, const json_t *test)
{
    bool escaped = json_is_true(json_object_get(test, "doubleEscaped"));
    buf_clear(&b->input);
    if (escaped)
        unescape(json_str(json_object_get(test, "input")), &b->input);
    else
        buf_add(&b->input, json_str(json_object_get(test, "input")));
    expect_all(&b->expected, json_object_get(test, "output"), escaped);
    json_t *states = json_object_get(test, "initialStates");
    if (!states)
        one_state(b, test, HTML_DATA);
    for (size_t i = 0; i < json_array_size(states); i++)
        one_state(b, test, state_of(json_str(json_array_get(states, i))));
}

static void one_file(const char *file, size_t total)
{
    char name[80];
    (void)snprintf(name, sizeof name, "html/tokenizer/%s", file);
    const char *path = test_conformance(name);
    if (!path)
        skip();
    json_error_t error;
    json_t *root = json_load_file(path, JSON_ALLOW_NUL, &error);
    if (!root)
        fail_msg("%s: %s", name, error.text);
    struct bench_of_test b = {.score = {.set = name}};
    tokens_init(&b.got);
    tokens_init(&b.expected);
    buf_init(&b.input, 1 << 20);
    assert_rc(tokenizer_open(&tokens_handler, &b.got, NULL, &b.t), RC_OK);
    size_t i;
    json_t *test;
    json_array_foreach(json_object_get(root, "tests"), i, test) one_test(&b, test);
    tokenizer_close(b.t);
    tokens_done(&b.got);
    tokens_done(&b.expected);
    buf_done(&b.input);
    json_decref(root);
    score_end(&b.score, total);
}

struct set {
    const char *file;
    size_t total;
};

static void test_set(void **state)
{
    const struct set *set = *state;
    one_file(set->file, set->total);
}

/* Each name, in text, becomes its characters. */
static void test_entities(void **state)
{
    (void)state;
    const char *path = test_conformance("html/entities.json");
    if (!path)
        skip();
    json_t *root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    struct score score = {.set = "html/entities.json"};
    struct buf out;
    buf_init(&out, 4096);
    const char *name;
    json_t *row;
    json_object_foreach(root, name, row)
    {
        buf_clear(&out);
        html_decode(str_c(name), HTML_DATA, false, &out);
        struct str expected = json_str(json_object_get(row, "characters"));
        score_row(&score, str_eq(buf_str(&out), expected), "%s", name);
    }
    buf_done(&out);
    json_decref(root);
    score_end(&score, 2231);
}

int main(void)
{
    static struct set sets[] = {
        {"contentModelFlags.test", 24},
        {"domjs.test", 59},
        {"entities.test", 80},
        {"escapeFlag.test", 9},
        {"namedEntities.test", 4210},
        {"numericEntities.test", 336},
        {"pendingSpecChanges.test", 1},
        {"test1.test", 69},
        {"test2.test", 45},
        {"test3.test", 1786},
        {"test4.test", 85},
        {"unicodeChars.test", 323},
        {"unicodeCharsProblematic.test", 5},
    };
    struct CMUnitTest tests[sizeof sets / sizeof *sets + 1];
    size_t n = sizeof sets / sizeof *sets;
    for (size_t i = 0; i < n; i++)
        tests[i] = (struct CMUnitTest){sets[i].file, test_set, NULL, NULL, &sets[i]};
    tests[n] = (struct CMUnitTest){"every named reference", test_entities, NULL, NULL, NULL};
    return cmocka_run_group_tests_name("html/conform", tests, NULL, NULL);
}
