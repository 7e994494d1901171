/* SPDX-License-Identifier: Apache-2.0 */
/* ledger/here: the crawl's directory on this machine's disk. */
#include "discovery/depth_index.h"
#include "ledger/depth_recall.h"
#include "ledger/host_records.h"
#include "ledger/refetch.h"
#include "linkindex/link_keeper.h"
#include "roles/budget.h"
#include "roles/counters.h"
#include "roles/ledger.h"
#include "roles/pace.h"
#include "roles/scope.h"
#include "roles/seen.h"
#include "visit/links.h"
#include "visit/visit.h"

#include "base/boot.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/int_set.h"
#include "base/log.h"
#include "base/mem.h"
#include "fetch/request.h"
#include "flow/part.h"
#include "outputs/kept_seed.h"
#include "url/normalise.h"

#include <errno.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

enum { NEED_SCOPE, NEED_BUDGET, NEED_PACE, NEED_SEEN };

#ifndef VERSION
#define VERSION "0"
#endif

struct ledger_part_settings {
    struct str output;
    struct str user_agent, contact;
    struct str prefix, description;
    bool ignore_robots;
    uint64_t roll_bytes;
    uint64_t digest_bytes, history_bytes;
    uint64_t sync_ms;
    uint64_t snapshot_bytes;
    uint64_t reserve_bytes;
    uint64_t restart_wait_ms;
    uint64_t hosts, host_queue, host_queue_bytes;
    uint64_t frontier_bytes, slice_ms, recent_bytes;
    bool no_history;
    bool recrawl, compare;
    bool refetch_lost;
    bool archive_only, no_archive;
    bool link_index;
    uint64_t link_run_bytes;
    uint64_t depth, depth_urls;
    struct option_list keywords;
    struct str cluster, agent;
    unsigned order;
    uint64_t order_half;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct ledger_part_settings, field, __VA_ARGS__)
static const struct option ledger_options[] = {
    ROW(TEXT, output, "output", "crawl", "the crawl's directory", .arg = "DIR"),
    ROW(TEXT, user_agent, "user-agent", "orbweaver", "the crawler's name, for archives"),
    ROW(TEXT, contact, "contact", NULL, "where a site's operator can write to", .arg = "URL|MAIL"),
    ROW(BOOL, ignore_robots, "ignore-robots", "no", "say in archives that robots.txt was ignored"),
    ROW(TEXT, prefix, "warc-prefix", "orbweaver", "how names of archive files begin"),
    ROW(TEXT, description, "description", NULL, "what the crawl is for, for archives"),
    ROW(SIZE, roll_bytes, "warc-size", "1GB", "size at which an archive file is ended",
        .min = 1000),
    ROW(SIZE, digest_bytes, "digest-memory", "64M",
        "memory for digests of payloads that may come again"),
    ROW(SIZE, history_bytes, "history-memory", "64M",
        "memory of the history: entries not written yet, or read lately"),
    ROW(DURATION, sync_ms, "sync", "1s", "time between two syncs of the disk", .min = 1),
    ROW(SIZE, snapshot_bytes, "snapshot-size", "64M",
        "bytes of journal between two snapshots of the frontier", .former = "image-size"),
    ROW(SIZE, reserve_bytes, "disk-reserve", "256M", "the crawl pauses when the disk has less"),
    ROW(DURATION, restart_wait_ms, "restart-wait", "0",
        "after a restart hosts wait for so long before their delay: as long as members of a pool "
        "may ask"),
    ROW(COUNT, hosts, "hosts", "10M", "most hosts that are known", .min = 1),
    ROW(COUNT, host_queue, "host-queue", "10M", "most URLs that wait for a host", .min = 1),
    ROW(SIZE, host_queue_bytes, "host-queue-size", "256M",
        "most memory or disk for the URLs that wait for a host; 0 is no limit"),
    ROW(SIZE, frontier_bytes, "frontier-memory", "2G",
        "memory for known and queued URLs; past it they are swapped to disk; 0 is no limit"),
    ROW(DURATION, slice_ms, "frontier-slice", "60s",
        "time that hosts with work stay in memory before others have their turn"),
    ROW(SIZE, recent_bytes, "frontier-recent", "1M",
        "memory of each shard for links to swapped hosts that came lately"),
    ROW(TEXT, cluster, "cluster", NULL, "with a server: the agents share limits", .arg = "URL"),
    ROW(TEXT, agent, "agent", NULL, "names of archive files end with this agent's name",
        .arg = "NAME"),
    ROW(BOOL, no_history, "no-history", "no", "keep no history of fetched URLs"),
    ROW(BOOL, recrawl, "recrawl", "no", "begin anew, and ask again for known URLs"),
    ROW(BOOL, refetch_lost, "refetch-lost", "no",
        "continue though archive files are missing, and fetch their captures again"),
    ROW(COUNT, depth, "depth", "100",
        "links followed from a seed; below 100 (the default) seed paths are compared"),
    ROW(COUNT, depth_urls, "depth-urls", "10M", "most URLs whose seed paths are compared",
        .max = 1 << 30),
    ROW(BOOL, archive_only, "archive-only", "no",
        "archives have no links: seed paths are not compared"),
    ROW(BOOL, no_archive, "no-archive", "no", "without an archive seed paths are not compared"),
    ROW(BOOL, link_index, "link-index", "no", "keep an index of the pages that link to each URL"),
    ROW(SIZE, link_run_bytes, "link-index-run", "16M",
        "bytes of links/ that make a file of the link index", .min = 1000, .max = 1 << 30),
    ROW(LIST, keywords, "keywords", NULL, "with a topic seed paths are not compared"),
    ROW(CHOICE, order, "order", "breadth",
        "which URL comes first: as found, by its links, or by the topic", .choices = ORDER_CHOICES),
    ROW(COUNT, order_half, "priority-half", "100k",
        "known URLs at which the weight has shifted half way to back links; 0: it never shifts"),
    ROW(BOOL, compare, "compare", "no",
        "store page fingerprints, so that a later recrawl can say what changed"),
    {0},
};
#undef ROW

