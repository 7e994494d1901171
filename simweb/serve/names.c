/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/names.h"

#include "base/hash.h"
#include "base/mem.h"
#include "faults/fault.h"
#include "wire/dns_message.h"

enum {
    CLASS_IN = 1,
    CHAIN = 3, /* CNAMEs of DNS_CNAME */
    FIRST_SLOTS = 256,
    TTL_MOST = 0x7fffffff,    /* RFC 2181, 8: above it a TTL means nothing */
    MANY_OTHERS = 0x7f005b00, /* 127.0.91.0 and up: nobody listens there */
    PRIVATE_10 = 0x0a000001,
    PRIVATE_172 = (int)0xac100001,
    PRIVATE_192 = (int)0xc0a80001,
    METADATA = (int)0xa9fea9fe, /* 169.254.169.254, where clouds keep their secrets */
};

/* How often a host was asked for, by the hash of its name. Open addressing, at most 3/4 full. */
struct counted {
    uint64_t hash; /* 0 = free */
    uint32_t times;
};

struct names {
    struct names_settings settings;
    struct names_asks asks;
    char *suffix;
    struct counted *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t used;
};

struct names *names_open(const struct names_settings *s, struct names_asks asks)
{
    struct names *n = mem_zero(1, sizeof *n);
    char *suffix = mem_alloc(s->suffix.n);
    if (!n || !suffix) {
        mem_free(n);
        mem_free(suffix);
        return NULL;
    }
    memcpy(suffix, s->suffix.p, s->suffix.n);
    *n = (struct names){.settings = *s, .asks = asks, .suffix = suffix};
    n->settings.suffix.p = suffix;
    return n;
}

void names_close(struct names *n)
{
    if (!n)
        return;
    names_reset(n);
    mem_free(n->suffix);
    mem_free(n);
}

void names_reset(struct names *n)
{
    mem_free(n->slots);
    n->slots = NULL;
    n->slot_count = 0;
    n->used = 0;
}

/* Counting ---------------------------------------------------------------------------------- */

/* The slot of a hash, or the free one where it would go. */
static struct counted *slot_of(struct counted *slots, uint32_t slot_count, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & (slot_count - 1);
    while (slots[at].hash && slots[at].hash != hash)
        at = (at + 1) & (slot_count - 1);
    return &slots[at];
}

static bool slots_grow(struct names *n)
{
    uint32_t count = n->slot_count ? n->slot_count * 2 : FIRST_SLOTS;
    struct counted *slots = mem_zero(count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < n->slot_count; i++)
        if (n->slots[i].hash)
            *slot_of(slots, count, n->slots[i].hash) = n->slots[i];
    mem_free(n->slots);
    n->slots = slots;
    n->slot_count = count;
    return true;
}

/* How often the host was asked for before. One that cannot be remembered was, as far as the world
 * can tell: a rebinding name then shows its bad side at once, and a crawler is no worse tested. */
static uint32_t times_before(struct names *n, struct str name)
{
    uint64_t hash = hash64(name);
    hash = hash ? hash : 1;
    bool is_full = n->used >= n->slot_count / 4 * 3;
    if (is_full && n->used < NAMES_MAX_COUNTED && !slots_grow(n))
        return 1;
    struct counted *slot = slot_of(n->slots, n->slot_count, hash);
    if (!slot->hash) {
        if (n->used >= NAMES_MAX_COUNTED)
            return 1;
        slot->hash = hash;
        n->used++;
    }
    if (slot->times == UINT32_MAX)
        return slot->times;
    return slot->times++;
}

/* Finding ----------------------------------------------------------------------------------- */

struct query {
    struct names *names;
    struct dns_question question;
    struct str name;
    struct mood mood;
    uint32_t address;
    struct str host;   /* `name`, or what is behind alias1. or loop. */
    unsigned link;     /* where in the chain of CNAMEs `name` stands: 0 is the host's own name */
    uint32_t times;    /* asked before, where the mood depends on it */
    size_t most_bytes; /* of the answer */
    struct buf *out;
    struct dns_writer writer;
};

