/* SPDX-License-Identifier: Apache-2.0 */
/* sink: where archive files go once they are full (D12). They are always made here, in the crawl's
 * directory; `here` leaves them there, `send` gives them to an archive machine too. */
#ifndef ROLES_SINK_H
#define ROLES_SINK_H

#include "sink/outbox.h"

#define SINK_INTERFACE "sink"

struct sink_service {
    struct sink_outbox *outbox; /* NULL: they stay */
};

#endif
