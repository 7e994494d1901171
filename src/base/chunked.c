/* SPDX-License-Identifier: Apache-2.0 */
#include "base/chunked.h"

enum step {
    SIZE,        /* in the digits of a size */
    PADDING,     /* blanks behind the digits */
    EXTENSION,   /* from ';' to the end of the line */
    SIZE_LF,     /* behind the CR of a size line */
    DATA,        /* `left` bytes of it to come */
    DATA_CR,     /* behind the data: a line end */
    DATA_LF,     /* behind that line end's CR */
    TRAILER,     /* at the start of a trailer line */
    TRAILER_END, /* behind a CR there: the end if LF follows */
    IN_TRAILER,  /* within one */
    TRAILER_LF,  /* behind a CR in one, if strict */
};

enum { MAX_DIGITS = 16 };

static void broken(struct chunked *c, enum chunked_problem problem)
{
    c->end = CHUNKED_BROKEN;
    c->problem = problem;
}

/* The byte under way is the last of something whole. */
static void go_to(struct chunked *c, enum step step)
{
    c->step = (unsigned char)step;
    c->sound_bytes = c->bytes + 1;
}

static void size_line_over(struct chunked *c)
{
    c->line_bytes = 0;
    c->chunk_count++;
    go_to(c, c->left ? DATA : TRAILER);
}

static void behind_size(struct chunked *c, char b)
{
    if (b == '\n')
        size_line_over(c);
    else if (b == '\r')
        c->step = SIZE_LF;
    else if (b == ';')
        c->step = EXTENSION;
    else if (b == ' ' || b == '\t')
        c->step = PADDING;
    else
        broken(c, CHUNKED_BEHIND_SIZE);
}

static void size_byte(struct chunked *c, char b)
{
    int digit = ascii_hex(b);
    if (digit < 0 && c->digits == 0)
        broken(c, CHUNKED_NO_SIZE);
    else if (digit < 0)
        behind_size(c, b);
    else if (++c->digits > MAX_DIGITS)
        broken(c, CHUNKED_LONG_SIZE);
    else
        c->left = c->left << 4 | (uint64_t)digit;
}

static void extension_byte(struct chunked *c, char b)
{
    if (b == '\n')
        size_line_over(c);
    else if (b == '\r' && c->is_strict)
        c->step = SIZE_LF;
    else if (b == '\0' && c->is_strict)
        broken(c, CHUNKED_SIZE_NUL);
}

static void size_line_byte(struct chunked *c, char b)
{
    if (++c->line_bytes > CHUNKED_MAX_LINE)
        broken(c, CHUNKED_LONG_LINE);
    else if (c->step == SIZE)
        size_byte(c, b);
    else if (c->step == PADDING)
        behind_size(c, b);
    else if (c->step == EXTENSION)
        extension_byte(c, b);
    else if (b == '\n')
        size_line_over(c);
    else
        broken(c, CHUNKED_SIZE_CR);
}

static void data_end_byte(struct chunked *c, char b)
{
    if (b == '\r' && c->step == DATA_CR) {
        c->step = DATA_LF;
    } else if (b == '\n') {
        go_to(c, SIZE);
        c->digits = 0;
    } else {
        broken(c, CHUNKED_NOT_PARTED);
    }
}

/* A byte that ends no line. */
static void in_trailer_byte(struct chunked *c, char b)
{
    bool at_start = c->step == TRAILER;
    bool behind_cr = c->step == TRAILER_END || c->step == TRAILER_LF;
    if (c->is_strict && behind_cr)
        broken(c, CHUNKED_TRAILER_CR);
    else if (c->is_strict && b == '\0')
        broken(c, CHUNKED_TRAILER_NUL);
    else if (b == '\r' && at_start)
        c->step = TRAILER_END;
    else
        c->step = b == '\r' && c->is_strict ? TRAILER_LF : IN_TRAILER;
}

static void trailer_byte(struct chunked *c, char b)
{
    bool is_empty = c->step == TRAILER || c->step == TRAILER_END;
    if (++c->line_bytes > CHUNKED_MAX_TRAILERS) {
        broken(c, CHUNKED_LONG_TRAILERS);
    } else if (b != '\n') {
        in_trailer_byte(c, b);
    } else {
        go_to(c, TRAILER);
        c->end = is_empty ? CHUNKED_DONE : CHUNKED_OPEN;
    }
}

static bool take_data(struct chunked *c, struct str *in, struct str *ret_piece)
{
    *ret_piece = str_first(*in, c->left < in->n ? (size_t)c->left : in->n);
    *in = str_from(*in, ret_piece->n);
    c->left -= ret_piece->n;
    c->bytes += ret_piece->n;
    c->sound_bytes = c->bytes;
    c->entity_bytes += ret_piece->n;
    if (c->left == 0)
        c->step = DATA_CR;
    return true;
}

bool chunked_next(struct chunked *c, struct str *in, struct str *ret_piece)
{
    while (in->n && c->end == CHUNKED_OPEN) {
        if (c->step == DATA)
            return take_data(c, in, ret_piece);
        char b = in->p[0];
        if (c->step <= SIZE_LF)
            size_line_byte(c, b);
        else if (c->step <= DATA_LF)
            data_end_byte(c, b);
        else
            trailer_byte(c, b);
        if (c->end == CHUNKED_BROKEN)
            break;
        *in = str_from(*in, 1);
        c->bytes++;
    }
    return false;
}

uint64_t chunked_missing(const struct chunked *c)
{
    return c->step == DATA ? c->left : 0;
}

const char *chunked_problem_text(enum chunked_problem problem)
{
    static const char *const texts[CHUNKED_PROBLEMS_] = {
        [CHUNKED_NO_SIZE] = "expected a chunk's size in hexadecimal",
        [CHUNKED_LONG_SIZE] = "expected a chunk's size of at most 16 digits",
        [CHUNKED_BEHIND_SIZE] = "expected a line end behind a chunk's size",
        [CHUNKED_SIZE_CR] = "expected LF behind the CR of a chunk's size",
        [CHUNKED_SIZE_NUL] = "expected no NUL behind a chunk's size",
        [CHUNKED_LONG_LINE] = "expected a chunk's size line of at most 4 KiB",
        [CHUNKED_NOT_PARTED] = "expected a line end behind a chunk's data",
        [CHUNKED_LONG_TRAILERS] = "expected trailers of at most 64 KiB",
        [CHUNKED_TRAILER_CR] = "expected LF behind the CR of a trailer",
        [CHUNKED_TRAILER_NUL] = "expected no NUL in a trailer",
    };
    return texts[problem];
}
