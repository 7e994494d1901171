/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/account.h"

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_OPEN = 64 };
#define EXAMPLE_TEXT_BYTES (UINT64_C(1) << 20)

_Static_assert(WITNESS_MAX_HOSTS <= TALLIES_A_CHUNK * TALLIES_CHUNKS, "the table holds all hosts");

static void witness_init(struct witness *w)
{
    index_init(&w->url_index, WITNESS_MAX_URLS);
    texts_init(&w->url_texts, ACCOUNT_MAX_URL_BYTES);
    texts_init(&w->example_texts, EXAMPLE_TEXT_BYTES);
    tallies_init(&w->hosts, WITNESS_MAX_HOSTS);
    tallies_init(&w->addresses, WITNESS_MAX_HOSTS);
    sights_init(&w->sights, WITNESS_MAX_SIGHTS);
    asked_init(&w->asked);
}

static void witness_done(struct witness *w)
{
    index_done(&w->url_index);
    texts_done(&w->url_texts);
    texts_done(&w->example_texts);
    tallies_done(&w->hosts);
    tallies_done(&w->addresses);
    sights_done(&w->sights);
    asked_done(&w->asked);
    mem_free(w->open.list);
}

struct witness *witness_open(bool keep_urls)
{
    struct witness *w = mem_zero(1, sizeof *w);
    if (!w)
        return NULL;
    w->keep_urls = keep_urls;
    w->next_serial = 1;
    witness_init(w);
    return w;
}

void witness_close(struct witness *w)
{
    if (!w)
        return;
    witness_done(w);
    mem_free(w);
}

void witness_reset(struct witness *w)
{
    bool keep_urls = w->keep_urls;
    uint64_t next_serial = w->next_serial;
    witness_done(w);
    memset(w, 0, sizeof *w);
    w->keep_urls = keep_urls;
    w->next_serial = next_serial;
    witness_init(w);
}

/* A ticket is the place in the list + 1 below and a serial number above it, so that a ticket from
 * before a reset, or one ended twice, is seen to name nothing. */

static bool open_grow(struct open_requests *o)
{
    uint32_t cap = o->cap ? 2 * o->cap : FIRST_OPEN;
    if (cap > ACCOUNT_MAX_OPEN)
        return false;
    struct open_request *bigger = mem_resize(o->list, cap * sizeof *bigger);
    if (!bigger)
        return false;
    for (uint32_t i = o->cap; i < cap; i++)
        bigger[i] = (struct open_request){.next_free = i + 1 < cap ? i + 2 : 0};
    o->free = o->cap + 1;
    o->list = bigger;
    o->cap = cap;
    return true;
}

static struct open_request *open_take(struct witness *w)
{
    struct open_requests *o = &w->open;
    if (!o->free && !open_grow(o))
        return NULL;
    uint32_t place = o->free;
    struct open_request *r = &o->list[place - 1];
    o->free = r->next_free;
    o->count++;
    *r = (struct open_request){.ticket = w->next_serial++ << 32 | place};
    return r;
}

static struct open_request *open_find(struct witness *w, uint64_t ticket)
{
    uint32_t place = (uint32_t)ticket;
    if (!place || place > w->open.cap || w->open.list[place - 1].ticket != ticket)
        return NULL;
    return &w->open.list[place - 1];
}

static void open_give(struct open_requests *o, struct open_request *r)
{
    *r = (struct open_request){.next_free = o->free};
    o->free = (uint32_t)(r - o->list) + 1;
    o->count--;
}

static void example_keep(struct witness *w, struct examples *e, struct str url)
{
    if (e->count == ACCOUNT_EXAMPLES)
        return;
    struct str kept = texts_add(&w->example_texts, str_first(url, ACCOUNT_EXAMPLE_BYTES));
    if (kept.p)
        e->urls[e->count++] = kept;
}

/* Counts one more request for the URL; how many there were before, or -1 if it could not be kept.
 * The text goes in first: a URL with a count has one. */
static int64_t url_note(struct witness *w, struct str url)
{
    uint32_t *count = index_put(&w->url_index, hash64(str_first(url, TEXTS_MAX_BYTES)));
    if (!count || (!*count && w->keep_urls && !texts_add(&w->url_texts, url).p)) {
        w->urls_missed++;
        return -1;
    }
    int64_t before = *count;
    *count += *count < UINT32_MAX;
    return before;
}

