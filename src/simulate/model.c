/* SPDX-License-Identifier: Apache-2.0 */
#include "simulate/model.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdio.h>

enum { MAX_ENTRY_BYTES = 1 << 20, MAX_OUT = 4096, WALKS_IN_VAIN = 3 };

static const struct port_ops ops;

static struct model *model_of(struct port *p)
{
    return (struct model *)p;
}

/* ---- the journal ---- */

static void entry_done(struct model *m, struct model_entry *e)
{
    facts_give(m->facts, e->fact);
    if (!e->body)
        return;
    buf_done(&e->body->mine);
    buf_done(&e->body->foreign);
    mem_free(e->body);
}

static struct model_body *body_new(uint64_t inc)
{
    struct model_body *b = mem_zero(1, sizeof *b);
    if (!b)
        return NULL;
    b->inc = inc;
    buf_init(&b->mine, MAX_ENTRY_BYTES);
    buf_init(&b->foreign, MAX_ENTRY_BYTES);
    return b;
}

static struct model_entry *add_entry(struct model *m, enum model_entry_kind kind)
{
    struct model_entry *entries = mem_grow(m->entries, m->count, &m->cap, sizeof *entries);
    if (!entries)
        return NULL;
    m->entries = entries;
    struct model_body *body = kind == MODEL_FACT ? NULL : body_new(m->inc);
    if (kind != MODEL_FACT && !body)
        return NULL;
    struct model_entry *e = &m->entries[m->count++];
    *e = (struct model_entry){.kind = kind, .body = body};
    if (kind == MODEL_ASIDE)
        m->aside = m->count;
    return e;
}

static enum rc set_fact(struct model *m, struct model_entry *e, struct str fact)
{
    e->fact = fact.n ? facts_take(m->facts, fact) : NULL;
    return fact.n && !e->fact ? RC_NOMEM : RC_OK;
}

static void put_records(struct buf *out, const struct record *list, size_t count)
{
    record_batch_begin(out, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("x")});
    for (size_t i = 0; i < count; i++)
        record_put(out, &list[i]);
}

static struct str get_records(const struct buf *from)
{
    struct record_batch b;
    return record_batch_read(buf_str(from), &b) ? STR("") : b.records;
}

/* ---- what is known ---- */

static size_t pages_of(uint32_t count)
{
    return (count + MODEL_ROWS - 1) / MODEL_ROWS;
}

const struct model_url *model_url(const struct model *m, uint32_t url)
{
    static const struct model_url none;
    const struct model_url *page = m->url_pages[url / MODEL_ROWS];
    return page ? &page[url % MODEL_ROWS] : &none;
}

const struct model_host *model_host(const struct model *m, uint32_t host)
{
    static const struct model_host none;
    const struct model_host *page = m->host_pages[host / MODEL_ROWS];
    return page ? &page[host % MODEL_ROWS] : &none;
}

/* For writing; NULL: no memory. */
static struct model_url *url_at(struct model *m, uint32_t url)
{
    struct model_url **page = &m->url_pages[url / MODEL_ROWS];
    if (!*page)
        *page = mem_zero(MODEL_ROWS, sizeof **page);
    m->has_failed = m->has_failed || !*page;
    return *page ? *page + url % MODEL_ROWS : NULL;
}

static struct model_host *host_at(struct model *m, uint32_t host)
{
    struct model_host **page = &m->host_pages[host / MODEL_ROWS];
    if (!*page)
        *page = mem_zero(MODEL_ROWS, sizeof **page);
    m->has_failed = m->has_failed || !*page;
    return *page ? *page + host % MODEL_ROWS : NULL;
}

bool model_next_url(const struct model *m, uint32_t *url)
{
    while (*url < m->web->url_count && !m->url_pages[*url / MODEL_ROWS])
        *url = (*url / MODEL_ROWS + 1) * MODEL_ROWS;
    return *url < m->web->url_count;
}

bool model_next_host(const struct model *m, uint32_t *host)
{
    while (*host < m->web->host_count && !m->host_pages[*host / MODEL_ROWS])
        *host = (*host / MODEL_ROWS + 1) * MODEL_ROWS;
    return *host < m->web->host_count;
}

static bool is_mine(const struct model *m, uint32_t h)
{
    return m->agent && agent_owns(m->agent, m->web->hosts[h].host_hash);
}

/* ---- merging ---- */

