/* SPDX-License-Identifier: Apache-2.0 */
#include "small_crawl.h"
#include "ledger/host_records.h"

#include "base/hash.h"
#include "cluster/wire/records.h"
#include "lib/test.h"

#include <stdio.h>

enum { MOST_STEPS = 100000, BODY_BYTES = 900, LINKS = 4, LAST_LINKED = 22 };

static struct {
    char host[16], path[16], url[48];
} web[SMALL_URLS];

static void make_web(void)
{
    for (unsigned i = 0; i < SMALL_URLS; i++) {
        (void)snprintf(web[i].host, sizeof web[i].host, "h%u.test", i * 3 % SMALL_HOSTS);
        (void)snprintf(web[i].path, sizeof web[i].path, "/%u", i);
        (void)snprintf(web[i].url, sizeof web[i].url, "http://h%u.test/%u", i * 3 % SMALL_HOSTS, i);
    }
}

/* What page i links to: two that no other page links to, so that no link may be lost, and two that
 * are known; pages from LAST_LINKED on are linked from nowhere. */
static unsigned links_of(unsigned i, unsigned to[LINKS])
{
    unsigned n = 0;
    if (2 * i + 1 < LAST_LINKED)
        to[n++] = 2 * i + 1;
    if (2 * i + 2 < LAST_LINKED)
        to[n++] = 2 * i + 2;
    to[n++] = (i * 7 + 3) % (i + 1);
    to[n++] = (i * 5 + 1) % (i + 1);
    return n;
}

/* Those of which only news tell, if there are any. */
static const unsigned news_urls[SMALL_NEWS] = {9, 13, 17, 21};

static bool is_news(const struct small_crawl *c, unsigned url)
{
    bool is = false;
    for (unsigned i = 0; i < SMALL_NEWS; i++)
        is = is || news_urls[i] == url;
    return is && c->truth->has_news;
}

bool small_is_named(const struct small_crawl *c, unsigned url)
{
    unsigned to[LINKS];
    bool is = false;
    for (unsigned i = 0; i < LAST_LINKED; i++)
        for (unsigned k = links_of(i, to); k-- > 0;)
            is = is || to[k] == url;
    return is && !is_news(c, url);
}

static bool is_archived(unsigned i)
{
    return i % 9 != 8;
}

static struct candidate candidate_of(unsigned i, unsigned via)
{
    struct str host = str_c(web[i].host);
    return (struct candidate){.fingerprint = hash64(str_c(web[i].url)),
                              .host_hash = hash64(host),
                              .host = host,
                              .path = str_c(web[i].path),
                              .via = hash64(str_c(web[via].url)),
                              .seed_path = STR("L")};
}

static unsigned shard_of(const struct small_crawl *c, unsigned url)
{
    return frontier_bucket(hash64(str_c(web[url].host))) % c->shards;
}

/* Going on ------------------------------------------------------------------------------------ */

static enum rc hear_seed(void *ctx, struct str line)
{
    struct small_crawl *c = ctx;
    c->seeds_heard++;
    return str_starts(line, STR("http://h")) ? RC_OK : RC_CORRUPT;
}

static void post(struct small_crawl *c, struct small_mail m)
{
    unsigned shard = shard_of(c, m.url);
    assert_true(c->mail_count[shard] < SMALL_MAX_MAIL);
    c->mail[shard][c->mail_count[shard]++] = m;
}

static struct record record_of(unsigned i)
{
    struct candidate c = candidate_of(i, 0);
    return (struct record){.kind = RECORD_URL,
                           .host_hash = c.host_hash,
                           .host = c.host,
                           .fingerprint = c.fingerprint,
                           .path = c.path,
                           .seed_path = c.seed_path};
}

