/* SPDX-License-Identifier: Apache-2.0 */
/* pool: the ready pieces that pages are put together from, in one tongue and one ink.
 *
 * A piece is a whole block of HTML (a paragraph, a list, a table, a listing …) or, of the last
 * kinds, bare text. None holds a link or a name that a page must not have twice. The pool is made
 * once, from the world's seed; a page copies. Each piece is compressed the first time somebody
 * wants it so, and kept: packed pieces can be joined to a stream (coding.h). */
#ifndef CONTENT_POOL_H
#define CONTENT_POOL_H

#include "content/ink.h"
#include "content/prose.h"

enum piece_kind {
    PIECE_PLAIN,    /* <p> of sentences and nothing else: any can stand in for any other */
    PIECE_RICH,     /* <p> with words marked up */
    PIECE_LIST,     /* <ul>, <ol> */
    PIECE_TERMS,    /* <dl> */
    PIECE_TABLE,    /* <table> */
    PIECE_CODE,     /* <pre> with coloured words */
    PIECE_QUOTE,    /* <blockquote> */
    PIECE_FORM,     /* <form>, by POST, so that no crawler sends it */
    PIECE_STYLE,    /* <style>; holds something that looks like a link and is a comment */
    PIECE_SCRIPT,   /* <script>; strings that look like links and are none */
    PIECE_COMMENT,  /* an HTML comment with what was a link once */
    PIECE_SENTENCE, /* text: a sentence */
    PIECE_HEADING,  /* text: some words */
    PIECE_KINDS_
};

/* A piece ready for a gzip stream (whole deflate blocks, ending on a byte), as a zstd frame, or for
 * a br stream (whole meta-blocks, ending on a byte). In br, what means a word of the dictionary
 * depends on how much of the window is filled: a piece may stand only behind a whole window. */
enum packing { PACKING_DEFLATE, PACKING_ZSTD, PACKING_BR, PACKING_COUNT_ };
enum { POOL_BR_WINDOW = 11 }; /* the bits of its size, from 10 to 15 */

struct pool;

/* NULL without memory. */
struct pool *pool_open(enum tongue tongue, enum ink ink, bool is_demo, uint64_t seed);
void pool_close(struct pool *p);

/* The piece of a kind that a chance picks, by number; and its bytes. */
uint32_t pool_pick(const struct pool *p, enum piece_kind kind, uint64_t chance);
struct str pool_piece(const struct pool *p, uint32_t piece);

/* Says that its first lines of memory are needed soon: pieces come from all over the pool. */
void pool_prefetch(const struct pool *p, uint32_t piece);

/* Another piece of the same kind, another for each of the first versions; 0 is the piece itself. */
uint32_t pool_other(const struct pool *p, enum piece_kind kind, uint32_t piece, uint64_t version);

/* The piece compressed; absent without memory. */
struct str pool_packed(struct pool *p, uint32_t piece, enum packing packing);

#endif
