/* SPDX-License-Identifier: Apache-2.0 */
/* try url: what the url library makes of a URL, one JSON line each. */
#include "cli/commands.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "url/domain.h"
#include "url/encoding.h"
#include "url/idn.h"
#include "url/normalise.h"
#include "url/surt.h"

#include <jansson.h>
#include <stdio.h>

enum { OUT_MAX_BYTES = 4 << 20 };

struct settings {
    struct str base, rules, encoding;
    bool list_rules;
};

struct try_url {
    struct url_parser parser;
    struct url_idn *idn;
    struct url_encoding *encoding;
    uint32_t rules;
    struct str base; /* for what names none */
    struct buf text; /* the line, cleaned */
    struct buf out;
    size_t line, bad_lines;
    char base_room[URL_ROOM_BYTES], room[URL_ROOM_BYTES], normal_room[URL_ROOM_BYTES];
};

static const char *failure_text(const struct try_url *t, enum rc rc)
{
    return rc == RC_INVALID || rc == RC_LIMIT ? url_reason_text(t->parser.reason) : rc_text(rc);
}

static void put_surt(struct jsonw *j, const struct url *u)
{
    struct buf surt = {.max = URL_ROOM_BYTES + 16};
    url_surt(url_href(u), URL_SURT_KEY, &surt);
    jsonw_text_field(j, "surt", buf_str(&surt));
    buf_clear(&surt);
    url_cdx_key(u, &surt);
    jsonw_text_field(j, "cdx", buf_str(&surt));
    buf_done(&surt);
}

static void put_result(struct try_url *t, struct jsonw *j, const struct url *u)
{
    struct url normal;
    char fingerprint[17];
    jsonw_text_field(j, "href", url_href(u));
    if (url_copy(u, (struct url_room){t->normal_room, sizeof t->normal_room}, &normal))
        return;
    url_normalise(&normal, t->rules);
    jsonw_text_field(j, "normalised", url_href(&normal));
    put_surt(j, &normal);
    jsonw_text_field(j, "host", normal.has_host ? url_host(&normal) : STR_NONE);
    jsonw_text_field(j, "domain", url_domain(url_host(&normal)));
    (void)snprintf(fingerprint, sizeof fingerprint, "%016llx",
                   (unsigned long long)url_fingerprint(&normal));
    jsonw_text_field(j, "fingerprint", str_c(fingerprint));
}

static void put_failure(struct jsonw *j, const char *where, const char *text)
{
    char error[256];
    (void)snprintf(error, sizeof error, "%s%s", where, text);
    jsonw_text_field(j, "error", str_c(error));
}

/* One line of output for one URL. */
static void try_one(struct try_url *t, struct str input, struct str base_text)
{
    struct jsonw j = jsonw_to(&t->out);
    struct url base, u;
    enum rc rc = RC_OK;
    jsonw_object(&j);
    jsonw_text_field(&j, "url", input);
    t->parser.encoding = NULL;
    if (base_text.n) {
        jsonw_text_field(&j, "base", base_text);
        rc = url_parse(&t->parser, base_text, NULL,
                       (struct url_room){t->base_room, sizeof t->base_room}, &base);
    }
    if (rc) {
        put_failure(&j, "base: ", failure_text(t, rc));
    } else {
        t->parser.encoding = t->encoding;
        rc = url_parse(&t->parser, input, base_text.n ? &base : NULL,
                       (struct url_room){t->room, sizeof t->room}, &u);
        if (rc)
            put_failure(&j, "", failure_text(t, rc));
        else
            put_result(t, &j, &u);
    }
    jsonw_end(&j);
    buf_byte(&t->out, '\n');
    cli_print(&t->out);
}

