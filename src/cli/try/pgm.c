/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/try/pgm.h"

bool pgm_is(struct str start)
{
    return start.n > 2 && start.p[0] == 'P' && start.p[1] == '5' &&
           (ascii_is_space(start.p[2]) || start.p[2] == '#');
}

/* White space, and comments from # to the end of their line. */
static struct str skip_blank(struct str s)
{
    while (s.n && (ascii_is_space(s.p[0]) || s.p[0] == '#')) {
        size_t n = s.p[0] == '#' ? str_find(s, '\n') : 1;
        s = str_from(s, n);
    }
    return s;
}

static bool take_number(struct str *s, uint64_t *ret)
{
    size_t digits = 0;
    *s = skip_blank(*s);
    while (digits < s->n && ascii_is_digit(s->p[digits]))
        digits++;
    bool good = digits && str_to_u64(str_first(*s, digits), ret) == RC_OK;
    *s = str_from(*s, digits);
    return good;
}

static void copy_pixels(const uint8_t *from, uint64_t largest, size_t count, uint8_t *to)
{
    bool wide = largest > 255; /* two bytes a pixel, the high one first */
    for (size_t i = 0; i < count; i++) {
        uint64_t v = wide ? (uint64_t)from[2 * i] << 8 | from[2 * i + 1] : from[i];
        to[i] = (uint8_t)((v < largest ? v : largest) * 255 / largest);
    }
}

enum rc pgm_read(struct str file, struct arena *arena, struct change_image *ret,
                 const char **ret_why)
{
    uint64_t width, height, largest;
    struct str s = str_from(file, 2);
    *ret_why = "width, height and largest value are wanted behind P5";
    if (!pgm_is(file) || !take_number(&s, &width) || !take_number(&s, &height) ||
        !take_number(&s, &largest) || s.n == 0 || !ascii_is_space(s.p[0]))
        return RC_INVALID;
    *ret_why = "the largest value is 1 to 65535";
    if (largest == 0 || largest > 65535)
        return RC_INVALID;
    *ret_why = "it has no pixels";
    if (width == 0 || height == 0)
        return RC_INVALID;
    if (width > CHANGE_MAX_SIDE || height > CHANGE_MAX_SIDE)
        return RC_LIMIT;
    size_t count = (size_t)(width * height);
    s = str_from(s, 1);
    *ret_why = "it ends before its last pixel";
    if (s.n < count * (largest > 255 ? 2 : 1))
        return RC_INVALID;
    uint8_t *pixels = arena_alloc(arena, count);
    if (!pixels)
        return RC_NOMEM;
    copy_pixels((const uint8_t *)s.p, largest, count, pixels);
    *ret = (struct change_image){pixels, (uint32_t)width, (uint32_t)height};
    return RC_OK;
}
