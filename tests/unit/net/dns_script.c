/* SPDX-License-Identifier: Apache-2.0 */
#include "dns_script.h"

#include "lib/test.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEADER = 12, MAX_MESSAGE = 4096, TYPE_A = 1, TYPE_CNAME = 5, TYPE_SOA = 6, TYPE_AAAA = 28 };
enum { COUNT_QUESTIONS = 4, COUNT_ANSWERS = 6, COUNT_AUTHORITIES = 8 };

static void add_u16(struct buf *m, unsigned v)
{
    buf_byte(m, (char)(v >> 8));
    buf_byte(m, (char)v);
}

static void add_u32(struct buf *m, uint32_t v)
{
    add_u16(m, v >> 16);
    add_u16(m, v & 0xffff);
}

static void add_name(struct buf *m, const char *name)
{
    struct str rest = str_c(name);
    while (rest.p && rest.n) {
        struct str label = str_take_until(&rest, '.');
        buf_byte(m, (char)label.n);
        buf_add(m, label);
    }
    buf_byte(m, 0);
}

static void count(struct buf *m, size_t at)
{
    if (++m->p[at + 1] == 0)
        m->p[at]++;
}

void message_begin(struct buf *m, uint16_t id, unsigned flags)
{
    buf_clear(m);
    add_u16(m, id);
    add_u16(m, flags);
    buf_fill(m, 0, HEADER - 4);
}

void message_question(struct buf *m, const char *name, unsigned type)
{
    add_name(m, name);
    add_u16(m, type);
    add_u16(m, 1);
    count(m, COUNT_QUESTIONS);
}

void message_record(struct buf *m, const char *owner, unsigned type, uint32_t ttl_s,
                    struct str data)
{
    add_name(m, owner);
    add_u16(m, type);
    add_u16(m, 1);
    add_u32(m, ttl_s);
    add_u16(m, (unsigned)data.n);
    buf_add(m, data);
    count(m, type == TYPE_SOA ? COUNT_AUTHORITIES : COUNT_ANSWERS);
}

void message_a(struct buf *m, const char *owner, uint32_t ttl_s, uint32_t v4)
{
    char bytes[4] = {(char)(v4 >> 24), (char)(v4 >> 16), (char)(v4 >> 8), (char)v4};
    message_record(m, owner, TYPE_A, ttl_s, str_make(bytes, sizeof bytes));
}

void message_aaaa(struct buf *m, const char *owner, uint32_t ttl_s, uint8_t last)
{
    char bytes[16] = {(char)0xfd, [15] = (char)last};
    message_record(m, owner, TYPE_AAAA, ttl_s, str_make(bytes, sizeof bytes));
}

void message_cname(struct buf *m, const char *owner, uint32_t ttl_s, const char *target)
{
    char room[300];
    struct buf data = buf_on(room, sizeof room);
    add_name(&data, target);
    message_record(m, owner, TYPE_CNAME, ttl_s, buf_str(&data));
}

void message_soa(struct buf *m, const char *owner, uint32_t ttl_s, uint32_t minimum_s)
{
    char room[300];
    struct buf data = buf_on(room, sizeof room);
    add_name(&data, "ns.test");
    add_name(&data, "boss.test");
    for (uint32_t field = 1; field <= 4; field++)
        add_u32(&data, field);
    add_u32(&data, minimum_s);
    message_record(m, owner, TYPE_SOA, ttl_s, buf_str(&data));
}

/* The server --------------------------------------------------------------------------------- */

struct asked {
    uint16_t id;
    unsigned type;
    char name[256];
};

static bool question_read(const uint8_t *p, size_t n, struct asked *ret)
{
    size_t at = HEADER, to = 0;
    while (at < n && p[at]) {
        size_t label = p[at++];
        if (label > 63 || at + label >= n || to + label + 2 > sizeof ret->name)
            return false;
        if (to)
            ret->name[to++] = '.';
        memcpy(ret->name + to, p + at, label);
        to += label;
        at += label;
    }
    ret->name[to] = 0;
    if (at + 5 > n)
        return false;
    ret->id = (uint16_t)(p[0] << 8 | p[1]);
    ret->type = (unsigned)(p[at + 1] << 8 | p[at + 2]);
    return true;
}