enum { JOINED_BYTES = 1 << 20 };

struct ledger_part {
    struct ledger_service service;
    struct disk *disk;
    struct arena *arena;
    struct scope_service *scope;
    struct budget *budget;
    struct pace_service *pace;
    const struct seen *seen; /* NULL: the wiring says nothing about it */
    struct int_set seeds;    /* fingerprints */
    struct depth_index *depth_index[CRAWL_MAX_SHARDS];
    struct link_keeper *link_keeper; /* NULL: there is no link index */
    struct buf heard;                /* links of the journal, while it is opened */
};

/* Seeds that were there before ----------------------------------------------------------------- */

static bool knows_seed(const struct ledger_service *service, uint64_t fingerprint)
{
    const struct ledger_part *p = (const struct ledger_part *)(const void *)service;
    return int_set_has(&p->seeds, fingerprint);
}

/* "URL", or for where a seed redirected to "URL SEED": both draw the scope. */
static enum rc hear_seed(void *ctx, struct str line)
{
    struct ledger_part *p = ctx;
    struct kept_seed seed = kept_seed_parse(line);
    struct url_parser parser = {.idn = p->scope->idn};
    char room[URL_ROOM_BYTES];
    struct url u;
    if (url_parse(&parser, seed.url, NULL, (struct url_room){room, sizeof room}, &u))
        return RC_OK; /* it was a URL for the version that wrote it; the frontier knows it */
    enum rc rc = scope_add_seed(p->scope->scope, &u);
    bool is_new;
    if (rc || !seed.from.p)
        return rc ? rc : int_set_add(&p->seeds, url_fingerprint(&u), &is_new);
    if (p->service.joined.n + seed.url.n < JOINED_BYTES) { /* past it their owners tell them */
        buf_add(&p->service.joined, seed.url);
        buf_byte(&p->service.joined, '\n');
    }
    return buf_rc(&p->service.joined);
}

/* Opening -------------------------------------------------------------------------------------- */

/* The last part of an archive file's name: the machine, and in a cluster the agent, because two
 * agents on one machine must not make the same name. */
