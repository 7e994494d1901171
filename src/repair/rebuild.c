/* SPDX-License-Identifier: Apache-2.0 */
/* Four passes: the archive (each capture is done, and where its links stand), crawl.log (each line
 * is done, and its seed path), links.arcs (seed paths of the links), links.nodes and seeds (a known
 * URL that is not done is queued). */
#include "repair/rebuild.h"
#include "discovery/seed_path.h"

#include "base/arena.h"
#include "base/boot.h"
#include "base/hash.h"
#include "discovery/depth_index.h"
#include "frontier/move.h"
#include "outputs/arcs.h"
#include "outputs/crawl_dir.h"
#include "outputs/crawl_log.h"
#include "outputs/kept_seed.h"
#include "repair/archives.h"
#include "url/normalise.h"
#include "visit/visit.h"
#include "warc/cdxj.h"
#include "warc/date.h"

enum { SYNC_EVERY = 1000, ARENA_BYTES = 64 << 10, ARENA_MAX_BYTES = 16 << 20 };

struct rebuild {
    struct ledger *l;
    struct frontier *frontier;
    struct arena *arena;
    struct depth_index *seed_paths; /* the shortest known seed path of a URL */
    struct repair_counts *counts;
    struct buf room; /* of a line of the index */
    uint64_t recorded;
    uint64_t now_ms;
};

struct named_url {
    struct url url;
    char room[URL_ROOM_BYTES];
    uint64_t fingerprint, host_hash;
};

/* False: it is no URL that the crawl can have asked for. */
static bool name_url(struct str text, struct named_url *ret)
{
    struct url_parser parser = {0};
    if (url_parse(&parser, text, NULL, (struct url_room){ret->room, sizeof ret->room}, &ret->url) ||
        (ret->url.kind != URL_HTTP && ret->url.kind != URL_HTTPS))
        return false;
    ret->fingerprint = url_fingerprint(&ret->url);
    ret->host_hash = hash64(url_host(&ret->url));
    return true;
}

/* Done ---------------------------------------------------------------------------------------- */

static enum rc record_done(struct rebuild *r, const struct named_url *u,
                           const struct history_entry *p, bool is_page)
{
    struct ledger_outcome o = {.fingerprint = u->fingerprint,
                               .history = ledger_history(r->l) ? p : NULL,
                               .pages = is_page,
                               .bytes = is_page ? p->bytes : 0};
    unsigned epoch;
    enum rc rc = ledger_record_outcome(r->l, 0, &o, &epoch);
    rc = rc ? rc : move_done(r->frontier, u->host_hash, url_host(&u->url), &u->fingerprint, 1);
    if (rc || ++r->recorded % SYNC_EVERY)
        return rc;
    rc = ledger_turn(r->l, 0);
    return rc ? rc : ledger_sync(r->l);
}

/* A capture: what a recrawl compares with, and where its links stand in the archive. */
static enum rc take_capture(void *ctx, const struct found_capture *c)
{
    struct rebuild *r = ctx;
    struct named_url u;
    struct cdxj_entry e;
    if (cdxj_parse(c->line, &r->room, &e) || !name_url(e.url, &u) ||
        str_eq(url_path_query(&u.url), STR("/robots.txt"))) /* its line in crawl.log tells if it
                                                               was asked for as a page */
        return RC_OK;
    struct history_entry p = {.url = url_href(&u.url),
                              .date_ms = e.date_ms,
                              .code = (int32_t)e.status,
                              .bytes = e.length,
                              .mime = e.mime,
                              .fetches = 1,
                              .file = str_c(c->file),
                              .file_offset = c->offset + c->bytes,
                              .file_bytes = c->end - c->offset - c->bytes};
    r->counts->done += !frontier_knows(r->frontier, u.host_hash, u.fingerprint);
    return record_done(r, &u, &p, false);
}

static uint8_t cut_of(const struct crawl_log_line *l)
{
    return crawl_log_has(l, STR("lenTrunc"))        ? HISTORY_CUT_LENGTH
           : crawl_log_has(l, STR("timeTrunc"))     ? HISTORY_CUT_TIME
           : crawl_log_has(l, STR("midFetchTrunc")) ? HISTORY_CUT_DISCONNECT
                                                    : HISTORY_WHOLE;
}

/* Facts from the archive stay; the line adds the seed path, and counts the page. */
static enum rc take_log_line(void *ctx, struct str line)
{
    struct rebuild *r = ctx;
    struct crawl_log_line l;
    struct named_url u, via;
    struct history_entry p = {0};
    if (crawl_log_parse(line, &l) || crawl_log_is_robots(&l) || !name_url(l.url, &u))
        return RC_OK;
    arena_clear(r->arena);
    enum rc rc = ledger_history(r->l)
                     ? history_get(ledger_history(r->l), u.fingerprint, r->arena, &p)
                     : RC_NOT_FOUND;
    if (rc)
        p = (struct history_entry){0};
    p.url = url_href(&u.url);
    p.via = l.via.p && name_url(l.via, &via) ? via.fingerprint : 0;
    p.seed_path = l.path.p ? l.path : STR("");
    p.code = l.status;
    p.bytes = l.bytes;
    p.cut = cut_of(&l);
    p.mime = l.mime;
    p.fetches += !p.fetches;
    if (warc_date_parse(l.time, &p.date_ms))
        p.date_ms = 0;
    r->counts->done += !frontier_knows(r->frontier, u.host_hash, u.fingerprint);
    (void)depth_index_found(r->seed_paths, u.fingerprint, seed_path_depth(p.seed_path),
                            p.seed_path);
    return record_done(r, &u, &p, l.status > 0);
}