static void merge_done(struct model *m, uint32_t u, const struct record *r)
{
    struct model_url *at = url_at(m, u);
    bool is_newer = at && (at->state != MODEL_DONE || r->time_ms > at->time_ms);
    if (!is_newer)
        return;
    if (at->state != MODEL_DONE)
        m->admitted++;
    at->state = MODEL_DONE;
    at->time_ms = r->time_ms;
    at->where_inc = r->where_inc;
    (void)snprintf(at->where, sizeof at->where, STR_FMT, STR_ARG(r->where));
}

static void meet_host(struct model *m, uint32_t h)
{
    struct model_host *at = host_at(m, h);
    if (!at || at->is_known)
        return;
    at->is_known = true;
    at->was_mine = is_mine(m, h);
    at->due_ms = m->now_ms + m->web->hosts[h].delay_ms;
}

void model_merge(struct model *m, const struct record *r)
{
    uint32_t h = web_host_of(m->web, r), u = web_url_of(m->web, r);
    if (h != UINT32_MAX) {
        meet_host(m, h);
        struct model_host *at = host_at(m, h);
        if (at && r->next_wall_ms > at->next_ms)
            at->next_ms = r->next_wall_ms;
    }
    if (u == UINT32_MAX)
        return;
    meet_host(m, m->web->urls[u].host);
    if (r->kind == RECORD_DONE) {
        merge_done(m, u, r);
    } else if (model_url(m, u)->state == MODEL_UNKNOWN && url_at(m, u)) {
        url_at(m, u)->state = MODEL_QUEUED;
        m->admitted++;
    }
}

static struct record done_record(const struct model *m, uint32_t u)
{
    const struct model_url *at = model_url(m, u);
    struct record r = web_url_record(m->web, u);
    r.kind = RECORD_DONE;
    r.path = (struct str){0};
    r.time_ms = at->time_ms;
    r.status = 200;
    r.where = str_c(at->where);
    r.where_inc = at->where_inc;
    return r;
}

static struct record host_record(const struct model *m, uint32_t h)
{
    struct record r = web_host_record(m->web, h);
    r.next_wall_ms = model_host(m, h)->next_ms;
    r.time_ms = m->wall_ms;
    return r;
}

static void forget_all(struct model *m)
{
    m->are_counts_known = false;
    for (size_t i = 0; i < pages_of(m->web->url_count); i++) {
        mem_free(m->url_pages[i]);
        m->url_pages[i] = NULL;
    }
    for (size_t i = 0; i < pages_of(m->web->host_count); i++) {
        mem_free(m->host_pages[i]);
        m->host_pages[i] = NULL;
    }
}

/* A page is done; its links that were mine are queued. */
static void apply_page(struct model *m, const struct model_body *e)
{
    struct str links = get_records(&e->mine);
    m->pages++;
    struct record r = web_url_record(m->web, e->url);
    r.kind = RECORD_DONE;
    r.time_ms = e->time_ms;
    r.where = str_c(m->name);
    r.where_inc = e->inc;
    model_merge(m, &r);
    struct model_host *h = host_at(m, m->web->urls[e->url].host);
    if (h && e->next_ms > h->next_ms)
        h->next_ms = e->next_ms;
    while (records_next(&links, &r))
        model_merge(m, &r);
}

static bool is_for_others(const struct model_entry *e)
{
    return e->kind == MODEL_PAGE || e->kind == MODEL_SEEDS || (e->body && e->body->foreign_count);
}

static void apply_entry(struct model *m, const struct model_entry *e)
{
    m->are_counts_known = false;
    struct str records;
    struct record r;
    switch (e->kind) {
    case MODEL_FACT:
    case MODEL_SEEDS:
        break;
    case MODEL_TAKE:
        records = get_records(&e->body->mine);
        while (records_next(&records, &r))
            model_merge(m, &r);
        break;
    case MODEL_PAGE:
        apply_page(m, e->body);
        break;
    case MODEL_ASIDE:
        forget_all(m);
        break;
    case MODEL_FORGET:
        for (size_t i = 0; i + 4 <= e->body->mine.n; i += 4) {
            struct model_url *u = url_at(m, get_le32(e->body->mine.p + i));
            if (u && u->state == MODEL_QUEUED)
                u->state = MODEL_UNKNOWN;
        }
        break;
    }
    if (is_for_others(e))
        m->last = (uint64_t)(e - m->entries) + 1;
}

/* ---- life ---- */

enum rc model_init(struct model *m, const struct web *web, const char *name, struct facts *facts)
{
    *m = (struct model){.port = {&ops}, .web = web, .facts = facts};
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    m->url_pages = mem_zero(pages_of(web->url_count), sizeof(struct model_url *));
    m->host_pages = mem_zero(pages_of(web->host_count), sizeof(struct model_host *));
    m->out = mem_alloc(MAX_OUT * sizeof *m->out);
    return m->url_pages && m->host_pages && m->out ? RC_OK : RC_NOMEM;
}