/* One piece of news: a URL that is ours, the same again for others, and a fact with its number. */
static enum rc tell(struct small_crawl *c)
{
    static char rooms[2][400];
    struct buf mine = buf_on(rooms[0], sizeof rooms[0]);
    char number = (char)('1' + c->told);
    unsigned url = news_urls[c->told], epoch;
    struct record r = record_of(url);
    record_batch_begin(&mine, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("t")});
    record_put(&mine, &r);
    struct ledger_news n = {.kept = c->told ? LEDGER_NOT_SAID : 0,
                            .fact = str_make(&number, 1),
                            .mine = buf_str(&mine),
                            .foreign = buf_str(&mine)};
    enum rc rc = buf_rc(&mine);
    uint64_t batch;
    rc = rc ? rc : ledger_tell(c->ledger, &n, &epoch, &batch);
    if (rc)
        return rc;
    post(c, (struct small_mail){.url = url, .epoch = epoch, .is_news = true});
    c->truth->told = ++c->told;
    return RC_OK;
}

/* Facts come back each once and in order. */
static enum rc hear_fact(void *ctx, uint64_t position, struct str fact)
{
    struct small_crawl *c = ctx;
    (void)position;
    bool follows = fact.n == 1 && fact.p[0] == (char)('1' + c->told);
    c->told++;
    return follows ? RC_OK : RC_CORRUPT;
}

/* Mail takes its time, so that images find links that were journalled and not yet admitted. */
static enum rc deliver(struct small_crawl *c, unsigned shard)
{
    enum rc rc = RC_OK;
    if ((c->steps + shard) % 12)
        return RC_OK;
    for (size_t i = 0; i < c->mail_count[shard] && rc == RC_OK; i++) {
        struct small_mail m = c->mail[shard][i];
        struct candidate link = candidate_of(m.url, m.via);
        struct record r = record_of(m.url);
        enum admitted what;
        size_t fresh;
        rc = m.is_news ? ledger_merge(c->ledger, shard, m.epoch, &r, 1, &fresh)
                       : ledger_admit(c->ledger, shard, m.epoch, &link, 1, c->clock.now, &what);
    }
    c->mail_count[shard] = 0;
    return rc;
}

static enum rc give_seeds(struct small_crawl *c)
{
    struct candidate links[2] = {candidate_of(0, 0), candidate_of(1, 0)};
    struct ledger_line lines[2] = {{LEDGER_SEEDS, STR("http://h0.test/0\n")},
                                   {LEDGER_SEEDS, STR("http://h3.test/1\n")}};
    struct ledger_outcome o = {.lines = lines, .line_count = 2, .links = links, .link_count = 2};
    unsigned epoch;
    enum rc rc = ledger_record_outcome(c->ledger, 0, &o, &epoch);
    if (rc == RC_OK) {
        post(c, (struct small_mail){.url = 0, .epoch = epoch});
        post(c, (struct small_mail){.url = 1, .epoch = epoch});
    }
    return rc;
}

struct candidate small_candidate(unsigned i)
{
    return candidate_of(i, 0);
}

void small_prepare(struct small_crawl *c, unsigned shards, struct small_truth *truth)
{
    memset(c, 0, sizeof *c);
    make_web();
    c->shards = shards;
    c->truth = truth;
    clock_simulated_init(&c->clock, 5000, UINT64_C(1700000000000));
}

struct ledger_settings small_settings(struct small_crawl *c)
{
    return (struct ledger_settings){
        .shards = c->shards,
        .frontier = {.max_hosts = 1000, .max_host_queue = 1000, .memory_bytes = c->truth->is_tight},
        .seen = {.kind = c->truth->has_filter ? LEDGER_SEEN_BLOOM : LEDGER_SEEN_EXACT,
                 .expected = 100,
                 .loss = 1e-9},
        .warc = {.prefix = STR("T"),
                 .host = STR("test"),
                 .roll_bytes = 4000,
                 .buffer_bytes = 100000,
                 .info = {.software = STR("orbweaver/test")}},
        .journal = {.segment_bytes = 1500, .buffer_bytes = 100000},
        .digest_bytes = 100000,
        .snapshot_bytes = UINT64_MAX,
        .slice_buckets = 1,
        .boot = c->truth->boot,
        .pace.delay_ms = 10,
        .most_wait_ms = 1000,
        .history_path = c->truth->history_path,
        .written_path = c->truth->written_path,
        .clock = &c->clock.clock};
}

