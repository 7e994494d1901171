/* SPDX-License-Identifier: Apache-2.0 */
/* h2_frames: what a server of HTTP/2 sends, from a script: items joined by "|".
 *
 *     s            SETTINGS (a server's first frame)     p   PING    w   WINDOW_UPDATE
 *     h200;a=b;c=d HEADERS of the stream, H: the same and the stream's end
 *     e200;a=b     HEADERS that are to be continued      c;a=b  CONTINUATION, C: the last one
 *     dhello       DATA, D: the same and the end         z      DATA that is padding alone
 *     r7           RST_STREAM with that code             g1,0   GOAWAY: last stream, code
 *     u            a frame of no known type              xBYTES as they are
 *     q200         PUSH_PROMISE of stream 2              yhello DATA with padding, Y: and the end
 *
 * "*N" at an item's end: N times. Fields are literals without index or Huffman code. */
#ifndef TESTS_UNIT_NET_H2_FRAMES_H
#define TESTS_UNIT_NET_H2_FRAMES_H

#include "base/buf.h"

void h2_frames_add(struct buf *out, const char *script, uint32_t stream);

/* One frame. */
void h2_frame_add(struct buf *out, unsigned type, unsigned flags, uint32_t stream,
                  struct str payload);

#endif
