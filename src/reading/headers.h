/* SPDX-License-Identifier: Apache-2.0 */
/* headers: from the head of an answer, whether the body is read, and which URLs it names.
 *
 * The visit has an answer whose heads were read (visit_read_heads). The functions write its
 * section `parsed`. */
#ifndef READING_HEADERS_H
#define READING_HEADERS_H

#include "reading/settings.h"
#include "visit/visit.h"

/* Whether an answer with that status is read: a success or a redirect. An error is not, and neither
 * is a part of a page (206, F33). */
bool headers_allow_reading(uint16_t status);

/* Refers to the target of a redirect. True: the answer redirects, so its body is not read. */
bool headers_read_redirect(struct visit *v);

/* Sets robots_bits to what X-Robots-Tag says to this crawler. */
void headers_read_robots(const struct reading_settings *s, struct buf *scratch, struct visit *v);

/* Refers to the target of Refresh, unless X-Robots-Tag forbids to follow links: call it behind
 * headers_read_robots(). */
void headers_read_refresh(const struct reading_settings *s, struct visit *v);

#endif
