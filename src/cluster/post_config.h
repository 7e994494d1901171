/* SPDX-License-Identifier: Apache-2.0 */
/* post_config: what nats-server reads, written from the plan: text, nothing else.
 *
 * Who may do what (docs/cluster.md says why):
 *   account CRAWL       has JetStream; everything that is said arrives here
 *     user admin        may ask JetStream's administration, nothing else
 *     user hear.NAME    may subscribe to heartbeats and to what is asked of NAME, and answer
 *   account A_NAME      one for each agent: user say.NAME alone; what it may say is imported as a
 *                       service, so it arrives under that subject or not at all, and the subject of
 *                       an answer leads back into this account and nowhere else
 *   account OPERATOR    the same for control entries
 *   account NOBODY      nobody's; stands where the server would put JetStream's administration
 * Nobody else can log in; there is no user without a password, none for those without a name, and
 * no port beside the agents' on loopback and the servers' own, which wants a certificate of our
 * authority and a password. */
#ifndef CLUSTER_POST_CONFIG_H
#define CLUSTER_POST_CONFIG_H

#include "cluster/post_plan.h"

enum {
    POST_CONFIG_MAX_BYTES = 8 << 20,
    POST_STREAM_MAX_BYTES = 1024, /* of a stream's description */
    POST_MAX_STREAM_NAME_BYTES = 80,
    POST_ROSTER_BYTES = 256 << 20, /* what the roster's stream may hold: years */
    POST_CONTROL_BYTES = 64 << 20,
    POST_DEDUPE_SECONDS = 120,
};

/* Files that stand beside the configuration, in the folder where the server is started. */
#define POST_FILE_CONFIG "nats-server.conf"
#define POST_FILE_AUTHORITY "authority.crt"
#define POST_FILE_CERT "route.crt"
#define POST_FILE_KEY "route.key"
#define POST_FILE_PID "nats-server.pid"
#define POST_FOLDER_STORE "store"

/* The configuration of the server at that place. Failures stick in `out`. */
void post_config_write(const struct post_plan *p, uint32_t place, struct buf *out);

/* The streams: roster, control, one for each agent. */
uint32_t post_stream_count(const struct post_plan *p);

/* The name of a stream, and the description that makes it ($JS.API.STREAM.CREATE.<name>). */
void post_stream_name(const struct post_plan *p, uint32_t at, struct buf *out);
void post_stream_write(const struct post_plan *p, uint32_t at, struct buf *out);

#endif
