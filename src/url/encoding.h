/* SPDX-License-Identifier: Apache-2.0 */
/* encoding: the document's encoding, in which the query of its links is written ("percent-encode
 * after encoding" of the URL Standard), as the Encoding Standard's encoders write it. encoding.c is
 * the only file that includes ICU's converter header. */
#ifndef URL_ENCODING_H
#define URL_ENCODING_H

#include "url/write.h"

/* One per thread: converting changes it. */
struct url_encoding;

/* `name` is a name of the Encoding Standard in any case ("windows-1252", "Shift_JIS", what
 * document.characterSet would say). UTF-8, and the ones whose output encoding is UTF-8 (UTF-16LE,
 * UTF-16BE, replacement), set *ret to NULL, which url_parser takes as UTF-8. RC_NOT_FOUND: no such
 * encoding; RC_UNSUPPORTED: ICU has no converter; RC_NOMEM. Closed with url_encoding_close, which
 * accepts NULL. */
MUST_CHECK enum rc url_encoding_open(struct str name, struct url_encoding **ret);
void url_encoding_close(struct url_encoding *e);

/* Writes `s` (valid UTF-8) in the encoding, percent-encoding past ASCII and what `set` names; a
 * character the encoding lacks becomes %26%23NNN%3B. */
void url_put_in_encoding(struct url_out *o, struct str s, enum url_set set, struct url_encoding *e);

#endif
