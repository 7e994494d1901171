/* SPDX-License-Identifier: Apache-2.0 */
/* implied: the ends that HTML lets an author leave out, as far as start tags imply them. */
#ifndef CHANGE_IMPLIED_H
#define CHANGE_IMPLIED_H

#include "base/str.h"

/* An element whose end may be left out is one bit (`is`); `ends` are the bits of those that the
 * start of this one ends. Most names have neither. */
struct change_implied {
    uint32_t is;
    uint32_t ends;
};

struct change_implied change_implied(struct str name);

/* Headings, whose ends HTML takes for each other's: <h3>...</h2> is a heading that ended. */
enum { CHANGE_IMPLIED_HEADING = 1 << 11 };

#endif
