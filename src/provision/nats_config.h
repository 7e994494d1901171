/* SPDX-License-Identifier: Apache-2.0 */
/* nats_config: writes the configuration of nats-server from the plan. Pure text.
 *
 * Accounts, and what each user may do (docs/cluster.md says why):
 *   account CRAWL       has JetStream; everything that is published arrives here
 *     user admin        may ask JetStream's administration, nothing else
 *     user hear.NAME    may subscribe to heartbeats and to requests to NAME, and answer
 *   account A_NAME      one for each agent: user say.NAME alone; the subjects to which it may
 *                       publish are imported as services, so a message arrives under that subject
 *                       or not at all, and the subject of an answer leads back into this account
 *                       and nowhere else
 *   account OPERATOR    the same for control entries
 *   account NOBODY      has no user; stands where the server would put JetStream's administration
 * There is no other login: no user without a password, and no anonymous user. The only ports are
 * the agents' on loopback and the servers' own, which needs a certificate of the cluster's
 * authority and a password. */
#ifndef PROVISION_NATS_CONFIG_H
#define PROVISION_NATS_CONFIG_H

#include "cluster/wire/nats_plan.h"

enum {
    NATS_CONFIG_MAX_BYTES = 8 << 20,
    NATS_STREAM_MAX_BYTES = 1024, /* of a stream's description */
    NATS_MAX_STREAM_NAME_BYTES = 80,
    NATS_ROSTER_BYTES = 256 << 20, /* of the roster's stream: enough for years */
    NATS_CONTROL_BYTES = 64 << 20,
    NATS_DEDUPE_SECONDS = 120,
};

/* Files beside the configuration, in the folder where the server is started. */
#define NATS_FILE_CONFIG "nats-server.conf"
#define NATS_FILE_AUTHORITY "authority.crt"
#define NATS_FILE_CERT "route.crt"
#define NATS_FILE_KEY "route.key"
#define NATS_FILE_PID "nats-server.pid"
#define NATS_FOLDER_STORE "store"

/* The configuration of the server on that machine. Failures stick in `out`. */
void nats_config_write(const struct nats_plan *p, uint32_t machine, struct buf *out);

/* The streams: roster, control, one for each agent. */
uint32_t nats_stream_count(const struct nats_plan *p);

/* The name of a stream, and the description that makes it ($JS.API.STREAM.CREATE.<name>). */
void nats_stream_name(const struct nats_plan *p, uint32_t at, struct buf *out);
void nats_stream_write(const struct nats_plan *p, uint32_t at, struct buf *out);

#endif
