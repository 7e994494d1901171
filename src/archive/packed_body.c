/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/packed_body.h"

#include "base/mem.h"
#include "warc/payload.h"

struct packed_body_tools {
    struct warc_payload *payload;
    struct deflated_packer *packer; /* opened when it is needed, as the next */
    struct deflated_unpacker *unpacker;
};

struct packed_body_tools *packed_body_tools_open(void)
{
    struct packed_body_tools *t = mem_zero(1, sizeof *t);
    if (!t)
        return NULL;
    t->payload = warc_payload_open();
    if (t->payload)
        return t;
    packed_body_tools_close(t);
    return NULL;
}

void packed_body_tools_close(struct packed_body_tools *t)
{
    if (!t)
        return;
    warc_payload_close(t->payload);
    deflated_packer_close(t->packer);
    deflated_unpacker_close(t->unpacker);
    mem_free(t);
}

enum rc payload_measure(struct warc_payload *p, struct str head, struct str body,
                        struct digest *ret_digest, uint64_t *ret_bytes)
{
    struct warc_payload_facts facts;
    struct str pieces[] = {head, body};
    enum rc rc = warc_payload_digest(p, pieces, 2, DIGEST_SHA1, ret_digest, &facts);
    if (rc == RC_OK)
        *ret_bytes = facts.is_chunked && facts.chunks.end != CHUNKED_BROKEN ? facts.entity_bytes
                                                                            : facts.stored_bytes;
    return rc;
}

enum rc packed_body_make(struct packed_body_tools *t, struct str head, struct str body,
                         size_t most_bytes, struct packed_body *ret)
{
    struct packed_body b;
    if (!t->packer && !(t->packer = deflated_packer_open()))
        return RC_NOMEM;
    enum rc rc = payload_measure(t->payload, head, body, &b.digest, &b.entity_bytes);
    if (rc == RC_OK)
        rc = deflated_pack(t->packer, body, most_bytes, &b.deflated);
    if (rc == RC_OK)
        *ret = b;
    return rc;
}

enum rc packed_body_check(struct packed_body_tools *t, struct str head, const struct packed_body *b,
                          size_t most_bytes)
{
    struct str body;
    struct digest digest;
    uint64_t entity_bytes;
    if (!t->unpacker && !(t->unpacker = deflated_unpacker_open()))
        return RC_NOMEM;
    enum rc rc = deflated_unpack(t->unpacker, &b->deflated, most_bytes, &body);
    if (rc == RC_OK)
        rc = payload_measure(t->payload, head, body, &digest, &entity_bytes);
    if (rc)
        return rc == RC_LIMIT ? RC_INVALID : rc;
    return digest_eq(&digest, &b->digest) && entity_bytes == b->entity_bytes ? RC_OK : RC_INVALID;
}
