/* SPDX-License-Identifier: Apache-2.0 */
/* sink: where archive files go once they are full (D12). They are always made here, in the crawl's
 * directory; `here` leaves them there, `send` gives them to an archive machine too. */
#ifndef COMPONENTS_SINK_H
#define COMPONENTS_SINK_H

#include "components/services.h"
#include "sink/outbox.h"

#define SINK_INTERFACE "sink"

struct sink_service {
    struct sink_outbox *outbox; /* NULL: they stay */
};

#endif
