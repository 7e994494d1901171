/* SPDX-License-Identifier: Apache-2.0 */
/* try sitemap: the URLs of a sitemap or feed, one JSON line each. */
#include "cli/commands.h"

#include "base/jsonw.h"
#include "sitemap/sitemap.h"
#include "url/idn.h"
#include "url/url.h"
#include "warc/date.h"
#include "warc/inflate.h"

enum {
    OUT_MAX_BYTES = 4 << 20,
    FLUSH_BYTES = 64 << 10,
    FILE_MAX_BYTES = 256 << 20,
    PIECE_BYTES = 64 << 10,
};

struct settings {
    struct str url;
};

struct try_sitemap {
    struct sitemap_reader *reader;
    struct url_idn *idn;
    struct url_parser parser;
    struct url base;
    bool has_base;
    struct buf file, out;
    char base_room[URL_ROOM_BYTES], room[URL_ROOM_BYTES], piece[PIECE_BYTES];
};

/* Where a base was given: the URL resolved, or null with what was written and why. */
static void print_url(struct try_sitemap *t, struct jsonw *j, struct str loc)
{
    struct url url;
    struct url_room room = {t->room, sizeof t->room};
    if (!t->has_base) {
        jsonw_text_field(j, "url", loc);
    } else if (url_parse(&t->parser, loc, &t->base, room, &url) == RC_OK) {
        jsonw_text_field(j, "url", url_href(&url));
    } else {
        jsonw_text_field(j, "url", STR_NONE);
        jsonw_text_field(j, "raw", loc);
        jsonw_text_field(j, "error", str_c(url_reason_text(t->parser.reason)));
    }
}

static void print_date(struct jsonw *j, const struct sitemap_entry *e)
{
    char text[40];
    struct buf date = buf_on(text, sizeof text);
    if (!e->lastmod.p)
        return;
    if (e->has_lastmod_ms)
        warc_date_print(&date, e->lastmod_ms);
    jsonw_text_field(j, "lastmod",
                     e->has_lastmod_ms && date.rc == RC_OK ? buf_str(&date) : STR_NONE);
    jsonw_text_field(j, "lastmod-raw", e->lastmod);
}

static enum rc print_entry(void *ctx, const struct sitemap_entry *e)
{
    struct try_sitemap *t = ctx;
    struct jsonw j = jsonw_to(&t->out);
    jsonw_object(&j);
    jsonw_text_field(&j, "kind", str_c(sitemap_kind_name(e->kind)));
    jsonw_u64_field(&j, "number", e->number);
    print_url(t, &j, e->loc);
    print_date(&j, e);
    if (e->changefreq)
        jsonw_text_field(&j, "changefreq", str_c(sitemap_changefreq_name(e->changefreq)));
    if (e->priority_permille != SITEMAP_NO_PRIORITY) {
        jsonw_key(&j, "priority");
        jsonw_real(&j, e->priority_permille / 1000.0);
    }
    if (e->lang.p)
        jsonw_text_field(&j, "lang", e->lang);
    jsonw_end(&j);
    buf_byte(&t->out, '\n');
    if (t->out.n > FLUSH_BYTES)
        cli_print(&t->out);
    return RC_OK;
}

static void print_summary(struct try_sitemap *t)
{
    const struct sitemap_summary *s = sitemap_summary(t->reader);
    struct jsonw j = jsonw_to(&t->out);
    jsonw_object(&j);
    jsonw_text_field(&j, "kind", STR("summary"));
    jsonw_text_field(&j, "format", str_c(sitemap_format_name(s->format)));
    jsonw_u64_field(&j, "entries", s->entries);
    jsonw_u64_field(&j, "extras", s->extras);
    jsonw_u64_field(&j, "entries-cut", s->entries_cut);
    jsonw_u64_field(&j, "extras-cut", s->extras_cut);
    jsonw_u64_field(&j, "bytes", s->bytes);
    jsonw_u64_field(&j, "bytes-cut", s->bytes_cut);
    jsonw_u64_field(&j, "without-loc", s->without_loc);
    jsonw_u64_field(&j, "too-long", s->too_long);
    jsonw_u64_field(&j, "entities-dropped", s->refs_dropped);
    jsonw_bool_field(&j, "doctype", s->doctype);
    jsonw_bool_field(&j, "charset-unread", s->charset_unread);
    jsonw_end(&j);
    buf_byte(&t->out, '\n');
    cli_print(&t->out);
}

static const struct str gzip_magic = {"\x1f\x8b", 2};

