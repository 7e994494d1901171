/* SPDX-License-Identifier: Apache-2.0 */
/* write-warc: writes an answer to this shard's archive, as it came, with its request and the facts
 * of the fetch. A visit without an answer passes. */
#include "roles/counters.h"
#include "roles/ledger.h"
#include "url/normalise.h"
#include "visit/visit_capture.h"

#include "base/log.h"
#include "base/mem.h"

enum { NEED_LEDGER };

enum { ENTRY_ARENA_BYTES = 4 << 20 };

struct write_warc_settings {
    bool archive_only;
    bool none;
};

static const struct option write_warc_options[] = {
    OPTION_BOOL_ROW(struct write_warc_settings, archive_only, "archive-only", "no",
                    "leave out the links of a page"),
    OPTION_BOOL_ROW(struct write_warc_settings, none, "no-archive", "no", "write no archive"),
    {0},
};

struct write_warc {
    struct ledger_service *ledger;
    struct capture_writer *writer;
};

static void write_warc_close(struct instance *self)
{
    struct write_warc *w = self->state;
    capture_writer_close(w->writer);
    mem_free(w);
}

static enum rc write_warc_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct write_warc *w = mem_zero(1, sizeof *w);
    if (!w)
        return RC_NOMEM;
    self->state = w;
    w->ledger = part_provider(self, NEED_LEDGER);
    w->writer = capture_writer_open();
    if (!w->writer) {
        write_warc_close(self);
        return RC_NOMEM;
    }
    return RC_OK;
}

/* Names the record that has a payload from before a restart. The history knows the name as long as
 * nothing newer was captured of its URL. */
static void name_record(void *ctx, const struct digest *d, struct digest_ref *ref)
{
    struct write_warc *w = ctx;
    struct history *h = ledger_history(w->ledger->ledger);
    struct arena *arena = h ? arena_open(4096, ENTRY_ARENA_BYTES) : NULL;
    char room[DIGEST_TABLE_MAX_URI];
    struct url_parser parser = {0};
    struct url url;
    struct history_entry history;
    if (arena &&
        url_parse(&parser, ref->uri, NULL, (struct url_room){room, sizeof room}, &url) == RC_OK &&
        history_get(h, url_fingerprint(&url), arena, &history) == RC_OK && history.has_digest &&
        digest_eq(&history.digest, d)) {
        memcpy(ref->id.bytes, history.record_id, sizeof ref->id.bytes);
        ref->date_ms = history.captured_ms;
    }
    arena_close(arena);
}

/* The same payload once more is then a revisit of the earlier capture. */
static void recall_payload(struct write_warc *w, const struct visit *v)
{
    struct digest_ref ref;
    if (visit_earlier_capture(v, &ref))
        digest_table_put(ledger_digests(w->ledger->ledger), &v->turn.history.digest, &ref);
}

static enum rc archive_answer(struct instance *self, struct write_warc *w, struct visit *v)
{
    const struct write_warc_settings *s = self->settings;
    struct ledger *l = w->ledger->ledger;
    struct warc_fetch_facts facts;
    v->stored.capture = visit_capture(v, s->archive_only ? NULL : &facts);
    v->stored.capture.name = name_record;
    v->stored.capture.name_ctx = w;
    recall_payload(w, v);
    enum rc rc = capture_write(w->writer, ledger_warc(l, self->shard), ledger_digests(l),
                               &v->stored.capture, &v->stored.location);
    v->stored.capture.facts = NULL; /* it ends with this call */
    v->stored.is_kept = rc == RC_OK;
    return rc;
}

/* A place without its archive may have sent no body, for it was told to. */
static bool is_archived(const struct write_warc_settings *s, const struct visit *v)
{
    return !visit_is_unkept(v) && !s->none && (!v->packed.is_set || v->packed.has_body);
}

static void write_warc_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct write_warc *w = self->state;
    const struct write_warc_settings *s = self->settings;
    struct visit *v = visit_of(m);
    if (!s->archive_only)
        v->stored.via = ledger_service_url(w->ledger, v->turn.checkout.via, v->arena);
    bool is_answer = visit_has_result(v);
    count_add(&w->ledger->counts.unkept, is_answer && visit_is_unkept(v));
    enum rc rc = is_answer && is_archived(s, v) ? archive_answer(self, w, v) : RC_OK;
    if (rc == RC_INVALID) { /* the standard forbids such a record: it is logged and left out */
        log_warn_limited(part_log(self), "archive.refused", LOG_STR("url", url_href(&v->turn.url)));
        part_count_error(self);
    } else if (rc) {
        part_fail(self, rc, "cannot archive: %s", rc_text(rc));
    }
    part_emit(self, 0, m);
}

const struct part part_write_warc = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "write-warc",
    .former_name = "keep",
    .help = "writes answers to the archive",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "answers", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "the same, archived", false}, {0}},
    .needs =
        (const struct part_need[]){[NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the archive"},
                                   {0}},
    .options = write_warc_options,
    .settings_bytes = sizeof(struct write_warc_settings),
    .open = write_warc_open,
    .close = write_warc_close,
    .handle = write_warc_handle,
};