static enum rc open_with(struct small_crawl *c, struct disk *d, unsigned shards,
                         struct small_truth *truth, uint64_t sync_ms, bool recrawl)
{
    small_prepare(c, shards, truth);
    struct buf why = buf_on(c->why, sizeof c->why - 1);
    struct ledger_settings s = small_settings(c);
    s.sync_ms = sync_ms;
    s.recrawl = recrawl;
    s.clock = sync_ms ? clock_real() : s.clock;
    c->writer = capture_writer_open();
    if (!c->writer)
        return RC_NOMEM;
    enum rc rc =
        ledger_open(d, &s, (struct ledger_hears){hear_seed, c}, &c->ledger, &c->report, &why);
    rc = rc ? rc : ledger_facts(c->ledger, hear_fact, c);
    if (rc == RC_OK && c->told < truth->told_synced)
        rc = RC_NOT_FOUND;
    if (rc == RC_OK && c->report.is_new)
        rc = give_seeds(c);
    else if (rc == RC_OK && c->seeds_heard != 2)
        rc = RC_CORRUPT;
    return rc;
}

enum rc small_open(struct small_crawl *c, struct disk *d, unsigned shards,
                   struct small_truth *truth)
{
    return small_open_helped(c, d, shards, truth, 0);
}

enum rc small_open_helped(struct small_crawl *c, struct disk *d, unsigned shards,
                          struct small_truth *truth, uint64_t sync_ms)
{
    return open_with(c, d, shards, truth, sync_ms, false);
}

enum rc small_open_anew(struct small_crawl *c, struct disk *d, unsigned shards,
                        struct small_truth *truth)
{
    return open_with(c, d, shards, truth, 0, true);
}

void small_close(struct small_crawl *c)
{
    ledger_close(c->ledger);
    capture_writer_close(c->writer);
    c->ledger = NULL;
    c->writer = NULL;
}

struct making {      /* of one page's outcome */
    struct buf text; /* of its lines */
    struct ledger_line lines[4 + LINKS];
    size_t line_count;
    struct candidate links[LINKS];
    struct capture capture;
    struct warc_location location;
    struct history_entry history;
    struct ledger_outcome outcome;
};

static void add_line(struct making *m, enum ledger_file file, size_t from)
{
    m->lines[m->line_count++] =
        (struct ledger_line){.file = file, .text = str_make(m->text.p + from, m->text.n - from)};
}

static enum rc make_capture(struct small_crawl *c, unsigned shard, unsigned i, struct making *m)
{
    static char body[BODY_BYTES];
    for (size_t k = 0; k < sizeof body; k++) /* some pages have the bytes of others */
        body[k] = (char)('a' + (int)(hash64_mix(k + 1000 * (i % 19)) % 26));
    m->capture = (struct capture){.target_uri = str_c(web[i].url),
                                  .date_ms = (int64_t)c->clock.wall,
                                  .head = STR("HTTP/1.1 200 OK\r\n\r\n"),
                                  .body = str_make(body, sizeof body)};
    enum rc rc = capture_write(c->writer, ledger_warc(c->ledger, shard), ledger_digests(c->ledger),
                               &m->capture, &m->location);
    if (rc)
        return rc;
    m->outcome.location = &m->location;
    m->outcome.capture = &m->capture;
    size_t at = m->text.n;
    rc = capture_print_cdxj(&m->text, &m->capture, &m->location);
    add_line(m, LEDGER_CDXJ, at);
    return rc;
}

