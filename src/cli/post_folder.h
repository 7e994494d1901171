/* SPDX-License-Identifier: Apache-2.0 */
/* post_folder: the operator's folder of a cluster, all of it 0600 (folders 0700).
 *
 *   DIR/plan.json                       what was decided (cluster/post_plan.h)
 *   DIR/authority.crt, authority.key    who signs the machines' certificates
 *   DIR/admin.login                     makes streams
 *   DIR/operator.login                  pauses, adds seeds, asks
 *   DIR/founded                         the roster's first entry was written: never again, for
 *                                       agents restore what servers have lost, and a second one
 *                                       contradicts them
 *   DIR/MACHINE/                        goes to that machine, whole: nats-server.conf,
 *                                       authority.crt, route.crt, route.key, AGENT.login
 *
 * Files are written beside and renamed, so that each is old or new, never half. */
#ifndef CLI_POST_FOLDER_H
#define CLI_POST_FOLDER_H

#include "cluster/post_login.h"
#include "cluster/post_plan.h"

struct post_folder {
    const char *dir; /* borrowed */
    int fd;
};

/* EXIT_DONE, or says why not. `makes`: it must not hold a plan yet, and is made. */
int post_folder_open(struct post_folder *f, const char *dir, bool makes);
void post_folder_close(struct post_folder *f);

/* The plan, whose memory is the caller's (it is large). */
int post_folder_plan(struct post_folder *f, struct post_plan *ret);
int post_folder_keep_plan(struct post_folder *f, const struct post_plan *p);

/* Whether the roster's first entry was written; and that it was. */
bool post_folder_is_founded(const struct post_folder *f);
int post_folder_founded(const struct post_folder *f);

/* An authority of the cluster's own. */
int post_folder_authority(struct post_folder *f, const struct post_plan *p);

/* The machine's folder, with a certificate unless it has one. */
int post_folder_machine(struct post_folder *f, const struct post_place *place);

/* The configuration of every machine. */
int post_folder_configs(struct post_folder *f, const struct post_plan *p);

/* DIR/NAME.login, or, with a place, DIR/MACHINE/NAME.login. */
int post_folder_login(struct post_folder *f, const struct post_place *place,
                      const struct post_login *l);
int post_folder_read_login(struct post_folder *f, const struct post_place *place, const char *name,
                           struct post_login *ret);
void post_folder_drop_login(struct post_folder *f, const struct post_place *place,
                            const char *name);

/* Tells those servers that run on this machine out of their folder here to read their configuration
 * again; how many there were. One after the other, with a pause: while a server (2.9) reads, it
 * does not know its accounts, and what another tells it of them then is lost until their connection
 * is made anew. Two that read at the same moment do that to each other. And all of it twice: the
 * first time a server makes the account of a newcomer, and only the second time it joins what that
 * account imports to those who answer ("no responders" until then). */
uint32_t post_folder_reload(struct post_folder *f, const struct post_plan *p);

#endif