static struct str name_end(struct arena *arena, const char *host, struct str agent)
{
    size_t room = agent.n && agent.n < WARC_FILES_MAX_HOST / 2 ? WARC_FILES_MAX_HOST - 1 - agent.n
                                                               : WARC_FILES_MAX_HOST;
    struct str machine = str_c(host);
    machine = str_first(machine, machine.n < room ? machine.n : room);
    return room < WARC_FILES_MAX_HOST
               ? arena_printf(arena, STR_FMT "-" STR_FMT, STR_ARG(machine), STR_ARG(agent))
               : arena_dup(arena, machine);
}

/* What the archive says about the crawler that made it. */
static enum rc describe(struct ledger_part *p, const struct ledger_part_settings *s,
                        struct warc_files_settings *ret, struct buf *why)
{
    char host[WARC_FILES_MAX_HOST + 1] = {0};
    struct request_identity identity;
    enum rc rc = identity_make(s->user_agent, s->contact, p->arena, &identity, why);
    if (rc)
        return rc;
    if (gethostname(host, sizeof host - 1))
        (void)snprintf(host, sizeof host, "localhost");
    for (char *c = host; *c; c++)
        if (!ascii_is_alnum(*c) && *c != '.' && *c != '_' && *c != '-')
            *c = '_';
    struct str name = arena_dup(p->arena, str_c(host));
    struct str end = name_end(p->arena, host, s->agent);
    if (!name.p || !end.p)
        return RC_NOMEM;
    *ret = (struct warc_files_settings){
        .prefix = s->prefix,
        .host = end,
        .roll_bytes = s->roll_bytes,
        .buffer_bytes = 16 << 20,
        .info = {.software = STR("orbweaver/" VERSION),
                 .hostname = name,
                 .user_agent = identity.user_agent,
                 .robots = s->ignore_robots ? STR("ignore") : STR("obey"),
                 .contact = s->contact,
                 .description = s->description},
    };
    return getrandom(&ret->id_seed, sizeof ret->id_seed, 0) == sizeof ret->id_seed ? RC_OK : RC_IO;
}

/* Every failure but RC_NOMEM is RC_IO, with which the program's exit code names the disk. */
static enum rc open_directory(const char *path, struct ledger_part *p, struct buf *why)
{
    enum rc rc = disk_real_open(path, &p->disk);
    if (rc)
        buf_printf(why, "output: cannot use the directory %s: %s", path,
                   rc == RC_NOMEM ? rc_text(rc) : strerror(errno));
    return rc == RC_OK || rc == RC_NOMEM ? rc : RC_IO;
}

/* Whether a link to a swapped host has room, asked when the host is loaded. */
static bool may_enter(void *ctx, const struct candidate *c, bool is_new_host, unsigned page_hosts)
{
    struct ledger_part *p = ctx;
    if (is_new_host && !budget_new_host(p->budget, c->host, c->from, page_hosts))
        return false;
    return budget_query(p->budget, c->host_hash, c->path);
}

static void became(void *ctx, enum admitted what)
{
    struct ledger_part *p = ctx;
    struct crawl_counts *c = &p->service.counts;
    if (what == ADMITTED_HOST_FULL)
        count_over_limit(c, BRING_QUEUE, 1);
    else
        count_add(what == ADMITTED_NEW       ? &c->admitted
                  : what == ADMITTED_REFUSED ? &c->over_budget
                                             : &c->known,
                  1);
}

/* Adds what earlier runs took of a domain, host by host: at once for hosts in memory, for swapped
 * hosts when they are loaded. */
static void restore_host(void *ctx, const struct host *h)
{
    struct ledger_part *p = ctx;
    const struct host_record *c = host_record_if(h);
    budget_restore_domain(p->budget, host_name(h), c ? c->pages : 0, c ? c->bytes : 0, true);
}

/* 0 is no limit, and stays so. */
static uint64_t share_of(uint64_t bytes, unsigned shards)
{
    return bytes && bytes < shards ? 1 : bytes / shards;
}

/* Depths --------------------------------------------------------------------------------------- */

/* Whether a shorter path found later matters, and the links of a page can be read back. A Bloom
 * filter cannot tell a known URL from a new one for certain: with it the first path counts. */