static void url_count(struct witness *w, const struct witness_request *r)
{
    struct url_counts *c = r->is_robots ? &w->robots : &w->pages;
    int64_t before = url_note(w, r->url);
    c->requests++;
    c->distinct += before == 0;
    c->fetched_again += before == 1;
    c->repeats += before > 0;
    if (before == 1 && !r->is_robots)
        example_keep(w, &w->again, r->url);
    if (before == 0 && r->is_forbidden)
        example_keep(w, &w->not_allowed, r->url);
}

static struct sights_place sight_add(struct witness *w, const struct witness_request *r,
                                     uint64_t now_us)
{
    struct sight s = {.fault = r->fault,
                      .host = r->host,
                      .label = r->label,
                      .path = r->path,
                      .address = r->address,
                      .connection = r->connection,
                      .nth_on_conn = r->nth_on_conn,
                      .start_us = now_us,
                      .facts = r->facts};
    return r->fault ? sights_add(&w->sights, &s) : (struct sights_place){0};
}

uint64_t witness_start(struct witness *w, const struct witness_request *r, uint64_t now_us)
{
    w->requests++;
    int64_t host = tallies_put_host(&w->hosts, r->host);
    int64_t address = tallies_put_address(&w->addresses, r->address);
    struct open_request *open = host < 0 || address < 0 ? NULL : open_take(w);
    if (!open) {
        w->missed++;
        return 0;
    }
    open->host = (uint32_t)host;
    open->address = (uint32_t)address;
    open->start_us = now_us;
    open->delay_ms = r->delay_ms;
    tally_start(tallies_at(&w->hosts, open->host), now_us, r->is_forbidden);
    tally_start(tallies_at(&w->addresses, open->address), now_us, r->is_forbidden);
    if (!r->nth_on_conn) {
        tally_connected(tallies_at(&w->hosts, open->host), r->is_resumed);
        tally_connected(tallies_at(&w->addresses, open->address), r->is_resumed);
    }
    if (r->is_pipelined_host)
        tally_pipelined(tallies_at(&w->hosts, open->host));
    if (r->is_pipelined)
        tally_pipelined(tallies_at(&w->addresses, open->address));
    w->forbidden += r->is_forbidden;
    url_count(w, r);
    open->sight = sight_add(w, r, now_us);
    return open->ticket;
}

void witness_end(struct witness *w, uint64_t ticket, uint64_t now_us, uint16_t status,
                 uint64_t bytes, enum sight_end end, uint64_t backoff_ms)
{
    struct open_request *open = open_find(w, ticket);
    if (!open)
        return;
    uint64_t until_us = backoff_until_us(open->start_us, backoff_ms);
    struct tally *host = tallies_at(&w->hosts, open->host);
    struct tally *address = tallies_at(&w->addresses, open->address);
    if (end == SIGHT_CLIENT_LEFT) {
        tally_left(host, open->start_us, now_us, until_us);
        tally_left(address, open->start_us, now_us, 0);
    } else {
        tally_end(host, now_us, until_us);
        tally_end(address, now_us, 0);
    }
    if (open->delay_ms && status == 200)
        tally_delay(host, open->delay_ms);
    struct sight *s = sights_at(&w->sights, open->sight);
    if (s) {
        s->end_us = now_us;
        s->status = status;
        s->bytes = bytes;
        s->end = end;
        s->backoff_ms = backoff_ms;
    }
    open_give(&w->open, open);
}

uint32_t witness_url_count(const struct witness *w, struct str url)
{
    const uint32_t *count = index_get(&w->url_index, hash64(str_first(url, TEXTS_MAX_BYTES)));
    return count ? *count : 0;
}

uint32_t witness_host_count(const struct witness *w, struct str host)
{
    const struct tally *t = tallies_find_host(&w->hosts, host);
    if (!t)
        return 0;
    return t->requests < UINT32_MAX ? (uint32_t)t->requests : UINT32_MAX;
}

void witness_dns(struct witness *w, struct str name, uint16_t type, uint16_t rcode)
{
    asked_note(&w->asked, name, type, rcode);
}

const struct sight *witness_sights(const struct witness *w, const struct fault *f,
                                   uint32_t *ret_count)
{
    const struct sights_list *l = sights_of(&w->sights, f);
    *ret_count = l ? l->count : 0;
    return l ? l->list : NULL;
}
