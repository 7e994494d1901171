/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/path_trap.h"

/* Takes the path apart; `most` + 1 when it has more than `most`. */
static size_t split(struct str path, size_t most, struct str *segments)
{
    struct str rest = str_from(path, path.n && path.p[0] == '/');
    size_t count = 0;
    while (rest.n) {
        if (count == most)
            return most + 1;
        size_t at = str_find(rest, '/');
        segments[count++] = str_first(rest, at);
        rest = str_from(rest, at + 1);
    }
    return count;
}

/* A group of `size` stands three times in a row where 2 * size segments in a row equal the one
 * `size` further on. */
static bool has_group(const struct str *segments, size_t count, size_t size)
{
    size_t run = 0;
    for (size_t i = 0; i + size < count; i++) {
        run = str_eq(segments[i], segments[i + size]) ? run + 1 : 0;
        if (run == 2 * size)
            return true;
    }
    return false;
}

bool path_is_trap(struct str path, size_t most_segments)
{
    struct str segments[PATH_MAX_SEGMENTS];
    if (most_segments > PATH_MAX_SEGMENTS)
        most_segments = PATH_MAX_SEGMENTS;
    size_t count = split(path, most_segments, segments);
    if (count > most_segments)
        return true;
    for (size_t size = 1; size <= count / 3 && size <= PATH_MAX_GROUP; size++)
        if (has_group(segments, count, size))
            return true;
    return false;
}