static bool host_ask(const struct query *q, struct str name, struct mood *ret_mood,
                     uint32_t *ret_address)
{
    return q->names->asks.host(q->names->asks.ctx, name, ret_mood, ret_address);
}

/* alias1.HOST, alias2.HOST, alias3.HOST where HOST has a chain; loop.HOST where it has a loop. */
static bool find_alias(struct query *q)
{
    struct str host = q->name;
    struct str label = str_take_until(&host, '.');
    bool is_alias = label.n == 6 && str_starts(label, STR("alias")) && label.p[5] >= '1' &&
                    label.p[5] <= '0' + CHAIN;
    bool is_loop = str_eq(label, STR("loop"));
    struct mood mood;
    uint32_t address;
    if ((!is_alias && !is_loop) || !host.n || !host_ask(q, host, &mood, &address) ||
        mood.dns != (is_alias ? DNS_CNAME : DNS_CNAME_LOOP))
        return false;
    q->host = host;
    q->mood = mood;
    q->address = address;
    q->link = is_alias ? (unsigned)(label.p[5] - '0') : 1;
    return true;
}

static bool find(struct query *q)
{
    q->host = q->name;
    return find_alias(q) || host_ask(q, q->name, &q->mood, &q->address);
}

/* Whether there is no such host but one below it: the name of a domain. It exists then, and says
 * so with an empty answer, because NXDOMAIN would deny all below it (RFC 8020). */
static bool has_below(const struct query *q)
{
    char room[DNS_MAX_NAME + 8];
    struct buf b = buf_on(room, sizeof room);
    struct mood mood;
    uint32_t address;
    buf_add(&b, STR("www."));
    buf_add(&b, q->name);
    return str_eq(q->name, q->names->settings.suffix) || host_ask(q, buf_str(&b), &mood, &address);
}

static bool is_ours(const struct query *q)
{
    struct str suffix = q->names->settings.suffix;
    if (!str_ends(q->name, suffix) || q->question.class != CLASS_IN)
        return false;
    return q->name.n == suffix.n || q->name.p[q->name.n - suffix.n - 1] == '.';
}

/* Answering --------------------------------------------------------------------------------- */

/* The name at one place of a chain of CNAMEs: HOST, alias1.HOST, …; of a loop: HOST, loop.HOST. */
static struct str link_name(const struct query *q, unsigned at, struct buf *room)
{
    buf_clear(room);
    if (at > 0 && q->mood.dns == DNS_CNAME)
        buf_printf(room, "alias%u.", at);
    if (at > 0 && q->mood.dns == DNS_CNAME_LOOP)
        buf_add(room, STR("loop."));
    buf_add(room, q->host);
    return buf_str(room);
}

static void put_cname(struct query *q, unsigned from, unsigned to)
{
    char from_room[DNS_MAX_NAME + 8], to_room[DNS_MAX_NAME + 8];
    struct buf a = buf_on(from_room, sizeof from_room), b = buf_on(to_room, sizeof to_room);
    dns_cname(&q->writer, link_name(q, from, &a), NAMES_TTL_S, link_name(q, to, &b));
}

static void put_chain(struct query *q)
{
    for (unsigned at = q->link; at < CHAIN; at++) {
        put_cname(q, at, at + 1);
        if (q->question.type == DNS_CNAME_RECORD)
            return;
    }
    char room[DNS_MAX_NAME + 8];
    struct buf b = buf_on(room, sizeof room);
    if (q->question.type == DNS_A)
        dns_a(&q->writer, link_name(q, CHAIN, &b), NAMES_TTL_S, q->address);
}

static void put_loop(struct query *q)
{
    put_cname(q, q->link, 1 - q->link);
    if (q->question.type != DNS_CNAME_RECORD)
        put_cname(q, 1 - q->link, q->link);
}

