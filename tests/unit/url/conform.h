/* SPDX-License-Identifier: Apache-2.0 */
/* conform: what the conformance tests of url share: JSON files that hold lone surrogates, lines
 * with JSON escapes, and a parser with its rooms. */
#ifndef TESTS_UNIT_URL_CONFORM_H
#define TESTS_UNIT_URL_CONFORM_H

#include "lib/test.h"
#include "url/url.h"

#include <jansson.h>

/* The file as JSON, or NULL after the skip line. A surrogate that stands alone becomes U+FFFD. */
json_t *conform_json(const char *file);

/* The string with its length (it may hold NULs); absent for anything else. */
struct str conform_str(const json_t *value);
struct str conform_field(const json_t *object, const char *key);

/* Undoes JSON's escapes in `s`, whose quotes stand bare, into `out` (cleared first). */
struct str conform_unescape(struct str s, struct buf *out);

/* Parses `input` with IDN against `base` (absent: none) and returns the href, valid until the next
 * call; absent if the standard says failure. Each is parsed by the short way and the machine, and
 * both must agree. */
struct str conform_resolve(struct str input, struct str base, struct url_encoding *encoding);

int conform_setup(void **state);
int conform_teardown(void **state);

#endif
