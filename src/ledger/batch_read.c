/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/batch.h"

#include "base/hash.h"
#include "base/taker.h"
#include "cluster/wire/records.h"
#include "ledger/batch_internal.h"

static bool host_ok(struct str host)
{
    return host.n > 0 && host.n <= FRONTIER_MAX_HOST_BYTES;
}

static const char *read_url(struct taker *t, struct batch_url *u)
{
    uint8_t how = take_u8(t);
    u->class = take_u8(t);
    uint8_t https = take_u8(t);
    u->port = take_u16(t);
    u->sequence = take_u64(t);
    u->due_wall_ms = take_u64(t);
    u->host = take_str8(t);
    u->path = take_str32(t);
    u->record = take_str32(t);
    if (t->bad)
        return "its URL is cut short";
    if (how > CHECKIN_LAST || u->class >= FRONTIER_CLASSES || https > 1)
        return "its URL has an impossible ending, class or scheme";
    if (!host_ok(u->host) || u->path.n > FRONTIER_MAX_PATH_BYTES)
        return "its URL has an impossible host or path";
    u->how = (enum checkin)how;
    u->is_https = https;
    u->host_hash = hash64(u->host);
    return NULL;
}

static const char *read_location(struct taker *t, struct batch_location *p)
{
    p->file = take_str8(t);
    p->offset = take_u64(t);
    p->bytes = take_u64(t);
    if (t->bad)
        return "its location in the archive is cut short";
    if (!p->file.n || !p->bytes || p->bytes > UINT64_MAX - p->offset)
        return "its location in the archive is impossible";
    return NULL;
}

static struct str take_maybe(struct taker *t)
{
    bool there = take_u8(t) != 0;
    struct str s = take_str32(t);
    return there ? s : STR_NONE;
}

static const char *read_history(struct taker *t, struct batch *b, unsigned flags)
{
    struct history_entry *p = &b->history;
    b->fingerprint = take_u64(t);
    p->url = take_str32(t);
    p->via = take_u64(t);
    p->seed_path = take_str32(t);
    p->date_ms = (int64_t)take_u64(t);
    p->code = (int32_t)take_u32(t);
    p->bytes = take_u64(t);
    p->has_digest = take_u8(t) != 0;
    p->digest.kind = DIGEST_SHA1;
    struct str digest = take_bytes(t, DIGEST_SHA1_BYTES);
    memcpy(p->digest.bytes, digest.p, digest.n);
    p->captured_ms = (int64_t)take_u64(t);
    struct str id = take_bytes(t, sizeof p->record_id);
    memcpy(p->record_id, id.p, id.n);
    p->etag = take_maybe(t);
    p->last_modified = take_maybe(t);
    p->mime = take_maybe(t);
    p->fetches = take_u32(t);
    p->changes = take_u32(t);
    if (flags & OUTCOME_CODES) {
        p->codes = take_maybe(t);
        p->what_changed = take_u8(t);
    }
    if (flags & OUTCOME_FILE) {
        p->file = take_maybe(t);
        p->file_offset = take_u64(t);
        p->file_bytes = take_u64(t);
    }
    if (flags & OUTCOME_FORWARD)
        p->forward = take_u16(t);
    return t->bad ? "the history of its page is cut short" : NULL;
}

static struct ledger_line take_line(struct taker *t)
{
    uint8_t file = take_u8(t);
    return (struct ledger_line){.file = (enum ledger_file)file, .text = take_str32(t)};
}

static const char *read_lines(struct taker *t, struct batch *b)
{
    uint32_t count = take_u32(t);
    struct str start = t->rest;
    for (uint32_t i = 0; i < count && !t->bad; i++) {
        struct ledger_line l = take_line(t);
        if (l.file >= LEDGER_FILES)
            return "a line is for no file";
        if (!l.text.n || l.text.p[l.text.n - 1] != '\n')
            return "a line has no end";
    }
    b->lines = str_first(start, start.n - t->rest.n);
    return t->bad ? "its lines are cut short" : NULL;
}

static struct candidate take_link(struct taker *t, unsigned *ret_flags)
{
    struct candidate c = {0};
    c.fingerprint = take_u64(t);
    c.via = take_u64(t);
    c.port = take_u16(t);
    *ret_flags = take_u8(t);
    c.is_https = *ret_flags & LINK_HTTPS;
    c.class = take_u8(t);
    uint8_t host = take_u8(t), seed_path = take_u8(t);
    uint16_t path = take_u16(t);
    c.host = take_bytes(t, host);
    c.seed_path = take_bytes(t, seed_path);
    c.path = take_bytes(t, path);
    c.host_hash = hash64(c.host);
    return c;
}

static const char *read_links(struct taker *t, struct batch *b)
{
    uint32_t count = take_u32(t);
    struct str start = t->rest;
    for (uint32_t i = 0; i < count && !t->bad; i++) {
        unsigned flags;
        struct candidate c = take_link(t, &flags);
        if (!t->bad &&
            (flags > LINK_FLAGS || !host_ok(c.host) || c.seed_path.n > FRONTIER_MAX_SEED_PATH ||
             c.path.n > FRONTIER_MAX_PATH_BYTES || c.class >= FRONTIER_CLASSES))
            return "a link has an impossible host, path, class or seed path";
    }
    b->links = str_first(start, start.n - t->rest.n);
    return t->bad ? "its links are cut short" : NULL;
}

