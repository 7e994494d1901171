/* SPDX-License-Identifier: Apache-2.0 */
#include "net/framing.h"

enum step {
    SIZE,        /* in the digits of a size */
    PADDING,     /* blanks behind them */
    EXTENSION,   /* from ';' to the end of the line */
    SIZE_LF,     /* behind the CR of a size line */
    DATA,        /* `left` bytes to come */
    DATA_CR,     /* behind the data: a line end */
    DATA_LF,     /* behind that line end's CR */
    TRAILER,     /* at the start of a trailer line */
    TRAILER_END, /* behind a CR there */
    IN_TRAILER,  /* within one */
    TRAILER_LF,  /* behind a CR in one */
};

enum { MAX_DIGITS = 16 };

void framing_init(struct framing *f, enum framing_kind kind, uint64_t length)
{
    *f = (struct framing){.kind = kind, .left = kind == FRAMING_LENGTH ? length : 0};
    if (kind == FRAMING_NONE || (kind == FRAMING_LENGTH && length == 0))
        f->end = FRAMING_WHOLE;
}

/* Before the first chunk it means that there are no chunks: the body is plain (F22). */
static void broken(struct framing *f, const char *why)
{
    if (f->has_chunk) {
        f->end = FRAMING_BROKEN;
        f->why = why;
        return;
    }
    f->kind = FRAMING_CLOSE;
    f->is_not_chunked = true;
}

static void refused(struct framing *f, const char *why)
{
    f->end = FRAMING_REFUSED;
    f->why = why;
}

static void size_line_over(struct framing *f)
{
    f->has_chunk = true;
    f->line_bytes = 0;
    f->step = f->left ? DATA : TRAILER;
}

static void behind_size(struct framing *f, char b)
{
    if (b == '\n')
        size_line_over(f);
    else if (b == '\r')
        f->step = SIZE_LF;
    else if (b == ';')
        f->step = EXTENSION;
    else if (b == ' ' || b == '\t')
        f->step = PADDING;
    else
        broken(f, "something behind a chunk's size");
}

static void size_byte(struct framing *f, char b)
{
    int digit = ascii_hex(b);
    if (digit < 0 && f->digits == 0) {
        broken(f, "a chunk's size is no number");
    } else if (digit < 0) {
        behind_size(f, b);
    } else if (++f->digits > MAX_DIGITS) {
        broken(f, "a chunk's size is past 64 bits");
    } else {
        f->left = f->left << 4 | (uint64_t)digit;
    }
}

static void extension_byte(struct framing *f, char b)
{
    if (b == '\n')
        size_line_over(f);
    else if (b == '\r')
        f->step = SIZE_LF;
    else if (b == '\0')
        broken(f, "NUL behind a chunk's size");
}

static void size_line_byte(struct framing *f, char b)
{
    if (++f->line_bytes > FRAMING_LINE_BYTES)
        broken(f, "a chunk's size line is too long");
    else if (f->step == SIZE)
        size_byte(f, b);
    else if (f->step == PADDING)
        behind_size(f, b);
    else if (f->step == EXTENSION)
        extension_byte(f, b);
    else if (b == '\n')
        size_line_over(f);
    else
        broken(f, "bare CR behind a chunk's size");
}

static void data_end_byte(struct framing *f, char b)
{
    if (b == '\r' && f->step == DATA_CR) {
        f->step = DATA_LF;
    } else if (b == '\n') {
        f->step = SIZE;
        f->digits = 0;
    } else {
        broken(f, "chunks are not parted");
    }
}

static void trailer_byte(struct framing *f, char b)
{
    bool at_start = f->step == TRAILER || f->step == TRAILER_END;
    bool behind_cr = f->step == TRAILER_END || f->step == TRAILER_LF;
    if (++f->line_bytes > FRAMING_TRAILER_BYTES)
        broken(f, "trailers are too long");
    else if (b == '\n' && at_start)
        f->end = FRAMING_WHOLE;
    else if (b == '\n')
        f->step = TRAILER;
    else if (behind_cr)
        refused(f, "bare CR in a trailer");
    else if (b == '\0')
        refused(f, "NUL in a trailer");
    else if (b == '\r')
        f->step = at_start ? TRAILER_END : TRAILER_LF;
    else
        f->step = IN_TRAILER;
}

static void line_byte(struct framing *f, char b)
{
    enum step before = (enum step)f->step;
    if (before <= SIZE_LF)
        size_line_byte(f, b);
    else if (before <= DATA_LF)
        data_end_byte(f, b);
    else
        trailer_byte(f, b);
}

/* A run of bytes without structure: of a length, of a chunk, until the close. */
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

/* Behind a size line, behind a chunk, behind a trailer, or at the end. */
static bool is_between(const struct framing *f)
{
    return f->end == FRAMING_WHOLE || f->step == DATA || f->step == TRAILER ||
           (f->step == SIZE && f->digits == 0);
}

static size_t take_chunks(struct framing *f, struct str piece)
{
    size_t at = 0;
    while (at < piece.n && f->end == FRAMING_OPEN && f->kind == FRAMING_CHUNKED) {
        if (f->step == DATA) {
            at += take_plain(f, piece.n - at);
            f->step = f->left ? DATA : DATA_CR;
            continue;
        }
        line_byte(f, piece.p[at]);
        if (f->end == FRAMING_BROKEN || f->end == FRAMING_REFUSED || f->kind != FRAMING_CHUNKED)
            break;
        at++;
        f->taken_bytes++;
        if (is_between(f))
            f->sound_bytes = f->taken_bytes;
    }
    return at;
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
    if (f->kind == FRAMING_LENGTH || (f->kind == FRAMING_CHUNKED && f->step == DATA))
        return f->left;
    return 0;
}
