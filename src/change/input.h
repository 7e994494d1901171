/* SPDX-License-Identifier: Apache-2.0 */
/* input: what the change library looks at. It parses nothing: the caller hands over the page's
 * tags, its visible text and its pictures, all borrowed for the call.
 *
 * Tag names are compared byte by byte, so they come in one case (an HTML tokenizer's lower case).
 * The text should be UTF-8; what is not counts as U+FFFD. Pictures are 8-bit grey, row by row from
 * the top without gaps; the caller decodes JPEG and PNG.
 *
 * Past a limit a call returns RC_LIMIT rather than look at a part and call it the whole. */
#ifndef CHANGE_INPUT_H
#define CHANGE_INPUT_H

#include "base/arena.h"

enum {
    CHANGE_MAX_TAGS = 1 << 20,        /* tag events of a page */
    CHANGE_MAX_TEXT_BYTES = 32 << 20, /* visible text of a page */
    CHANGE_MAX_SIDE = 1 << 14,        /* width and height of a picture */
    CHANGE_MAX_PICTURES = 1 << 10,    /* pictures of a page */
};

enum change_tag_kind {
    CHANGE_TAG_START, /* opens an element: <p> */
    CHANGE_TAG_VOID,  /* an element without content: <br>, or <path/> inside SVG */
    CHANGE_TAG_END,   /* </p> */
};

struct change_tag {
    struct str name; /* an event whose name is empty is passed over */
    enum change_tag_kind kind;
};

struct change_image {
    const uint8_t *grey; /* width * height bytes, 0 is black */
    uint32_t width, height;
};

struct change_page {
    const struct change_tag *tags;
    size_t tag_count;
    struct str text;
    const struct change_image *images;
    size_t image_count;
};

#endif
