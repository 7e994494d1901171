/* SPDX-License-Identifier: Apache-2.0 */
#include "report/index_blocks.h"

#include "archive/line_source.h"
#include "base/digest.h"
#include "base/jsonw.h"
#include "outputs/crawl_dir.h"
#include "warc/gzip.h"

enum { STEP_BYTES = 256 << 10, BLOCK_MAX_BYTES = 64 << 20, KEY_MAX_BYTES = 1 << 20, LEVEL = 6 };

struct blocks {
    struct line_sink blocks, heads;
    struct gzip_compact *gzip;
    struct buf text, packed, key, head;
    uint64_t lines; /* of the block */
    uint64_t offset;
    index_blocks_line *each;
    void *ctx;
};

static enum rc add_head(struct blocks *b)
{
    char hex[80];
    struct buf digest = buf_on(hex, sizeof hex);
    struct digest d;
    enum rc rc = digest_of(DIGEST_SHA256, buf_str(&b->packed), &d);
    if (rc)
        return rc;
    buf_add(&digest, STR("sha256:"));
    buf_hex(&digest, d.bytes, DIGEST_SHA256_BYTES);
    buf_clear(&b->head);
    buf_add(&b->head, buf_str(&b->key));
    buf_byte(&b->head, ' ');
    struct jsonw j = jsonw_to(&b->head);
    jsonw_object(&j);
    jsonw_u64_field(&j, "offset", b->offset);
    jsonw_u64_field(&j, "length", b->packed.n);
    jsonw_text_field(&j, "digest", buf_str(&digest));
    jsonw_text_field(&j, "filename", STR("index.cdx.gz"));
    jsonw_end(&j);
    buf_byte(&b->head, '\n');
    rc = buf_rc(&b->head);
    return rc ? rc : line_sink_add(&b->heads, buf_str(&b->head));
}

static enum rc end_block(struct blocks *b)
{
    if (b->lines == 0)
        return RC_OK;
    buf_clear(&b->packed);
    gzip_compact_whole(b->gzip, buf_str(&b->text), &b->packed);
    enum rc rc = buf_rc(&b->text);
    rc = rc ? rc : buf_rc(&b->packed);
    rc = rc ? rc : add_head(b);
    rc = rc ? rc : line_sink_add(&b->blocks, buf_str(&b->packed));
    b->offset += b->packed.n;
    b->lines = 0;
    buf_clear(&b->text);
    return rc;
}

/* Key and date: what stands before the JSON. */
static struct str key_of(struct str line)
{
    return str_first(line, str_find_str(line, STR(" {")));
}

static enum rc take_line(void *ctx, struct str line)
{
    struct blocks *b = ctx;
    enum rc rc = b->each(b->ctx, line);
    if (rc == RC_OK && b->lines && b->text.n + line.n + 1 > BLOCK_MAX_BYTES / 2)
        rc = end_block(b);
    if (b->lines == 0) {
        buf_clear(&b->key);
        buf_add(&b->key, key_of(line));
    }
    buf_add(&b->text, line);
    buf_byte(&b->text, '\n');
    rc = rc ? rc : buf_rc(&b->key);
    if (rc == RC_OK && ++b->lines == INDEX_BLOCK_LINES)
        rc = end_block(b);
    return rc;
}

static enum rc make(struct blocks *b, struct disk *d, const char *index)
{
    static const struct str first =
        STR("!meta 0 {\"format\": \"cdxj-gzip-1.0\", \"filename\": \"index.cdx.gz\"}\n");
    enum rc rc = line_sink_add(&b->heads, first);
    rc = rc ? rc : crawl_dir_each(d, index, take_line, b);
    rc = rc ? rc : end_block(b);
    rc = rc ? rc : line_sink_end(&b->blocks, false);
    return rc ? rc : line_sink_end(&b->heads, false);
}

enum rc index_blocks_make(struct disk *d, const char *index, const char *blocks, const char *heads,
                          index_blocks_line *each, void *ctx)
{
    struct blocks b = {.text = {.max = BLOCK_MAX_BYTES},
                       .packed = {.max = BLOCK_MAX_BYTES},
                       .key = {.max = KEY_MAX_BYTES},
                       .head = {.max = KEY_MAX_BYTES + 256},
                       .each = each,
                       .ctx = ctx,
                       .gzip = gzip_compact_open(LEVEL)};
    enum rc rc = b.gzip ? RC_OK : RC_NOMEM;
    rc = rc ? rc : line_sink_open(&b.blocks, d, blocks, STEP_BYTES);
    rc = rc ? rc : line_sink_open(&b.heads, d, heads, STEP_BYTES);
    rc = rc ? rc : make(&b, d, index);
    line_sink_done(&b.blocks);
    line_sink_done(&b.heads);
    gzip_compact_close(b.gzip);
    buf_done(&b.text);
    buf_done(&b.packed);
    buf_done(&b.key);
    buf_done(&b.head);
    return rc;
}