static void make_lines(struct making *m, unsigned i, const unsigned *to, unsigned count)
{
    size_t at = m->text.n;
    buf_printf(&m->text, "%u %s\n", i, web[i].url);
    add_line(m, LEDGER_CRAWL_LOG, at);
    add_line(m, i < 2 ? LEDGER_PAGES : LEDGER_EXTRA_PAGES, at);
    at = m->text.n;
    for (unsigned k = 0; k < count; k++)
        buf_printf(&m->text, "%u %u\n", i, to[k]);
    if (count)
        add_line(m, LEDGER_ARCS, at);
}

/* A line for each link, though most are known. */
static void make_names(struct making *m)
{
    size_t at = m->text.n;
    for (size_t i = 0; i < m->outcome.link_count; i++) {
        const struct candidate *c = &m->links[i];
        buf_printf(&m->text, "%016llx http://" STR_FMT STR_FMT "\n",
                   (unsigned long long)c->fingerprint, STR_ARG(c->host), STR_ARG(c->path));
    }
    m->outcome.names = str_make(m->text.p + at, m->text.n - at);
}

static enum rc make_done(struct small_crawl *c, unsigned shard, unsigned i, struct making *m,
                         const unsigned *to, unsigned count)
{
    enum rc rc = is_archived(i) ? make_capture(c, shard, i, m) : RC_OK;
    make_lines(m, i, to, count);
    for (unsigned k = 0; k < count; k++)
        if (!is_news(c, to[k]))
            m->links[m->outcome.link_count++] = candidate_of(to[k], i);
    m->outcome.lines = m->lines;
    m->outcome.line_count = m->line_count;
    m->outcome.links = m->links;
    make_names(m);
    m->outcome.pages = 1;
    m->outcome.bytes = BODY_BYTES;
    m->history =
        (struct history_entry){.url = str_c(web[i].url), .code = 200, .fetches = 1, .bytes = i};
    m->outcome.history = c->truth->history_path ? &m->history : NULL;
    m->outcome.fingerprint = hash64(str_c(web[i].url));
    return rc ? rc : buf_rc(&m->text);
}

/* Some pages are asked twice, one of each host is put off to the end; both leave their mark on the
 * record, which must survive for the crawl to go on as it would have. */
static enum checkin how_of(struct host_record *record, unsigned i, struct making *m)
{
    struct robots *rules = NULL;
    if (i % 7 == 3 && !record->is_listed) {
        record->is_listed = true;
        return CHECKIN_LAST;
    }
    if (i % 5 == 4 && record->tries == 0) {
        record->tries = 1;
        m->outcome.robots_changed = true;
        if (robots_parse(STR("User-agent: *\nDisallow: /x\n"), STR("orbweaver"), &rules) == RC_OK)
            (void)!host_record_set_robots(record, false, 0, rules, false, 1);
        return CHECKIN_AGAIN;
    }
    record->tries = 0;
    record->pages++;
    return CHECKIN_DONE;
}

static enum rc visit(struct small_crawl *c, unsigned shard, struct checkout *l)
{
    static char room[4000];
    struct making m = {.text = buf_on(room, sizeof room)};
    unsigned to[LINKS], count = 0, epoch;
    uint64_t i = SMALL_URLS;
    struct host_record *record = host_record_of(l->host);
    if (!record || str_to_u64(str_from(l->path, 1), &i) || i >= SMALL_URLS)
        return record ? RC_CORRUPT : RC_NOMEM;
    m.outcome.checkout = l;
    m.outcome.due_ms = c->clock.now + 7;
    m.outcome.how = how_of(record, (unsigned)i, &m);
    enum rc rc = RC_OK;
    if (m.outcome.how == CHECKIN_DONE) {
        count = links_of((unsigned)i, to);
        rc = make_done(c, shard, (unsigned)i, &m, to, count);
    }
    rc = rc ? rc : ledger_record_outcome(c->ledger, shard, &m.outcome, &epoch);
    for (unsigned k = 0; k < count && rc == RC_OK; k++)
        if (!is_news(c, to[k]))
            post(c, (struct small_mail){.url = to[k], .via = (unsigned)i, .epoch = epoch});
    if (rc == RC_OK && m.outcome.how == CHECKIN_DONE)
        c->truth->done[i] = true;
    return rc;
}

