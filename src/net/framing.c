/* SPDX-License-Identifier: Apache-2.0 */
#include "net/framing.h"

static const char *const problem_texts[CHUNKED_PROBLEMS_] = {
    [CHUNKED_NO_SIZE] = "a chunk's size is no number",
    [CHUNKED_LONG_SIZE] = "a chunk's size is past 64 bits",
    [CHUNKED_BEHIND_SIZE] = "something behind a chunk's size",
    [CHUNKED_SIZE_CR] = "bare CR behind a chunk's size",
    [CHUNKED_SIZE_NUL] = "NUL behind a chunk's size",
    [CHUNKED_LONG_LINE] = "a chunk's size line is too long",
    [CHUNKED_NOT_PARTED] = "chunks are not parted",
    [CHUNKED_LONG_TRAILERS] = "trailers are too long",
    [CHUNKED_TRAILER_CR] = "bare CR in a trailer",
    [CHUNKED_TRAILER_NUL] = "NUL in a trailer",
};

void framing_init(struct framing *f, enum framing_kind kind, uint64_t length)
{
    *f = (struct framing){
        .kind = kind, .left = kind == FRAMING_LENGTH ? length : 0, .chunks = {.is_strict = true}};
    if (kind == FRAMING_NONE || (kind == FRAMING_LENGTH && length == 0))
        f->end = FRAMING_WHOLE;
}

/* Before the first chunk it means that there are no chunks: some servers announce chunks and send a
 * plain body. */
static void chunks_broken(struct framing *f)
{
    enum chunked_problem problem = f->chunks.problem;
    bool is_refused = problem == CHUNKED_TRAILER_CR || problem == CHUNKED_TRAILER_NUL;
    if (f->chunks.chunk_count) {
        f->end = is_refused ? FRAMING_REFUSED : FRAMING_BROKEN;
        f->why = problem_texts[problem];
    } else {
        f->kind = FRAMING_CLOSE;
        f->is_not_chunked = true;
    }
}

static size_t take_chunks(struct framing *f, struct str piece)
{
    struct str rest = piece, entity;
    while (chunked_next(&f->chunks, &rest, &entity))
        ;
    f->taken_bytes = f->chunks.bytes;
    f->sound_bytes = f->chunks.sound_bytes;
    if (f->chunks.end == CHUNKED_DONE)
        f->end = FRAMING_WHOLE;
    else if (f->chunks.end == CHUNKED_BROKEN)
        chunks_broken(f);
    return piece.n - rest.n;
}

/* Takes bytes of a body without chunks: up to its length, or until the connection closes. */
static size_t take_plain(struct framing *f, size_t n)
{
    if (f->kind != FRAMING_CLOSE) {
        n = f->left < n ? (size_t)f->left : n;
        f->left -= n;
    }
    f->taken_bytes += n;
    f->sound_bytes = f->taken_bytes;
    return n;
}

enum framing_end framing_take(struct framing *f, struct str piece, size_t *ret_taken)
{
    size_t at = 0;
    if (f->end == FRAMING_OPEN && f->kind == FRAMING_CHUNKED)
        at = take_chunks(f, piece);
    if (f->end == FRAMING_OPEN && f->kind != FRAMING_CHUNKED)
        at += take_plain(f, piece.n - at);
    if (f->kind == FRAMING_LENGTH && f->left == 0)
        f->end = FRAMING_WHOLE;
    *ret_taken = at;
    return f->end;
}

uint64_t framing_missing(const struct framing *f)
{
    if (f->kind == FRAMING_LENGTH)
        return f->left;
    return f->kind == FRAMING_CHUNKED ? chunked_missing(&f->chunks) : 0;
}