static void put_many(struct query *q)
{
    dns_a(&q->writer, q->name, NAMES_TTL_S, q->address);
    for (uint32_t i = 1; i < NAMES_MANY; i++)
        dns_a(&q->writer, q->name, NAMES_TTL_S, MANY_OTHERS + i);
}

/* The one address of moods that have another than the right one; 0 where there is none. */
static uint32_t false_address(const struct query *q)
{
    switch (q->mood.dns) {
    case DNS_REBIND:
        return q->times == 0 ? q->address : (uint32_t)ADDRESS_TRAP;
    case DNS_PRIVATE_10:
        return PRIVATE_10;
    case DNS_PRIVATE_172:
        return (uint32_t)PRIVATE_172;
    case DNS_PRIVATE_192:
        return (uint32_t)PRIVATE_192;
    case DNS_LINK_LOCAL:
        return (uint32_t)METADATA;
    case DNS_LOOPBACK:
    case DNS_LIES:
        return ADDRESS_TRAP;
    default:
        return q->address;
    }
}

static uint32_t ttl_of(const struct query *q)
{
    if (q->mood.dns == DNS_REBIND || q->mood.dns == DNS_TTL_ZERO)
        return 0;
    if (q->mood.dns == DNS_TTL_HUGE)
        return q->times % 2 == 0 ? TTL_MOST : UINT32_MAX;
    return NAMES_TTL_S;
}

static void put_a(struct query *q)
{
    switch (q->mood.dns) {
    case DNS_MAPPED:
    case DNS_MAPPED_LOOPBACK:
    case DNS_NAT64:
    case DNS_UNIQUE_LOCAL:
        return;
    case DNS_ZERO:
        dns_a(&q->writer, q->name, NAMES_TTL_S, 0);
        return;
    case DNS_MANY:
        put_many(q);
        return;
    case DNS_DEAD_FIRST:
        dns_a(&q->writer, q->name, NAMES_TTL_S, ADDRESS_REFUSING);
        dns_a(&q->writer, q->name, NAMES_TTL_S, q->address);
        return;
    case DNS_TRAP_SECOND:
        dns_a(&q->writer, q->name, NAMES_TTL_S, ADDRESS_REFUSING);
        dns_a(&q->writer, q->name, NAMES_TTL_S, ADDRESS_TRAP);
        return;
    default:
        dns_a(&q->writer, q->name, ttl_of(q), false_address(q));
        return;
    }
}

static void put_aaaa(struct query *q)
{
    static const uint8_t mapped[16] = {[10] = 0xff, 0xff, 10, 0, 0, 1};
    static const uint8_t mapped_loopback[16] = {[10] = 0xff, 0xff, 127, 0, 0, 1};
    static const uint8_t nat64[16] = {0x00, 0x64, 0xff, 0x9b, [12] = 10, 0, 0, 1};
    static const uint8_t unique_local[16] = {0xfd, [15] = 1};
    static const uint8_t loopback[16] = {[15] = 1};
    const uint8_t *address = NULL;
    if (q->mood.dns == DNS_MAPPED)
        address = mapped;
    if (q->mood.dns == DNS_MAPPED_LOOPBACK)
        address = mapped_loopback;
    if (q->mood.dns == DNS_NAT64)
        address = nat64;
    if (q->mood.dns == DNS_UNIQUE_LOCAL)
        address = unique_local;
    if (q->mood.dns == DNS_V6_TOO && q->names->settings.has_v6)
        address = loopback;
    if (address)
        dns_aaaa(&q->writer, q->name, NAMES_TTL_S, address);
}

static void put_records(struct query *q)
{
    if (q->mood.dns == DNS_CNAME)
        put_chain(q);
    else if (q->mood.dns == DNS_CNAME_LOOP)
        put_loop(q);
    else if (q->question.type == DNS_A)
        put_a(q);
    else if (q->question.type == DNS_AAAA)
        put_aaaa(q);
}

