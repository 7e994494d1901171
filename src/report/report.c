/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "archive/line_source.h"
#include "base/mem.h"
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"
#include "outputs/crawl_log.h"
#include "outputs/kept_seed.h"

enum { STEP_BYTES = 256 << 10, URL_LINE_MAX = 1 << 20 };

const char *const report_media_names[MEDIA_COUNT] = {"HTML",  "other text", "images",
                                                     "audio", "video",      "other"};

/* Media types --------------------------------------------------------------------------------- */

static enum report_media media_of(struct str mime)
{
    static const struct {
        struct str start;
        enum report_media media;
    } rows[] = {
        {STR("text/html"), MEDIA_HTML}, {STR("application/xhtml+xml"), MEDIA_HTML},
        {STR("text/"), MEDIA_TEXT},     {STR("image/"), MEDIA_IMAGE},
        {STR("audio/"), MEDIA_AUDIO},   {STR("video/"), MEDIA_VIDEO},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_starts(mime, rows[i].start))
            return rows[i].media;
    return MEDIA_OTHER;
}

/* The type alone, in lower case, at most as long as types are. */
static struct str plain_mime(struct str mime, char *room, size_t room_bytes)
{
    size_t n = 0;
    mime = str_trim(str_take_until(&mime, ';'));
    for (; n < mime.n && n < room_bytes && mime.p[n] > ' ' && mime.p[n] < 127; n++)
        room[n] = ascii_lower(mime.p[n]);
    return n ? str_make(room, n) : STR("unknown");
}

static enum rc count_mime(struct report *r, const struct crawl_log_line *l)
{
    char room[100];
    struct str mime = plain_mime(l->mime, room, sizeof room);
    struct report_mime *row = tally_row(&r->mimes, mime);
    if (!row)
        return RC_NOMEM;
    row->urls++;
    row->bytes += l->bytes;
    struct report_mime *media = &r->media[media_of(mime)];
    media->urls++;
    media->bytes += l->bytes;
    return RC_OK;
}

/* The log ------------------------------------------------------------------------------------- */

static void count_change(struct report *r, const struct crawl_log_line *l)
{
    bool is_changed = crawl_log_has(l, STR("changed"));
    r->changed += is_changed;
    r->unchanged += crawl_log_has(l, STR("unchanged"));
    if (!is_changed)
        return;
    r->changed_structure += crawl_log_has(l, STR("changed:structure"));
    r->changed_text += crawl_log_has(l, STR("changed:text"));
    r->changed_markup += crawl_log_has(l, STR("changed:markup"));
}

static void count_answer(struct report *r, struct report_host *h, const struct crawl_log_line *l)
{
    r->answers++;
    r->bytes += l->bytes;
    r->prerequisites += crawl_log_is_robots(l);
    count_change(r, l);
    h->urls++;
    h->bytes += l->bytes;
    if (crawl_log_is_not_modified(l)) {
        r->not_modified++;
        h->not_modified_urls++;
        h->not_modified_bytes += l->bytes;
    } else if (crawl_log_is_duplicate(l)) {
        r->duplicates++;
        r->duplicate_bytes += l->bytes;
        h->duplicate_urls++;
        h->duplicate_bytes += l->bytes;
    } else {
        h->novel_urls++;
        h->novel_bytes += l->bytes;
    }
}

static enum rc count_code(struct report *r, int32_t code)
{
    char room[16];
    struct buf name = buf_on(room, sizeof room);
    buf_printf(&name, "%d", code);
    struct report_code *row = tally_row(&r->codes, buf_str(&name));
    if (!row)
        return RC_NOMEM;
    row->code = code;
    row->urls++;
    return RC_OK;
}

static void note_seed_done(struct report *r, const struct crawl_log_line *l)
{
    struct report_seed *s = tally_find(&r->seeds, l->url);
    if (s) {
        s->is_done = true;
        s->code = l->status;
    }
}

static enum rc note_time(struct report *r, struct str time)
{
    if (!time.p)
        return RC_OK;
    if (!r->first.p)
        r->first = arena_dup(r->hosts.arena, time);
    if (!r->first.p)
        return RC_NOMEM;
    /* Each is as long as the first, so one buffer is enough for all that follow. */
    if (!r->last.p)
        r->last = arena_dup(r->hosts.arena, time);
    if (!r->last.p)
        return RC_NOMEM;
    if (time.n == r->last.n && str_cmp(time, r->last) > 0)
        memcpy((char *)r->last.p, time.p, time.n);
    if (time.n == r->first.n && str_cmp(time, r->first) < 0) /* of another agent's log */
        memcpy((char *)r->first.p, time.p, time.n);
    return RC_OK;
}

struct reading {
    struct report *report;
    struct line_sink urls; /* "url N" for nodes, "url L" for lines of the log */
    struct buf line;
};

/* Which file has the URL, as the last letter of a line to be sorted: the log's line comes first. */
enum { IN_LOG = 'L', IN_NODES = 'N' };

static enum rc add_url(struct reading *r, struct str url, char kind)
{
    buf_clear(&r->line);
    buf_add(&r->line, url);
    buf_byte(&r->line, ' ');
    buf_byte(&r->line, kind);
    buf_byte(&r->line, '\n');
    enum rc rc = buf_rc(&r->line);
    return rc ? rc : line_sink_add(&r->urls, buf_str(&r->line));
}

static struct report_host *host_of(struct report *r, struct str url)
{
    struct str host = crawl_log_host(url);
    return tally_row(&r->hosts, host.p ? host : STR("(none)"));
}

