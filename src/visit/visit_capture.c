/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/visit_capture.h"

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

static struct warc_outlink *outlinks_of(const struct visit *v, size_t *ret_count)
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

static void fill_facts(const struct visit *v, struct warc_fetch_facts *facts)
{
    *facts = (struct warc_fetch_facts){
        .via = v->stored.via,
        .hops_from_seed = v->turn.checkout.seed_path,
        .fetch_time_ms = v->answer.http->timing.total_us / 1000,
    };
    facts->outlinks = outlinks_of(v, &facts->outlink_count);
}

static struct str peer_text(const struct visit *v)
{
    char room[ADDRESS_TEXT_BYTES];
    struct buf text = buf_on(room, sizeof room);
    address_print(&v->answer.http->peer, &text);
    return arena_dup(v->arena, buf_str(&text));
}

bool visit_earlier_capture(const struct visit *v, struct digest_ref *ret)
{
    if (!v->turn.has_history || !v->turn.history.has_digest)
        return false;
    *ret = (struct digest_ref){.date_ms = v->turn.history.captured_ms, .uri = v->turn.history.url};
    memcpy(ret->id.bytes, v->turn.history.record_id, sizeof ret->id.bytes);
    return true;
}

/* The capture that a 304 confirms, in the arena; NULL if there is none. */
static const struct digest_ref *confirmed(const struct visit *v)
{
    struct digest_ref earlier;
    bool has_one = v->answer.end.status == 304 && visit_earlier_capture(v, &earlier);
    struct digest_ref *ref = has_one ? arena_alloc(v->arena, sizeof *ref) : NULL;
    if (ref)
        *ref = earlier;
    return ref;
}

struct capture visit_capture(const struct visit *v, struct warc_fetch_facts *facts)
{
    const struct http_answer *a = v->answer.http;
    if (facts)
        fill_facts(v, facts);
    return (struct capture){
        .target_uri = url_href(&v->turn.url),
        .ip_address = peer_text(v),
        .date_ms = v->answer.date_ms,
        .request = v->answer.request,
        .head = a->head,
        .body = a->body,
        .packed = v->packed.has_body ? &v->packed.body : NULL,
        .cut = cut_of(a),
        .is_http2 = a->is_h2,
        .identified_type = v->parsed.identified,
        .facts = facts,
        .not_modified = confirmed(v),
        .not_modified_digest = v->turn.has_history ? &v->turn.history.digest : NULL,
    };
}
