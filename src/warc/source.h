/* SPDX-License-Identifier: Apache-2.0 */
/* source: the reader's lower half: bytes of a file in, plain bytes with their position out. Knows
 * gzip members and nothing of records. */
#ifndef WARC_SOURCE_H
#define WARC_SOURCE_H

#include "warc/reader.h"

enum source_form { SOURCE_UNKNOWN, SOURCE_PLAIN, SOURCE_GZIP };

enum source_state {
    SOURCE_READY,    /* the window is not empty */
    SOURCE_MORE,     /* feed it or say that it has ended */
    SOURCE_BOUNDARY, /* a gzip member has just ended, checksums right; said once a member */
    SOURCE_END,      /* the file is over, at the end of a member if it has members */
    SOURCE_BROKEN,   /* see problem */
};

struct source {
    enum source_form form;
    uint64_t max_ratio, any_ratio_bytes; /* as in struct warc_reader_limits */
    struct str window;                   /* plain bytes not yet taken, all of one member */
    struct warc_position at;             /* of the window's first byte, or of the byte to come */
    uint64_t member_end;                 /* the file's offset behind the last member that ended */
    struct warc_problem problem;
    /* private */
    struct str in; /* what was fed and not yet used */
    bool ended;
    uint64_t in_offset;
    bool member_open;
    uint64_t member_offset, member_out;
    int pending; /* what inflating said together with the bytes now in the window */
    struct inflater *inflater;
    char *room;
};

void source_done(struct source *s);

/* To the start of a file; memory is kept. */
void source_reset(struct source *s);

void source_feed(struct source *s, struct str bytes);
void source_finish(struct source *s);

/* Makes the window non-empty or says why not. */
enum source_state source_fill(struct source *s);

/* Steps over the first n bytes of the window. */
void source_take(struct source *s, size_t n);

/* The position n plain bytes behind `from`, for a problem inside a line. */
struct warc_position source_position_after(const struct source *s, struct warc_position from,
                                           size_t n);

/* The end of what was given, as a position in the file. */
struct warc_position source_end_position(const struct source *s);

#endif