static void drop_from(struct model *m, size_t from)
{
    while (m->count > from)
        entry_done(m, &m->entries[--m->count]);
    while (m->aside > from || (m->aside && m->entries[m->aside - 1].kind != MODEL_ASIDE))
        m->aside--;
    if (m->durable > from)
        m->durable = from;
    if (m->kept > from)
        m->kept = from;
}

void model_done(struct model *m)
{
    drop_from(m, 0);
    if (m->url_pages && m->host_pages)
        forget_all(m);
    mem_free(m->entries);
    mem_free(m->url_pages);
    mem_free(m->host_pages);
    mem_free(m->out);
}

enum rc model_start(struct model *m, uint64_t now_ms, uint64_t wall_ms)
{
    m->now_ms = now_ms;
    m->wall_ms = wall_ms;
    m->admitted = m->last = m->pages = 0;
    m->keep = m->kept;
    m->durable = m->count; /* opening syncs the journal */
    m->is_aborting = false;
    forget_all(m);
    for (size_t i = 0; i < m->count; i++)
        apply_entry(m, &m->entries[i]);
    return RC_OK;
}

void model_sync(struct model *m)
{
    m->wants_sync = false;
    m->durable = m->count;
    m->kept = m->keep;
}

void model_power_cut(struct model *m, uint64_t lose)
{
    uint64_t loose = m->count - m->durable;
    drop_from(m, m->count - (size_t)(lose < loose ? lose : loose));
}

void model_wipe(struct model *m)
{
    drop_from(m, 0);
    m->keep = m->kept = 0;
}

/* cluster/protocol/facts.c: a boot is a fact of kind 2, or follows the incarnation that it begins
 * with. */
static bool is_boot(const struct model_entry *e)
{
    return e->kind == MODEL_ASIDE || (e->fact && e->fact->text[0] == 2);
}

void model_roll_back(struct model *m)
{
    size_t at = m->count;
    while (at > 0 && !is_boot(&m->entries[at - 1]))
        at--;
    drop_from(m, at ? at - 1 : 0);
    m->keep = m->kept;
}

uint64_t model_inc(const struct model *m)
{
    return m->aside ? m->entries[m->aside - 1].body->inc : 0;
}

void model_clock_jumps(struct model *m, uint64_t by_ms)
{
    for (uint32_t h = 0; model_next_host(m, &h); h++)
        host_at(m, h)->due_ms += by_ms;
}

enum rc model_seed(struct model *m)
{
    struct model_entry *e = add_entry(m, MODEL_SEEDS);
    if (!e)
        return RC_NOMEM;
    apply_entry(m, e);
    return RC_OK;
}

uint32_t model_claim(struct model *m)
{
    if (!agent_is_fetching(m->agent, m->now_ms) || !agent_may_claim(m->agent))
        return UINT32_MAX;
    for (uint32_t u = 0; model_next_url(m, &u); u++) {
        const struct model_host *h = model_host(m, m->web->urls[u].host);
        if (model_url(m, u)->state != MODEL_QUEUED || h->is_open || h->due_ms > m->now_ms ||
            h->next_ms > m->wall_ms ||
            !agent_may_fetch(m->agent, m->web->hosts[m->web->urls[u].host].host_hash, m->now_ms))
            continue;
        host_at(m, m->web->urls[u].host)->is_open = url_at(m, u)->is_open = true;
        m->are_counts_known = false;
        return u;
    }
    return UINT32_MAX;
}

void model_return(struct model *m, uint32_t url)
{
    struct model_host *h = host_at(m, m->web->urls[url].host);
    struct model_url *u = url_at(m, url);
    m->are_counts_known = false;
    if (!h || !u)
        return;
    u->is_open = h->is_open = false;
    h->due_ms = m->now_ms + m->web->hosts[m->web->urls[url].host].delay_ms;
}

static void put_own_links(const struct model *m, struct model_body *e, uint32_t url)
{
    const struct web_url *u = &m->web->urls[url];
    put_records(&e->mine, NULL, 0);
    for (uint32_t i = 0; i < u->link_count; i++) {
        uint32_t v = m->web->links[u->first_link + i];
        struct record r = web_url_record(m->web, v);
        if (is_mine(m, m->web->urls[v].host))
            record_put(&e->mine, &r);
    }
}

