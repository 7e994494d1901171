/* SPDX-License-Identifier: Apache-2.0 */
#include "content/image_draw.h"

/* Numbers are most of an SVG, so a shape's text is written into room that was reserved once: where
 * it stands is `to`, and each function returns where it ends. */
enum { SHAPE_BYTES = 128, POINT_BYTES = 14 }; /* more than any shape or corner takes */

static char *text(char *to, struct str s)
{
    memcpy(to, s.p, s.n);
    return to + s.n;
}

static char *number(char *to, int v)
{
    char digits[8];
    int n = 0;
    unsigned left = (unsigned)(v < 0 ? -v : v);
    if (v < 0)
        *to++ = '-';
    do
        digits[n++] = (char)('0' + left % 10);
    while (left /= 10);
    while (n > 0)
        *to++ = digits[--n];
    return to;
}

static char *fill(char *to, uint32_t ink)
{
    static const char digits[] = "0123456789abcdef";
    to = text(to, STR("\" fill=\"#"));
    for (int shift = 20; shift >= 0; shift -= 4)
        *to++ = digits[ink >> shift & 15];
    unsigned percent = (255 - (ink >> 24)) * 100 / 255;
    if (percent < 100) {
        to = text(to, STR("\" fill-opacity=\"."));
        *to++ = digits[percent / 10];
        *to++ = digits[percent % 10];
    }
    return text(to, STR("\"/>\n"));
}

static char *ellipse(char *to, const struct shape *s)
{
    int rx = (s->right - s->left) / 2, ry = (s->bottom - s->top) / 2;
    to = number(text(to, rx == ry ? STR("<circle cx=\"") : STR("<ellipse cx=\"")), s->left + rx);
    to = number(text(to, STR("\" cy=\"")), s->top + ry);
    if (rx == ry)
        return number(text(to, STR("\" r=\"")), rx);
    to = number(text(to, STR("\" rx=\"")), rx);
    return number(text(to, STR("\" ry=\"")), ry);
}

/* A path with relative steps is half as long as a polygon's corners. */
static char *polygon(char *to, const struct point *p, uint32_t count)
{
    to = number(text(to, STR("<path fill-rule=\"evenodd\" d=\"M")), p[0].x);
    *to++ = ' ';
    to = number(to, p[0].y);
    for (uint32_t i = 1; i < count; i++) {
        *to++ = i == 1 ? 'l' : ' ';
        to = number(to, p[i].x - p[i - 1].x);
        *to++ = ' ';
        to = number(to, p[i].y - p[i - 1].y);
    }
    *to++ = 'z';
    return to;
}

static void shape_write(const struct draw *d, const struct shape *s, struct buf *out)
{
    char *from = buf_reserve(out, SHAPE_BYTES + (size_t)s->count * POINT_BYTES), *to;
    if (!from)
        return;
    if (s->kind == SHAPE_ELLIPSE)
        to = ellipse(from, s);
    else
        to = polygon(from, d->point + s->first, s->count);
    out->n += (size_t)(fill(to, s->ink) - from);
}

static void shapes_write(const struct draw *d, struct buf *out)
{
    for (uint32_t i = 0; i < d->shapes; i++)
        if (d->shape[i].kind == SHAPE_ELLIPSE || d->shape[i].count)
            shape_write(d, &d->shape[i], out);
}

void draw_svg(const struct draw *d, int size_width, struct buf *out)
{
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
               " viewBox=\"0 0 %d %d\">\n",
               size_width, size_width * d->height / DRAW_WIDTH, DRAW_WIDTH, d->height);
    buf_printf(out,
               "<defs><linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop stop-color=\"#%06x\"/>"
               "<stop offset=\"1\" stop-color=\"#%06x\"/></linearGradient></defs>\n"
               "<rect width=\"100%%\" height=\"100%%\" fill=\"url(#sky)\"/>\n",
               (unsigned)(d->sky_top & 0xffffff), (unsigned)(d->sky_bottom & 0xffffff));
    shapes_write(d, out);
    buf_add(out, STR("</svg>\n"));
}

void draw_svg_inline(const struct draw *d, const char *class_name, struct buf *out)
{
    buf_printf(out, "<svg class=\"%s\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">\n", class_name,
               DRAW_WIDTH, d->height);
    shapes_write(d, out);
    buf_add(out, STR("</svg>"));
}
