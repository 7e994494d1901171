/* SPDX-License-Identifier: Apache-2.0 */
/* damage_judge: opens a directory, looks at everything that the ledger says of it, and compares it
 * with what the same directory says without the damage. */
#ifndef LEDGER_DAMAGE_JUDGE_H
#define LEDGER_DAMAGE_JUDGE_H

#include "damage_case.h"

enum url_state { URL_UNKNOWN, URL_WAITS, URL_DONE };

/* What an opening said and left. */
struct opened {
    enum rc rc;   /* of the opening */
    enum rc late; /* of a bucket that is_swapped, or of an entry of the history, that was asked for
                     later */
    char why[400];
    bool is_new, is_recrawl, needs_requeue;
    uint64_t pages, bytes, archive_bytes, recrawl_id, recrawl_ms;
    enum url_state urls[SMALL_URLS];
    uint64_t history[SMALL_URLS]; /* hash of what it has of each; 0 = nothing */
    struct {
        uint64_t pages, tries;
        bool is_there, is_listed, has_robots;
    } hosts[SMALL_HOSTS];
    unsigned facts, sent_pages, sent_records; /* of an agent: what it knows, what its outbox has */
    uint64_t kept;
    struct tree after;
};

/* `root` holds the directory. */
void opened_look(const struct base *b, const char *root, bool is_rebooted, struct opened *ret);
void opened_done(struct opened *o);

enum outcome {
    OUTCOME_KEPT,    /* nothing is lost */
    OUTCOME_TORN,    /* what no sync had passed may be asked again, and nothing else is lost */
    OUTCOME_REFUSED, /* and nothing has changed */
    OUTCOME_LATE,    /* refused when the damaged bytes were first read; nothing else is lost */
    OUTCOME_WRONG,
    OUTCOMES
};

/* `before` is the damaged directory as it was before the opening. `out` says what is wrong. */
enum outcome judge(const struct damage_case *c, const struct base *b, const struct tree *before,
                   const struct opened *reference, const struct opened *o, struct buf *out);

#endif