/* Member after member; what stands behind the last is not read. RC_INVALID where it is damaged:
 * what came before counts. */
static enum rc add_gzip(struct try_sitemap *t, struct inflater *f)
{
    struct str in = buf_str(&t->file);
    enum inflate_state state = INFLATE_MORE;
    size_t bytes = 0; /* a full piece: there may be more without more input */
    while (state == INFLATE_MORE ? in.n || bytes == sizeof t->piece : str_starts(in, gzip_magic)) {
        if (state == INFLATE_END)
            inflater_reset(f);
        state = inflater_run(f, &in, t->piece, sizeof t->piece, &bytes);
        enum rc rc = sitemap_add(t->reader, str_make(t->piece, bytes));
        if (rc)
            return rc;
        if (state == INFLATE_NOMEM || state == INFLATE_BROKEN)
            return state == INFLATE_NOMEM ? RC_NOMEM : RC_INVALID;
    }
    return state == INFLATE_END ? RC_OK : RC_INVALID;
}

static enum rc add_file(struct try_sitemap *t)
{
    if (!str_starts(buf_str(&t->file), gzip_magic))
        return sitemap_add(t->reader, buf_str(&t->file));
    struct inflater *f = inflater_open();
    enum rc rc = f ? add_gzip(t, f) : RC_NOMEM;
    inflater_close(f);
    return rc;
}

static int sitemap_print(struct try_sitemap *t, const char *path)
{
    enum rc rc = add_file(t);
    bool is_damaged = rc == RC_INVALID;
    /* RC_LIMIT: there is no more to come, and the summary says what was cut. */
    if (rc == RC_OK || rc == RC_LIMIT || is_damaged)
        rc = sitemap_finish(t->reader, rc == RC_OK);
    if (rc)
        return cli_fail(EXIT_OTHER, "%s: %s", path, rc_text(rc));
    print_summary(t);
    enum sitemap_format format = sitemap_summary(t->reader)->format;
    if (is_damaged)
        return cli_fail(EXIT_OTHER, "%s: the gzip is damaged or cut", path);
    if (format == SITEMAP_NONE || format == SITEMAP_HTML)
        return cli_fail(EXIT_OTHER, "%s: no sitemap, feed or list of URLs", path);
    return EXIT_DONE;
}

static int try_open(struct try_sitemap *t, const struct settings *s)
{
    struct sitemap_options o = {.emit = print_entry, .ctx = t};
    struct url_room room = {t->base_room, sizeof t->base_room};
    enum rc rc = url_idn_open(&t->idn);
    t->parser.idn = t->idn;
    if (rc == RC_OK)
        rc = sitemap_open(&o, &t->reader);
    if (rc)
        return cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    t->has_base = s->url.p != NULL;
    if (t->has_base && url_parse(&t->parser, s->url, NULL, room, &t->base) != RC_OK)
        return cli_fail(EXIT_USAGE, "--url: " STR_FMT ": %s", STR_ARG(s->url),
                        url_reason_text(t->parser.reason));
    return EXIT_DONE;
}

static int run(struct invocation *in)
{
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE,
                        "try sitemap: expected one sitemap or feed (- is standard input)");
    struct try_sitemap *t = arena_zero(in->arena, sizeof *t);
    if (!t)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    buf_init(&t->out, OUT_MAX_BYTES);
    int code = try_open(t, in->settings);
    if (code == EXIT_DONE && cli_read_file(in->words[0], FILE_MAX_BYTES, &t->file) != RC_OK)
        code = EXIT_OTHER;
    if (code == EXIT_DONE)
        code = sitemap_print(t, in->words[0]);
    sitemap_close(t->reader);
    url_idn_close(t->idn);
    buf_done(&t->file);
    buf_done(&t->out);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, url, "url", NULL,
                    "where the file was; its URLs are then resolved", .arg = "URL"),
    {0},
};

const struct command cmd_try_sitemap = {
    .name = "try sitemap",
    .args = "FILE|-",
    .summary = "the URLs of a sitemap, feed or list",
    .details =
        "Knows a sitemap, an index of sitemaps, RSS, Atom or a list of URLs by its content,\n"
        "unpacks gzip, and prints a JSON line for each URL: kind (page, sitemap, alternate,\n"
        "image, media), number of the record it stands in, url (null, with raw and error, where\n"
        "it is none), lastmod (null if it is no date) and lastmod-raw, changefreq, priority,\n"
        "lang. The last line has kind summary: the format, and counts of what was left out.\n"
        "Broken files give what can be had; no entity is ever expanded.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
