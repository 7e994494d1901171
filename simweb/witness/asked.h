/* SPDX-License-Identifier: Apache-2.0 */
/* asked: DNS queries, counted by name, type and what was answered. */
#ifndef WITNESS_ASKED_H
#define WITNESS_ASKED_H

#include "witness/index.h"
#include "witness/texts.h"

enum {
    ASKED_MAX_ROWS = 4 * 1000 * 1000, /* names by type by rcode; beyond, only the sums count */
    ASKED_RCODES = 16,
};

struct asked_row {
    struct str name;
    uint16_t type;
    uint16_t rcode;
    uint32_t count;
};

struct asked {
    struct index index;
    struct asked_row *rows; /* in the order first asked */
    uint32_t count;
    uint32_t cap;
    struct texts names;
    uint64_t queries;
    uint64_t a, aaaa, other;       /* of them by type */
    uint64_t rcodes[ASKED_RCODES]; /* and by answer; an rcode beyond counts as the last */
    uint64_t missed;               /* that have no row */
};

void asked_init(struct asked *a);
void asked_done(struct asked *a);
void asked_note(struct asked *a, struct str name, uint16_t type, uint16_t rcode);

#endif
