/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/dns_message.h"

enum {
    HEADER_BYTES = 12,
    OPT_BYTES = 11,
    MAX_LABEL = 63,
    POINTER = 0xc0, /* the two bits that make a length a pointer */
    CLASS_IN = 1,
    BITS_QUERY = 0xf800, /* QR and opcode: all zero in a question */
    BIT_ANSWER = 0x8000,
    BIT_AUTHORITATIVE = 0x0400,
    BIT_CUT = 0x0200,
    BIT_RECURSION_DESIRED = 0x0100,
    BIT_RECURSION_AVAILABLE = 0x0080, /* said, because stub resolvers ask us as their resolver */
};

/* Reading ----------------------------------------------------------------------------------- */

struct reader {
    struct str bytes;
    size_t at;
    bool is_bad; /* went over the end, or met what cannot be */
};

static unsigned read_u8(struct reader *r)
{
    if (r->at >= r->bytes.n) {
        r->is_bad = true;
        return 0;
    }
    return (unsigned char)r->bytes.p[r->at++];
}

static uint16_t read_u16(struct reader *r)
{
    unsigned high = read_u8(r);
    return (uint16_t)(high << 8 | read_u8(r));
}

static void read_skip(struct reader *r, size_t bytes)
{
    if (bytes > r->bytes.n - r->at)
        r->is_bad = true;
    else
        r->at += bytes;
}

/* One label behind its length byte, into the name as text. */
static void read_label(struct reader *r, unsigned length, struct dns_question *q)
{
    if (length > r->bytes.n - r->at || q->name_bytes + length + 1 > DNS_MAX_NAME) {
        r->is_bad = true;
        return;
    }
    if (q->name_bytes > 0)
        q->name[q->name_bytes++] = '.';
    for (unsigned i = 0; i < length; i++) {
        char c = r->bytes.p[r->at++];
        if (c == '.' || c == '\0')
            r->is_bad = true;
        q->name[q->name_bytes++] = ascii_lower(c);
    }
}

static void read_name(struct reader *r, struct dns_question *q)
{
    size_t from = r->at;
    for (unsigned length = read_u8(r); length && !r->is_bad; length = read_u8(r)) {
        if (length > MAX_LABEL)
            r->is_bad = true;
        else
            read_label(r, length, q);
    }
    q->name[q->name_bytes] = '\0';
    q->wire_bytes = r->at - from;
    if (r->is_bad || q->wire_bytes > sizeof q->wire)
        r->is_bad = true;
    else
        memcpy(q->wire, r->bytes.p + from, q->wire_bytes);
}

/* Steps over an owner name of any form: a pointer ends it and is not followed. */
static void skip_name(struct reader *r)
{
    while (!r->is_bad) {
        unsigned length = read_u8(r);
        if (length == 0)
            return;
        if ((length & POINTER) == POINTER) {
            read_skip(r, 1);
            return;
        }
        if (length > MAX_LABEL)
            r->is_bad = true;
        read_skip(r, length);
    }
}

/* RFC 6891, 6.1.1: one OPT at most; its class is the size the client can take. */
static void read_additional(struct reader *r, struct dns_question *q)
{
    skip_name(r);
    uint16_t type = read_u16(r);
    uint16_t class = read_u16(r);
    read_skip(r, 4);
    read_skip(r, read_u16(r));
    if (type != DNS_OPT || r->is_bad)
        return;
    if (q->has_edns)
        r->is_bad = true;
    q->has_edns = true;
    q->udp_bytes = class < DNS_UDP_BYTES ? DNS_UDP_BYTES : class;
    if (q->udp_bytes > DNS_EDNS_BYTES)
        q->udp_bytes = DNS_EDNS_BYTES;
}

enum rc dns_question_read(struct str bytes, struct dns_question *ret)
{
    struct reader r = {.bytes = bytes};
    struct dns_question q = {.udp_bytes = DNS_UDP_BYTES};
    q.id = read_u16(&r);
    uint16_t bits = read_u16(&r);
    uint16_t questions = read_u16(&r);
    uint16_t answers = read_u16(&r);
    uint16_t authorities = read_u16(&r);
    uint16_t additional = read_u16(&r);
    if (r.is_bad || (bits & BITS_QUERY) || questions != 1 || answers || authorities ||
        additional > DNS_MAX_ADDITIONAL)
        return RC_INVALID;
    q.recursion_desired = bits & BIT_RECURSION_DESIRED;
    read_name(&r, &q);
    q.type = read_u16(&r);
    q.class = read_u16(&r);
    for (uint16_t i = 0; i < additional && !r.is_bad; i++)
        read_additional(&r, &q);
    if (r.is_bad)
        return RC_INVALID;
    *ret = q;
    return RC_OK;
}

/* Writing ----------------------------------------------------------------------------------- */

static void put_u16(struct buf *b, unsigned v)
{
    buf_byte(b, (char)(v >> 8 & 0xff));
    buf_byte(b, (char)(v & 0xff));
}

static void put_u32(struct buf *b, uint32_t v)
{
    put_u16(b, v >> 16);
    put_u16(b, v & 0xffff);
}

/* Writes a field again whose value is known late. Nothing after a failure: it may not be there. */
static void patch_u16(struct buf *b, size_t at, unsigned v)
{
    if (b->rc)
        return;
    b->p[at] = (char)(v >> 8 & 0xff);
    b->p[at + 1] = (char)(v & 0xff);
}

/* Where the question's name has `rest` at its end, as a pointer; 0 if it does not. As text and on
 * the wire a label starts at the same distance from the start of the name, since each dot takes the
 * place of the next label's length. */
