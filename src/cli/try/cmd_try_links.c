/* SPDX-License-Identifier: Apache-2.0 */
/* try links: every link of an HTML file as an absolute URL, one JSON line each. */
#include "cli/commands.h"

#include "base/jsonw.h"
#include "cli/try/page_input.h"
#include "html/css.h"
#include "url/encoding.h"
#include "url/idn.h"
#include "url/url.h"

enum { OUT_MAX_BYTES = 1 << 20, PAGE_ARENA_BYTES = 1 << 30, FLUSH_BYTES = 64 << 10 };

struct settings {
    struct str url, content_type;
    bool lazy;
};

struct try_links {
    struct page_input input;
    struct arena *arena;
    struct page page;
    struct url_idn *idn;
    struct url_encoding *encoding;
    struct url_parser parser;
    struct url base;
    struct buf out;
    char page_room[URL_ROOM_BYTES], base_room[URL_ROOM_BYTES], room[URL_ROOM_BYTES];
};

/* The page's own URL, then its <base href> where that is one (data: and javascript: are none). What
 * the page's encoding is does not matter for its own URL. */
static int base_find(struct try_links *t, struct str url)
{
    struct url_room room = {t->page_room, sizeof t->page_room};
    struct url base;
    t->parser.encoding = NULL;
    if (url_parse(&t->parser, url, NULL, room, &t->base) != RC_OK)
        return cli_fail(EXIT_USAGE, "--url: " STR_FMT ": %s", STR_ARG(url),
                        url_reason_text(t->parser.reason));
    t->parser.encoding = t->encoding;
    room = (struct url_room){t->base_room, sizeof t->base_room};
    if (t->page.base.p && url_parse(&t->parser, t->page.base, &t->base, room, &base) == RC_OK &&
        !str_eq(url_scheme(&base), STR("data")) && !str_eq(url_scheme(&base), STR("javascript")))
        t->base = base;
    return EXIT_DONE;
}

static void print_link(struct try_links *t, const struct page_link *link)
{
    struct url_room room = {t->room, sizeof t->room};
    struct url url;
    struct jsonw j = jsonw_to(&t->out);
    bool good = url_parse(&t->parser, link->url, &t->base, room, &url) == RC_OK;
    jsonw_object(&j);
    jsonw_text_field(&j, "url", good ? url_href(&url) : STR_NONE);
    jsonw_text_field(&j, "element", link->element_name);
    struct str attribute = attribute_name(link->attribute);
    jsonw_text_field(&j, "attribute", attribute.n ? attribute : STR_NONE);
    jsonw_text_field(&j, "rel", link->rel);
    jsonw_text_field(&j, "text", link->text);
    jsonw_text_field(&j, "kind", str_c(page_link_kind_name(link->kind)));
    if (!good) {
        jsonw_text_field(&j, "raw", link->url);
        jsonw_text_field(&j, "error", str_c(url_reason_text(t->parser.reason)));
    }
    jsonw_end(&j);
    buf_byte(&t->out, '\n');
    if (t->out.n > FLUSH_BYTES)
        cli_print(&t->out);
}

/* A style sheet's addresses stand in no element. */
static int css_print(struct try_links *t)
{
    struct css_scan scan;
    struct css_url found;
    struct buf scratch;
    buf_init(&scratch, OUT_MAX_BYTES);
    css_scan_init(&scan, buf_str(&t->input.utf8), &scratch);
    while (css_scan_next(&scan, &found)) {
        struct page_link link = {.url = found.raw, .kind = found.is_import ? PAGE_STYLE : PAGE_CSS};
        print_link(t, &link);
    }
    enum rc rc = buf_rc(&scratch);
    buf_done(&scratch);
    return rc == RC_OK ? EXIT_DONE : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
}

static int links_print(struct try_links *t, const char *path, const struct settings *s)
{
    int code = page_input_read(&t->input, path, s->content_type);
    unsigned parts = PAGE_LINKS | PAGE_ANCHORS | (s->lazy ? PAGE_LAZY : 0u);
    bool is_page = t->input.type == PAGE_TYPE_HTML || t->input.type == PAGE_TYPE_XML;
    if (code == EXIT_DONE && is_page)
        code = page_input_parse(&t->input, parts, t->arena, &t->page);
    if (code == EXIT_DONE && url_encoding_open(str_c(t->input.charset), &t->encoding) != RC_OK)
        t->encoding = NULL;
    if (code == EXIT_DONE)
        code = base_find(t, s->url);
    if (code == EXIT_DONE && t->input.type == PAGE_TYPE_CSS)
        code = css_print(t);
    for (size_t i = 0; code == EXIT_DONE && i < t->page.link_count; i++)
        print_link(t, &t->page.links[i]);
    if (code == EXIT_DONE)
        cli_print(&t->out);
    if (code == EXIT_DONE && t->page.links_cut)
        code = cli_fail(EXIT_OTHER, "more or longer links than fit; those are missing");
    return code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "try links: expected one file of HTML (- is standard input)");
    struct try_links *t = arena_zero(in->arena, sizeof *t);
    if (!t)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    buf_init(&t->out, OUT_MAX_BYTES);
    t->arena = arena_open(1 << 20, PAGE_ARENA_BYTES);
    enum rc rc = t->arena ? url_idn_open(&t->idn) : RC_NOMEM;
    t->parser.idn = t->idn;
    int code =
        rc == RC_OK ? links_print(t, in->words[0], s) : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    url_encoding_close(t->encoding);
    url_idn_close(t->idn);
    page_input_done(&t->input);
    arena_close(t->arena);
    buf_done(&t->out);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, url, "url", NULL, "the page's own URL", .arg = "URL",
                    .required = true),
    OPTION_TEXT_ROW(struct settings, content_type, "content-type", NULL,
                    "what the server said it is: HTML (the default), XHTML, CSS; its charset",
                    .arg = "TYPE"),
    OPTION_BOOL_ROW(struct settings, lazy, "lazy", "no",
                    "also what scripts would load later (data-src and the like)"),
    {0},
};

const struct command cmd_try_links = {
    .name = "try links",
    .args = "FILE|-",
    .summary = "the links of an HTML or CSS file, resolved",
    .details =
        "One JSON line per reference, in the order of the page: url (null, with raw and\n"
        "error, where it is none), element, attribute, rel, text (of the anchor, or the\n"
        "alt of an image) and kind. <base href> counts; nothing is filtered. A type other than\n"
        "HTML, XML and CSS has no links.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
