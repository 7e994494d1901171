/* SPDX-License-Identifier: Apache-2.0 */
/* damage_case: what is done to one file, or folder, of a base directory. */
#ifndef LEDGER_DAMAGE_CASE_H
#define LEDGER_DAMAGE_CASE_H

#include "damage_base.h"

enum damage {
    DAMAGE_FLIP,    /* one bit */
    DAMAGE_CUT,     /* the file ends at `at` */
    DAMAGE_MISSING, /* file, or folder with all that is in it */
    DAMAGE_OLDER,   /* as it was in the older copy */
    DAMAGE_LONGER,  /* `at` bytes of junk behind its end */
    DAMAGE_ZEROS,   /* a page of 4 KiB, from `at` on */
    DAMAGES
};

struct damage_case {
    enum base_kind base;
    enum damage damage;
    uint64_t at;
    unsigned bit;
    bool is_rebooted; /* the machine was booted again: what was not synced may be lost */
    char path[TREE_MAX_PATH];
};

struct damage_cases {
    struct damage_case *list;
    size_t count, room;
};

/* Every file with every damage; each batch of the journal in its head, body and end; then more at
 * places that the seed chooses, until there are `want`. False without memory. */
MUST_CHECK bool damage_cases_make(const struct base bases[BASES], uint64_t seed, size_t want,
                                  struct damage_cases *ret);
void damage_cases_done(struct damage_cases *c);

/* The directory with the damage. False: the case changes nothing. */
MUST_CHECK bool damage_apply(const struct damage_case *c, const struct base *b, struct tree *ret);

/* "late: state/journal/0000000000000000: one bit flipped at 17". */
void damage_print(const struct damage_case *c, const struct base *b, struct buf *out);

/* What kind of file it is, for the table; below FILE_KINDS. */
enum { FILE_KINDS = 26 };
unsigned damage_file_kind(const struct damage_case *c, const struct base *b);
const char *damage_file_kind_name(unsigned kind);
const char *damage_name(enum damage d);

#endif