static unsigned pointer_to(const struct dns_question *q, struct str rest)
{
    struct str name = str_make(q->name, q->name_bytes);
    if (rest.n == 0 || !str_ends(name, rest))
        return 0;
    size_t from = name.n - rest.n;
    if (from > 0 && name.p[from - 1] != '.')
        return 0;
    return (unsigned)POINTER << 8 | (unsigned)(HEADER_BYTES + from);
}

static void put_label(struct buf *b, struct str label)
{
    if (label.n == 0 || label.n > MAX_LABEL) {
        if (!b->rc)
            b->rc = RC_INVALID;
        return;
    }
    buf_byte(b, (char)label.n);
    buf_add(b, label);
}

/* `q` NULL: without pointers. */
static void put_name(struct buf *b, const struct dns_question *q, struct str name)
{
    while (name.n > 0 && !b->rc) {
        unsigned pointer = q ? pointer_to(q, name) : 0;
        if (pointer) {
            put_u16(b, pointer);
            return;
        }
        put_label(b, str_take_until(&name, '.'));
    }
    buf_byte(b, 0);
}

void dns_begin(struct dns_writer *d, struct buf *out, const struct dns_question *q,
               enum dns_rcode rcode, size_t max_bytes)
{
    *d = (struct dns_writer){.out = out, .start = out->n, .max_bytes = max_bytes, .question = q};
    if (d->max_bytes > DNS_MAX_BYTES)
        d->max_bytes = DNS_MAX_BYTES;
    put_u16(out, q->id);
    put_u16(out, BIT_ANSWER | BIT_AUTHORITATIVE | BIT_RECURSION_AVAILABLE |
                     (q->recursion_desired ? BIT_RECURSION_DESIRED : 0U) | (unsigned)rcode);
    put_u16(out, 1);
    buf_fill(out, 0, 6);
    if (q->wire_bytes)
        buf_add(out, str_make(q->wire, q->wire_bytes));
    else
        put_name(out, NULL, str_make(q->name, q->name_bytes));
    put_u16(out, q->type);
    put_u16(out, q->class);
}

/* A record's head; its data is appended behind it. Returns where the record starts. */
static size_t record_begin(struct dns_writer *d, struct str name, enum dns_type type,
                           uint32_t ttl_s)
{
    size_t start = d->out->n;
    put_name(d->out, d->question, name);
    put_u16(d->out, type);
    put_u16(d->out, CLASS_IN);
    put_u32(d->out, ttl_s);
    put_u16(d->out, 0);
    return start;
}

/* Sets the length of the data that began at `data`, or takes the record back: a later, shorter one
 * must not slip in behind one that was left out. */
static void record_end(struct dns_writer *d, size_t start, size_t data, uint16_t *count)
{
    size_t reserved = d->question->has_edns ? OPT_BYTES : 0;
    if (d->out->rc)
        return;
    if (d->is_cut || d->out->n - d->start + reserved > d->max_bytes) {
        d->is_cut = true;
        d->out->n = start;
        return;
    }
    patch_u16(d->out, data - 2, (unsigned)(d->out->n - data));
    ++*count;
}

void dns_a(struct dns_writer *d, struct str name, uint32_t ttl_s, uint32_t address)
{
    size_t start = record_begin(d, name, DNS_A, ttl_s);
    size_t data = d->out->n;
    put_u32(d->out, address);
    record_end(d, start, data, &d->answers);
}

void dns_aaaa(struct dns_writer *d, struct str name, uint32_t ttl_s, const uint8_t address[16])
{
    size_t start = record_begin(d, name, DNS_AAAA, ttl_s);
    size_t data = d->out->n;
    buf_add(d->out, str_make((const char *)address, 16));
    record_end(d, start, data, &d->answers);
}

void dns_cname(struct dns_writer *d, struct str name, uint32_t ttl_s, struct str target)
{
    size_t start = record_begin(d, name, DNS_CNAME_RECORD, ttl_s);
    size_t data = d->out->n;
    put_name(d->out, d->question, target);
    record_end(d, start, data, &d->answers);
}

void dns_soa(struct dns_writer *d, struct str zone, uint32_t ttl_s)
{
    size_t start = record_begin(d, zone, DNS_SOA, ttl_s);
    size_t data = d->out->n;
    put_label(d->out, STR("ns"));
    put_name(d->out, d->question, zone);
    put_label(d->out, STR("nobody"));
    put_name(d->out, d->question, zone);
    /* Serial, refresh, retry and expire are for secondaries, of which there are none. The last is
     * how long "no such name" holds. */
    put_u32(d->out, 1);
    put_u32(d->out, 7200);
    put_u32(d->out, 900);
    put_u32(d->out, 86400);
    put_u32(d->out, ttl_s);
    record_end(d, start, data, &d->authorities);
}

void dns_end(struct dns_writer *d, const struct dns_question *q)
{
    if (q->has_edns) {
        buf_byte(d->out, 0);
        put_u16(d->out, DNS_OPT);
        put_u16(d->out, DNS_EDNS_BYTES);
        put_u32(d->out, 0);
        put_u16(d->out, 0);
    }
    if (d->out->rc)
        return;
    if (d->is_cut)
        d->out->p[d->start + 2] = (char)(d->out->p[d->start + 2] | BIT_CUT >> 8);
    patch_u16(d->out, d->start + 6, d->answers);
    patch_u16(d->out, d->start + 8, d->authorities);
    patch_u16(d->out, d->start + 10, q->has_edns ? 1 : 0);
}
