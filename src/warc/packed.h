/* SPDX-License-Identifier: Apache-2.0 */
/* packed: whether bytes are packed already, so that packing them again would save nothing. */
#ifndef WARC_PACKED_H
#define WARC_PACKED_H

#include "base/str.h"

/* Looks at eight samples of 64 bytes. True for what gzip, brotli, zstd and the formats of
 * images, video and fonts make. The bytes decide, whatever a header says. Text of any language and
 * base64 are not packed; neither is anything below 512 bytes. A pure function: equal bytes give an
 * equal answer. */
bool packed_already(struct str bytes);

#endif
