/* SPDX-License-Identifier: Apache-2.0 */
/* keep: an answer goes to this shard's archive, as it came, with its request and what is known of
 * the fetch. What has no answer has nothing to keep. */
#include "components/judge.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "url/normalise.h"

enum { PAST_ARENA_BYTES = 4 << 20 };

struct keep_settings {
    bool archive_only;
    bool none;
};

static const struct option keep_options[] = {
    OPTION_BOOL_ROW(struct keep_settings, archive_only, "archive-only", "no",
                    "leave out the links of a page"),
    OPTION_BOOL_ROW(struct keep_settings, none, "no-archive", "no", "keep nothing"),
    {0},
};

struct keep {
    struct ledger_service *ledger;
    struct capture_writer *writer;
};

static void keep_close(struct instance *self)
{
    struct keep *k = self->state;
    capture_writer_close(k->writer);
    mem_free(k);
}

static enum rc keep_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct keep *k = mem_zero(1, sizeof *k);
    if (!k)
        return RC_NOMEM;
    self->state = k;
    k->ledger = part_provider(self, 0);
    k->writer = capture_writer_open();
    if (!k->writer) {
        keep_close(self);
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
    struct warc_outlink *list =
        v->link_count ? arena_alloc(v->arena, v->link_count * sizeof *list) : NULL;
    *ret_count = list ? v->link_count : 0;
    for (size_t i = 0; i < *ret_count; i++)
        list[i] = (struct warc_outlink){
            .uri = v->links[i].href, .hop = v->links[i].hop, .context = v->links[i].context};
    return list;
}

/* The capture that a 304 confirms, in the arena; NULL if there is none. */
static const struct digest_ref *confirmed(const struct visit *v)
{
    if (v->end.status != 304 || !v->has_past || !v->past.has_digest)
        return NULL;
    struct digest_ref *ref = arena_alloc(v->arena, sizeof *ref);
    if (!ref)
        return NULL;
    memcpy(ref->id.bytes, v->past.record_id, sizeof ref->id.bytes);
    ref->date_ms = v->past.captured_ms;
    ref->uri = v->past.url;
    return ref;
}

/* The history has the name of a record whose payload is known from before a restart, as long as
 * nothing newer was captured of its URL. */
static void name_record(void *ctx, const struct digest *d, struct digest_ref *ref)
{
    struct keep *k = ctx;
    struct history *h = ledger_history(k->ledger->ledger);
    struct arena *arena = h ? arena_open(4096, PAST_ARENA_BYTES) : NULL;
    char room[DIGEST_TABLE_MAX_URI];
    struct url_parser parser = {0};
    struct url url;
    struct past past;
    if (arena &&
        url_parse(&parser, ref->uri, NULL, (struct url_room){room, sizeof room}, &url) == RC_OK &&
        history_get(h, url_fingerprint(&url), arena, &past) == RC_OK && past.has_digest &&
        digest_eq(&past.digest, d)) {
        memcpy(ref->id.bytes, past.record_id, sizeof ref->id.bytes);
        ref->date_ms = past.captured_ms;
    }
    arena_close(arena);
}

/* So that the same payload once more is a revisit of the earlier capture. */
static void recall_payload(struct keep *k, const struct visit *v)
{
    struct digest_ref ref = {.date_ms = v->past.captured_ms, .uri = v->past.url};
    if (!v->has_past || !v->past.has_digest)
        return;
    memcpy(ref.id.bytes, v->past.record_id, sizeof ref.id.bytes);
    digest_table_put(ledger_digests(k->ledger->ledger), &v->past.digest, &ref);
}

static enum rc keep_answer(struct instance *self, struct keep *k, struct visit *v)
{
    const struct keep_settings *s = self->settings;
    const struct http_answer *a = v->answer;
    char room[ADDRESS_TEXT_BYTES];
    struct buf ip = buf_on(room, sizeof room);
    struct warc_fetch_facts facts = {
        .via = v->via,
        .hops_from_seed = v->lent.hops,
        .fetch_time_ms = a->timing.total_us / 1000,
    };
    if (!s->archive_only)
        facts.outlinks = outlinks_of(v, &facts.outlink_count);
    address_print(&a->peer, &ip);
    v->capture = (struct capture){
        .target_uri = url_href(&v->url),
        .ip_address = arena_dup(v->arena, buf_str(&ip)),
        .date_ms = v->date_ms,
        .request = v->request,
        .head = a->head,
        .body = a->body,
        .cut = cut_of(a),
        .is_http2 = a->is_h2,
        .identified_type = v->identified,
        .facts = s->archive_only ? NULL : &facts,
        .not_modified = confirmed(v),
        .not_modified_digest = v->has_past ? &v->past.digest : NULL,
        .name = name_record,
        .name_ctx = k,
    };
    recall_payload(k, v);
    enum rc rc = capture_write(k->writer, ledger_warc(k->ledger->ledger, self->shard),
                               ledger_digests(k->ledger->ledger), &v->capture, &v->place);
    v->capture.facts = NULL; /* it ends with this call */
    v->is_kept = rc == RC_OK;
    return rc;
}

static void keep_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct keep *k = self->state;
    const struct keep_settings *s = self->settings;
    struct visit *v = visit_of(m);
    if (!visit_is_list(v) && !s->archive_only)
        v->via = ledger_service_url(k->ledger, v->lent.via, v->arena);
    bool is_answer = visit_has_result(v);
    count_add(&k->ledger->counts.unkept, is_answer && visit_is_unkept(v));
    enum rc rc = is_answer && !visit_is_unkept(v) && !s->none ? keep_answer(self, k, v) : RC_OK;
    if (rc == RC_INVALID) { /* a record that the standard forbids: said, and gone on */
        log_warn_limited(part_log(self), "archive.refused", LOG_STR("url", url_href(&v->url)));
        part_count_error(self);
    } else if (rc) {
        part_fail(self, rc, "cannot archive: %s", rc_text(rc));
    }
    part_emit(self, 0, m);
}

const struct part part_keep = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "keep",
    .help = "writes answers to the archive",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "answers", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "kept", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the archive"}, {0}},
    .options = keep_options,
    .settings_bytes = sizeof(struct keep_settings),
    .open = keep_open,
    .close = keep_close,
    .handle = keep_handle,
};
