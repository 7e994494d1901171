/* SPDX-License-Identifier: Apache-2.0 */
/* early: visits that came before their host may be asked (host/host_begin.h). They wait in the
 * order in which they came. The part looks at all of them again at the moment of the last one. */
#ifndef ASKING_EARLY_H
#define ASKING_EARLY_H

#include "flow/message_list.h"
#include "host/host_begin.h"
#include "visit/visit.h"

/* Stands in the state of the part that asks. */
struct early {
    struct instance *self;
    void (*handle)(struct instance *self, unsigned inlet, struct message *m); /* the part's own */
    struct host_begin begin;
    struct message_list list;
    struct timer timer;
};

void early_init(struct early *e, struct instance *self,
                void (*handle)(struct instance *self, unsigned inlet, struct message *m));

/* True: the visit waits here, and `handle` gets it later. Without memory the part fails. */
bool early_keeps(struct early *e, struct visit *v, const struct pace_settings *pace);

/* Ends all that wait: the part stops. */
void early_stop(struct early *e);

#endif
