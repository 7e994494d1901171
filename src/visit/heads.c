/* SPDX-License-Identifier: Apache-2.0 */
/* The fields of an answer's head that the crawl looks at, found in one walk. */
#include "visit/visit.h"

#include "net/head.h"

static const struct {
    struct str name;
    size_t offset;
} wanted[] = {
    {STR("Content-Type"), offsetof(struct visit_heads, type)},
    {STR("Content-Encoding"), offsetof(struct visit_heads, encoding)},
    {STR("Location"), offsetof(struct visit_heads, location)},
    {STR("Refresh"), offsetof(struct visit_heads, refresh)},
    {STR("Retry-After"), offsetof(struct visit_heads, retry_after)},
    {STR("ETag"), offsetof(struct visit_heads, etag)},
    {STR("Last-Modified"), offsetof(struct visit_heads, last_modified)},
    {STR("X-Robots-Tag"), offsetof(struct visit_heads, x_robots)},
};

/* Where the value of a field of that name goes; NULL: the crawl does not need it. */
static struct str *field_of(struct visit_heads *h, struct str name)
{
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (wanted[i].name.n == name.n && str_eq_nocase(wanted[i].name, name))
            return (struct str *)(void *)((char *)h + wanted[i].offset);
    return NULL;
}

void visit_read_heads(struct visit *v)
{
    struct str rest = v->answer.http->head;
    struct buf joined = {.max = 64 << 10};
    struct head_field f;
    v->answer.heads = (struct visit_heads){0};
    while (head_next(&rest, &f)) {
        struct str *value_at = field_of(&v->answer.heads, f.name);
        if (!value_at || value_at->p) /* the first field of a name counts */
            continue;
        struct str value = head_value(&f, &joined);
        *value_at = value.p && f.is_folded ? arena_dup(v->arena, value) : value;
        buf_clear(&joined);
    }
    buf_done(&joined);
}
