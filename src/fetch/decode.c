/* SPDX-License-Identifier: Apache-2.0 */
/* The codings are removed as the header names them. Where one of them turns out not to be there,
 * decoding starts again without it, at most LAYERS_MAX times. */
#include "fetch/decode.h"

#include "base/mem.h"
#include "fetch/layers.h"

#include <assert.h>

enum { FREE_BYTES = 1 << 20 }; /* up to here any ratio is good */

_Static_assert(LAYERS_MAX == (int)DECODE_MAX_LAYERS, "one layer a coding");

struct decoder {
    struct layers layers;
};

enum rc decoder_open(struct decoder **ret)
{
    struct decoder *d = mem_zero(1, sizeof *d);
    if (!d)
        return RC_NOMEM;
    *ret = d;
    return RC_OK;
}

void decoder_close(struct decoder *d)
{
    if (!d)
        return;
    layers_done(&d->layers);
    mem_free(d);
}

/* Takes the last item of a list with commas, without blanks and parameters. */
static struct str take_last(struct str *list)
{
    size_t at = list->n;
    while (at > 0 && list->p[at - 1] != ',')
        at--;
    struct str item = str_from(*list, at);
    list->n = at ? at - 1 : 0;
    return str_trim(str_first(item, str_find(item, ';')));
}

