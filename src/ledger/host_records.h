/* SPDX-License-Identifier: Apache-2.0 */
/* host_records: the record of each host of a frontier (host/host_record.h). The frontier owns it as
 * the host's extra, and frees it with the host. */
#ifndef LEDGER_HOST_RECORDS_H
#define LEDGER_HOST_RECORDS_H

#include "frontier/frontier.h"
#include "host/host_record.h"

/* The host's record, made if it has none; NULL without memory. */
struct host_record *host_record_of(struct host *h);
const struct host_record *host_record_if(const struct host *h); /* NULL: it has none */

#endif