static enum rc note_lasting(struct small_crawl *c)
{
    struct buf all = {.max = 1 << 20};
    uint64_t bytes = ledger_lasting_bytes(c->ledger, LEDGER_ARCS);
    enum rc rc = bytes ? disk_read_whole(ledger_disk(c->ledger), "links/links.arcs", &all) : RC_OK;
    if (rc == RC_OK && bytes > all.n)
        rc = RC_CORRUPT;
    if (rc == RC_OK && bytes) { /* it is 0 again for a moment behind each opening */
        c->truth->lasting = bytes;
        c->truth->lasting_hash = hash64(str_first(buf_str(&all), (size_t)bytes));
    }
    buf_done(&all);
    return rc;
}

static enum rc sync_now(struct small_crawl *c)
{
    enum rc rc = ledger_sync(c->ledger);
    rc = rc ? rc : note_lasting(c);
    if (rc)
        return rc;
    memcpy(c->truth->synced, c->truth->done, sizeof c->truth->synced);
    c->truth->told_synced = c->truth->told;
    return RC_OK;
}

static enum rc step_shard(struct small_crawl *c, unsigned shard, bool *ret_checkout)
{
    struct checkout l;
    enum rc rc = deliver(c, shard);
    if (rc)
        return rc;
    *ret_checkout =
        frontier_checkout(ledger_frontier(c->ledger, shard), 0, c->clock.now, &l) == RC_OK;
    if (*ret_checkout && c->pages++ % 6 == 5)
        ledger_return(c->ledger, shard, &l, c->clock.now + 1);
    else if (*ret_checkout)
        rc = visit(c, shard, &l);
    rc = rc ? rc : ledger_turn(c->ledger, shard);
    if (rc)
        return rc;
    memcpy(c->truth->written, c->truth->done, sizeof c->truth->written);
    c->truth->told_written = c->truth->told;
    return note_lasting(c);
}

static uint64_t next_due(struct small_crawl *c)
{
    uint64_t due = UINT64_MAX;
    for (unsigned i = 0; i < c->shards; i++) {
        uint64_t its = frontier_due_ms(ledger_frontier(c->ledger, i));
        due = its < due ? its : due;
        if (c->mail_count[i])
            return 0;
    }
    return due;
}

enum rc small_step(struct small_crawl *c, bool busy, bool *ret_more)
{
    bool any = false, checkout;
    enum rc rc = RC_OK;
    unsigned before = c->pages;
    bool tells = c->truth->has_news && c->told < SMALL_NEWS;
    c->steps++;
    if (tells && c->steps % 9 == 8)
        rc = tell(c);
    for (unsigned i = 0; i < c->shards && rc == RC_OK; i++) {
        rc = step_shard(c, i, &checkout);
        any = any || (rc == RC_OK && checkout);
    }
    if (rc == RC_OK && busy && c->pages / 4 != before / 4)
        rc = sync_now(c);
    if (rc == RC_OK && busy && c->pages / 7 != before / 7)
        ledger_checkpoint(c->ledger);
    if (rc)
        return rc;
    uint64_t due = next_due(c);
    *ret_more = any || due != UINT64_MAX || tells;
    if (c->steps > MOST_STEPS)
        return RC_LIMIT;
    if (!any && due != UINT64_MAX && due > c->clock.now)
        clock_simulated_advance(&c->clock, due - c->clock.now);
    return RC_OK;
}

enum rc small_finish(struct small_crawl *c)
{
    bool more = true;
    enum rc rc = RC_OK;
    while (more && rc == RC_OK)
        rc = small_step(c, false, &more);
    return rc ? rc : ledger_finish(c->ledger);
}
