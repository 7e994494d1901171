/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/chunked.h"

enum step {
    SIZE,       /* in the digits of a size */
    PADDING,    /* blanks behind the digits */
    EXTENSION,  /* from ';' to the end of the line */
    SIZE_LF,    /* behind the CR of a size line */
    DATA,       /* `left` bytes of it to come */
    DATA_CR,    /* behind the data: a line end */
    DATA_LF,    /* behind that line end's CR */
    TRAILER,    /* at the start of a trailer line */
    TRAILER_LF, /* behind a CR there: the end if LF follows */
    IN_TRAILER, /* within one */
};

enum { MAX_DIGITS = 16 };

static void broken(struct chunked *c, const char *problem)
{
    c->end = CHUNKED_BROKEN;
    c->problem = problem;
}

static void line_over(struct chunked *c)
{
    c->line_bytes = 0;
    c->chunk_count++;
    c->step = c->left ? DATA : TRAILER;
}

static void size_byte(struct chunked *c, char b)
{
    int digit = ascii_hex(b);
    if (digit >= 0) {
        if (++c->digits > MAX_DIGITS)
            broken(c, "expected a chunk's size of at most 16 digits");
        c->left = c->left << 4 | (uint64_t)digit;
        return;
    }
    if (c->digits == 0)
        broken(c, "expected a chunk's size in hexadecimal");
    else if (b == '\n')
        line_over(c);
    else if (b == '\r')
        c->step = SIZE_LF;
    else if (b == ' ' || b == '\t')
        c->step = PADDING;
    else if (b == ';')
        c->step = EXTENSION;
    else
        broken(c, "expected a line end behind a chunk's size");
}

static void size_line_byte(struct chunked *c, char b)
{
    if (++c->line_bytes > CHUNKED_MAX_LINE) {
        broken(c, "expected a chunk's size line of at most 4 KiB");
    } else if (c->step == SIZE) {
        size_byte(c, b);
    } else if (b == '\n') {
        line_over(c);
    } else if (c->step == SIZE_LF) {
        broken(c, "expected LF behind the CR of a chunk's size");
    } else if (c->step == PADDING) {
        if (b == '\r')
            c->step = SIZE_LF;
        else if (b == ';')
            c->step = EXTENSION;
        else if (b != ' ' && b != '\t')
            broken(c, "expected a line end behind a chunk's size");
    }
}

static void data_end_byte(struct chunked *c, char b)
{
    if (b == '\r' && c->step == DATA_CR) {
        c->step = DATA_LF;
    } else if (b == '\n') {
        c->step = SIZE;
        c->digits = 0;
    } else {
        broken(c, "expected a line end behind a chunk's data");
    }
}

static void trailer_byte(struct chunked *c, char b)
{
    if (++c->line_bytes > CHUNKED_MAX_TRAILERS)
        broken(c, "expected trailers of at most 64 KiB");
    else if (b == '\n' && c->step != IN_TRAILER)
        c->end = CHUNKED_DONE;
    else if (b == '\n')
        c->step = TRAILER;
    else
        c->step = b == '\r' && c->step == TRAILER ? TRAILER_LF : IN_TRAILER;
}

static bool take_data(struct chunked *c, struct str *in, struct str *ret_piece)
{
    *ret_piece = str_first(*in, c->left < in->n ? (size_t)c->left : in->n);
    *in = str_from(*in, ret_piece->n);
    c->left -= ret_piece->n;
    c->bytes += ret_piece->n;
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
