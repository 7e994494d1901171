/* SPDX-License-Identifier: Apache-2.0 */
/* passes: see passes.c. A zeroed struct is a beginning. */
#ifndef CLUSTER_PROTOCOL_PASSES_H
#define CLUSTER_PROTOCOL_PASSES_H

#include "base/int_set.h"

struct passes {
    unsigned pass, probes;
    bool is_split;       /* two reads of one number returned different messages */
    struct int_set keys; /* a key for each message, and one for each pair of message and number */
};

/* Whether the message is seen for the first time; without copies it always is. */
bool passes_see(struct passes *p, bool has_copies, uint64_t sequence, uint64_t hash);
/* The end was read. True: read its number once more. */
bool passes_probe(struct passes *p, bool has_copies);
/* There was no message at the number to be read. */
void passes_nothing(struct passes *p);
/* A pass is over. True: read the stream once more. */
bool passes_again(struct passes *p, bool has_copies);
void passes_done(struct passes *p);

#endif
