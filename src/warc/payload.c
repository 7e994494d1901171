/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/payload.h"

#include "base/mem.h"
#include "warc/http_block.h"

struct warc_payload {
    struct warc_payload_plan plan;
    struct warc_payload_facts facts;
    struct http_head_scan scan;
    struct buf head;
    struct digester *entity[2], *stored[2]; /* by kind, opened when first needed */
    bool in_body;
    bool after_interim; /* an answer of status 1xx has come before this one */
    enum rc rc;
};

struct warc_payload *warc_payload_open(void)
{
    struct warc_payload *p = mem_zero(1, sizeof *p);
    if (p)
        buf_init(&p->head, PAYLOAD_MAX_HEAD);
    return p;
}

void warc_payload_close(struct warc_payload *p)
{
    if (!p)
        return;
    for (int kind = 0; kind < 2; kind++) {
        digester_close(p->entity[kind]);
        digester_close(p->stored[kind]);
    }
    buf_done(&p->head);
    mem_free(p);
}

/* A digester may hold bytes of a block that was given up; starting over drops them. */
static void start(struct warc_payload *p, struct digester **d)
{
    if (*d && digester_restart(*d) != RC_OK)
        p->rc = RC_NOMEM;
    if (!*d && !(*d = digester_open(p->plan.kind)))
        p->rc = RC_NOMEM;
}

void warc_payload_begin(struct warc_payload *p, struct warc_payload_plan plan)
{
    p->plan = plan;
    p->facts = (struct warc_payload_facts){0};
    p->scan = (struct http_head_scan){0};
    p->in_body = !plan.is_http;
    p->after_interim = false;
    p->rc = RC_OK;
    buf_clear(&p->head);
    if (plan.digest)
        start(p, &p->entity[plan.kind]);
    if (plan.digest && plan.stored_too)
        start(p, &p->stored[plan.kind]);
}

/* Whether `stored` is another digest than `entity`. */
static bool has_stored(const struct warc_payload *p)
{
    return p->plan.digest && p->plan.stored_too && (p->facts.is_chunked || p->after_interim);
}

static void entity_add(struct warc_payload *p, struct str piece)
{
    p->facts.entity_bytes += piece.n;
    if (p->plan.digest)
        digester_add(p->entity[p->plan.kind], piece);
}

static void body_add(struct warc_payload *p, struct str piece)
{
    struct warc_payload_facts *f = &p->facts;
    f->stored_bytes += piece.n;
    if (has_stored(p))
        digester_add(p->stored[p->plan.kind], piece);
    if (!f->is_chunked) {
        entity_add(p, piece);
        return;
    }
    struct str rest = piece, entity;
    while (chunked_next(&f->chunks, &rest, &entity))
        entity_add(p, entity);
    if (f->chunks.end == CHUNKED_DONE)
        f->surplus += rest.n;
}

/* 101 is the last of its connection's HTTP, so what follows is its body. */
static bool is_interim(struct str head)
{
    unsigned status = http_head_status(head);
    return status >= 100 && status < 200 && status != 101;
}

static void head_over(struct warc_payload *p)
{
    bool whole = buf_rc(&p->head) == RC_OK;
    if (whole && is_interim(buf_str(&p->head))) {
        p->after_interim = true;
        p->scan = (struct http_head_scan){0};
        buf_clear(&p->head);
        return;
    }
    p->in_body = true;
    p->facts.head_whole = whole;
    p->facts.is_chunked = whole && http_head_is_chunked(buf_str(&p->head));
}

/* Returns how much of the piece belongs to the header. */
static size_t head_add(struct warc_payload *p, struct str piece)
{
    size_t bytes = http_head_scan(&p->scan, piece);
    buf_add(&p->head, str_first(piece, bytes));
    if (has_stored(p))
        digester_add(p->stored[p->plan.kind], str_first(piece, bytes));
    if (p->scan.found)
        head_over(p);
    return bytes;
}

void warc_payload_add(struct warc_payload *p, struct str piece)
{
    if (p->rc)
        return;
    while (!p->in_body && piece.n)
        piece = str_from(piece, head_add(p, piece));
    if (buf_rc(&p->head) == RC_NOMEM)
        p->rc = RC_NOMEM;
    else if (piece.n && buf_rc(&p->head) == RC_OK)
        body_add(p, piece);
}

static enum rc finish_digests(struct warc_payload *p)
{
    struct warc_payload_facts *f = &p->facts;
    enum rc rc = digester_finish(p->entity[p->plan.kind], &f->entity);
    if (rc == RC_OK)
        f->stored = f->entity;
    if (rc == RC_OK && has_stored(p))
        rc = digester_finish(p->stored[p->plan.kind], &f->stored);
    return rc;
}

enum rc warc_payload_end(struct warc_payload *p, struct warc_payload_facts *ret)
{
    struct warc_payload_facts *f = &p->facts;
    if (p->rc == RC_OK && p->plan.digest)
        p->rc = finish_digests(p);
    if (p->rc)
        return p->rc;
    if (p->plan.is_http) {
        f->head = buf_str(&p->head);
        f->status = http_head_status(f->head);
        f->mime = http_head_mime(f->head);
    }
    *ret = *f;
    return RC_OK;
}

static enum rc one_pass(struct warc_payload *p, const struct str *pieces, size_t count,
                        struct warc_payload_plan plan, struct warc_payload_facts *ret)
{
    warc_payload_begin(p, plan);
    for (size_t i = 0; i < count; i++)
        warc_payload_add(p, pieces[i]);
    return warc_payload_end(p, ret);
}

enum rc warc_payload_digest(struct warc_payload *p, const struct str *pieces, size_t count,
                            enum digest_kind kind, struct digest *ret_digest,
                            struct warc_payload_facts *ret_facts)
{
    struct warc_payload_plan plan = {.is_http = true, .digest = true, .kind = kind};
    struct warc_payload_facts facts;
    enum rc rc = one_pass(p, pieces, count, plan, &facts);
    bool broken = rc == RC_OK && facts.is_chunked && facts.chunks.end == CHUNKED_BROKEN;
    if (broken) {
        plan.stored_too = true;
        rc = one_pass(p, pieces, count, plan, &facts);
    }
    if (rc)
        return rc;
    *ret_digest = broken ? facts.stored : facts.entity;
    if (ret_facts)
        *ret_facts = facts;
    return RC_OK;
}