static bool compares_depth(const struct ledger_part *p, const struct ledger_part_settings *s)
{
    return s->depth < DEPTH_INDEX_FROM && !s->no_history && !s->archive_only && !s->no_archive &&
           !s->keywords.count && !(p->seen && p->seen->plan.kind == SEEN_BLOOM);
}

/* A link of the last moments before a crash. */
static void hear_link(void *ctx, const struct candidate *c)
{
    struct ledger_part *p = ctx;
    char room[FRONTIER_MAX_PATH_BYTES + FRONTIER_MAX_HOST_BYTES + 32];
    struct buf url = buf_on(room, sizeof room);
    candidate_print(c, &url);
    if (buf_rc(&url) == RC_OK && p->heard.n < DEPTHS_HEARD_BYTES - sizeof room)
        found_again_put(&p->heard, &(struct found_again){buf_str(&url), c->seed_path, c->via});
}

/* How known URLs are kept ---------------------------------------------------------------------- */

static enum rc refuse_seen(struct buf *why, const char *text)
{
    buf_printf(why, "seen: %s", text);
    return RC_INVALID;
}

static enum rc plan_seen(const struct ledger_part *p, const struct ledger_part_settings *s,
                         const char *path, struct ledger_seen_settings *ret, struct buf *why)
{
    struct seen_plan plan = p->seen ? p->seen->plan : (struct seen_plan){.kind = SEEN_EXACT};
    *ret = (struct ledger_seen_settings){
        .path = path, .bytes = plan.memory_bytes, .expected = plan.expected, .loss = plan.loss};
    if (s->order == ORDER_PRIORITY && (plan.kind == SEEN_ROCKSDB || plan.kind == SEEN_BLOOM))
        return refuse_seen(why, "--order priority counts the links to each known URL beside it in "
                                "memory, and rocksdb and bloom keep no such count; use exact, or "
                                "another --order");
    switch (plan.kind) {
    case SEEN_EXACT:
        return RC_OK;
    case SEEN_ROCKSDB:
        ret->kind = LEDGER_SEEN_ROCKSDB;
        return RC_OK;
    case SEEN_BLOOM:
        ret->kind = LEDGER_SEEN_BLOOM;
        return s->cluster.n ? refuse_seen(why, "bloom cannot be used with --cluster: a host that "
                                               "moves to another agent takes its URLs along, and a "
                                               "filter cannot forget them; use exact or rocksdb")
                            : RC_OK;
    case SEEN_LINES_ONLY:
        break;
    }
    return refuse_seen(why, "this part is for lines of text; a crawl uses exact, rocksdb or bloom");
}

static enum rc open_ledger(struct instance *self, struct ledger_part *p, struct buf *why)
{
    const struct ledger_part_settings *s = self->settings;
    struct str history = arena_printf(p->arena, "%s/state/history", s->output.p);
    struct str written = arena_printf(p->arena, "%s/state/WRITTEN", s->output.p);
    struct str seen = arena_printf(p->arena, "%s/state/seen", s->output.p);
    p->service.order = (enum order_kind)s->order;
    struct ledger_settings l = {
        .shards = self->shard_count,
        .frontier = {.max_hosts = s->hosts,
                     .max_host_queue = s->host_queue,
                     .max_host_queue_bytes = s->host_queue_bytes,
                     .memory_bytes = share_of(s->frontier_bytes, self->shard_count),
                     .slice_ms = s->slice_ms,
                     .recent_bytes = s->recent_bytes,
                     .order = (enum order_kind)s->order,
                     .order_half = s->order_half,
                     .asks = {may_enter, became, restore_host, p}},
        .journal = {.segment_bytes = 64 << 20, .buffer_bytes = 16 << 20},
        .history_path = s->no_history ? NULL : history.p,
        .history_bytes = s->history_bytes,
        .digest_bytes = s->digest_bytes,
        .sync_ms = s->sync_ms,
        .snapshot_bytes = s->snapshot_bytes,
        .pace = p->pace->now(p->pace),
        .restart_wait_ms = s->restart_wait_ms,
        .most_wait_ms = PACE_MOST_WAIT_MS,
        .reserve_bytes = s->reserve_bytes,
        .recrawl = s->recrawl,
        .accepts_lost = s->refetch_lost,
        .written_path = written.p,
        .boot = boot_id(),
        .clock = part_clock(self),
        .log = part_log(self),
    };
    if (s->recrawl && s->no_history) {
        buf_add(why, STR("recrawl: needs the history, and no-history turns it off"));
        return RC_INVALID;
    }
    enum rc rc =
        history.p && written.p && seen.p ? plan_seen(p, s, seen.p, &l.seen, why) : RC_NOMEM;
    rc = rc ? rc : describe(p, s, &l.warc, why);
    if (rc == RC_OK)
        rc = open_directory(s->output.p, p, why);
    if (rc)
        return rc;
    struct buf text = {.max = 8192};
    buf_init(&p->service.joined, JOINED_BYTES);
    buf_init(&p->heard, DEPTHS_HEARD_BYTES);
    buf_init(&p->service.found_again, SIZE_MAX / 2);
    struct ledger_hears hears = {hear_seed, p, compares_depth(p, s) ? hear_link : NULL};
    rc = ledger_open(p->disk, &l, hears, &p->service.ledger, &p->service.opened, &text);
    if (rc)
        buf_printf(why, STR_FMT ": " STR_FMT, STR_ARG(s->output),
                   STR_ARG(text.n ? buf_str(&text) : str_c(rc_text(rc))));
    if (rc == RC_CORRUPT)
        buf_printf(why,
                   "\nthe directory is damaged; nothing was changed. Put back a copy of what is "
                   "damaged, or run: orbweaver repair " STR_FMT,
                   STR_ARG(s->output));
    buf_done(&text);
    return rc;
}