static const char *read_outcome(struct taker *t, struct batch *b)
{
    b->totals.pages = take_u64(t);
    b->totals.bytes = take_u64(t);
    b->totals.archive_bytes = take_u64(t);
    uint8_t flags = take_u8(t);
    if (t->bad || flags & ~OUTCOME_FLAGS)
        return "it has unknown parts";
    b->has_url = flags & OUTCOME_URL;
    b->has_location = flags & OUTCOME_LOCATION;
    b->has_history = flags & OUTCOME_HISTORY;
    const char *why = b->has_url ? read_url(t, &b->url) : NULL;
    why = why || !b->has_location ? why : read_location(t, &b->location);
    why = why || !b->has_history ? why : read_history(t, b, flags);
    why = why ? why : read_lines(t, b);
    return why ? why : read_links(t, b);
}

static const char *read_commit(struct taker *t, struct batch *b)
{
    struct batch_commit *c = &b->commit;
    c->position = take_u64(t);
    c->elapsed_ms = take_u64(t);
    c->totals.pages = take_u64(t);
    c->totals.bytes = take_u64(t);
    c->totals.archive_bytes = take_u64(t);
    unsigned count = take_u8(t); /* an earlier version had fewer */
    if (count < LEDGER_ELSEWHERE || count > LEDGER_FILES)
        return "a commit is about other files";
    for (unsigned i = 0; i < LEDGER_FILES; i++)
        c->lengths[i] = i < count ? take_u64(t) : 0;
    b->files = t->rest;
    while (t->rest.n && !t->bad) {
        (void)take_str8(t);
        (void)take_u64(t);
    }
    return t->bad ? "a commit is cut short" : NULL;
}

static const char *read_void(struct taker *t, struct batch *b)
{
    b->void_from = take_u64(t);
    return t->bad ? "it is cut short" : NULL;
}

static const char *read_drop(struct taker *t, struct batch *b)
{
    b->drop_batch = take_u64(t);
    b->drops = take_bytes(t, t->rest.n / 8 * 8);
    return t->bad || t->rest.n ? "it is cut short" : NULL;
}

static bool records_ok(struct str bytes)
{
    struct record_batch b;
    return !bytes.n || (record_batch_read(bytes, &b) == RC_OK && b.is == BATCH_IS_RECORDS);
}

static bool names_ok(struct str names)
{
    struct taker t = {.rest = names};
    while (t.rest.n && !t.bad)
        if (!host_ok(take_str8(&t)))
            return false;
    return !t.bad;
}

static const char *read_news(struct taker *t, struct ledger_news *n)
{
    unsigned flags = take_u8(t);
    if (!t->bad && flags > NEWS_FLAGS)
        return "news have unknown parts";
    n->is_aside = flags & NEWS_ASIDE;
    n->kept = take_u64(t);
    n->fact = take_str32(t);
    n->mine = take_str32(t);
    n->foreign = take_str32(t);
    n->forgotten = take_str32(t);
    if (t->bad)
        return "news are cut short";
    if (!records_ok(n->mine) || !records_ok(n->foreign))
        return "its news hold a record that is not valid";
    return names_ok(n->forgotten) ? NULL : "its news name an impossible host";
}

enum rc batch_read(struct str bytes, struct batch *ret, const char **ret_why)
{
    struct taker t = {.rest = bytes};
    uint8_t kind = take_u8(&t), version = take_u8(&t);
    memset(ret, 0, sizeof *ret);
    *ret_why = t.bad ? "it has no beginning" : NULL;
    if (!t.bad && version != BATCH_VERSION) {
        *ret_why = "another version wrote it";
        return RC_VERSION;
    }
    ret->kind = (enum batch_kind)kind;
    if (*ret_why == NULL)
        *ret_why = kind == BATCH_OUTCOME  ? read_outcome(&t, ret)
                   : kind == BATCH_COMMIT ? read_commit(&t, ret)
                   : kind == BATCH_VOID   ? read_void(&t, ret)
                   : kind == BATCH_DROP   ? read_drop(&t, ret)
                   : kind == BATCH_NEWS   ? read_news(&t, &ret->news)
                                          : "it is of no known kind";
    if (!*ret_why && t.rest.n)
        *ret_why = "bytes follow its end";
    return *ret_why ? RC_CORRUPT : RC_OK;
}

/* Walking what was looked at ------------------------------------------------------------------ */

bool batch_next_line(struct str *lines, struct ledger_line *ret)
{
    struct taker t = {.rest = *lines};
    if (!lines->n)
        return false;
    *ret = take_line(&t);
    *lines = t.rest;
    return true;
}

bool batch_next_link(struct str *links, struct candidate *ret, bool *ret_is_foreign)
{
    unsigned flags;
    struct taker t = {.rest = *links};
    if (!links->n)
        return false;
    *ret = take_link(&t, &flags);
    if (ret_is_foreign)
        *ret_is_foreign = flags & LINK_FOREIGN;
    *links = t.rest;
    return true;
}

bool batch_next_drop(struct str *drops, uint64_t *ret_fingerprint)
{
    struct taker t = {.rest = *drops};
    if (!drops->n)
        return false;
    *ret_fingerprint = take_u64(&t);
    *drops = t.rest;
    return true;
}

bool batch_next_file(struct str *files, struct str *ret_name, uint64_t *ret_bytes)
{
    struct taker t = {.rest = *files};
    if (!files->n)
        return false;
    *ret_name = take_str8(&t);
    *ret_bytes = take_u64(&t);
    *files = t.rest;
    return true;
}
