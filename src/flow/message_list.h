/* SPDX-License-Identifier: Apache-2.0 */
/* message_list: messages that wait in a part, in the order in which they came. Their `next` links
 * them, so listing one allocates nothing. A zeroed list is empty. */
#ifndef FLOW_MESSAGE_LIST_H
#define FLOW_MESSAGE_LIST_H

#include "flow/message.h"

struct message_list {
    struct message *first, *last; /* last: only if there is a first */
};

/* Takes `m`, which is in no list. */
static inline void message_list_add(struct message_list *l, struct message *m)
{
    m->next = NULL;
    *(l->first ? &l->last->next : &l->first) = m;
    l->last = m;
}

/* Gives the oldest; NULL: there is none. */
static inline struct message *message_list_take(struct message_list *l)
{
    struct message *m = l->first;
    if (m)
        l->first = m->next;
    return m;
}

#endif
