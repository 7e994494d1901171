/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_tries.h"

#include "base/hash.h"
#include "base/mem.h"

/* Which request it is; never 0. It is stored, so it must stay as it is. */
static uint64_t key_of(uint64_t trial, uint16_t port, bool is_https, bool is_robots)
{
    unsigned origin_and_kind = (unsigned)port << 2 | (unsigned)is_https << 1 | is_robots;
    return hash64_mix(trial + ((uint64_t)origin_and_kind << 1)) | 1;
}

static uint64_t key_of_request(const struct host_request *r, bool is_robots)
{
    return key_of(host_trial(r->path), r->port, r->is_https, is_robots);
}

static bool has_none(const struct host_record *c)
{
    return !c->tries && !c->tried_count;
}

/* A record of an earlier version does not say whose tries it has: they are those of the URL that is
 * asked for next. */
static bool is_head(const struct host_record *c, uint64_t key)
{
    return c->tries && (!c->tries_key || c->tries_key == key);
}

static uint32_t find(const struct host_record *c, uint64_t key)
{
    if (is_head(c, key))
        return c->tries;
    for (uint8_t i = 0; i < c->tried_count; i++)
        if (c->tried[i].key == key)
            return c->tried[i].tries;
    return 0;
}

static void remove_at(struct host_record *c, uint8_t at)
{
    c->tried_count--;
    memmove(&c->tried[at], &c->tried[at + 1], (size_t)(c->tried_count - at) * sizeof *c->tried);
    if (c->tried_count)
        return;
    mem_free(c->tried);
    c->tried = NULL;
}

static void forget(struct host_record *c, uint64_t key)
{
    if (is_head(c, key)) {
        c->tries = 0;
        c->tries_key = 0;
    }
    for (uint8_t i = c->tried_count; i-- > 0;)
        if (c->tried[i].key == key)
            remove_at(c, i);
}

static void add(struct host_record *c, struct host_tried tried)
{
    if (c->tried_count == HOST_RECORD_MAX_TRIED)
        remove_at(c, 0);
    struct host_tried *list = mem_resize(c->tried, (c->tried_count + 1u) * sizeof *list);
    if (!list)
        return;
    c->tried = list;
    list[c->tried_count++] = tried;
}

uint32_t host_tries_get(const struct host_request *r)
{
    return has_none(r->record) ? 0 : find(r->record, key_of_request(r, r->is_robots));
}

void host_tries_set(const struct host_request *r, uint32_t tries, bool is_head)
{
    struct host_record *c = r->record;
    if (has_none(c) && !tries)
        return;
    uint64_t key = key_of_request(r, r->is_robots);
    forget(c, key);
    if (!tries)
        return;
    if (!is_head) {
        add(c, (struct host_tried){key, tries});
        return;
    }
    if (c->tries)
        add(c, (struct host_tried){c->tries_key, c->tries});
    c->tries = tries;
    c->tries_key = key;
}

void host_tries_forget(const struct host_request *r)
{
    if (has_none(r->record))
        return;
    forget(r->record, key_of_request(r, false));
    forget(r->record, key_of_request(r, true));
}

uint32_t host_tries_of_trial(const struct host_record *c, const struct host_origin *o)
{
    if (!o->trial)
        return 0;
    uint32_t robots = find(c, key_of(o->trial, o->port, o->is_https, true));
    return robots ? robots : find(c, key_of(o->trial, o->port, o->is_https, false));
}
