/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_answer.h"

enum { HEADER_BYTES = 12, TYPE_A = 1, TYPE_CNAME = 5, TYPE_SOA = 6, TYPE_AAAA = 28, CLASS_IN = 1 };
enum { RCODE_NOERROR = 0, RCODE_NXDOMAIN = 3 };

/* A name as it travels, unfolded and in lower case: length, label, ..., 0. */
struct wire_name {
    size_t n;
    uint8_t bytes[DNS_WIRE_BYTES];
};

struct reader {
    const uint8_t *p;
    size_t n;
    size_t at;
    bool failed; /* past the end, or no name where one should be */
};

struct record {
    struct wire_name owner;
    unsigned type, class;
    uint32_t ttl_s;
    size_t data_at, data_bytes;
};

static uint32_t number_read(struct reader *r, unsigned bytes)
{
    uint32_t value = 0;
    if (r->failed || r->n - r->at < bytes) {
        r->failed = true;
        return 0;
    }
    while (bytes--)
        value = value << 8 | r->p[r->at++];
    return value;
}

static bool label_add(struct wire_name *name, const uint8_t *label, size_t bytes)
{
    if (name->n + 1 + bytes > DNS_WIRE_BYTES)
        return false;
    name->bytes[name->n++] = (uint8_t)bytes;
    for (size_t i = 0; i < bytes; i++)
        name->bytes[name->n++] = (uint8_t)ascii_lower((char)label[i]);
    return true;
}

/* Pointers lead backwards only, each further than the one before, so there are no circles; chains
 * of bare pointers are what DNS_MAX_JUMPS ends. Returns the end of the name where it was read, or
 * 0. */
static size_t name_unfold(const struct reader *r, struct wire_name *ret)
{
    size_t at = r->at, end = 0, lowest = r->at;
    ret->n = 0;
    for (int jumps = 0; jumps <= DNS_MAX_JUMPS && at < r->n;) {
        unsigned length = r->p[at];
        if (length >= 0xc0) {
            if (at + 1 >= r->n)
                return 0;
            end = end ? end : at + 2;
            at = (size_t)(length & 0x3f) << 8 | r->p[at + 1];
            if (at >= lowest)
                return 0;
            lowest = at;
            jumps++;
            continue;
        }
        if (length > DNS_LABEL_BYTES || r->n - at - 1 < length ||
            !label_add(ret, r->p + at + 1, length))
            return 0;
        at += 1 + length;
        if (length == 0)
            return end ? end : at;
    }
    return 0;
}

static void name_read(struct reader *r, struct wire_name *ret)
{
    size_t end = r->failed ? 0 : name_unfold(r, ret);
    if (end)
        r->at = end;
    else
        r->failed = true;
}

