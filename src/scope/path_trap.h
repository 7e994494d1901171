/* SPDX-License-Identifier: Apache-2.0 */
/* path_trap: whether a path looks like one that links without end have made.
 *
 * A segment is what stands between two slashes; what is behind the last one counts unless it is
 * empty. The work is linear in the path: each byte is looked at once to find the segments, and at
 * most twice for each length of group. */
#ifndef SCOPE_PATH_TRAP_H
#define SCOPE_PATH_TRAP_H

#include "base/str.h"

enum {
    PATH_MAX_SEGMENTS = 1000, /* the most that may be allowed */
    PATH_MAX_GROUP = 16,      /* longer groups of segments are not looked for */
};

/* True if the path has more than `most_segments` (at most PATH_MAX_SEGMENTS), or the same group of
 * 1 to PATH_MAX_GROUP segments three times in a row. */
bool path_is_trap(struct str path, size_t most_segments);

#endif
