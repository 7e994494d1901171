/* SPDX-License-Identifier: Apache-2.0 */
/* verify: whether a record is what it says, from its header and one pass over its block.
 *
 *     WARC_RECORD      warc_verifier_begin(v, record)
 *     WARC_BLOCK       warc_verifier_add(v, piece)
 *     WARC_RECORD_END  rc = warc_verifier_end(v, &verdict)
 *
 * Digests. The block digest covers the block. The payload digest is compared with the digest of the
 * entity; as programs differ, that of the body as stored, with its chunks and what stands behind a
 * first header with status 1xx, is right too (WARC_CHECK_STORED). It cannot be checked, and is no
 * fault, where the payload is not here: in a revisit (the digest is the earlier record's), in one
 * segment of several; for an algorithm other than SHA-1 and SHA-256; and where the payload cannot
 * be told apart: in an HTTP answer without a status line (HTTP/0.9). Likewise a revisit's block
 * digest that is the one of nothing, which wget writes whatever the block is. Of a record with
 * WARC-Truncated it may cover the cut entity (then it is right) or the whole one (then it differs:
 * WARC_CHECK_CUT). */
#ifndef WARC_VERIFY_H
#define WARC_VERIFY_H

#include "warc/payload.h"
#include "warc/record.h"

enum warc_check {
    WARC_CHECK_NONE,     /* no digest is given */
    WARC_CHECK_OK,       /* it is right */
    WARC_CHECK_STORED,   /* right over the body as stored, see above */
    WARC_CHECK_CUT,      /* differs, but the record is truncated */
    WARC_CHECK_SKIPPED,  /* cannot be checked here */
    WARC_CHECK_WRONG,    /* differs */
    WARC_CHECK_NONSENSE, /* the field is not a digest */
};
const char *warc_check_name(enum warc_check check); /* "ok", "wrong", ... */

/* What the header lacks or has wrong. Each is a fault of the record. */
enum warc_defect {
    WARC_NO_TYPE = 1 << 0,   /* WARC-Type is missing */
    WARC_NO_ID = 1 << 1,     /* WARC-Record-ID is missing or not a URI */
    WARC_NO_DATE = 1 << 2,   /* WARC-Date is missing or not a date */
    WARC_NO_TARGET = 1 << 3, /* WARC-Target-URI is missing, or no URI, where the type requires it */
    WARC_NO_PROFILE = 1 << 4,   /* a revisit without WARC-Profile */
    WARC_NO_SEGMENT = 1 << 5,   /* a continuation without its origin, or a number from 2 */
    WARC_TWICE = 1 << 6,        /* a field that must be alone came twice */
    WARC_TARGET_GIVEN = 1 << 7, /* a warcinfo with WARC-Target-URI */
};
enum { WARC_DEFECTS = 8 };
const char *warc_defect_text(enum warc_defect defect); /* "expected WARC-Type" */

struct warc_verdict {
    unsigned defects; /* enum warc_defect */
    enum warc_check block, payload;
    struct digest block_digest, payload_digest; /* as computed, when WRONG, CUT, STORED or OK */
    struct warc_payload_facts facts;            /* its strs are borrowed until the next begin */
    struct str mime; /* of the payload: the HTTP header's, else Content-Type without parameters;
                        borrowed like facts */
    bool is_http;
};

/* Whether the verdict holds a fault: a defect, or a check that is WRONG or NONSENSE. */
bool warc_verdict_is_fault(const struct warc_verdict *v);

/* NULL without memory. */
struct warc_verifier *warc_verifier_open(void);
void warc_verifier_close(struct warc_verifier *v);

/* `record` is looked at again by the end. A begin without an end gives the block up. */
void warc_verifier_begin(struct warc_verifier *v, const struct warc_record *record);
void warc_verifier_add(struct warc_verifier *v, struct str piece);
MUST_CHECK enum rc warc_verifier_end(struct warc_verifier *v, struct warc_verdict *ret);

#endif
