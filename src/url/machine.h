/* SPDX-License-Identifier: Apache-2.0 */
/* machine: the states of the standard's URL parser, for every input. Internal to url, apart from
 * tests and fuzzing, which compare it with the short way. */
#ifndef URL_MACHINE_H
#define URL_MACHINE_H

#include "url/url.h"

/* As url_parse, of which it is the whole. */
MUST_CHECK enum rc url_machine_parse(struct url_parser *parser, struct str input,
                                     const struct url *base, struct url_room room, struct url *ret);

/* The short way: an ordinary link to http or https, nothing to encode, plain host. False: not one
 * of those, or no room; nothing is said about the input then. `input` is trimmed. */
bool url_fast_parse(struct str input, const struct url *base, struct url_room room,
                    struct url *ret);

/* Without the controls and spaces at both ends. */
struct str url_trim(struct str input);

/* 1 for ".", 2 for "..", also where a dot is "%2e"; 0 for every other segment. */
unsigned url_dots(const char *p, size_t n);

#endif
