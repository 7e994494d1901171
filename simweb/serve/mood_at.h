/* SPDX-License-Identifier: Apache-2.0 */
/* mood_at: how an address treats a TLS handshake that names no host. */
#ifndef SERVE_MOOD_AT_H
#define SERVE_MOOD_AT_H

#include "faults/fault.h"

/* The mood of the enabled fault's host that lives there and has bad TLS; good where there is none.
 * For tls_asks.mood_at; it looks at every row of every fault, which is nothing beside a handshake.
 */
struct mood mood_at(const struct world *w, uint32_t address);

#endif
