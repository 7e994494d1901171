/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base64.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void buf_base64(struct buf *out, struct str bytes)
{
    size_t n = (bytes.n + 2) / 3 * 4;
    char *to = buf_reserve(out, n ? n : 1);
    if (!to)
        return;
    for (size_t i = 0; i < bytes.n; i += 3, to += 4) {
        size_t left = bytes.n - i;
        uint32_t v = (uint32_t)(uint8_t)bytes.p[i] << 16;
        v |= left > 1 ? (uint32_t)(uint8_t)bytes.p[i + 1] << 8 : 0;
        v |= left > 2 ? (uint32_t)(uint8_t)bytes.p[i + 2] : 0;
        to[0] = letters[v >> 18];
        to[1] = letters[v >> 12 & 63];
        to[2] = left > 1 ? letters[v >> 6 & 63] : '=';
        to[3] = left > 2 ? letters[v & 63] : '=';
    }
    out->n += n;
}

/* 64: none of the letters. */
static uint32_t value_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Four letters become three bytes; behind `pads` of them stands nothing, not even a bit. */
static bool read_four(const char *from, unsigned pads, char *to)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t one = i < 4 - pads ? value_of(from[i]) : 0;
        if (one > 63)
            return false;
        v = v << 6 | one;
    }
    to[0] = (char)(v >> 16);
    to[1] = (char)(v >> 8);
    to[2] = (char)v;
    return !(v & (pads == 2 ? 0xffffu : pads == 1 ? 0xffu : 0));
}

enum rc base64_read(struct str text, struct buf *out)
{
    unsigned pads = 0;
    if (text.n % 4)
        return RC_INVALID;
    while (pads < 2 && pads < text.n && text.p[text.n - 1 - pads] == '=')
        pads++;
    char *to = buf_reserve(out, text.n / 4 * 3 + 1);
    if (!to)
        return buf_rc(out);
    for (size_t i = 0; i < text.n; i += 4, to += 3)
        if (!read_four(text.p + i, i + 4 == text.n ? pads : 0, to))
            return RC_INVALID;
    out->n += text.n / 4 * 3 - (text.n ? pads : 0);
    return RC_OK;
}
