/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/kept_seed.h"

void kept_seed_print(struct buf *out, struct kept_seed s)
{
    buf_add(out, s.url);
    if (s.from.p) {
        buf_byte(out, ' ');
        buf_add(out, s.from);
    }
    buf_byte(out, '\n');
}

struct kept_seed kept_seed_parse(struct str line)
{
    struct kept_seed s = {.from = line};
    s.url = str_take_until(&s.from, ' ');
    return s;
}
