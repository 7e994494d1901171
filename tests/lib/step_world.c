/* SPDX-License-Identifier: Apache-2.0 */
/* The providers of a step, and the fakes among them. */
#include "lib/step_internal.h"

#include "disk/disk_crash.h"
#include "ledger/host_records.h"
#include "url/normalise.h"

#include "base/hash.h"
#include "base/mem.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct part part_scope_seeds, part_budget_shared, part_pace_backoff,
    part_addresses_shared, part_guard_public;

/* The cluster ---------------------------------------------------------------------------------- */

static struct step_cluster *fake(struct cluster_service *s)
{
    return EVENT_OF(s, struct step_cluster, service);
}

static enum cluster_phase phase(struct cluster_service *s, bool is_idle, enum budget_verdict *ret)
{
    struct step_cluster *c = fake(s);
    if (!c->has_phase)
        return c->alone->ops->phase(c->alone, is_idle, ret);
    *ret = c->limit;
    return c->phase;
}

static uint64_t phase_lasts_ms(struct cluster_service *s)
{
    return fake(s)->alone->ops->phase_lasts_ms(fake(s)->alone);
}

static bool owns(struct cluster_service *s, const uint64_t *hashes, size_t step, size_t count,
                 bool *ret)
{
    struct step_cluster *c = fake(s);
    for (size_t i = 0; c->foreign && i < count; i++)
        ret[i] = *(const uint64_t *)(const void *)((const char *)hashes + i * step) != c->foreign;
    return !c->foreign;
}

static enum cluster_claim claim(struct cluster_service *s, uint64_t hash, uint64_t *ret)
{
    (void)hash;
    *ret = ++fake(s)->claimed;
    return fake(s)->claim;
}

static bool may_ask(struct cluster_service *s, uint64_t hash)
{
    (void)hash;
    return !fake(s)->refuses;
}

static void give_back(struct cluster_service *s, uint64_t host_claim)
{
    (void)host_claim;
    fake(s)->given_back++;
}

static void break_with(struct cluster_service *s, unsigned shard, struct cluster_breaker b)
{
    (void)shard;
    fake(s)->breaker = b;
}

static void begin(struct cluster_service *s)
{
    fake(s)->begun++;
}

static void end(struct cluster_service *s)
{
    fake(s)->begun--;
}

static void join(struct cluster_service *s, struct str url)
{
    (void)url;
    fake(s)->joined++;
}

static void requeued(struct cluster_service *s)
{
    fake(s)->requeued++;
}

static enum rc forward(struct cluster_service *s, const struct candidate *c, struct str who)
{
    (void)c, (void)who;
    fake(s)->forwarded++;
    return fake(s)->forward;
}

static const struct cluster_ops cluster_ops = {.phase = phase,
                                               .phase_lasts_ms = phase_lasts_ms,
                                               .owns = owns,
                                               .claim = claim,
                                               .may_ask = may_ask,
                                               .give_back = give_back,
                                               .break_with = break_with,
                                               .begin = begin,
                                               .end = end,
                                               .join = join,
                                               .requeued = requeued,
                                               .forward = forward};

/* DNS and HTTP, in place of the functions of net/ ---------------------------------------------- */

enum rc dns_ask(struct dns *d, struct str name, struct dns_query *q)
{
    struct step_dns *f = (struct step_dns *)(void *)d;
    if (f->rc)
        return f->rc;
    f->asked++;
    if (f->is_known) {
        q->done(q, &f->result);
        return RC_OK;
    }
    assert_true(f->count < STEP_QUERIES);
    (void)snprintf(f->names[f->count], sizeof f->names[0], STR_FMT, STR_ARG(name));
    f->open[f->count++] = q;
    return RC_OK;
}

void dns_cancel(struct dns *d, struct dns_query *q)
{
    struct step_dns *f = (struct step_dns *)(void *)d;
    (void)q;
    f->cancelled++;
    f->count--;
}