/* The number behind "\u", or -1. */
static int escape_unit(struct str s)
{
    int unit = 0;
    if (s.n < 6 || s.p[0] != '\\' || s.p[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        if (ascii_hex(s.p[i]) < 0)
            return -1;
        unit = unit << 4 | ascii_hex(s.p[i]);
    }
    return unit;
}

/* JSON may hold half a surrogate pair, jansson refuses it: here it becomes U+FFFD, as it does when
 * such a string is written as UTF-8. So do bytes that are not UTF-8. */
static struct str cleaned(struct try_url *t, struct str line)
{
    buf_clear(&t->text);
    buf_utf8_clean(&t->text, line);
    for (size_t i = 0; i + 1 < t->text.n; i++) {
        struct str here = str_from(buf_str(&t->text), i);
        int unit = escape_unit(here), next = escape_unit(str_from(here, 6));
        if (here.p[0] != '\\')
            continue;
        bool pair = unit >= 0xd800 && unit < 0xdc00 && next >= 0xdc00 && next < 0xe000;
        if (!pair && unit >= 0xd800 && unit < 0xe000)
            memcpy(t->text.p + i, "\\ufffd", 6);
        i += pair ? 11 : 1;
    }
    return buf_str(&t->text);
}

static void bad_line(struct try_url *t, const char *text)
{
    struct jsonw j = jsonw_to(&t->out);
    char error[512];
    (void)snprintf(error, sizeof error, "line %zu: %s", t->line, text);
    jsonw_object(&j);
    jsonw_text_field(&j, "error", str_c(error));
    jsonw_end(&j);
    buf_byte(&t->out, '\n');
    cli_print(&t->out);
    t->bad_lines++;
}

static struct str text_of(const json_t *value)
{
    return json_is_string(value) ? str_make(json_string_value(value), json_string_length(value))
                                 : STR_NONE;
}

static int try_line(void *ctx, struct str raw)
{
    struct try_url *t = ctx;
    json_error_t error;
    t->line++;
    if (str_trim(raw).n == 0)
        return 0;
    struct str line = cleaned(t, raw);
    json_t *json = json_loadb(line.p, line.n, JSON_ALLOW_NUL | JSON_DECODE_ANY, &error);
    json_t *base = json_object_get(json, "base");
    struct str input = text_of(json_object_get(json, "url"));
    if (!json)
        bad_line(t, error.text);
    else if (!input.p)
        bad_line(t, "expected an object such as {\"url\":\"...\",\"base\":\"...\"}");
    else if (base && !json_is_null(base) && !json_is_string(base))
        bad_line(t, "\"base\" is not text");
    else
        try_one(t, input, base ? text_of(base) : t->base);
    json_decref(json);
    return 0;
}

static int list_rules(void)
{
    struct buf out = {.max = OUT_MAX_BYTES};
    for (const struct url_rule_row *r = url_rules; r->name; r++) {
        const char *when = r->bit == 0 ? "always" : r->bit & URL_RULES_DEFAULT ? "on" : "off";
        buf_printf(&out, "%-20s %-7s %s\n", r->name, when, r->help);
    }
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

static int set_up(struct try_url *t, const struct settings *s)
{
    struct str bad;
    if (url_rules_parse(s->rules, &t->rules, &bad))
        return cli_fail(EXIT_USAGE,
                        "--rules: \"" STR_FMT
                        "\" is not a rule that can be switched; see --list-rules",
                        STR_ARG(bad));
    enum rc rc = s->encoding.n ? url_encoding_open(s->encoding, &t->encoding) : RC_OK;
    if (rc)
        return cli_fail(EXIT_USAGE,
                        "--encoding: no encoding \"" STR_FMT
                        "\"; expected a name such as windows-1252",
                        STR_ARG(s->encoding));
    rc = url_idn_open(&t->idn);
    if (rc)
        return cli_fail(EXIT_OTHER, "international names: %s", rc_text(rc));
    t->parser.idn = t->idn;
    t->base = s->base;
    return EXIT_DONE;
}

static int try_all(struct try_url *t, const struct invocation *in)
{
    for (int i = 0; i < in->word_count; i++)
        try_one(t, str_c(in->words[i]), t->base);
    int code = in->word_count ? 0 : cli_each_line(try_line, t);
    return code ? code : t->bad_lines ? EXIT_OTHER : EXIT_DONE;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    if (s->list_rules)
        return list_rules();
    struct try_url *t = mem_zero(1, sizeof *t);
    if (!t)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    buf_init(&t->out, OUT_MAX_BYTES);
    buf_init(&t->text, OUT_MAX_BYTES);
    int code = set_up(t, s);
    if (code == EXIT_DONE)
        code = try_all(t, in);
    buf_done(&t->out);
    buf_done(&t->text);
    url_encoding_close(t->encoding);
    url_idn_close(t->idn);
    mem_free(t);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, base, "base", NULL, "resolve against this URL", .arg = "URL"),
    OPTION_TEXT_ROW(struct settings, rules, "rules", "default",
                    "normalising rules: default, all, none, NAME, -NAME, with commas",
                    .arg = "LIST"),
    OPTION_TEXT_ROW(struct settings, encoding, "encoding", "UTF-8",
                    "encoding of the document, for the query", .arg = "NAME"),
    OPTION_BOOL_ROW(struct settings, list_rules, "list-rules", "no",
                    "print the normalising rules and their defaults"),
    {0},
};

const struct command cmd_try_url = {
    .name = "try url",
    .args = "[URL...]",
    .summary = "parse, resolve and normalise URLs",
    .details =
        "Prints one JSON line for each URL: href as the URL Standard writes it, normalised "
        "as the crawl compares it, surt and cdx as indexes sort it, host, registrable domain "
        "and fingerprint; or error with the reason. Without a URL it reads JSON lines "
        "{\"url\":\"...\",\"base\":\"...\"} from standard input. A line that is not such "
        "JSON gives an error line and exit code 1 at the end; the rest is still done.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
