/* SPDX-License-Identifier: Apache-2.0 */
/* base64: bytes as text (RFC 4648, section 4), with padding and without line ends. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include "base/buf.h"

/* Appends. Failures stick in the buf. */
void buf_base64(struct buf *out, struct str bytes);

/* Appends what the text stands for; RC_INVALID unless all of it is such a text. Failures of memory
 * stick in the buf. */
MUST_CHECK enum rc base64_read(struct str text, struct buf *out);

#endif
