/* SPDX-License-Identifier: Apache-2.0 */
/* pgm: pictures as portable graymaps, the binary kind (P5): the simplest file of grey pixels there
 * is, which every picture tool can write. */
#ifndef CLI_TRY_PGM_H
#define CLI_TRY_PGM_H

#include "base/arena.h"
#include "change/input.h"

/* Whether a file that begins with these bytes is meant as one. */
bool pgm_is(struct str start);

/* Reads one picture, its pixels brought to 0..255 (rounded down) and placed in the arena; more
 * pictures behind it are not looked at. RC_INVALID with *ret_why set to what is wrong, RC_LIMIT for
 * a side over CHANGE_MAX_SIDE, RC_NOMEM. */
MUST_CHECK enum rc pgm_read(struct str file, struct arena *arena, struct change_image *ret,
                            const char **ret_why);

#endif
