/* SPDX-License-Identifier: Apache-2.0 */
/* reader: any archive, as a stream of events, in constant memory.
 *
 *     struct warc_reader *r = warc_reader_open(NULL);
 *     while ((event = warc_reader_next(r, &piece)) != WARC_END && event != WARC_BROKEN)
 *         ...
 *
 * WARC_MORE        give it bytes with warc_reader_feed(), or say warc_reader_finish()
 * WARC_RECORD      warc_reader_record(): type, fields, position
 * WARC_BLOCK       `piece` is the next of its block
 * WARC_RECORD_END  warc_reader_ended(): its length in the file
 * WARC_END         everything was whole
 * WARC_BROKEN      warc_reader_problem(): what was expected, and where
 *
 * An archive in memory is fed whole and finished at once. How the bytes are cut into feeds changes
 * nothing but the cutting of block pieces.
 *
 * Read: WARC 0.17, 0.18, 1.0 and 1.1; plain, one gzip member a record, all records in one member,
 * several members a record, members with extra fields. The first two bytes decide; a name does not.
 *
 * Forgiven, with a note in the record (enum warc_note): lines ended by LF alone, folded lines,
 * extra line ends between records, Content-Length repeated with the same value. Field names in any
 * case and unknown or repeated fields are correct and need no note. With `lenient` a record may
 * also lack the two line ends behind its block when the archive, or the next record, follows at
 * once.
 *
 * Refused (WARC_BROKEN, the archive cannot be read on): anything else, control characters in a
 * header and a mixture of CR LF and LF behind a block among it. A missing WARC-Type,
 * WARC-Record-ID or WARC-Date does not keep the reader from going on: verify.h judges it. ARC files
 * and zstd archives are recognised and refused as RC_UNSUPPORTED. Whole records before the damage
 * have all been delivered, each with its WARC_RECORD_END: only then is a record known to be whole.
 */
#ifndef WARC_READER_H
#define WARC_READER_H

#include "warc/record.h"

/* 0 stands for the default. */
struct warc_reader_limits {
    size_t header_bytes;      /* version line and fields of a record: 1 MiB */
    size_t line_bytes;        /* one line of them: 256 KiB */
    size_t fields;            /* 4096 */
    uint64_t ratio;           /* a member may grow to this many times its size: 1000, */
    uint64_t any_ratio_bytes; /* or to this, whatever its size: 1 GiB. Deflate reaches 1030 on
                                 zeros, so a large record of zeros is let through */
};

struct warc_reader_options {
    struct warc_reader_limits limits;
    bool lenient;
};

enum warc_event { WARC_MORE, WARC_RECORD, WARC_BLOCK, WARC_RECORD_END, WARC_END, WARC_BROKEN };

struct warc_ended {
    uint64_t bytes;  /* in the file, from the record's position.offset to its end; 0 when the record
                        ends inside a member, whose checksum is then still to come */
    bool own_member; /* its member or members hold nothing else: it can be read by itself */
    unsigned notes;  /* enum warc_note, those of the record included */
};

struct warc_problem {
    enum rc rc; /* RC_INVALID; RC_LIMIT; RC_UNSUPPORTED; RC_VERSION; RC_NOMEM */
    bool torn;  /* the archive ends too early: what there is may be right */
    struct warc_position
        at;         /* of the exact problem; damage inside compressed data and a torn archive
                             have the offset in the file itself, in_member 0 */
    bool in_record; /* a record had begun: */
    struct warc_position record; /* its position, or where one was to begin */
    char text[200]; /* "expected CR LF CR LF behind the block of 12 bytes, found \"x\"" */
};

/* NULL without memory. `options` may be NULL. */
struct warc_reader *warc_reader_open(const struct warc_reader_options *options);
void warc_reader_close(struct warc_reader *r);

/* Back to the start of another archive; buffers are kept. */
void warc_reader_reset(struct warc_reader *r);

/* Gives the next bytes, after WARC_MORE or at the start; they must stay until the next WARC_MORE.
 */
void warc_reader_feed(struct warc_reader *r, struct str bytes);
/* There are no more. */
void warc_reader_finish(struct warc_reader *r);

/* The next event. After WARC_END and WARC_BROKEN it stays so. *ret_piece is set for WARC_BLOCK
 * only, never empty, and borrowed until the next call. */
enum warc_event warc_reader_next(struct warc_reader *r, struct str *ret_piece);

/* Borrowed, valid from a WARC_RECORD until the call after its WARC_RECORD_END. */
const struct warc_record *warc_reader_record(const struct warc_reader *r);
struct warc_ended warc_reader_ended(const struct warc_reader *r);
const struct warc_problem *warc_reader_problem(const struct warc_reader *r);

/* Where the archive can be cut so that only whole records are left: behind the last whole record,
 * in a compressed archive behind the last member that ends with one. */
uint64_t warc_reader_whole_bytes(const struct warc_reader *r);

/* Whether the archive turned out to be gzip. */
bool warc_reader_is_gzip(const struct warc_reader *r);

/* The same for an archive in memory: where it can be cut. Returns RC_OK if it is whole (then that
 * is its length), RC_NOMEM, or the problem's code; *ret_problem (which may be NULL) is set then. */
MUST_CHECK enum rc warc_recover(struct str archive, uint64_t *ret_whole_bytes,
                                struct warc_problem *ret_problem);

#endif
