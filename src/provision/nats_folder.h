/* SPDX-License-Identifier: Apache-2.0 */
/* nats_folder: the operator's folder of a cluster, all of it 0600 (folders 0700).
 *
 *   DIR/plan.json                       machines, agents, hashes (cluster/wire/nats_plan.h)
 *   DIR/authority.crt, authority.key    signs the machines' certificates
 *   DIR/admin.login                     creates streams
 *   DIR/operator.login                  pauses, adds seeds, asks for the status
 *   DIR/founded                         the roster's first entry was written. Never write it again:
 *                                       agents restore what servers have lost, and a second entry
 *                                       contradicts them
 *   DIR/MACHINE/                        to copy to that machine, whole: nats-server.conf,
 *                                       authority.crt, route.crt, route.key, AGENT.login
 *
 * A file is written under another name and renamed, so that it is old or new, never half. */
#ifndef PROVISION_NATS_FOLDER_H
#define PROVISION_NATS_FOLDER_H

#include "cluster/wire/nats_login.h"
#include "cluster/wire/nats_plan.h"

struct nats_folder {
    const char *dir; /* borrowed */
    int fd;
    struct buf *why; /* borrowed until the close: where a failure of any call below is explained */
};

/* `makes`: the folder must not hold a plan yet, and is created. RC_EXISTS: it does. RC_NOT_FOUND:
 * there is no such folder, or it has no plan. RC_IO. */
MUST_CHECK enum rc nats_folder_open(struct nats_folder *f, const char *dir, bool makes,
                                    struct buf *why);
void nats_folder_close(struct nats_folder *f); /* accepts one with fd -1 */

/* The plan, whose memory is the caller's (it is large). RC_CORRUPT, RC_IO. */
MUST_CHECK enum rc nats_folder_plan(struct nats_folder *f, struct nats_plan *ret);
MUST_CHECK enum rc nats_folder_write_plan(struct nats_folder *f, const struct nats_plan *p);

/* Whether the roster's first entry was written; and notes that it was. */
bool nats_folder_is_founded(const struct nats_folder *f);
MUST_CHECK enum rc nats_folder_founded(const struct nats_folder *f);

/* Writes an authority of the cluster's own. RC_IO, as below. */
MUST_CHECK enum rc nats_folder_authority(struct nats_folder *f, const struct nats_plan *p);

/* Makes the machine's folder, with a certificate unless it has one. */
MUST_CHECK enum rc nats_folder_machine(struct nats_folder *f, const struct nats_machine *machine);

/* Writes the configuration of every machine. */
MUST_CHECK enum rc nats_folder_configs(struct nats_folder *f, const struct nats_plan *p);

/* DIR/NAME.login, or, with a machine, DIR/MACHINE/NAME.login. */
MUST_CHECK enum rc nats_folder_login(struct nats_folder *f, const struct nats_machine *machine,
                                     const struct nats_login *l);
MUST_CHECK enum rc nats_folder_read_login(struct nats_folder *f, const struct nats_machine *machine,
                                          const char *name, struct nats_login *ret);
void nats_folder_drop_login(struct nats_folder *f, const struct nats_machine *machine,
                            const char *name);

/* Sends SIGHUP to the servers that run on this machine out of their folder here, so that they read
 * their configuration again; returns how many there were. One after the other, with a pause: while
 * a server (2.9) reads, it does not know its accounts, and drops what another server says of them
 * until their connection is made anew. Two that read at the same moment do that to each other. All
 * of it twice: the first time a server makes the account of a new agent, and only the second time
 * it connects that account's imports to the accounts that answer ("no responders" until then). */
uint32_t nats_folder_reload(struct nats_folder *f, const struct nats_plan *p);

#endif