/* Queued -------------------------------------------------------------------------------------- */

/* "PAGE LTARGET ETARGET …": each target's seed path continues the page's. */
static enum rc take_arcs(void *ctx, struct str line)
{
    struct rebuild *r = ctx;
    char room[SEED_PATH_ROOM], hop;
    struct arc_line arcs;
    uint64_t target;
    if (arc_line_parse(line, &arcs))
        return RC_OK;
    struct str page_path = depth_index_seed_path(r->seed_paths, arcs.page, STR("L"));
    while (arc_line_next(&arcs, &hop, &target)) {
        struct str found = seed_path_append(page_path, hop, room);
        (void)depth_index_found(r->seed_paths, target, seed_path_depth(found), found);
    }
    return RC_OK;
}

static enum rc queue_url(struct rebuild *r, struct str text, struct str usual_path)
{
    struct named_url u;
    enum admitted became = ADMITTED_KNOWN;
    size_t done;
    if (!name_url(text, &u))
        return RC_OK;
    struct candidate c = {.fingerprint = u.fingerprint,
                          .host_hash = u.host_hash,
                          .host = url_host(&u.url),
                          .path = url_path_query(&u.url),
                          .port = u.url.port,
                          .is_https = u.url.kind == URL_HTTPS,
                          .seed_path =
                              depth_index_seed_path(r->seed_paths, u.fingerprint, usual_path)};
    enum rc rc = frontier_admit(r->frontier, &c, 1, r->now_ms, &became, &done);
    r->counts->queued += became == ADMITTED_NEW;
    return rc;
}

/* "FINGERPRINT URL" */
static enum rc take_node(void *ctx, struct str line)
{
    struct node_line node;
    return node_line_parse(line, &node) ? RC_OK : queue_url(ctx, node.url, STR("L"));
}

/* "URL", or "URL SEED" where a seed redirected to. */
static enum rc take_seed(void *ctx, struct str line)
{
    return queue_url(ctx, kept_seed_parse(line).url, STR(""));
}

/* The whole ----------------------------------------------------------------------------------- */

static enum rc fill_state(struct rebuild *r, struct disk *d, struct buf *out)
{
    enum rc rc = archives_read(d, take_capture, r, r->counts, out);
    rc = rc ? rc : ledger_turn(r->l, 0);
    rc = rc ? rc : ledger_sync(r->l);
    rc = rc ? rc : crawl_dir_each(d, "logs/crawl.log", take_log_line, r);
    rc = rc ? rc : crawl_dir_each(d, "links/links.arcs", take_arcs, r);
    rc = rc ? rc : crawl_dir_each(d, "state/seeds", take_seed, r);
    rc = rc ? rc : crawl_dir_each(d, "links/links.nodes", take_node, r);
    return rc ? rc : ledger_finish(r->l);
}

struct ledger_settings rebuild_settings(const struct repair_settings *s, const char *history,
                                        const char *written)
{
    return (struct ledger_settings){
        .shards = 1,
        .frontier = {.max_hosts = UINT32_MAX, .max_host_queue = UINT32_MAX},
        .warc = {.prefix = STR("repair"),
                 .host = STR("repair"),
                 .roll_bytes = UINT64_C(1) << 30,
                 .buffer_bytes = 1 << 20,
                 .info = {.software = STR("orbweaver")}},
        .journal = {.segment_bytes = 64 << 20, .buffer_bytes = 16 << 20},
        .history_path = history,
        .history_bytes = HISTORY_USUAL_BYTES,
        .digest_bytes = 1 << 20,
        .snapshot_bytes = UINT64_MAX,
        .most_wait_ms = PACE_MOST_WAIT_MS,
        .written_path = written,
        .boot = boot_id(),
        .clock = clock_real(),
        .log = s->log,
    };
}

static enum rc hear_seed(void *ctx, struct str line)
{
    (void)ctx;
    (void)line;
    return RC_OK;
}

enum rc rebuild_state(struct disk *d, const struct ledger_settings *s, struct repair_counts *counts,
                      struct buf *out, struct buf *why)
{
    struct ledger_report report;
    struct rebuild r = {.counts = counts,
                        .arena = arena_open(ARENA_BYTES, ARENA_MAX_BYTES),
                        .seed_paths = depth_index_open(UINT32_MAX >> 2, true),
                        .room = {.max = CDXJ_MAX_LINE},
                        .now_ms = clock_now_ms(s->clock)};
    struct ledger_settings settings = *s;
    settings.rebuilds = settings.accepts_lost = true;
    counts->done = counts->queued = 0;
    enum rc rc = r.arena && r.seed_paths ? RC_OK : RC_NOMEM;
    rc = rc ? rc
            : ledger_open(d, &settings, (struct ledger_hears){.seed = hear_seed}, &r.l, &report,
                          why);
    if (rc == RC_OK) {
        r.frontier = ledger_frontier(r.l, 0);
        rc = fill_state(&r, d, out);
    }
    ledger_close(r.l);
    arena_close(r.arena);
    depth_index_close(r.seed_paths);
    buf_done(&r.room);
    return rc;
}