static void dns_ends(struct step *s, const struct dns_result *r)
{
    assert_true(s->dns.count > 0);
    struct dns_query *q = s->dns.open[0];
    s->dns.count--;
    memmove(s->dns.open, s->dns.open + 1, s->dns.count * sizeof s->dns.open[0]);
    memmove(s->dns.names, s->dns.names + 1, s->dns.count * sizeof s->dns.names[0]);
    q->done(q, r);
}

void step_dns_found(struct step *s, const char *address)
{
    struct dns_result r = {.outcome = DNS_FOUND, .count = 1, .until_ms = s->clock.now + 60000};
    assert_rc(address_read(str_c(address), &r.addresses[0]), RC_OK);
    dns_ends(s, &r);
}

void step_dns_fails(struct step *s, enum dns_outcome outcome)
{
    dns_ends(s, &(struct dns_result){.outcome = outcome});
}

enum rc http_start(struct http *h, struct http_ask *ask)
{
    struct step_http *f = (struct step_http *)(void *)h;
    if (f->rc)
        return f->rc;
    assert_true(f->count < STEP_QUERIES);
    f->started++;
    f->open[f->count++] = ask;
    return RC_OK;
}

void http_cancel(struct http *h, struct http_ask *ask)
{
    struct step_http *f = (struct step_http *)(void *)h;
    (void)ask;
    f->cancelled++;
    f->count--;
}

void http_expect(struct http *h, const struct http_origin *o, uint64_t due_ms, bool is_certain)
{
    struct step_http *f = (struct step_http *)(void *)h;
    f->expected++;
    f->expected_ms = due_ms;
    f->is_certain = is_certain;
    assert_true(o->host.n < sizeof f->expected_host);
    memcpy(f->expected_host, o->host.p, o->host.n);
    f->expected_host[o->host.n] = 0;
}

bool http_is_warm(const struct http *h, const struct http_origin *o)
{
    const struct step_http *f = (const struct step_http *)(const void *)h;
    return f->warm_host && str_eq(o->host, str_c(f->warm_host)) && o->port == f->warm_port;
}

bool http_has_room(const struct http *h)
{
    return !((const struct step_http *)(const void *)h)->is_full;
}

void step_http_ends(struct step *s, const struct http_answer *a)
{
    assert_true(s->http.count > 0);
    struct http_ask *ask = s->http.open[0];
    s->http.count--;
    memmove(s->http.open, s->http.open + 1, s->http.count * sizeof s->http.open[0]);
    ask->done(ask, a);
}

const struct http_answer *step_answer(uint16_t status, const char *head, const char *body)
{
    static char text[4000];
    static struct http_answer a;
    int n = snprintf(text, sizeof text, "HTTP/1.1 %u X\r\n%s\r\n", status, head);
    a = (struct http_answer){.outcome = HTTP_WHOLE,
                             .status = status,
                             .head = str_make(text, (size_t)n),
                             .body = str_c(body),
                             .bytes_in = (uint64_t)n + strlen(body),
                             .timing = {.total_us = 5000}};
    return &a;
}

/* The ledger ----------------------------------------------------------------------------------- */

static bool knows_seed(const struct ledger_service *l, uint64_t fingerprint)
{
    const struct clock_simulated *clock =
        (const struct clock_simulated *)(const void *)l->run.clock;
    const struct step *s = EVENT_OF(clock, struct step, clock);
    return s->known_seed && s->known_seed == fingerprint;
}

static enum rc hear_seed(void *ctx, struct str line)
{
    (void)ctx, (void)line;
    return RC_OK;
}

static void open_history_folder(struct step *s)
{
    char root[] = "/tmp/orbweaver-step-XXXXXX";
    assert_non_null(mkdtemp(root));
    (void)snprintf(s->history, sizeof s->history, "%s/history", root);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    return remove(path);
}