/* In a cluster each agent asks for those of its own hosts (agent/lost.c). */
static enum rc ask_for_lost(struct instance *self, struct ledger_part *p, struct buf *why)
{
    const struct ledger_part_settings *s = self->settings;
    uint64_t lost = 0;
    if (!s->refetch_lost || !ledger_has_lost(p->service.ledger))
        return RC_OK;
    enum rc rc =
        refetch_lost(p->service.ledger, self->shard_count, p->scope->idn, s->cluster.n > 0, &lost);
    if (rc)
        buf_printf(why, "cannot list the lost captures: %s", rc_text(rc));
    else
        log_warn(part_log(self), "archive.lost", LOG_U64("captures", lost),
                 LOG_C("note", "their URLs are asked for again"));
    return rc;
}

static enum rc open_depths(struct instance *self, struct ledger_part *p)
{
    const struct ledger_part_settings *s = self->settings;
    unsigned shards = self->shard_count;
    if (!compares_depth(p, s) || shards > CRAWL_MAX_SHARDS)
        return RC_OK;
    for (unsigned i = 0; i < shards; i++) {
        p->depth_index[i] = depth_index_open((uint32_t)(s->depth_urls / shards), s->cluster.n > 0);
        if (!p->depth_index[i])
            return RC_NOMEM;
    }
    p->service.depth_index = p->depth_index;
    bool is_fresh = p->service.opened.is_new || p->service.opened.is_recrawl;
    enum rc rc = is_fresh ? RC_OK
                          : depth_recall(p->service.ledger, p->depth_index, shards,
                                         buf_str(&p->heard), &p->service.found_again);
    buf_done(&p->heard);
    return rc;
}

/* The link index ------------------------------------------------------------------------------- */

static void lasting_links(void *ctx, uint64_t ret[PAIR_KINDS])
{
    struct ledger *l = ctx;
    ret[PAIRS_LINKS] = ledger_lasting_bytes(l, LEDGER_ARCS);
    ret[PAIRS_NAMES] = ledger_lasting_bytes(l, LEDGER_NODES);
}

