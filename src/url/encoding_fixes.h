/* SPDX-License-Identifier: Apache-2.0 */
/* encoding_fixes: where the Encoding Standard's encoders differ from ICU's tables. Internal to url.
 */
#ifndef URL_ENCODING_FIXES_H
#define URL_ENCODING_FIXES_H

#include "base/str.h"

struct fixes;

/* The differences of the encoding with this name, NULL if it has none. Static. */
const struct fixes *fixes_of(const char *name);

/* Whether `code` is among them. *ret_bytes is then what is written for it: two bytes, the first in
 * the upper half; one byte, below 0x100; or 0 if the encoding lacks the character. `f` may be NULL.
 */
bool fixes_find(const struct fixes *f, uint32_t code, uint16_t *ret_bytes);

/* Half-width katakana and their marks as the full-width ones; anything else as it is. */
uint32_t katakana_widen(uint32_t code);

#endif
