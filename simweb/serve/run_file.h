/* SPDX-License-Identifier: Apache-2.0 */
/* run_file: the folder of a running web: its lock, and run.json, which tells the other commands
 * where it listens and which web it is. */
#ifndef SERVE_RUN_FILE_H
#define SERVE_RUN_FILE_H

#include "serve/server.h"

enum { RUN_TOKEN_BYTES = 32 }; /* hexadecimal digits */

struct run_file; /* the folder, locked */

/* Makes the folder if it is not there. RC_LOCKED: another process serves from it; `why` says so. */
MUST_CHECK enum rc run_file_open(struct str dir, struct run_file **ret, struct buf *why);

/* What run.json says. */
struct run_facts {
    uint16_t http_port, https_port, dns_port, control_port;
    const char *token;
    struct str home; /* the URL to begin a crawl at */
    const struct world_settings *web;
    const struct server_settings *server;
};

/* Written beside and renamed, readable by its owner alone, since it holds the token. */
MUST_CHECK enum rc run_file_write(struct run_file *f, const struct run_facts *facts,
                                  struct buf *why);

/* Removes run.json, if it was written, and lets go of the folder. */
void run_file_close(struct run_file *f);

/* The folder, as a C string. */
const char *run_file_dir(const struct run_file *f);

/* Fresh and unguessable; room for RUN_TOKEN_BYTES and a NUL. RC_IO. */
MUST_CHECK enum rc run_token_make(char *room);

#endif
