/* SPDX-License-Identifier: Apache-2.0 */
/* list: things in an order, with removal from the middle in one step.
 *
 *     struct list { first ──► node ◄─► node ◄─► node ◄── last }
 *
 * The node lives inside the thing, so that listing it allocates nothing; LIST_OF leads back:
 *
 *     for (struct list_node *n = list.first; n; n = n->next)
 *         use(LIST_OF(n, struct asking, node));
 *
 * A zeroed list is empty. A node that was removed keeps its links: a walk that removes reads `next`
 * before it does. */
#ifndef BASE_LIST_H
#define BASE_LIST_H

#include <stddef.h>

struct list_node {
    struct list_node *next, *before;
};

struct list {
    struct list_node *first, *last;
};

#define LIST_OF(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* `n` is in no list. */
static inline void list_add_first(struct list *l, struct list_node *n)
{
    n->before = NULL;
    n->next = l->first;
    *(l->first ? &l->first->before : &l->last) = n;
    l->first = n;
}

static inline void list_add_last(struct list *l, struct list_node *n)
{
    n->next = NULL;
    n->before = l->last;
    *(l->last ? &l->last->next : &l->first) = n;
    l->last = n;
}

/* `n` is in `l`. */
static inline void list_remove(struct list *l, struct list_node *n)
{
    *(n->before ? &n->before->next : &l->first) = n->next;
    *(n->next ? &n->next->before : &l->last) = n->before;
}

#endif
