/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/roster/roster_internal.h"

#include "base/mem.h"
#include "cluster/wire/names.h"

enum { FIRST_MEMBERS = 16 };

static bool is_before(const struct roster *r, size_t at, struct str name, uint64_t head,
                      uint64_t inc)
{
    if (r->heads[at] != head)
        return r->heads[at] < head;
    const struct roster_agent *a = &r->members[at]->is;
    int order = cluster_name_cmp(a->name, name, head);
    return order ? order < 0 : a->inc < inc;
}

/* The index of the first member that is not before (name, inc). */
static size_t index_of(const struct roster *r, struct str name, uint64_t inc)
{
    size_t low = 0, high = r->count;
    uint64_t head = cluster_name_head(name);
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (is_before(r, mid, name, head, inc))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

struct member *member_of(const struct roster *r, struct str name, uint64_t inc)
{
    size_t at = index_of(r, name, inc);
    const struct member *m = at < r->count ? r->members[at] : NULL;
    return m && m->is.inc == inc && str_eq(str_c(m->is.name), name) ? r->members[at] : NULL;
}

struct member *member_youngest(const struct roster *r, struct str name)
{
    size_t at = index_of(r, name, UINT64_MAX);
    if (at < r->count && r->members[at]->is.inc == UINT64_MAX &&
        str_eq(str_c(r->members[at]->is.name), name))
        return r->members[at];
    bool is_there = at > 0 && str_eq(str_c(r->members[at - 1]->is.name), name);
    return is_there ? r->members[at - 1] : NULL;
}

struct member *member_living(const struct roster *r, struct str name)
{
    struct member *m = member_youngest(r, name); /* a name joins only while it is not living */
    return m && member_is_living(m) ? m : NULL;
}

static enum rc grow_members(struct roster *r)
{
    if (r->count < r->cap)
        return RC_OK;
    size_t cap = r->cap ? r->cap * 2 : FIRST_MEMBERS;
    struct member **members = mem_resize(r->members, cap * sizeof(void *));
    if (!members)
        return RC_NOMEM;
    r->members = members;
    uint64_t *heads = mem_resize(r->heads, cap * sizeof *heads);
    if (!heads)
        return RC_NOMEM;
    r->heads = heads;
    const struct roster_agent **shown = mem_resize(r->shown, cap * sizeof(void *));
    if (!shown)
        return RC_NOMEM;
    r->shown = shown;
    r->cap = cap;
    return RC_OK;
}

enum rc member_add(struct roster *r, struct str name, uint64_t inc, struct member **ret)
{
    bool is_new = !member_youngest(r, name);
    if (r->shown_count >= ROSTER_MAX_AGENTS || (is_new && r->name_count >= ROSTER_MAX_NAMES))
        return RC_LIMIT;
    enum rc rc = grow_members(r);
    struct member *m = rc ? NULL : mem_zero(1, sizeof *m);
    if (!m)
        return RC_NOMEM;
    memcpy(m->is.name, name.p, name.n);
    m->is.inc = inc;
    m->shared_name = r->shared ? shared_name_of(r->shared, name) : ROSTER_NOT_SHARED;
    size_t at = index_of(r, name, inc);
    memmove(r->members + at + 1, r->members + at, (r->count - at) * sizeof(void *));
    memmove(r->heads + at + 1, r->heads + at, (r->count - at) * sizeof *r->heads);
    r->members[at] = m;
    r->heads[at] = cluster_name_head(name);
    r->count++;
    r->name_count += is_new;
    *ret = m;
    return RC_OK;
}

static bool is_youngest(const struct roster *r, size_t at)
{
    return at + 1 == r->count || strcmp(r->members[at]->is.name, r->members[at + 1]->is.name) != 0;
}

static bool is_oldest(const struct roster *r, size_t at)
{
    return at == 0 || strcmp(r->members[at]->is.name, r->members[at - 1]->is.name) != 0;
}

void member_remove(struct roster *r, struct member *m)
{
    size_t at = index_of(r, str_c(m->is.name), m->is.inc);
    r->name_count -= is_youngest(r, at) && is_oldest(r, at);
    r->count--;
    memmove(r->members + at, r->members + at + 1, (r->count - at) * sizeof(void *));
    memmove(r->heads + at, r->heads + at + 1, (r->count - at) * sizeof *r->heads);
    mem_free(m);
}

/* The member owned hosts at an epoch that is kept, or its inc is the highest of its name. */
static bool is_needed(const struct roster *r, size_t at)
{
    const struct roster_agent *a = &r->members[at]->is;
    return a->state != ROSTER_FORGOTTEN || a->left_epoch > r->settled || is_youngest(r, at);
}

void members_tidy(struct roster *r)
{
    size_t kept = 0;
    r->shown_count = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct member *m = r->members[i];
        if (!is_needed(r, i)) {
            mem_free(m);
            continue;
        }
        if (m->is.state != ROSTER_FORGOTTEN)
            r->shown[r->shown_count++] = &m->is;
        r->heads[kept] = r->heads[i];
        r->members[kept++] = m;
    }
    r->count = kept;
}

const struct roster_agent *roster_known(const struct roster *r, size_t i)
{
    return i < r->count ? &r->members[i]->is : NULL;
}