static enum rc take_log_line(void *ctx, struct str text)
{
    struct reading *reading = ctx;
    struct report *r = reading->report;
    struct crawl_log_line l;
    r->lines++;
    if (crawl_log_parse(text, &l) != RC_OK) {
        r->damaged++;
        return RC_OK;
    }
    struct report_host *h = host_of(r, l.url);
    if (!h)
        return RC_NOMEM;
    enum rc rc = note_time(r, l.time);
    rc = rc ? rc : count_code(r, l.status);
    if (rc == RC_OK && l.status > 0) {
        count_answer(r, h, &l);
        rc = count_mime(r, &l);
    }
    r->failures += l.status <= 0;
    h->robots += l.status == -9998;
    if (rc == RC_OK && !crawl_log_is_robots(&l)) {
        note_seed_done(r, &l);
        rc = add_url(reading, l.url, IN_LOG);
    }
    return rc;
}

static enum rc take_node(void *ctx, struct str text)
{
    struct reading *reading = ctx;
    struct node_line node;
    if (node_line_parse(text, &node) != RC_OK) {
        reading->report->damaged++;
        return RC_OK;
    }
    return add_url(reading, node.url, IN_NODES);
}

/* What remains -------------------------------------------------------------------------------- */

struct remaining {
    struct report *report;
    struct buf logged; /* the last URL of the log */
};

/* Sorted: the line of the log, if the URL has one, comes right before that of links.nodes. */
static enum rc count_url(void *ctx, struct str line)
{
    struct remaining *m = ctx;
    struct str url = str_first(line, line.n - 2);
    if (line.p[line.n - 1] == IN_LOG) {
        buf_clear(&m->logged);
        buf_add(&m->logged, url);
        return buf_rc(&m->logged);
    }
    struct report_host *h = host_of(m->report, url);
    if (!h)
        return RC_NOMEM;
    bool is_left = !str_eq(buf_str(&m->logged), url);
    h->known++;
    h->remaining += is_left;
    m->report->known++;
    m->report->remaining += is_left;
    return RC_OK;
}

static enum rc count_remaining(struct disk *scratch, struct report *r)
{
    struct remaining m = {.report = r, .logged = {.max = URL_LINE_MAX}};
    enum rc rc = crawl_scratch_sort(scratch, "scratch/urls.part", "scratch/urls");
    rc = rc ? rc : crawl_dir_each(scratch, "scratch/urls", count_url, &m);
    rc = rc ? rc : disk_unlink(scratch, "scratch/urls");
    buf_done(&m.logged);
    return rc;
}

/* Seeds --------------------------------------------------------------------------------------- */

/* "URL", or "URL SEED" for where a seed led. */
static enum rc take_seed(void *ctx, struct str line)
{
    struct report *r = ctx;
    struct kept_seed s = kept_seed_parse(line);
    struct str seed = s.from, url = s.url;
    struct report_seed *row = url.n ? tally_row(&r->seeds, url) : NULL;
    if (!row)
        return url.n ? RC_NOMEM : RC_OK;
    if (!seed.n)
        return RC_OK;
    row->is_redirect = true;
    struct report_seed *origin = tally_find(&r->seeds, seed);
    if (origin)
        origin->redirect = row->url;
    return RC_OK;
}

/* The whole ----------------------------------------------------------------------------------- */

/* An agent's log may name a URL that another agent found: all logs are read before URLs count as
 * remaining. */
static enum rc read_logs(struct crawl_set crawls, struct disk *scratch, struct report *r)
{
    struct reading reading = {.report = r, .line = {.max = URL_LINE_MAX}};
    enum rc rc = line_sink_open(&reading.urls, scratch, "scratch/urls.part", STEP_BYTES);
    rc = rc ? rc : crawl_set_each(crawls, "logs/crawl.log", take_log_line, &reading);
    rc = rc ? rc : crawl_set_each(crawls, "links/links.nodes", take_node, &reading);
    rc = rc ? rc : line_sink_end(&reading.urls, false);
    line_sink_done(&reading.urls);
    buf_done(&reading.line);
    return rc ? rc : count_remaining(scratch, r);
}

static enum rc report_init(struct report *r)
{
    enum rc rc = tally_init(&r->hosts, sizeof(struct report_host), REPORT_MAX_HOSTS);
    rc = rc ? rc : tally_init(&r->mimes, sizeof(struct report_mime), REPORT_MAX_MIMES);
    rc = rc ? rc : tally_init(&r->codes, sizeof(struct report_code), 2000);
    rc = rc ? rc : tally_init(&r->seeds, sizeof(struct report_seed), REPORT_MAX_SEEDS);
    for (int i = 0; i < MEDIA_COUNT; i++)
        r->media[i].name = str_c(report_media_names[i]);
    return rc;
}

enum rc report_open(struct disk *crawl, bool with_links, struct report **ret)
{
    return report_open_all(crawl_set_one(&crawl), with_links, ret);
}

enum rc report_open_all(struct crawl_set crawls, bool with_links, struct report **ret)
{
    struct crawl_scratch scratch = {0};
    struct report *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    enum rc rc = report_init(r);
    rc = rc ? rc : crawl_scratch_open(crawls.list[0], &scratch);
    rc = rc ? rc : crawl_set_each(crawls, "state/seeds", take_seed, r);
    rc = rc ? rc : read_logs(crawls, scratch.disk, r);
    r->has_links = with_links;
    rc = rc || !with_links ? rc : report_read_links(crawls, scratch.disk, r);
    crawl_scratch_close(&scratch);
    if (rc)
        report_close(r);
    else
        *ret = r;
    return rc;
}

void report_close(struct report *r)
{
    if (!r)
        return;
    tally_done(&r->hosts);
    tally_done(&r->mimes);
    tally_done(&r->codes);
    tally_done(&r->seeds);
    mem_free(r);
}
