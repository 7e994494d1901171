/* SPDX-License-Identifier: Apache-2.0 */
/* scope_regex: a list of regular expressions, matched against URLs that strangers have made. PCRE2,
 * on bytes, compiled to machine code on processors for which it can be.
 *
 * PCRE2's own limits begin anew at each byte of the subject and count differently in machine code,
 * so they alone bound nothing. Every item of a pattern is therefore compiled with a callout before
 * it, and one call may pass REGEX_MAX_STEPS of them in all; between two of them there is at most
 * one walk over the subject. scope_regex.c alone includes pcre2. */
#ifndef SCOPE_SCOPE_REGEX_H
#define SCOPE_SCOPE_REGEX_H

#include "base/buf.h"
#include "base/options.h"

enum {
    REGEX_MAX_STEPS = 100000,
    REGEX_MAX_PATTERN_BYTES = 65536,
};

struct regex_list;

/* RC_INVALID: `why` names the pattern, the place and what is wrong, after `what` ("include"). An
 * empty list matches nothing. */
MUST_CHECK enum rc regex_list_open(const struct option_list *patterns, const char *what,
                                   struct regex_list **ret, struct buf *why);
void regex_list_close(struct regex_list *l);

bool regex_list_is_empty(const struct regex_list *l);

enum regex_answer {
    REGEX_NONE,    /* none of them matches */
    REGEX_SOME,    /* one does */
    REGEX_GAVE_UP, /* one needed more than it may, and none of the others matches */
};
/* Any thread. Goes on behind one that gave up: a later match counts. */
enum regex_answer regex_list_ask(const struct regex_list *l, struct str subject);

#endif