enum rc model_record_outcome(struct model *m, uint32_t url)
{
    struct model_entry *e = add_entry(m, MODEL_PAGE);
    if (!e)
        return RC_NOMEM;
    model_return(m, url);
    put_own_links(m, e->body, url);
    e->body->url = url;
    e->body->time_ms = m->wall_ms;
    e->body->next_ms = m->wall_ms + m->web->hosts[m->web->urls[url].host].delay_ms;
    apply_entry(m, e);
    e->body->pages = m->pages;
    return RC_OK;
}

/* ---- the port ---- */

static enum rc model_note(struct port *p, struct str fact)
{
    struct model_entry *e = add_entry(model_of(p), MODEL_FACT);
    return e ? set_fact(model_of(p), e, fact) : RC_NOMEM;
}

static enum rc model_take(struct port *p, const struct record *mine, size_t mine_count,
                          const struct record *foreign, size_t foreign_count, struct str fact)
{
    struct model *m = model_of(p);
    struct model_entry *e = add_entry(m, MODEL_TAKE);
    if (!e)
        return RC_NOMEM;
    put_records(&e->body->mine, mine, mine_count);
    put_records(&e->body->foreign, foreign, foreign_count);
    e->body->foreign_count = (uint32_t)foreign_count;
    enum rc rc = set_fact(m, e, fact);
    apply_entry(m, e);
    return rc ? rc : buf_rc(&e->body->foreign);
}

static enum rc model_recall(struct port *p,
                            enum rc (*each)(void *ctx, uint64_t position, struct str fact),
                            void *ctx)
{
    struct model *m = model_of(p);
    enum rc rc = RC_OK;
    for (size_t i = 0; i < m->count && !rc; i++)
        if (m->entries[i].fact)
            rc = each(ctx, i, fact_str(m->entries[i].fact));
    return rc;
}

static uint64_t model_end(struct port *p)
{
    return model_of(p)->count;
}

static uint64_t model_durable(struct port *p)
{
    return model_of(p)->durable;
}

static size_t page_links(struct model *m, uint32_t url)
{
    const struct web_url *u = &m->web->urls[url];
    for (uint32_t i = 0; i < u->link_count; i++)
        m->out[i] = web_url_record(m->web, m->web->links[u->first_link + i]);
    return u->link_count;
}

static void read_entry(struct model *m, const struct model_entry *entry, struct port_batch *ret)
{
    const struct model_body *e = entry->body;
    struct str records;
    ret->links = m->out;
    ret->outcome = m->outcome;
    if (entry->kind == MODEL_PAGE) {
        ret->link_count = page_links(m, e->url);
        m->outcome[0] = web_url_record(m->web, e->url);
        m->outcome[0].kind = RECORD_DONE;
        m->outcome[0].path = (struct str){0};
        m->outcome[0].time_ms = e->time_ms;
        m->outcome[0].status = 200;
        m->outcome[0].where = str_c(m->name);
        m->outcome[0].where_inc = e->inc;
        m->outcome[1] = web_host_record(m->web, m->web->urls[e->url].host);
        m->outcome[1].time_ms = e->time_ms;
        m->outcome[1].next_wall_ms = e->next_ms;
        ret->outcome_count = 2;
        ret->pages = e->pages;
    } else if (entry->kind == MODEL_SEEDS) {
        for (uint32_t i = 0; i < WEB_SEEDS && i < m->web->url_count; i++)
            m->out[ret->link_count++] = web_url_record(m->web, i);
    } else {
        records = get_records(&e->foreign);
        while (ret->link_count < MAX_OUT && records_next(&records, &m->out[ret->link_count]))
            ret->link_count++;
    }
}

static enum rc model_read(struct port *p, uint64_t from, struct port_batch *ret)
{
    struct model *m = model_of(p);
    for (size_t i = (size_t)from; i < m->durable; i++) {
        const struct model_entry *e = &m->entries[i];
        if (!is_for_others(e))
            continue;
        *ret = (struct port_batch){.position = i, .next = i + 1};
        read_entry(m, e, ret);
        return RC_OK;
    }
    return RC_NOT_FOUND;
}

static void model_keep(struct port *p, uint64_t from)
{
    model_of(p)->keep = from;
}

static uint64_t model_kept(struct port *p)
{
    return model_of(p)->keep;
}

static void model_epoch(struct port *p)
{
    struct model *m = model_of(p);
    m->are_counts_known = false;
    for (uint32_t i = 0; model_next_host(m, &i); i++) {
        struct model_host *h = host_at(m, i);
        bool mine = is_mine(m, i);
        uint64_t due = m->now_ms + m->web->hosts[i].delay_ms;
        if (mine && !h->was_mine && h->due_ms < due)
            h->due_ms = due;
        h->was_mine = mine;
    }
}