static const struct dns_row *row_of(const struct dns_script *s, const char *name)
{
    static const struct dns_row no_name = {.rcode = DNS_RCODE_NXDOMAIN};
    for (const struct dns_row *row = s->rows; row->name; row++) {
        if (strcmp(row->name, "*") == 0 || str_eq_nocase(str_c(row->name), str_c(name)))
            return row;
    }
    return &no_name;
}

static void truth(const struct asked *q, const struct dns_row *row, struct buf *m)
{
    message_begin(m, q->id, 0x8180 | row->rcode);
    message_question(m, q->name, q->type);
    for (unsigned i = 1; q->type == TYPE_A && i <= row->a; i++)
        message_a(m, q->name, row->ttl_s, 0x0a000000 + i);
    for (unsigned i = 1; q->type == TYPE_AAAA && i <= row->aaaa; i++)
        message_aaaa(m, q->name, row->ttl_s, (uint8_t)i);
    if (row->has_soa)
        message_soa(m, "test", row->soa_ttl_s, row->soa_minimum_s);
}

struct peer {
    int fd;
    struct sockaddr_storage address;
    socklen_t bytes;
};

static void peer_send(const struct peer *p, const struct buf *m)
{
    assert_rc(buf_rc(m), RC_OK);
    ssize_t n = sendto(p->fd, m->p, m->n, 0, (const struct sockaddr *)&p->address, p->bytes);
    assert_int_equal(n, (ssize_t)m->n);
}

/* Each with 1.2.3.4, an address that no row gives. */
static void lie(const struct peer *p, const struct asked *q, struct buf *m)
{
    message_begin(m, (uint16_t)(q->id + 1), 0x8180);
    message_question(m, q->name, q->type);
    message_a(m, q->name, 60, 0x01020304);
    peer_send(p, m);
    message_begin(m, q->id, 0x8180);
    message_question(m, "other.test", q->type);
    message_a(m, q->name, 60, 0x01020304);
    peer_send(p, m);
    buf_clear(m);
    buf_add(m, STR("nonsense"));
    peer_send(p, m);
}

static void answer(struct dns_script *s, const struct peer *p, const struct asked *q)
{
    const struct dns_row *row = row_of(s, q->name);
    char room[MAX_MESSAGE]; /* not from the heap, whose failures are the tests' */
    struct buf m = buf_on(room, sizeof room);
    s->seen++;
    s->seen_v6 += q->type == TYPE_AAAA;
    memcpy(s->last_name, q->name, sizeof q->name);
    if (q->type == TYPE_AAAA ? row->silent_aaaa : row->silent_a)
        return;
    if (row->lies_first)
        lie(p, q, &m);
    truth(q, row, &m);
    peer_send(p, &m);
}

static void ready(struct watch *w, unsigned events)
{
    struct dns_script *s = EVENT_OF(w, struct dns_script, watch);
    (void)events;
    uint8_t room[2048];
    struct peer p = {.fd = w->fd, .bytes = sizeof p.address};
    struct asked q;
    ssize_t n =
        recvfrom(w->fd, room, sizeof room, MSG_DONTWAIT, (struct sockaddr *)&p.address, &p.bytes);
    if (n > HEADER && question_read(room, (size_t)n, &q))
        answer(s, &p, &q);
}

void dns_script_begin(struct dns_script *s, struct loop *loop, const struct dns_row *rows)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof here;
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &bytes), 0);
    *s = (struct dns_script){.watch = {.ready = ready, .fd = fd}, .loop = loop, .rows = rows};
    s->port = ntohs(here.sin_port);
    assert_rc(loop_watch(loop, &s->watch, EPOLLIN), RC_OK);
}

void dns_script_end(struct dns_script *s)
{
    loop_unwatch(s->loop, &s->watch);
    close(s->watch.fd);
}
