/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/order.h"

#include "base/hash.h"
#include "base/mem.h"
#include "warc/date.h"

enum { SLOTS = 1 << 16 };

/* Each name has one slot; a newer name takes it over. 0 is an empty slot. */
struct warc_order {
    uint64_t slots[SLOTS];
};

const char *warc_order_text(enum warc_order_note note)
{
    switch (note) {
    case WARC_ORDER_NO_INFO:
        return "the first record is not a warcinfo";
    case WARC_ORDER_INFO_UNSEEN:
        return "WARC-Warcinfo-ID names no record seen before";
    case WARC_ORDER_CONCURRENT:
        return "WARC-Concurrent-To names no record seen before";
    case WARC_ORDER_NO_REFERENCE:
        return "a revisit that does not say what it refers to";
    case WARC_ORDER_FUTURE:
        return "a revisit of something captured later";
    case WARC_ORDER_TWICE:
        return "WARC-Record-ID used before";
    case WARC_ORDER_ORIGIN_UNSEEN:
        return "a continuation whose first segment was not seen before";
    }
    return "";
}

struct warc_order *warc_order_open(void)
{
    return mem_zero(1, sizeof(struct warc_order));
}

void warc_order_close(struct warc_order *o)
{
    mem_free(o);
}

void warc_order_reset(struct warc_order *o)
{
    *o = (struct warc_order){0};
}

static uint64_t name_hash(struct str id)
{
    uint64_t hash = hash64(id);
    return hash ? hash : 1;
}

static bool seen(const struct warc_order *o, struct str id)
{
    uint64_t hash = name_hash(id);
    return o->slots[hash % SLOTS] == hash;
}

static unsigned unless_seen(const struct warc_order *o, struct str id, enum warc_order_note note)
{
    return id.n && !seen(o, id) ? (unsigned)note : 0;
}

static unsigned revisit_notes(const struct warc_record *r)
{
    struct str date_text = warc_record_get(r, STR("WARC-Refers-To-Date"));
    int64_t date, refers;
    if (!date_text.n && !warc_record_get(r, STR("WARC-Refers-To")).n &&
        !warc_record_get(r, STR("WARC-Refers-To-Target-URI")).n)
        return WARC_ORDER_NO_REFERENCE;
    if (warc_date_parse(warc_record_get(r, STR("WARC-Date")), &date) == RC_OK &&
        warc_date_parse(date_text, &refers) == RC_OK && refers > date)
        return WARC_ORDER_FUTURE;
    return 0;
}

unsigned warc_order_add(struct warc_order *o, const struct warc_record *r)
{
    unsigned notes = 0;
    if (r->number == 0 && r->type != WARC_WARCINFO)
        notes |= WARC_ORDER_NO_INFO;
    notes |= unless_seen(o, warc_record_get(r, STR("WARC-Warcinfo-ID")), WARC_ORDER_INFO_UNSEEN);
    notes |= unless_seen(o, warc_record_get(r, STR("WARC-Concurrent-To")), WARC_ORDER_CONCURRENT);
    notes |=
        unless_seen(o, warc_record_get(r, STR("WARC-Segment-Origin-ID")), WARC_ORDER_ORIGIN_UNSEEN);
    if (r->type == WARC_REVISIT)
        notes |= revisit_notes(r);
    struct str id = warc_record_get(r, STR("WARC-Record-ID"));
    if (id.n && seen(o, id))
        notes |= WARC_ORDER_TWICE;
    uint64_t hash = name_hash(id);
    o->slots[hash % SLOTS] = hash;
    return notes;
}