static bool name_eq(const struct wire_name *a, const struct wire_name *b)
{
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

static void name_of(const struct dns_name *from, struct wire_name *ret)
{
    struct str rest = dns_name_str(from);
    ret->n = 0;
    while (rest.p) {
        struct str label = str_take_until(&rest, '.');
        (void)label_add(ret, (const uint8_t *)label.p, label.n); /* 253 bytes always fit */
    }
    (void)label_add(ret, NULL, 0);
}

static bool record_read(struct reader *r, struct record *ret)
{
    name_read(r, &ret->owner);
    ret->type = number_read(r, 2);
    ret->class = number_read(r, 2);
    ret->ttl_s = number_read(r, 4);
    ret->data_bytes = number_read(r, 2);
    ret->data_at = r->at;
    if (r->failed || r->n - r->at < ret->data_bytes)
        return false;
    if (ret->ttl_s > INT32_MAX)
        ret->ttl_s = 0;
    r->at += ret->data_bytes;
    return true;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

struct alias {
    struct wire_name owner, target;
    uint32_t ttl_s;
    bool is_used;
};

struct aliases {
    struct alias rows[DNS_MAX_CHAIN];
    unsigned count;
};

static bool alias_add(struct aliases *all, const struct reader *r, const struct record *record)
{
    if (all->count == DNS_MAX_CHAIN)
        return false;
    struct alias *a = &all->rows[all->count++];
    struct reader data = {
        .p = r->p, .n = record->data_at + record->data_bytes, .at = record->data_at};
    a->owner = record->owner;
    a->ttl_s = record->ttl_s;
    a->is_used = false;
    name_read(&data, &a->target);
    return !data.failed;
}

static struct alias *alias_of(struct aliases *all, const struct wire_name *name)
{
    for (unsigned i = 0; i < all->count; i++) {
        if (name_eq(&all->rows[i].owner, name))
            return &all->rows[i];
    }
    return NULL;
}

/* Replaces *name by the last name of its chain of CNAMEs. False: the chain is a circle. */
static bool chain_follow(struct aliases *all, struct wire_name *name, uint32_t *ttl_s)
{
    struct alias *a;
    while ((a = alias_of(all, name))) {
        if (a->is_used)
            return false;
        a->is_used = true;
        *name = a->target;
        *ttl_s = least(*ttl_s, a->ttl_s);
    }
    return true;
}

static void address_add(const uint8_t *bytes, bool is_v6, struct dns_answer *to)
{
    struct address a = {.is_v6 = is_v6};
    memcpy(a.bytes, bytes, is_v6 ? 16 : 4);
    for (uint32_t i = 0; i < to->count; i++) {
        if (address_eq(&to->addresses[i], &a))
            return;
    }
    if (to->count < DNS_MAX_ADDRESSES)
        to->addresses[to->count++] = a;
}

/* Walks over the answers twice: first for the chain, then for the addresses at its end. */
static enum dns_answer_kind answers_read(struct reader *r, unsigned count, struct wire_name *name,
                                         bool is_v6, struct dns_answer *ret)
{
    struct aliases all; /* 8 KB of rows, so only what is used is written */
    all.count = 0;
    struct record record;
    struct reader first = *r;
    for (unsigned i = 0; i < count; i++) {
        if (!record_read(r, &record))
            return DNS_ANSWER_NONSENSE;
        if (record.type == TYPE_CNAME && record.class == CLASS_IN && !alias_add(&all, r, &record))
            return DNS_ANSWER_NONSENSE;
    }
    ret->ttl_s = INT32_MAX;
    if (!chain_follow(&all, name, &ret->ttl_s))
        return DNS_ANSWER_NONSENSE;
    unsigned type = is_v6 ? TYPE_AAAA : TYPE_A, bytes = is_v6 ? 16 : 4;
    for (unsigned i = 0; i < count && record_read(&first, &record); i++) {
        if (record.type != type || record.class != CLASS_IN || record.data_bytes != bytes ||
            !name_eq(&record.owner, name))
            continue;
        ret->ttl_s = least(ret->ttl_s, record.ttl_s);
        address_add(first.p + record.data_at, is_v6, ret);
    }
    return ret->count ? DNS_ANSWER_FOUND : DNS_ANSWER_NO_DATA;
}

/* The least of the SOA's own TTL and its last field. */
static uint32_t negative_ttl(struct reader *r, unsigned count)
{
    struct record record;
    struct wire_name skipped;
    for (unsigned i = 0; i < count && record_read(r, &record); i++) {
        if (record.type != TYPE_SOA || record.class != CLASS_IN)
            continue;
        struct reader data = {
            .p = r->p, .n = record.data_at + record.data_bytes, .at = record.data_at};
        name_read(&data, &skipped);
        name_read(&data, &skipped);
        for (int field = 0; field < 4; field++)
            (void)number_read(&data, 4);
        uint32_t minimum = number_read(&data, 4);
        return data.failed || minimum > INT32_MAX ? 0 : least(record.ttl_s, minimum);
    }
    return 0;
}

static bool question_is(struct reader *r, const struct wire_name *name, bool is_v6)
{
    struct wire_name said;
    name_read(r, &said);
    unsigned type = number_read(r, 2), class = number_read(r, 2);
    return !r->failed && class == CLASS_IN && type == (is_v6 ? TYPE_AAAA : TYPE_A) &&
           name_eq(&said, name);
}

static enum dns_answer_kind message_read(struct reader *r, struct wire_name *name, bool is_v6,
                                         struct dns_answer *ret)
{
    (void)number_read(r, 2); /* the id: the caller has compared it */
    unsigned flags = number_read(r, 2), questions = number_read(r, 2);
    unsigned answers = number_read(r, 2), authorities = number_read(r, 2);
    (void)number_read(r, 2);
    unsigned rcode = flags & 15;
    if (r->failed || !(flags & 0x8000) || questions != 1 || !question_is(r, name, is_v6))
        return DNS_ANSWER_NONSENSE;
    if (rcode != RCODE_NOERROR && rcode != RCODE_NXDOMAIN)
        return DNS_ANSWER_REFUSED;
    enum dns_answer_kind kind = answers_read(r, answers, name, is_v6, ret);
    if (kind == DNS_ANSWER_NONSENSE || (kind == DNS_ANSWER_FOUND && rcode == RCODE_NOERROR))
        return kind;
    ret->ttl_s = negative_ttl(r, authorities);
    return rcode == RCODE_NXDOMAIN ? DNS_ANSWER_NO_NAME : kind;
}

void dns_answer_read(struct str message, const struct dns_name *asked, bool is_v6,
                     struct dns_answer *ret)
{
    struct reader r = {.p = (const uint8_t *)message.p, .n = message.n};
    struct wire_name name;
    name_of(asked, &name);
    *ret = (struct dns_answer){0};
    ret->kind = message_read(&r, &name, is_v6, ret);
    if (ret->kind != DNS_ANSWER_FOUND)
        ret->count = 0;
    if (ret->kind == DNS_ANSWER_NONSENSE)
        ret->ttl_s = 0;
}
