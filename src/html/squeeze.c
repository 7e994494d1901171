/* SPDX-License-Identifier: Apache-2.0 */
#include "html/squeeze.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

void squeeze_begin(struct squeeze *s, struct buf *out, size_t max_bytes)
{
    buf_clear(out);
    *s = (struct squeeze){.out = out, .max_bytes = max_bytes};
}

static bool is_blank(char c)
{
    return (unsigned char)c <= ' ';
}

#if defined(__SSE2__)
/* Copies as long as blanks stand alone; returns how much. to[-1] is no blank at the start of each
 * sixteen that are copied, or the first of them is none. */
static size_t put_blocks(char **to, const char *p, size_t n)
{
    const __m128i blank = _mm_set1_epi8(' ');
    size_t at = 0;
    for (; at + 16 <= n; at += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + at));
        __m128i raised = _mm_max_epu8(v, blank);
        unsigned blanks = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(raised, blank));
        if (blanks & (blanks << 1 | ((*to)[-1] == ' ')))
            break;
        _mm_storeu_si128((__m128i *)(void *)*to, raised);
        *to += 16;
    }
    return at;
}
#else
static size_t put_blocks(char **to, const char *p, size_t n)
{
    (void)to;
    (void)p;
    (void)n;
    return 0;
}
#endif

/* Byte by byte without branches, since the processor cannot predict where words end. May write one
 * byte more than it keeps. */
static char *put_bytes(char *to, const char *p, const char *end)
{
    unsigned after_blank = to[-1] == ' ';
    for (; p < end; p++) {
        unsigned char c = (unsigned char)*p;
        unsigned blank = c <= ' ';
        *to = (char)(blank ? ' ' : c);
        to += !(blank & after_blank);
        after_blank = blank;
    }
    return to;
}

/* `text` starts with a word and there is room for it all and a byte. to[-1] can be read. */
static char *put_all(char *to, struct str text)
{
    for (size_t at = 0; at < text.n;) {
        at += put_blocks(&to, text.p + at, text.n - at);
        size_t end = at + 16 < text.n ? at + 16 : text.n;
        to = put_bytes(to, text.p + at, text.p + end);
        at = end;
    }
    return to;
}

/* Drops the bytes of a code point that the limit cuts, and a blank before them. */
static void drop_partial(struct buf *out)
{
    for (int i = 0; i < 2 && out->n && ((unsigned char)out->p[out->n - 1] & 0xc0) == 0x80; i++)
        out->n--;
    if (out->n && ((unsigned char)out->p[out->n - 1] & 0xc0) == 0xc0)
        out->n--;
    if (out->n && is_blank(out->p[out->n - 1]))
        out->n--;
}

/* Byte by byte, where the limit may be met. The result does not depend on how text is cut up. */
static void add_near_limit(struct squeeze *s, struct str text)
{
    for (size_t i = 0; i < text.n && !s->cut; i++) {
        char c = text.p[i], before = '\0';
        if (s->out->n)
            before = s->pending;
        if (is_blank(c)) {
            squeeze_space(s);
            continue;
        }
        if (s->out->n + (before ? 2 : 1) > s->max_bytes) {
            s->cut = true;
            if (((unsigned char)c & 0xc0) == 0x80)
                drop_partial(s->out);
            break;
        }
        if (before)
            buf_byte(s->out, before);
        buf_byte(s->out, c);
        s->pending = 0;
    }
}

/* `text` starts with a word and fits. */
static void add_fast(struct squeeze *s, struct str text)
{
    char *start = buf_reserve(s->out, text.n + 2), *to = start;
    if (!start)
        return;
    if (s->pending && s->out->n)
        *to++ = s->pending;
    *to++ = text.p[0];
    to = put_all(to, str_from(text, 1));
    s->pending = 0;
    if (to[-1] == ' ') {
        to--;
        s->pending = ' ';
    }
    s->out->n += (size_t)(to - start);
}

void squeeze_add(struct squeeze *s, struct str text)
{
    size_t skip = 0;
    while (skip < text.n && is_blank(text.p[skip]))
        skip++;
    if (skip)
        squeeze_space(s);
    text = str_from(text, skip);
    if (text.n == 0 || s->cut)
        return;
    if (s->out->n + text.n + 1 > s->max_bytes)
        add_near_limit(s, text);
    else
        add_fast(s, text);
}
