/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/pool_internal.h"

#include "base/mem.h"

static struct arrival *next_arrival(struct pool_arrivals *a)
{
    pthread_mutex_lock(&a->lock);
    struct list_node *n = a->list.first;
    if (n)
        list_remove(&a->list, n);
    else
        a->is_told = false;
    pthread_mutex_unlock(&a->lock);
    return n ? LIST_OF(n, struct arrival, node) : NULL;
}

static void drop(struct link *l)
{
    link_close(l);
    mem_free(l);
}

static void on_task(struct loop_task *t)
{
    struct pool_arrivals *a = EVENT_OF(t, struct pool_arrivals, task);
    struct arrival *one;
    while ((one = next_arrival(a))) {
        if (link_enter(one->link, part_loop(a->self)) == RC_OK)
            a->take(a->self, one->link, &one->hello);
        else
            drop(one->link);
        mem_free(one);
    }
}

void pool_arrivals_init(struct pool_arrivals *a, struct instance *self,
                        void (*take)(struct instance *self, struct link *l,
                                     const struct pool_hello *h))
{
    *a = (struct pool_arrivals){
        .self = self, .take = take, .lock = PTHREAD_MUTEX_INITIALIZER, .task.run = on_task};
}

enum rc pool_arrivals_add(struct pool_arrivals *a, struct link *l, const struct pool_hello *h)
{
    struct arrival *one = mem_zero(1, sizeof *one);
    if (!one)
        return RC_NOMEM;
    *one = (struct arrival){.link = l, .hello = *h};
    link_leave(l);
    pthread_mutex_lock(&a->lock);
    list_add_last(&a->list, &one->node);
    bool tells = !a->is_told;
    a->is_told = true;
    pthread_mutex_unlock(&a->lock);
    if (tells)
        part_add_task(a->self, &a->task);
    return RC_OK;
}

void pool_arrivals_close(struct pool_arrivals *a)
{
    struct arrival *one;
    while ((one = next_arrival(a))) {
        drop(one->link);
        mem_free(one);
    }
    pthread_mutex_destroy(&a->lock);
}