static bool coding_read(struct str name, enum said *ret)
{
    static const struct {
        struct str name;
        enum said said;
    } rows[] = {
        {{"gzip", 4}, SAID_GZIP}, {{"br", 2}, SAID_BR},       {{"deflate", 7}, SAID_DEFLATE},
        {{"zstd", 4}, SAID_ZSTD}, {{"x-gzip", 6}, SAID_GZIP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (str_eq_nocase(name, rows[i].name)) {
            *ret = rows[i].said;
            return true;
        }
    return false;
}

enum rest { REST_NONE, REST_UNKNOWN, REST_TOO_MANY };

/* The codings in the order they are undone: the last said is the first. Returns why some of those
 * said are not among them. */
static enum rest said_read(struct layers *l, struct str list)
{
    l->count = 0;
    while (list.n) {
        struct str name = take_last(&list);
        enum said said;
        if (name.n == 0 || str_eq_nocase(name, STR("identity")))
            continue;
        if (!coding_read(name, &said))
            return REST_UNKNOWN;
        if (l->count == LAYERS_MAX)
            return REST_TOO_MANY;
        l->layer[l->count].said = said;
        l->layer[l->count++].is_absent = false;
    }
    return REST_NONE;
}

static uint64_t limit_of(const struct decode_input *in)
{
    uint64_t most;
    if (!in->max_ratio || __builtin_mul_overflow(in->max_ratio, (uint64_t)in->body.n, &most))
        return in->max_bytes;
    if (most < FREE_BYTES)
        most = FREE_BYTES;
    return most < in->max_bytes ? most : in->max_bytes;
}

static void say(struct decode_report *r, enum decode_end end, const char *why)
{
    if (r->end == DECODE_WHOLE) {
        r->end = end;
        r->why = why;
    }
}

static void plain(const struct decode_input *in, struct str *ret_text, struct decode_report *r)
{
    *ret_text = in->body;
    if (in->body.n > in->max_bytes) {
        *ret_text = str_first(in->body, (size_t)in->max_bytes);
        say(r, DECODE_TOO_LARGE, "larger than is read");
    }
}

static void chunks_report(const struct chunked *c, struct decode_report *r)
{
    if (c->end == CHUNKED_BROKEN)
        say(r, DECODE_BROKEN, chunked_problem_text(c->problem));
    else if (c->end == CHUNKED_OPEN)
        say(r, DECODE_BROKEN, "the last chunk is missing");
}

static enum rc join_chunks(const struct decode_input *in, struct buf *out, struct str *ret_text,
                           struct decode_report *r)
{
    assert(in->max_bytes <= out->max);
    struct chunked c = {0};
    struct str rest = in->body, piece;
    while (r->end == DECODE_WHOLE && chunked_next(&c, &rest, &piece)) {
        struct str part = str_first(piece, (size_t)(in->max_bytes - out->n));
        buf_add(out, part);
        if (part.n < piece.n)
            say(r, DECODE_TOO_LARGE, "larger than is read");
        if (buf_rc(out) != RC_OK)
            return RC_NOMEM;
    }
    chunks_report(&c, r);
    *ret_text = buf_str(out);
    return RC_OK;
}

/* A body that is announced in chunks and does not begin with one is not chunked. */
static bool has_chunks(const struct decode_input *in)
{
    if (!in->is_chunked)
        return false;
    struct chunked c = {0};
    struct str rest = in->body, piece;
    return chunked_next(&c, &rest, &piece) || c.end != CHUNKED_BROKEN || c.chunk_count;
}

/* The coding without a mark that was tried in vain: nothing came out of it, or it was text before.
 * NULL: there is none. */
static struct layer *mistaken(struct layers *l)
{
    for (unsigned i = 0; i < l->count; i++) {
        struct layer *one = &l->layer[i];
        if (!one->codec || (one->end != CODEC_BROKEN && one->end != CODEC_CUT))
            continue;
        bool has_mark = one->coding == CODING_GZIP || one->coding == CODING_ZSTD;
        if (has_mark || (!one->head_is_text && (one->coding == CODING_ZLIB || one->made)))
            return NULL;
        return one;
    }
    return NULL;
}

static void layers_report(const struct layers *l, struct decode_report *r)
{
    if (l->is_over_limit)
        say(r, DECODE_TOO_LARGE, "unpacks to more than is read");
    for (unsigned i = 0; i < l->count; i++) {
        const struct layer *one = &l->layer[i];
        r->was_unsaid |= one->is_absent;
        r->layers += one->codec != NULL;
        if (one->codec && one->end == CODEC_BROKEN)
            say(r, DECODE_BROKEN, "a content coding is broken");
        else if (one->codec && one->end == CODEC_CUT)
            say(r, DECODE_BROKEN, "a content coding ends too soon");
    }
}

static enum rc undo(struct layers *l, const struct decode_input *in, bool is_chunked,
                    struct buf *out, struct str *ret_text, struct decode_report *r)
{
    assert(in->max_bytes <= out->max);
    l->limit = limit_of(in);
    for (;;) {
        buf_clear(out);
        layers_begin(l, in->body, is_chunked);
        if (layers_run(l, out) != RC_OK)
            return RC_NOMEM;
        struct layer *wrong = l->is_over_limit ? NULL : mistaken(l);
        if (!wrong)
            break;
        wrong->is_absent = true;
    }
    layers_report(l, r);
    *ret_text = buf_str(out);
    return RC_OK;
}

/* What the header says was not there. */
static enum rc undo_nothing(const struct decode_input *in, bool is_chunked, struct buf *out,
                            struct str *ret_text, struct decode_report *r)
{
    r->end = DECODE_WHOLE;
    r->why = NULL;
    if (!is_chunked) {
        plain(in, ret_text, r);
        return RC_OK;
    }
    buf_clear(out);
    return join_chunks(in, out, ret_text, r);
}

enum rc decoder_run(struct decoder *d, const struct decode_input *in, struct buf *out,
                    struct str *ret_text, struct decode_report *ret_report)
{
    struct layers *l = &d->layers;
    bool is_chunked = has_chunks(in);
    enum rest rest = said_read(l, in->content_encoding);
    struct decode_report r = {.was_unsaid = in->is_chunked && !is_chunked};
    struct str text = STR_NONE;
    enum rc rc = l->count ? undo(l, in, is_chunked, out, &text, &r) : RC_OK;
    if (rc == RC_OK && r.layers == 0)
        rc = undo_nothing(in, is_chunked, out, &text, &r);
    if (rc != RC_OK)
        return rc;
    r.is_unknown = rest == REST_UNKNOWN || (rest == REST_TOO_MANY && r.layers == LAYERS_MAX);
    *ret_text = text;
    *ret_report = r;
    return RC_OK;
}

enum rc decoder_gunzip(struct decoder *d, struct str bytes, uint64_t max_bytes, struct buf *out,
                       struct str *ret_text, struct decode_report *ret_report)
{
    struct decode_input in = {
        .body = bytes, .content_encoding = STR("gzip"), .max_bytes = max_bytes};
    return decoder_run(d, &in, out, ret_text, ret_report);
}
