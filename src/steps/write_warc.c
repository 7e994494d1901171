/* SPDX-License-Identifier: Apache-2.0 */
/* write-warc: writes an answer to this shard's archive, as it came, with its request and the facts
 * of the fetch. A visit without an answer passes. */
#include "roles/counters.h"
#include "roles/ledger.h"
#include "visit/visit.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "url/normalise.h"

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
    struct write_warc *k = self->state;
    capture_writer_close(k->writer);
    mem_free(k);
}

static enum rc write_warc_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct write_warc *k = mem_zero(1, sizeof *k);
    if (!k)
        return RC_NOMEM;
    self->state = k;
    k->ledger = part_provider(self, NEED_LEDGER);
    k->writer = capture_writer_open();
    if (!k->writer) {
        write_warc_close(self);
        return RC_NOMEM;
    }
    return RC_OK;
}

static enum warc_cut cut_of(const struct http_answer *a)
{
    switch (a->cut) {
    case HTTP_CUT_LENGTH:
        return WARC_CUT_LENGTH;
    case HTTP_CUT_TIME:
        return WARC_CUT_TIME;
    case HTTP_CUT_DISCONNECT:
        return WARC_CUT_DISCONNECT;
    default:
        return WARC_CUT_NONE;
    }
}

static struct warc_outlink *outlinks_of(struct visit *v, size_t *ret_count)
{
    const struct found_links *links = &v->judged.links;
    struct warc_outlink *list =
        links->count ? arena_alloc(v->arena, links->count * sizeof *list) : NULL;
    *ret_count = list ? links->count : 0;
    for (size_t i = 0; i < *ret_count; i++)
        list[i] = (struct warc_outlink){.uri = links->list[i].href,
                                        .hop = links->list[i].hop,
                                        .context = links->list[i].context};
    return list;
}

/* The capture that a 304 confirms, in the arena; NULL if there is none. */
static const struct digest_ref *confirmed(const struct visit *v)
{
    if (v->answer.end.status != 304 || !v->turn.has_history || !v->turn.history.has_digest)
        return NULL;
    struct digest_ref *ref = arena_alloc(v->arena, sizeof *ref);
    if (!ref)
        return NULL;
    memcpy(ref->id.bytes, v->turn.history.record_id, sizeof ref->id.bytes);
    ref->date_ms = v->turn.history.captured_ms;
    ref->uri = v->turn.history.url;
    return ref;
}

/* Names the record that has a payload from before a restart. The history knows the name as long as
 * nothing newer was captured of its URL. */
static void name_record(void *ctx, const struct digest *d, struct digest_ref *ref)
{
    struct write_warc *k = ctx;
    struct history *h = ledger_history(k->ledger->ledger);
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
static void recall_payload(struct write_warc *k, const struct visit *v)
{
    struct digest_ref ref = {.date_ms = v->turn.history.captured_ms, .uri = v->turn.history.url};
    if (!v->turn.has_history || !v->turn.history.has_digest)
        return;
    memcpy(ref.id.bytes, v->turn.history.record_id, sizeof ref.id.bytes);
    digest_table_put(ledger_digests(k->ledger->ledger), &v->turn.history.digest, &ref);
}

static enum rc archive_answer(struct instance *self, struct write_warc *k, struct visit *v)
{
    const struct write_warc_settings *s = self->settings;
    const struct http_answer *a = v->answer.http;
    char room[ADDRESS_TEXT_BYTES];
    struct buf ip = buf_on(room, sizeof room);
    struct warc_fetch_facts facts = {
        .via = v->stored.via,
        .hops_from_seed = v->turn.checkout.seed_path,
        .fetch_time_ms = a->timing.total_us / 1000,
    };
    if (!s->archive_only)
        facts.outlinks = outlinks_of(v, &facts.outlink_count);
    address_print(&a->peer, &ip);
    v->stored.capture = (struct capture){
        .target_uri = url_href(&v->turn.url),
        .ip_address = arena_dup(v->arena, buf_str(&ip)),
        .date_ms = v->answer.date_ms,
        .request = v->answer.request,
        .head = a->head,
        .body = a->body,
        .cut = cut_of(a),
        .is_http2 = a->is_h2,
        .identified_type = v->parsed.identified,
        .facts = s->archive_only ? NULL : &facts,
        .not_modified = confirmed(v),
        .not_modified_digest = v->turn.has_history ? &v->turn.history.digest : NULL,
        .name = name_record,
        .name_ctx = k,
    };
    recall_payload(k, v);
    enum rc rc =
        capture_write(k->writer, ledger_warc(k->ledger->ledger, self->shard),
                      ledger_digests(k->ledger->ledger), &v->stored.capture, &v->stored.location);
    v->stored.capture.facts = NULL; /* it ends with this call */
    v->stored.is_kept = rc == RC_OK;
    return rc;
}

static void write_warc_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct write_warc *k = self->state;
    const struct write_warc_settings *s = self->settings;
    struct visit *v = visit_of(m);
    if (!s->archive_only)
        v->stored.via = ledger_service_url(k->ledger, v->turn.checkout.via, v->arena);
    bool is_answer = visit_has_result(v);
    count_add(&k->ledger->counts.unkept, is_answer && visit_is_unkept(v));
    enum rc rc = is_answer && !visit_is_unkept(v) && !s->none ? archive_answer(self, k, v) : RC_OK;
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
