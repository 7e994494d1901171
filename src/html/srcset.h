/* SPDX-License-Identifier: Apache-2.0 */
/* srcset: the addresses in <img srcset>, <source srcset> and <link imagesrcset>.
 *
 * Cut as the HTML Standard cuts ("parse a srcset attribute"): an address ends at white space or at
 * commas behind which white space follows, so commas inside an address stay; the descriptors
 * (1x, 300w, and whatever stands in parentheses) are skipped. A candidate whose descriptors a
 * browser would refuse is still given: it is an address all the same. */
#ifndef HTML_SRCSET_H
#define HTML_SRCSET_H

#include "base/str.h"

/* Takes the next candidate out of *rest, which begins as the whole attribute value; *ret_url is a
 * piece of it, never empty, without white space. False at the end. All calls together are linear
 * in the length of the value. */
bool srcset_next(struct str *rest, struct str *ret_url);

#endif
