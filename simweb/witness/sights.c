/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/sights.h"

#include "base/mem.h"

enum { FIRST_ROOM = 16 };
#define TEXTS_BYTES (UINT64_C(1) << 30)

void sights_init(struct sights *s, uint32_t max_sights)
{
    memset(s, 0, sizeof *s);
    s->max = max_sights;
    texts_init(&s->texts, TEXTS_BYTES);
}

void sights_done(struct sights *s)
{
    for (uint32_t i = 0; i < s->list_count; i++)
        mem_free(s->lists[i].list);
    texts_done(&s->texts);
    sights_init(s, s->max);
}

const struct sights_list *sights_of(const struct sights *s, const struct fault *f)
{
    for (uint32_t i = 0; i < s->list_count; i++)
        if (s->lists[i].fault == f)
            return &s->lists[i];
    return NULL;
}

static struct sights_list *list_of(struct sights *s, const struct fault *f)
{
    const struct sights_list *old = sights_of(s, f);
    if (old)
        return &s->lists[old - s->lists];
    if (s->list_count == SIGHTS_MAX_FAULTS)
        return NULL;
    s->lists[s->list_count].fault = f;
    return &s->lists[s->list_count++];
}

static bool list_has_room(struct sights_list *l)
{
    if (l->count < l->cap)
        return true;
    uint32_t cap = l->cap ? 2 * l->cap : FIRST_ROOM;
    struct sight *bigger = mem_resize(l->list, cap * sizeof *bigger);
    if (!bigger)
        return false;
    l->list = bigger;
    l->cap = cap;
    return true;
}

/* An absent text becomes an empty one, so that nobody behind has to tell them apart. */
static bool text_keep(struct texts *t, struct str *s)
{
    if (!s->n) {
        *s = STR("");
        return true;
    }
    *s = texts_add(t, str_first(*s, SIGHTS_MAX_PATH));
    return s->p != NULL;
}

static bool sight_keep(struct sights *s, struct sights_list *l, struct sight sight)
{
    if (s->count >= s->max || !list_has_room(l))
        return false;
    if (!text_keep(&s->texts, &sight.host) || !text_keep(&s->texts, &sight.label) ||
        !text_keep(&s->texts, &sight.path))
        return false;
    l->list[l->count++] = sight;
    s->count++;
    return true;
}

struct sights_place sights_add(struct sights *s, const struct sight *sight)
{
    struct sights_list *l = list_of(s, sight->fault);
    if (!l)
        return (struct sights_place){0};
    if (!sight_keep(s, l, *sight)) {
        l->dropped++;
        return (struct sights_place){0};
    }
    return (struct sights_place){(uint32_t)(l - s->lists) + 1, l->count - 1};
}

struct sight *sights_at(struct sights *s, struct sights_place place)
{
    return place.list ? &s->lists[place.list - 1].list[place.at] : NULL;
}
