/* SPDX-License-Identifier: Apache-2.0 */
/* Input: a DNS message. Properties: what is read as a question is repeated byte for byte in the
 * answer, whose name written anew says the same in lower case; an answer never exceeds what the
 * client takes, and says so when it left something out. */
#include "wire/dns_message.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEADER_BYTES = 12, RECORDS = 40 };

static void must(bool holds)
{
    if (!holds)
        abort();
}

static void write_answer(const struct dns_question *q, struct buf *out)
{
    struct dns_writer d;
    struct str name = str_make(q->name, q->name_bytes);
    dns_begin(&d, out, q, DNS_NOERROR, q->udp_bytes);
    for (uint32_t i = 0; i < RECORDS; i++)
        dns_a(&d, name, i, i);
    dns_end(&d, q);
    must(out->n <= q->udp_bytes && out->n >= HEADER_BYTES);
    must(d.is_cut == ((out->p[2] & 2) != 0) && d.is_cut == (d.answers < RECORDS));
}

/* The question's name and type, behind the header. */
static struct str question_of(const struct dns_question *q, const struct buf *message)
{
    return str_first(str_from(buf_str(message), HEADER_BYTES), q->wire_bytes + 4);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str bytes = str_make((const char *)data, size);
    struct dns_question q;
    struct buf answer, anew;
    if (dns_question_read(bytes, &q))
        return 0;
    must(q.name_bytes <= 253 && q.udp_bytes >= DNS_UDP_BYTES && q.udp_bytes <= DNS_EDNS_BYTES);
    buf_init(&answer, DNS_MAX_BYTES);
    buf_init(&anew, DNS_MAX_BYTES);
    write_answer(&q, &answer);
    must(str_eq(question_of(&q, &answer),
                str_first(str_from(bytes, HEADER_BYTES), q.wire_bytes + 4)));
    size_t sent = q.wire_bytes;
    q.wire_bytes = 0;
    write_answer(&q, &anew);
    q.wire_bytes = sent;
    must(anew.n == answer.n);
    must(str_eq_nocase(question_of(&q, &anew), question_of(&q, &answer)));
    buf_done(&answer);
    buf_done(&anew);
    return 0;
}
