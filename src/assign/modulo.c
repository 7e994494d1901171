/* SPDX-License-Identifier: Apache-2.0 */
/* modulo: the sum of the URL's bytes modulo the number of agents, numbered as in the list. Weights
 * are ignored; a change of the list moves nearly every URL. */
#include "assign/kind.h"

#include "base/mem.h"

struct modulo {
    uint32_t count;
};

static enum rc open_modulo(const struct assign_list *list, const struct assign_options *options,
                           struct assign_conflict *ret_conflict, void **ret_state)
{
    (void)options;
    (void)ret_conflict;
    struct modulo *m = mem_alloc(sizeof *m);
    if (!m)
        return RC_NOMEM;
    m->count = list->count;
    *ret_state = m;
    return RC_OK;
}

static enum rc owner_by_url(void *state, const struct assign_key *key, uint32_t *ret_agent)
{
    const struct modulo *m = state;
    uint64_t sum = 0;
    if (!key->url.p)
        return RC_INVALID;
    for (size_t i = 0; i < key->url.n; i++)
        sum += (unsigned char)key->url.p[i];
    *ret_agent = (uint32_t)(sum % m->count);
    return RC_OK;
}

const struct assign_kind assign_modulo = {
    .name = "modulo",
    .help = "the sum of the URL's bytes modulo the number of agents",
    .by = ASSIGN_BY_URL,
    .open = open_modulo,
    .close = mem_free,
    .owner = owner_by_url,
};
