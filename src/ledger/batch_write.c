/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/batch.h"
#include "ledger/host_records.h"

#include "base/bytes.h"
#include "ledger/batch_internal.h"

void batch_put_front(char room[BATCH_FRONT_BYTES], const struct batch_totals *after)
{
    room[0] = BATCH_OUTCOME;
    room[1] = BATCH_VERSION;
    put_le64(room + 2, after->pages);
    put_le64(room + 10, after->bytes);
    put_le64(room + 18, after->archive_bytes);
}

static void put_host_record(struct buf *out, const struct host *h, bool with_robots)
{
    const struct host_record *c = host_record_if(h);
    size_t at = out->n;
    buf_le32(out, 0);
    if (c)
        host_record_write(c, with_robots, out);
    if (!buf_rc(out))
        put_le32(out->p + at, (uint32_t)(out->n - at - 4));
}

static void put_url(struct buf *out, const struct ledger_outcome *o, uint64_t due_wall_ms)
{
    const struct checkout *c = o->checkout;
    buf_byte(out, (char)o->how);
    buf_byte(out, (char)c->class);
    buf_byte(out, (char)c->is_https);
    buf_le16(out, c->port);
    buf_le64(out, c->sequence);
    buf_le64(out, due_wall_ms);
    buf_str8(out, c->host_name);
    buf_str32(out, c->path);
    put_host_record(out, c->host, o->robots_changed);
}

static void put_location(struct buf *out, const struct warc_location *p)
{
    buf_str8(out, str_c(p->file));
    buf_le64(out, p->offset);
    buf_le64(out, p->bytes);
}

/* A string that may be absent. */
static void put_maybe(struct buf *out, struct str s)
{
    buf_byte(out, (char)(s.p != NULL));
    buf_str32(out, s);
}

static bool has_codes(const struct history_entry *p)
{
    return p && (p->codes.p || p->what_changed);
}

static void put_history(struct buf *out, uint64_t fingerprint, const struct history_entry *p)
{
    buf_le64(out, fingerprint);
    buf_str32(out, p->url);
    buf_le64(out, p->via);
    buf_str32(out, p->seed_path);
    buf_le64(out, (uint64_t)p->date_ms);
    buf_le32(out, (uint32_t)p->code);
    buf_le64(out, p->bytes);
    buf_byte(out, (char)p->has_digest);
    buf_add(out, str_make((const char *)p->digest.bytes, DIGEST_SHA1_BYTES));
    buf_le64(out, (uint64_t)p->captured_ms);
    buf_add(out, str_make((const char *)p->record_id, sizeof p->record_id));
    put_maybe(out, p->etag);
    put_maybe(out, p->last_modified);
    put_maybe(out, p->mime);
    buf_le32(out, p->fetches);
    buf_le32(out, p->changes);
    if (has_codes(p)) {
        put_maybe(out, p->codes);
        buf_byte(out, (char)p->what_changed);
    }
    if (p->file.p) {
        put_maybe(out, p->file);
        buf_le64(out, p->file_offset);
        buf_le64(out, p->file_bytes);
    }
    if (p->forward)
        buf_le16(out, p->forward);
}

void batch_put_row_head(char room[BATCH_ROW_BYTES], enum ledger_file file, size_t text_bytes)
{
    room[0] = (char)file;
    put_le32(room + 1, (uint32_t)text_bytes);
}

static void put_lines(struct buf *out, const struct ledger_line *list, size_t count)
{
    char head[BATCH_ROW_BYTES];
    buf_le32(out, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        batch_put_row_head(head, list[i].file, list[i].text.n);
        buf_add(out, str_make(head, sizeof head));
        buf_add(out, list[i].text);
    }
}

static void put_link(struct buf *out, const struct candidate *c, bool is_foreign)
{
    struct str seed_path = str_first(c->seed_path, FRONTIER_MAX_SEED_PATH);
    char *to = buf_reserve(out, LINK_HEAD_BYTES + c->host.n + seed_path.n + c->path.n);
    if (!to)
        return;
    put_le64(to, c->fingerprint);
    put_le64(to + 8, c->via);
    put_le16(to + 16, c->port);
    to[18] = (char)((c->is_https ? LINK_HTTPS : 0) | (is_foreign ? LINK_FOREIGN : 0));
    to[19] = (char)c->class;
    to[20] = (char)c->host.n;
    to[21] = (char)seed_path.n;
    put_le16(to + 22, (uint16_t)c->path.n);
    out->n += LINK_HEAD_BYTES;
    buf_add(out, c->host);
    buf_add(out, seed_path);
    buf_add(out, c->path);
}

void batch_put_body(struct buf *out, const struct ledger_outcome *o, uint64_t due_wall_ms,
                    struct batch_body *ret)
{
    buf_byte(out, (char)((o->checkout ? OUTCOME_URL : 0) | (o->location ? OUTCOME_LOCATION : 0) |
                         (o->history ? OUTCOME_HISTORY : 0) |
                         (has_codes(o->history) ? OUTCOME_CODES : 0) |
                         (o->history && o->history->file.p ? OUTCOME_FILE : 0) |
                         (o->history && o->history->forward ? OUTCOME_FORWARD : 0)));
    if (o->checkout)
        put_url(out, o, due_wall_ms);
    if (o->location)
        put_location(out, o->location);
    if (o->history)
        put_history(out, o->fingerprint, o->history);
    ret->rows = out->n;
    put_lines(out, o->lines, o->line_count);
    ret->rows_end = out->n;
    buf_le32(out, (uint32_t)o->link_count);
    for (size_t i = 0; i < o->link_count; i++)
        put_link(out, &o->links[i], i >= o->link_count - o->foreign_count);
}

void batch_put_commit(struct buf *out, const struct batch_commit *c)
{
    buf_byte(out, BATCH_COMMIT);
    buf_byte(out, BATCH_VERSION);
    buf_le64(out, c->position);
    buf_le64(out, c->elapsed_ms);
    buf_le64(out, c->totals.pages);
    buf_le64(out, c->totals.bytes);
    buf_le64(out, c->totals.archive_bytes);
    buf_byte(out, LEDGER_FILES);
    for (unsigned i = 0; i < LEDGER_FILES; i++)
        buf_le64(out, c->lengths[i]);
}

void batch_put_file(struct buf *out, struct str name, uint64_t bytes)
{
    buf_str8(out, name);
    buf_le64(out, bytes);
}

void batch_put_news(struct buf *out, const struct ledger_news *n)
{
    buf_byte(out, BATCH_NEWS);
    buf_byte(out, BATCH_VERSION);
    buf_byte(out, n->is_aside ? NEWS_ASIDE : 0);
    buf_le64(out, n->kept);
    buf_str32(out, n->fact);
    buf_str32(out, n->mine);
    buf_str32(out, n->foreign);
    buf_str32(out, n->forgotten);
}

void batch_put_void(struct buf *out, uint64_t from)
{
    buf_byte(out, BATCH_VOID);
    buf_byte(out, BATCH_VERSION);
    buf_le64(out, from);
}

void batch_put_drop(struct buf *out, uint64_t batch, const uint64_t *fingerprints, size_t count)
{
    buf_byte(out, BATCH_DROP);
    buf_byte(out, BATCH_VERSION);
    buf_le64(out, batch);
    for (size_t i = 0; i < count; i++)
        buf_le64(out, fingerprints[i]);
}
