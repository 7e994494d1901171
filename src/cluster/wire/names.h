/* SPDX-License-Identifier: Apache-2.0 */
/* names: what an agent, a crawl or a writer may be called: letters, digits, '-' and '_'. A name is
 * a token of a subject and part of a stream's name, where '.', '*', '>' and blanks mean something
 * else. */
#ifndef CLUSTER_WIRE_NAMES_H
#define CLUSTER_WIRE_NAMES_H

#include "base/bytes.h"
#include "base/str.h"

#include <string.h>

enum { CLUSTER_MAX_NAME_BYTES = 32 };

bool cluster_name_ok(struct str name);

/* The first eight bytes of a name as a number. Names sort by it first, and among a thousand names
 * most comparisons end there. Names hold no zero byte. */
static inline uint64_t cluster_name_head(struct str name)
{
    char head[8] = {0};
    if (name.n)
        memcpy(head, name.p, name.n < sizeof head ? name.n : sizeof head);
    return get_be64(head);
}

/* `field` has at least eight bytes, with zeros behind the name; `head` is the name's. Below 0: the
 * field comes before the name. */
static inline int cluster_name_cmp(const char *field, struct str name, uint64_t head)
{
    uint64_t other = get_be64(field);
    if (other != head)
        return other < head ? -1 : 1;
    return (head & 0xff) == 0 ? 0 : str_cmp(str_c(field), name);
}

#endif
