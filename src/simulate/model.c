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

static void entry_done(struct model_entry *e)
{
    buf_done(&e->fact);
    buf_done(&e->mine);
    buf_done(&e->foreign);
}

static struct model_entry *add(struct model *m, enum model_entry_kind kind)
{
    if (m->count == m->cap) {
        size_t cap = m->cap ? m->cap * 2 : 64;
        struct model_entry *more = mem_resize(m->entries, cap * sizeof *more);
        if (!more)
            return NULL;
        m->entries = more;
        m->cap = cap;
    }
    struct model_entry *e = &m->entries[m->count++];
    *e = (struct model_entry){.kind = kind, .inc = m->inc};
    buf_init(&e->fact, MAX_ENTRY_BYTES);
    buf_init(&e->mine, MAX_ENTRY_BYTES);
    buf_init(&e->foreign, MAX_ENTRY_BYTES);
    return e;
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

/* ---- merging ---- */

static void merge_done(struct model *m, uint32_t u, const struct record *r)
{
    struct model_url *at = &m->urls[u];
    bool is_newer = at->state != MODEL_DONE || r->time_ms > at->time_ms;
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
    struct model_host *at = &m->hosts[h];
    if (at->is_known)
        return;
    at->is_known = true;
    at->due_ms = m->now_ms + m->web->hosts[h].delay_ms;
}

void model_merge(struct model *m, const struct record *r)
{
    uint32_t h = web_host_of(m->web, r), u = web_url_of(m->web, r);
    if (h != UINT32_MAX) {
        meet_host(m, h);
        if (r->next_wall_ms > m->hosts[h].next_ms)
            m->hosts[h].next_ms = r->next_wall_ms;
    }
    if (u == UINT32_MAX)
        return;
    meet_host(m, m->web->urls[u].host);
    if (r->kind == RECORD_DONE) {
        merge_done(m, u, r);
    } else if (m->urls[u].state == MODEL_UNKNOWN) {
        m->urls[u].state = MODEL_QUEUED;
        m->admitted++;
    }
}

static struct record done_record(const struct model *m, uint32_t u)
{
    const struct model_url *at = &m->urls[u];
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
    r.next_wall_ms = m->hosts[h].next_ms;
    r.time_ms = m->wall_ms;
    return r;
}

static void forget_all(struct model *m)
{
    m->are_counts_known = false;
    memset(m->urls, 0, m->web->url_count * sizeof *m->urls);
    memset(m->hosts, 0, m->web->host_count * sizeof *m->hosts);
}

/* A page is done; those of its links that were mine are queued. */
static void apply_page(struct model *m, const struct model_entry *e)
{
    struct str links = get_records(&e->mine);
    m->pages++;
    struct model_host *h = &m->hosts[m->web->urls[e->url].host];
    struct record r = web_url_record(m->web, e->url);
    r.kind = RECORD_DONE;
    r.time_ms = e->time_ms;
    r.where = str_c(m->name);
    r.where_inc = e->inc;
    model_merge(m, &r);
    if (e->next_ms > h->next_ms)
        h->next_ms = e->next_ms;
    while (records_next(&links, &r))
        model_merge(m, &r);
}

static void apply(struct model *m, const struct model_entry *e)
{
    m->are_counts_known = false;
    struct str records;
    struct record r;
    switch (e->kind) {
    case MODEL_FACT:
    case MODEL_SEEDS:
        break;
    case MODEL_TAKE:
        records = get_records(&e->mine);
        while (records_next(&records, &r))
            model_merge(m, &r);
        break;
    case MODEL_PAGE:
        apply_page(m, e);
        break;
    case MODEL_ASIDE:
        forget_all(m);
        break;
    case MODEL_FORGET:
        for (size_t i = 0; i + 4 <= e->mine.n; i += 4) {
            struct model_url *u = &m->urls[get_le32(e->mine.p + i)];
            if (u->state == MODEL_QUEUED)
                u->state = MODEL_UNKNOWN;
        }
        break;
    }
    bool is_for_others = e->kind == MODEL_PAGE || e->kind == MODEL_SEEDS || e->foreign_count;
    if (is_for_others)
        m->last = (uint64_t)(e - m->entries) + 1;
}

/* ---- life ---- */

enum rc model_init(struct model *m, const struct web *web, const char *name)
{
    *m = (struct model){.port = {&ops}, .web = web};
    (void)snprintf(m->name, sizeof m->name, "%s", name);
    m->urls = mem_zero(web->url_count, sizeof *m->urls);
    m->hosts = mem_zero(web->host_count, sizeof *m->hosts);
    m->out = mem_zero(MAX_OUT, sizeof *m->out);
    return m->urls && m->hosts && m->out ? RC_OK : RC_NOMEM;
}

static void drop_from(struct model *m, size_t from)
{
    while (m->count > from)
        entry_done(&m->entries[--m->count]);
    if (m->durable > from)
        m->durable = from;
    if (m->kept > from)
        m->kept = from;
}

void model_done(struct model *m)
{
    drop_from(m, 0);
    mem_free(m->entries);
    mem_free(m->urls);
    mem_free(m->hosts);
    mem_free(m->out);
}

enum rc model_start(struct model *m, uint64_t now_ms, uint64_t wall_ms)
{
    m->now_ms = now_ms;
    m->wall_ms = wall_ms;
    m->admitted = m->last = m->pages = 0;
    m->keep = m->kept;
    m->durable = m->count; /* opening syncs what it found */
    m->is_aborting = false;
    forget_all(m);
    for (size_t i = 0; i < m->count; i++)
        apply(m, &m->entries[i]);
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

/* cluster/facts.c: a boot is a fact of kind 2, or follows the incarnation it begins with. */
static bool is_boot(const struct model_entry *e)
{
    return e->kind == MODEL_ASIDE || (e->fact.n && e->fact.p[0] == 2);
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
    for (size_t i = m->count; i > 0; i--)
        if (m->entries[i - 1].kind == MODEL_ASIDE)
            return m->entries[i - 1].inc;
    return 0;
}

enum rc model_seed(struct model *m)
{
    struct model_entry *e = add(m, MODEL_SEEDS);
    if (!e)
        return RC_NOMEM;
    apply(m, e);
    return RC_OK;
}

uint32_t model_lend(struct model *m)
{
    for (uint32_t u = 0; u < m->web->url_count; u++) {
        struct model_host *h = &m->hosts[m->web->urls[u].host];
        if (m->urls[u].state != MODEL_QUEUED || h->is_open || h->due_ms > m->now_ms ||
            h->next_ms > m->wall_ms ||
            !agent_may_fetch(m->agent, m->web->hosts[m->web->urls[u].host].position, m->now_ms))
            continue;
        h->is_open = m->urls[u].is_open = true;
        m->are_counts_known = false;
        return u;
    }
    return UINT32_MAX;
}

void model_return(struct model *m, uint32_t url)
{
    struct model_host *h = &m->hosts[m->web->urls[url].host];
    m->urls[url].is_open = h->is_open = false;
    m->are_counts_known = false;
    h->due_ms = m->now_ms + m->web->hosts[m->web->urls[url].host].delay_ms;
}

static bool is_mine(const struct model *m, uint32_t h)
{
    return m->agent && agent_owns(m->agent, m->web->hosts[h].position);
}

static void put_own_links(const struct model *m, struct model_entry *e, uint32_t url)
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

enum rc model_settle(struct model *m, uint32_t url)
{
    struct model_entry *e = add(m, MODEL_PAGE);
    if (!e)
        return RC_NOMEM;
    model_return(m, url);
    put_own_links(m, e, url);
    e->url = url;
    e->time_ms = m->wall_ms;
    e->next_ms = m->wall_ms + m->web->hosts[m->web->urls[url].host].delay_ms;
    apply(m, e);
    return RC_OK;
}

/* ---- the port ---- */

static enum rc model_note(struct port *p, struct str fact)
{
    struct model_entry *e = add(model_of(p), MODEL_FACT);
    if (!e)
        return RC_NOMEM;
    buf_add(&e->fact, fact);
    return buf_rc(&e->fact);
}

static enum rc model_take(struct port *p, const struct record *mine, size_t mine_count,
                          const struct record *foreign, size_t foreign_count, struct str fact)
{
    struct model *m = model_of(p);
    struct model_entry *e = add(m, MODEL_TAKE);
    if (!e)
        return RC_NOMEM;
    put_records(&e->mine, mine, mine_count);
    put_records(&e->foreign, foreign, foreign_count);
    e->foreign_count = (uint32_t)foreign_count;
    buf_add(&e->fact, fact);
    apply(m, e);
    return buf_rc(&e->fact) ? buf_rc(&e->fact) : buf_rc(&e->foreign);
}

static enum rc model_recall(struct port *p,
                            enum rc (*each)(void *ctx, uint64_t position, struct str fact),
                            void *ctx)
{
    struct model *m = model_of(p);
    enum rc rc = RC_OK;
    for (size_t i = 0; i < m->count && !rc; i++)
        if (m->entries[i].fact.n)
            rc = each(ctx, i, buf_str(&m->entries[i].fact));
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

static void read_entry(struct model *m, const struct model_entry *e, struct port_batch *ret)
{
    struct str records;
    ret->links = m->out;
    ret->outcome = m->outcome;
    if (e->kind == MODEL_PAGE) {
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
    } else if (e->kind == MODEL_SEEDS) {
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
        if (e->kind != MODEL_PAGE && e->kind != MODEL_SEEDS && !e->foreign_count)
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
    for (uint32_t i = 0; i < m->web->host_count; i++) {
        struct model_host *h = &m->hosts[i];
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
    for (uint32_t i = 0; i < m->web->url_count; i++) {
        const struct model_url *u = &m->urls[i];
        bool mine =
            u->state == MODEL_QUEUED || u->is_open ? is_mine(m, m->web->urls[i].host) : false;
        c.queued += u->state == MODEL_QUEUED && mine;
        c.open += u->is_open;
        c.moving += u->is_open && !mine;
    }
    m->counts = c;
    m->are_counts_known = true;
    return c;
}

/* URLs first, then hosts: the token counts through both. Now and then it says "not yet", as one
 * does whose hosts rest on a disk. */
static enum rc model_walk(struct port *p, enum port_walk which, uint64_t *token, struct record *ret,
                          size_t most, size_t *ret_count)
{
    struct model *m = model_of(p);
    uint64_t urls = m->web->url_count, all = urls + m->web->host_count;
    bool own = which == PORT_WALK_OWN;
    *ret_count = 0;
    if (++m->walks % WALKS_IN_VAIN == 0)
        return RC_AGAIN;
    for (*ret_count = 0; *token < all && *ret_count < most; ++*token) {
        bool is_url = *token < urls;
        uint32_t u = (uint32_t)*token,
                 h = is_url ? m->web->urls[u].host : (uint32_t)(*token - urls);
        bool is_done = is_url && m->urls[u].state == MODEL_DONE;
        if ((is_mine(m, h) != own && !(own && is_done)) || (!is_url && !m->hosts[h].is_known))
            continue;
        if (!is_url) {
            ret[(*ret_count)++] = host_record(m, h);
        } else if (m->urls[u].state == MODEL_QUEUED) {
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
    struct model_entry *e = add(m, MODEL_FORGET);
    if (!e)
        return RC_NOMEM;
    for (uint32_t i = 0; i < m->web->url_count; i++)
        if (m->urls[i].state == MODEL_QUEUED && !is_mine(m, m->web->urls[i].host))
            buf_le32(&e->mine, i);
    apply(m, e);
    return buf_rc(&e->mine);
}

static enum rc model_aside(struct port *p, struct str fact)
{
    struct model *m = model_of(p);
    struct model_entry *e = add(m, MODEL_ASIDE);
    if (!e)
        return RC_NOMEM;
    buf_add(&e->fact, fact);
    e->inc = fact.n >= 9 ? get_le64(fact.p + 1) : 0; /* cluster/facts.c: a new incarnation */
    apply(m, e);
    return buf_rc(&e->fact);
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
