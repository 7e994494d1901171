/* SPDX-License-Identifier: Apache-2.0 */
/* look: the colours and the layout that a host's style sheet and pictures share. */
#ifndef CONTENT_LOOK_H
#define CONTENT_LOOK_H

#include "world/world.h"

enum layout {
    LAYOUT_CARDS,    /* a white sheet on a patterned page, figures in a row */
    LAYOUT_MAGAZINE, /* serif, wide pictures, a large first letter */
    LAYOUT_MANUAL,   /* plain: narrow column, ruled headings */
    LAYOUT_DARK,
    LAYOUT_POSTER, /* a coloured band on top, heavy headings */
    LAYOUT_COUNT_
};

struct look {
    enum layout layout;
    uint32_t page;      /* behind everything; 0xRRGGBB as all of these */
    uint32_t page_mark; /* its pattern */
    uint32_t sheet;     /* behind the text */
    uint32_t text;
    uint32_t soft;   /* text of less weight */
    uint32_t line;   /* rules and borders */
    uint32_t strong; /* the host's own colour; white text on it can be read */
    uint32_t link;
};

/* In the demo neighbours differ. */
struct look look_of(const struct world *w, uint32_t host);

#endif