/* Another id, or another name in question and answer, in turns: either is somebody else's answer
 * to a client that looks. What it claims is the trap. */
static void make_lie(struct query *q)
{
    if (q->times % 2 == 0) {
        q->question.id = (uint16_t)(q->question.id + 1);
        return;
    }
    struct buf name = buf_on(q->question.name, DNS_MAX_NAME);
    buf_add(&name, STR("elsewhere."));
    buf_add(&name, q->names->settings.suffix);
    q->question.name_bytes = name.n;
    q->question.wire_bytes = 0;
    q->name = buf_str(&name);
}

static void write_answer(struct query *q, enum dns_rcode rcode, bool has_records)
{
    struct str zone = q->names->settings.suffix;
    dns_begin(&q->writer, q->out, &q->question, rcode, q->most_bytes);
    if (has_records)
        put_records(q);
    if (q->writer.answers == 0 && !q->writer.is_cut &&
        (rcode == DNS_NOERROR || rcode == DNS_NXDOMAIN_CODE))
        dns_soa(&q->writer, zone, NAMES_NEGATIVE_TTL_S);
    dns_end(&q->writer, &q->question);
}

static enum dns_rcode rcode_of(const struct query *q)
{
    if (q->mood.dns == DNS_NXDOMAIN)
        return DNS_NXDOMAIN_CODE;
    return q->mood.dns == DNS_SERVFAIL ? DNS_SERVFAIL_CODE : DNS_NOERROR;
}

/* Only questions for an address count: a client asks for AAAA beside A, in either order. */
static void count(struct query *q)
{
    bool depends =
        q->mood.dns == DNS_REBIND || q->mood.dns == DNS_TTL_HUGE || q->mood.dns == DNS_LIES;
    if (depends && q->question.type == DNS_A)
        q->times = times_before(q->names, q->name);
}

/* Returns what `saw` is told. */
static uint16_t answer(struct query *q, uint64_t *ret_delay_ms)
{
    enum dns_rcode rcode = DNS_REFUSED;
    if (!is_ours(q)) {
        write_answer(q, rcode, false);
        return (uint16_t)rcode;
    }
    if (!find(q)) {
        rcode = has_below(q) ? DNS_NOERROR : DNS_NXDOMAIN_CODE;
        write_answer(q, rcode, false);
        return (uint16_t)rcode;
    }
    if (q->mood.dns == DNS_SILENT)
        return NAMES_UNANSWERED;
    count(q);
    if (q->mood.dns == DNS_SLOW)
        *ret_delay_ms = q->names->settings.slow_ms;
    if (q->mood.dns == DNS_LIES)
        make_lie(q);
    rcode = rcode_of(q);
    write_answer(q, rcode, rcode == DNS_NOERROR);
    return (uint16_t)rcode;
}

uint64_t names_answer(struct names *n, struct str question, bool is_tcp, struct buf *out)
{
    struct query q = {.names = n, .out = out};
    size_t start = out->n;
    uint64_t delay_ms = 0;
    if (dns_question_read(question, &q.question))
        return NAMES_NEVER;
    char asked[DNS_MAX_NAME];
    size_t asked_bytes = q.question.name_bytes;
    memcpy(asked, q.question.name, asked_bytes);
    q.name = str_make(q.question.name, q.question.name_bytes);
    q.most_bytes = is_tcp ? DNS_MAX_BYTES : q.question.udp_bytes;
    uint16_t told = answer(&q, &delay_ms);
    if (out->rc) {
        out->n = start;
        told = NAMES_UNANSWERED;
    }
    if (n->asks.saw)
        n->asks.saw(n->asks.ctx, str_make(asked, asked_bytes), q.question.type, told);
    return told == NAMES_UNANSWERED ? NAMES_NEVER : delay_ms;
}