static enum rc open_link_index(struct instance *self, struct ledger_part *p, struct buf *why)
{
    const struct ledger_part_settings *s = self->settings;
    if (!s->link_index)
        return RC_OK;
    if (s->archive_only) {
        buf_add(why, STR("link-index: it is made of links/, which archive-only leaves out"));
        return RC_INVALID;
    }
    struct buf text = {.max = 8192};
    struct link_keeper_settings k = {.disk = p->disk,
                                     .index = {.chunk_bytes = (size_t)s->link_run_bytes},
                                     .look_ms = s->sync_ms,
                                     .durable = lasting_links,
                                     .ctx = p->service.ledger,
                                     .log = part_log(self)};
    enum rc rc = link_keeper_open(&k, &p->link_keeper, &text);
    if (rc)
        buf_printf(why, STR_FMT ": " STR_FMT, STR_ARG(s->output),
                   STR_ARG(text.n ? buf_str(&text) : str_c(rc_text(rc))));
    if (rc == RC_CORRUPT)
        buf_printf(why, "\nthe link index is damaged; make it again: orbweaver repair " STR_FMT,
                   STR_ARG(s->output));
    buf_done(&text);
    return rc;
}

static void ledger_here_close(struct instance *self)
{
    struct ledger_part *p = self->state;
    link_keeper_close(p->link_keeper);
    ledger_close(p->service.ledger);
    page_names_close(p->service.names);
    for (unsigned i = 0; i < CRAWL_MAX_SHARDS; i++)
        depth_index_close(p->depth_index[i]);
    disk_close(p->disk);
    calls_done(&p->service.calls);
    arena_close(p->arena);
    int_set_done(&p->seeds);
    buf_done(&p->service.joined);
    buf_done(&p->service.found_again);
    buf_done(&p->heard);
    mem_free(p);
}

static enum rc ledger_here_open(struct instance *self, struct buf *why)
{
    struct ledger_part *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    self->state = p;
    calls_init(&p->service.calls);
    p->scope = part_provider(self, NEED_SCOPE);
    p->budget = part_provider(self, NEED_BUDGET);
    p->pace = part_provider(self, NEED_PACE);
    p->seen = part_provider(self, NEED_SEEN);
    p->service.run.clock = part_clock(self);
    p->service.run.begun_ms = clock_now_ms(p->service.run.clock);
    p->service.knows_seed = knows_seed;
    p->arena = arena_open(4096, 1 << 20);
    p->service.names = page_names_open();
    enum rc rc = p->arena && p->service.names ? open_ledger(self, p, why) : RC_NOMEM;
    if (rc == RC_OK)
        rc = ask_for_lost(self, p, why);
    if (rc == RC_OK)
        rc = open_depths(self, p);
    if (rc == RC_OK)
        rc = open_link_index(self, p, why);
    if (rc) {
        ledger_here_close(self);
        return rc;
    }
    struct ledger_totals t = ledger_totals(p->service.ledger);
    p->service.run.earlier_ms = t.elapsed_ms;
    const struct ledger_part_settings *set = self->settings;
    p->service.compares = !set->no_history && (set->compare || p->service.opened.is_recrawl);
    if (p->service.opened.has_begun_recrawl)
        p->service.run.not_before_ms = p->service.run.begun_ms + p->pace->now(p->pace).delay_ms;
    if (set->cluster.n && budget_share_with_others(p->budget)) {
        ledger_here_close(self);
        return RC_NOMEM;
    }
    budget_restore(p->budget, t.pages, t.bytes, 0); /* the gate hands in the whole time */
    for (unsigned shard = 0; shard < self->shard_count; shard++)
        frontier_each_host(ledger_frontier(p->service.ledger, shard), restore_host, p);
    return RC_OK;
}

static void *ledger_here_provide(struct instance *self)
{
    return self->state;
}

const struct part part_ledger_here = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "here",
    .help = "frontier, journal, history and archive, in the crawl's directory",
    .where = PART_ON_ONE_SHARD,
    .provides = LEDGER_INTERFACE,
    .is_of_one_place = true,
    .needs =
        (const struct part_need[]){
            [NEED_SCOPE] = {"scope", SCOPE_INTERFACE, "is told of earlier seeds"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "is told what was used"},
            [NEED_PACE] = {"pace", PACE_INTERFACE, "says how long a host waits after a restart"},
            [NEED_SEEN] = {"seen", SEEN_INTERFACE, "says how known URLs are kept"},
            {0}},
    .spares = (const char *const[]){"seen", NULL}, /* without it they are kept exactly */
    .options = ledger_options,
    .settings_bytes = sizeof(struct ledger_part_settings),
    .open = ledger_here_open,
    .close = ledger_here_close,
    .provide = ledger_here_provide,
};