static void model_abort(struct port *p)
{
    model_of(p)->is_aborting = true;
}

static struct port_counts model_counts(struct port *p)
{
    struct model *m = model_of(p);
    if (m->are_counts_known)
        return m->counts;
    struct port_counts c = {.admitted = m->admitted, .last = m->last, .pages = m->pages};
    for (uint32_t i = 0; model_next_url(m, &i); i++) {
        const struct model_url *u = model_url(m, i);
        bool mine =
            u->state == MODEL_QUEUED || u->is_open ? is_mine(m, m->web->urls[i].host) : false;
        c.queued += u->state == MODEL_QUEUED && mine;
        c.open += u->is_open;
        c.moving += u->is_open && !mine;
    }
    c.journalled = m->pages;
    m->counts = c;
    m->are_counts_known = true;
    return c;
}

/* The next URL or host that may be known; false: there is none. */
static bool walk_on(const struct model *m, uint64_t *at)
{
    uint64_t urls = m->web->url_count;
    uint32_t u = (uint32_t)*at, h;
    if (*at < urls) {
        bool found = model_next_url(m, &u);
        *at = found ? u : urls;
        if (found)
            return true;
    }
    h = (uint32_t)(*at - urls);
    bool found = model_next_host(m, &h);
    *at = urls + h;
    return found;
}

/* URLs first, then hosts: *at counts through both. Now and then it returns RC_AGAIN, like a
 * crawl whose hosts are swapped to disk. */
static enum rc model_walk(struct port *p, enum port_walk which, uint64_t *at, struct record *ret,
                          size_t most, size_t *ret_count)
{
    struct model *m = model_of(p);
    uint64_t urls = m->web->url_count;
    bool own = which == PORT_WALK_OWN;
    *ret_count = 0;
    if (++m->walks % WALKS_IN_VAIN == 0)
        return RC_AGAIN;
    for (*ret_count = 0; walk_on(m, at) && *ret_count < most; ++*at) {
        bool is_url = *at < urls;
        uint32_t u = (uint32_t)*at, h = is_url ? m->web->urls[u].host : (uint32_t)(*at - urls);
        const struct model_url *page = is_url ? model_url(m, u) : NULL;
        bool is_done = page && page->state == MODEL_DONE;
        if ((is_url && page->state == MODEL_UNKNOWN) || (!is_url && !model_host(m, h)->is_known) ||
            (is_mine(m, h) != own && !(own && is_done)))
            continue;
        if (!is_url) {
            ret[(*ret_count)++] = host_record(m, h);
        } else if (page->state == MODEL_QUEUED) {
            ret[*ret_count] = web_url_record(m->web, u);
            ret[(*ret_count)++].is_back = !own;
        } else if (is_done && own) {
            ret[(*ret_count)++] = done_record(m, u);
        }
    }
    return RC_OK;
}

static enum rc model_forget(struct port *p)
{
    struct model *m = model_of(p);
    struct model_entry *e = add_entry(m, MODEL_FORGET);
    if (!e)
        return RC_NOMEM;
    for (uint32_t i = 0; model_next_url(m, &i); i++)
        if (model_url(m, i)->state == MODEL_QUEUED && !is_mine(m, m->web->urls[i].host))
            buf_le32(&e->body->mine, i);
    apply_entry(m, e);
    return buf_rc(&e->body->mine);
}

static enum rc model_aside(struct port *p, struct str fact)
{
    struct model *m = model_of(p);
    struct model_entry *e = add_entry(m, MODEL_ASIDE);
    if (!e)
        return RC_NOMEM;
    e->body->inc =
        fact.n >= 9 ? get_le64(fact.p + 1) : 0; /* cluster/protocol/facts.c: a new incarnation */
    apply_entry(m, e);
    return set_fact(m, e, fact);
}

static void model_hurry(struct port *p)
{
    model_of(p)->wants_sync = true;
}

static const struct port_ops ops = {
    .hurry = model_hurry,
    .note = model_note,
    .take = model_take,
    .recall = model_recall,
    .end = model_end,
    .durable = model_durable,
    .read = model_read,
    .keep = model_keep,
    .kept = model_kept,
    .epoch = model_epoch,
    .abort = model_abort,
    .counts = model_counts,
    .walk = model_walk,
    .forget = model_forget,
    .aside = model_aside,
};
