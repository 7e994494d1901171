/* SPDX-License-Identifier: Apache-2.0 */
/* kind: what each assignment provides to assign.c; private to this folder.
 *
 * A kind is one file that ends in one table. The list that it gets is checked: names and weights
 * are in bounds, no two names are equal, at least one weight is above 0. */
#ifndef ASSIGN_KIND_H
#define ASSIGN_KIND_H

#include "assign/assign.h"

struct assign_list {
    const struct assign_agent *agents;
    const uint32_t *by_name; /* indexes in `agents`, in byte order of the names */
    uint32_t count;
};

struct assign_kind {
    const char *name;
    const char *help;
    enum assign_by by;
    /* `options` is complete: its zeroes are replaced by defaults. close frees `state`. */
    enum rc (*open)(const struct assign_list *list, const struct assign_options *options,
                    struct assign_conflict *ret_conflict, void **ret_state);
    void (*close)(void *state);
    /* NULL: the state is opened anew. `now_at[i]` is the index of agent i of the former list in the
     * new one, or ASSIGN_GONE. On failure everything stays as it was. */
    enum rc (*change)(void *state, const struct assign_list *list, const uint32_t *now_at,
                      struct assign_conflict *ret_conflict);
    enum rc (*owner)(void *state, const struct assign_key *key, uint32_t *ret_agent);
};

#define ASSIGN_GONE UINT32_MAX

extern const struct assign_kind assign_ring;
extern const struct assign_kind assign_rendezvous;
extern const struct assign_kind assign_address;
extern const struct assign_kind assign_modulo;
extern const struct assign_kind assign_domain_table;

#endif
