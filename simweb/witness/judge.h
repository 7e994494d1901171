/* SPDX-License-Identifier: Apache-2.0 */
/* judge: whether the crawler did what a fault's row wants, from the sights alone.
 *
 * A fault's own hosts are one site; every ordinary host it is sprinkled over is another. Each site
 * is judged by itself, so "at most twice" holds for each. One failed expectation anywhere makes the
 * verdict bad; without one, a site whose index page ("/") was fetched makes it good.
 *
 * Which sights an expectation is about:
 *   label   NULL: all hosts of the site. "*": all but the site's own name. Else exactly that one.
 *           (Sprinkled by path there is one host, and the label is not looked at.)
 *   path    with query. NULL or "*": all. "/x*": all that begin with /x. Else exactly that one.
 *           robots.txt is asked for by every good crawler, so it is met only by NULL, by "*" and by
 *           a path that itself begins with /robots.txt: "/" and a star is everything else.
 *
 * What each kind wants of them:
 *   FETCHED   there is one.
 *   AT_LEAST  there are n. Of a site whose index page was not fetched, and of an ordinary host
 *             that a host fault was sprinkled over, neither of these two is asked: nobody showed
 *             the crawler the way.
 *   NEVER     there is none.
 *   AT_MOST   there are no more than n, together.
 *   BYTES     each had fewer than n bytes handed to the kernel, which keeps some MB of its own
 *             beyond what the client took: n should leave room for that. n = 0: 7/8 of --endless.
 *   LEAVES    the client ended each, or it is still open and no older than --patience. Bad: we had
 *             to end it, or the client sat through to the end of the answer.
 *   NO_REUSE  no later request of the site came on the connection of one of them.
 *   GAP       the same host's next request that started after the end of one of them started at
 *             least n ms after that end. n = 0: not before the back-off was over that the answer
 *             itself asked for (backoff_until_us); then what came on other connections within a
 *             few ms of it, and may have crossed it, does not count. What was already under way is
 *             not held against anyone, nor is never coming back.
 *   NOT_AT    none came to address n, but for requests made of us as of a proxy.
 *   NO_FACT   none carried one of the sight_facts in n.
 *   AT_ONCE   no more than n of them were open at once on one address.
 *   NEVER_AFTER  none started after n answers to /robots.txt of the same host had ended, beyond the
 *             moment that what was under way may need (SCENE_UNDER_WAY_MS).
 * All but the first two are met where there is no such sight. */
#ifndef WITNESS_JUDGE_H
#define WITNESS_JUDGE_H

#include "witness/witness.h"

enum verdict {
    VERDICT_UNSEEN, /* its index page, or what else shows it, was never fetched: nothing to say */
    VERDICT_GOOD,
    VERDICT_BAD,
};

enum { JUDGE_MAX_LINES = 20 }; /* of `why`; how many more there are is said in another */

/* `why` gets a line for every expectation that was not met (or why nothing can be said), each ended
 * by LF. `now_us` counts for requests that are still open. Sights are in the order they started.
 * Pure; without memory the verdict is VERDICT_UNSEEN and `why` says so. */
enum verdict judge_fault(const struct fault *f, const struct fault_knobs *knobs,
                         const struct sight *sights, uint32_t count, uint64_t now_us,
                         struct buf *why);

/* "unseen", "good", "bad" */
const char *verdict_name(enum verdict v);

#endif