static void remove_history(struct step *s)
{
    if (!s->history[0])
        return;
    *strrchr(s->history, '/') = 0;
    (void)nftw(s->history, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    s->history[0] = 0;
}

static void open_depths(struct step *s)
{
    for (unsigned i = 0; i < s->shards; i++) {
        s->depth_index[i] = depth_index_open(1000, false);
        assert_non_null(s->depth_index[i]);
    }
    s->ledger->depth_index = s->depth_index;
}

static void open_ledger(struct step *s, unsigned with)
{
    struct buf why = buf_on(s->why, sizeof s->why - 1);
    struct ledger_settings settings = {
        .shards = s->shards,
        .frontier = {.max_hosts = 100,
                     .max_host_queue = 20,
                     .order = with & STEP_PRIORITY ? ORDER_PRIORITY : ORDER_BREADTH},
        .warc = {.prefix = STR("T"),
                 .host = STR("t"),
                 .roll_bytes = 1 << 20,
                 .buffer_bytes = 1 << 20,
                 .info = {.software = STR("test")}},
        .journal = {.segment_bytes = 1 << 20, .buffer_bytes = 1 << 20},
        .history_path = s->history[0] ? s->history : NULL,
        .history_bytes = 1 << 20,
        .digest_bytes = 10000,
        .snapshot_bytes = UINT64_MAX,
        .most_wait_ms = 24 * 3600 * 1000,
        .clock = &s->clock.clock,
        .log = s->log};
    struct ledger_service *l = mem_zero(1, sizeof *l);
    assert_non_null(l);
    s->ledger = l;
    calls_init(&l->calls);
    buf_init(&l->found_again, 1 << 20);
    l->run = (struct run_clock){.clock = &s->clock.clock, .begun_ms = s->clock.now};
    l->knows_seed = knows_seed;
    l->compares = (with & STEP_COMPARES) != 0;
    l->order = settings.frontier.order;
    l->names = page_names_open();
    assert_non_null(l->names);
    assert_rc(disk_crash_open(&s->disk), RC_OK);
    enum rc rc = ledger_open(s->disk, &settings, (struct ledger_hears){.seed = hear_seed},
                             &l->ledger, &l->opened, &why);
    if (rc)
        fail_msg("ledger: %s", buf_c(&why));
    if (with & STEP_DEPTHS)
        open_depths(s);
    step_provide(s, "ledger", l);
}

static void close_ledger(struct step *s)
{
    if (!s->ledger)
        return;
    ledger_close(s->ledger->ledger);
    page_names_close(s->ledger->names);
    for (unsigned i = 0; i < 2; i++)
        depth_index_close(s->depth_index[i]);
    buf_done(&s->ledger->found_again);
    calls_done(&s->ledger->calls);
    mem_free(s->ledger);
    disk_close(s->disk);
    s->ledger = NULL;
    remove_history(s);
}

/* The world ------------------------------------------------------------------------------------ */

static void *open_provider(struct step *s, const char *role, const struct part *part)
{
    assert_true(s->provider_count < STEP_PROVIDERS);
    struct step_instance *n = &s->providers[s->provider_count++];
    if (step_open_instance(s, n, part))
        fail_msg("%s: %s", role, s->why);
    void *interface = part->provide(&n->self);
    step_provide(s, role, interface);
    return interface;
}

void step_world(struct step *s, const char *settings, unsigned with)
{
    step_init(s, settings);
    s->shards = with & STEP_TWO_SHARDS ? 2 : 1;
    if (with & STEP_HISTORY)
        open_history_folder(s);
    s->scope = open_provider(s, "scope", &part_scope_seeds);
    s->budget = open_provider(s, "budget", &part_budget_shared);
    s->pace = open_provider(s, "pace", &part_pace_backoff);
    s->addresses = open_provider(s, "addresses", &part_addresses_shared);
    (void)open_provider(s, "guard", &part_guard_public);
    open_ledger(s, with);
    s->cluster.service.ops = &cluster_ops;
    s->cluster.alone = cluster_alone_open(s->ledger, s->budget);
    assert_non_null(s->cluster.alone);
    step_provide(s, "cluster", &s->cluster.service);
    step_provide(s, "dns", &s->dns);
    step_provide(s, "http", &s->http);
    s->why[0] = 0;
}

void step_world_done(struct step *s)
{
    cluster_alone_close(s->cluster.alone);
    close_ledger(s);
}

/* Visits --------------------------------------------------------------------------------------- */

/* The end of the host, and the port, of "http://HOST:PORT/PATH". */
static struct str host_of(const char *url, uint16_t *ret_port, struct str *ret_path)
{
    struct str rest = str_from(str_c(url), strncmp(url, "https://", 8) == 0 ? 8 : 7);
    struct str origin = str_first(rest, str_find(rest, '/'));
    size_t colon = str_find(origin, ':');
    uint64_t port = 0;
    if (colon < origin.n)
        assert_rc(str_to_u64(str_from(origin, colon + 1), &port), RC_OK);
    *ret_port = (uint16_t)port;
    *ret_path = str_from(rest, origin.n);
    return str_first(origin, colon < origin.n ? colon : origin.n);
}

struct candidate step_candidate(const char *url, const char *seed_path)
{
    char room[URL_ROOM_BYTES];
    struct url u;
    struct url_parser parser = {0};
    struct candidate c = {.seed_path = str_c(seed_path)};
    assert_rc(url_parse(&parser, str_c(url), NULL, (struct url_room){room, sizeof room}, &u),
              RC_OK);
    assert_str(url_href(&u), str_c(url));
    c.fingerprint = url_fingerprint(&u);
    c.is_https = u.kind == URL_HTTPS;
    c.host = host_of(url, &c.port, &c.path);
    c.host_hash = hash64(c.host);
    return c;
}

struct found_link step_link(const char *url, const char *seed_path)
{
    struct candidate c = step_candidate(url, seed_path);
    return (struct found_link){
        .href = str_c(url),
        .host = c.host,
        .path = c.path,
        .seed_path = c.seed_path,
        .fingerprint = c.fingerprint,
        .host_hash = c.host_hash,
        .port = c.port,
        .is_https = c.is_https,
        .is_wanted = true,
        .hop = (char)(c.seed_path.n ? c.seed_path.p[c.seed_path.n - 1] : HOP_LINK),
    };
}

struct links *step_links(struct step *s, const char *from, const struct candidate *list,
                         size_t count)
{
    const struct candidate *pointers[STEP_MESSAGES];
    struct ledger_outcome o = {.links = list, .link_count = count};
    unsigned epoch;
    assert_true(count <= STEP_MESSAGES);
    for (size_t i = 0; i < count; i++)
        pointers[i] = &list[i];
    assert_rc(ledger_record_outcome(s->ledger->ledger, 0, &o, &epoch), RC_OK);
    struct links *l =
        links_open(pointers, count, str_c(from), epoch, ledger_outcome_at(s->ledger->ledger, 0));
    assert_non_null(l);
    return l;
}

void step_archive_page(struct step *s, const char *url, const char *link)
{
    struct warc_outlink outlink = {.uri = str_c(link), .hop = HOP_LINK};
    struct warc_fetch_facts facts = {.outlinks = &outlink, .outlink_count = 1};
    struct capture capture = {.target_uri = str_c(url),
                              .date_ms = (int64_t)s->clock.wall,
                              .head = STR("HTTP/1.1 200 OK\r\n\r\n"),
                              .body = STR("hello"),
                              .facts = &facts};
    struct warc_location at;
    struct capture_writer *writer = capture_writer_open();
    assert_non_null(writer);
    assert_rc(capture_write(writer, ledger_warc(s->ledger->ledger, 0), NULL, &capture, &at), RC_OK);
    capture_writer_close(writer);
    struct history_entry h = {.url = str_c(url),
                              .seed_path = STR("LLL"),
                              .code = 200,
                              .fetches = 1,
                              .file = str_c(at.file),
                              .file_offset = at.offset + at.record_bytes,
                              .file_bytes = at.bytes - at.record_bytes};
    struct ledger_outcome o = {.fingerprint = step_candidate(url, "").fingerprint,
                               .history = &h,
                               .location = &at,
                               .capture = &capture};
    unsigned epoch;
    assert_rc(ledger_record_outcome(s->ledger->ledger, 0, &o, &epoch), RC_OK);
}

void step_make_durable(struct step *s)
{
    assert_rc(ledger_turn(s->ledger->ledger, 0), RC_OK);
    assert_rc(ledger_sync(s->ledger->ledger), RC_OK);
}

/* Lists ---------------------------------------------------------------------------------------- */

static struct url_list *list_of(const struct message *m)
{
    assert_ptr_equal(m->type, &url_list_type);
    return url_list_of((struct message *)(uintptr_t)m);
}

struct message *step_list(enum url_list_origin origin, const struct step_item *items, size_t count)
{
    struct url_list *l = url_list_open(origin);
    assert_non_null(l);
    for (size_t i = 0; i < count; i++) {
        struct str path = str_c(items[i].seed_path);
        struct url_list_item item = {.url = str_c(items[i].url),
                                     .seed_path = path,
                                     .via = 7,
                                     .hop = (char)(path.n ? path.p[path.n - 1] : HOP_LINK)};
        assert_true(url_list_add(l, &item));
    }
    return &l->head;
}

struct message *step_judged_list(enum url_list_origin origin, const struct step_item *items,
                                 size_t count)
{
    struct url_list *l = list_of(step_list(origin, items, count));
    l->links.list = arena_alloc(l->arena, (count + 1) * sizeof *l->links.list);
    assert_non_null(l->links.list);
    for (size_t i = 0; i < count; i++)
        l->links.list[i] = step_link(items[i].url, items[i].seed_path);
    l->links.count = count;
    return &l->head;
}

void step_set_seed(struct message *m, size_t i)
{
    list_of(m)->links.list[i].is_seed = true;
}

void step_set_page(struct message *m, const char *url, const char *seed_path,
                   const struct history_entry *history)
{
    struct url_list *l = list_of(m);
    struct candidate c = step_candidate(url, seed_path);
    l->page = (struct url_list_page){.host_name = c.host,
                                     .seed_path = c.seed_path,
                                     .fingerprint = c.fingerprint,
                                     .has_history = true,
                                     .history = *history};
    assert_rc(candidate_url(&c, l->arena, &l->page.url), RC_OK);
}

size_t step_list_count(const struct message *m)
{
    return list_of(m)->count;
}

struct str step_list_url(const struct message *m, size_t i)
{
    assert_true(i < step_list_count(m));
    return list_of(m)->items[i].url;
}

struct str step_list_seed_path(const struct message *m, size_t i)
{
    assert_true(i < step_list_count(m));
    return list_of(m)->items[i].seed_path;
}

size_t step_list_link_count(const struct message *m)
{
    return list_of(m)->links.count;
}

const struct found_link *step_list_link(const struct message *m, size_t i)
{
    assert_true(i < step_list_link_count(m));
    return &list_of(m)->links.list[i];
}

const char *step_file(struct step *s, const char *path)
{
    static char room[20000];
    struct disk_file *f;
    uint64_t bytes;
    assert_rc(ledger_turn(s->ledger->ledger, 0), RC_OK);
    room[0] = 0;
    if (disk_open(s->disk, path, DISK_READ, &f))
        return room;
    assert_rc(disk_size(f, &bytes), RC_OK);
    assert_true(bytes < sizeof room);
    size_t n = 0;
    assert_rc(disk_read(f, 0, room, (size_t)bytes, &n), RC_OK);
    room[n] = 0;
    disk_file_close(f);
    return room;
}

void step_admit(struct step *s, const char *url, const char *seed_path)
{
    struct candidate c = step_candidate(url, seed_path);
    enum admitted became;
    unsigned epoch;
    struct ledger_outcome o = {.links = &c, .link_count = 1};
    unsigned shard = frontier_bucket(c.host_hash) % s->shards;
    assert_rc(ledger_record_outcome(s->ledger->ledger, shard, &o, &epoch), RC_OK);
    assert_rc(ledger_admit(s->ledger->ledger, shard, epoch, &c, 1, s->clock.now, &became), RC_OK);
    assert_int_equal(became, ADMITTED_NEW);
}

struct visit *step_checkout(struct step *s)
{
    struct checkout checkout;
    if (frontier_checkout(ledger_frontier(s->ledger->ledger, 0), 0, s->clock.now, &checkout))
        return NULL;
    struct visit *v = visit_open(VISIT_PAGE, NULL);
    assert_non_null(v);
    v->turn.checkout = checkout;
    v->turn.record = host_record_of(checkout.host);
    assert_non_null(v->turn.record);
    v->turn.is_compared = s->ledger->compares;
    v->answer.begun_ms = s->clock.now;
    assert_rc(visit_name(v, VISIT_PAGE), RC_OK);
    return v;
}

struct visit *step_visit(struct step *s, const char *url, const char *seed_path)
{
    step_admit(s, url, seed_path);
    struct visit *v = step_checkout(s);
    assert_non_null(v);
    assert_str(url_href(&v->turn.url), str_c(url));
    return v;
}

struct host_record *step_record(struct step *s, const char *host)
{
    struct str name = str_c(host);
    struct host *h = frontier_host(ledger_frontier(s->ledger->ledger, 0), hash64(name), name);
    return h ? host_record_of(h) : NULL;
}

void step_set_rules(struct visit *v, const char *robots_txt, int64_t wall_ms)
{
    struct robots *rules = NULL;
    assert_rc(robots_parse(str_c(robots_txt), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_record_set_robots(v->turn.record, v->turn.checkout.is_https,
                                     v->turn.checkout.port, rules, false, wall_ms),
              RC_OK);
}

struct http_answer *step_set_answer(struct step *s, struct visit *v, uint16_t status,
                                    const char *head, const char *body)
{
    struct http_answer *a = arena_zero(v->arena, sizeof *a);
    assert_non_null(a);
    *a = *step_answer(status, head, "");
    a->head = arena_dup(v->arena, a->head);
    a->body = arena_dup(v->arena, str_c(body));
    a->bytes_in += a->body.n;
    v->state = VISIT_ENDED;
    v->answer.http = a;
    v->answer.date_ms = (int64_t)s->clock.wall;
    v->answer.request = STR("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n");
    v->answer.end = (struct pace_end){.dns = DNS_FOUND, .http = HTTP_WHOLE, .status = status};
    visit_read_heads(v);
    v->answer.mime = media_type(v->answer.heads.type);
    visit_warm(v);
    return a;
}

/* Members of a pool ---------------------------------------------------------------------------- */

static struct step_members *members_of(struct members_service *m)
{
    return EVENT_OF(m, struct step_members, service);
}

static bool members_has_room(struct members_service *m)
{
    return members_of(m)->has_room;
}

static uint64_t members_choose(struct members_service *m, const struct members_key *key)
{
    members_of(m)->asked = *key;
    return members_of(m)->route;
}

static unsigned members_orphaned(struct members_service *m, uint64_t fingerprint)
{
    (void)fingerprint;
    return ++members_of(m)->orphaned;
}

static void members_settled(struct members_service *m, uint64_t fingerprint)
{
    (void)fingerprint;
    members_of(m)->settled++;
}

static uint64_t members_quiet_ms(struct members_service *m)
{
    return members_of(m)->quiet_ms;
}

static void members_wake_with(struct members_service *m, void (*call)(void *ctx), void *ctx)
{
    members_of(m)->call = call;
    members_of(m)->ctx = ctx;
}

void step_with_members(struct step *s)
{
    static const struct members_ops ops = {.has_room = members_has_room,
                                           .choose = members_choose,
                                           .orphaned = members_orphaned,
                                           .settled = members_settled,
                                           .quiet_ms = members_quiet_ms,
                                           .wake_with = members_wake_with};
    s->members = (struct step_members){.service.ops = &ops, .has_room = true, .route = 7};
    step_provide(s, "members", &s->members.service);
}
