/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/credit_account.h"

#include "base/loop.h"

#include <assert.h>

static bool out_at_most(struct credit_account *p, int64_t most)
{
    if (atomic_load(&p->out) <= most)
        return true;
    atomic_store(&p->wanted, true);
    return atomic_load(&p->out) <= most;
}

bool credit_account_has(struct credit_account *p, uint32_t credits)
{
    return out_at_most(p, p->limit - (int64_t)credits);
}

bool credit_account_is_whole(struct credit_account *p)
{
    return out_at_most(p, 0);
}

void credit_account_charge(struct credit_account *p, struct message *m, uint32_t credits)
{
    assert(!m->origin);
    m->origin = p;
    m->credits = credits;
    atomic_fetch_add_explicit(&p->out, credits, memory_order_relaxed);
}

void credit_account_split(struct message *parent, struct message *child)
{
    assert(parent->origin && !child->origin);
    child->origin = parent->origin;
    child->credits = 1;
    if (parent->credits > 1) {
        parent->credits--;
        return;
    }
    atomic_fetch_add(&parent->origin->out, 1);
    atomic_fetch_add_explicit(&parent->origin->overdrawn, 1, memory_order_relaxed);
}

void message_end(struct message *m)
{
    struct credit_account *p = m->origin;
    uint32_t credits = m->credits;
    m->type->release(m);
    if (!p)
        return;
    if (atomic_fetch_sub(&p->out, credits) == credits && p->whole) {
        p->whole(p);
        return;
    }
    if (atomic_load(&p->wanted) && atomic_exchange(&p->wanted, false))
        loop_wake(p->owner);
}
