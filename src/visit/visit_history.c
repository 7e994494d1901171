/* SPDX-License-Identifier: Apache-2.0 */
/* What the history keeps of a visit. */
#include "visit/visit.h"

/* The capture that later answers are compared with: this one, or the one before if this one brought
 * nothing new. A 304 confirms the one before, an error says nothing about it, and a revisit has no
 * payload of its own. */
static void history_capture(const struct visit *v, struct history_entry *p)
{
    enum visit_change change = visit_change(v);
    bool is_new = visit_is_whole(v) && change != CHANGE_NONE;
    p->has_digest = is_new || v->turn.history.has_digest;
    p->digest = is_new ? v->stored.location.digest : v->turn.history.digest;
    p->captured_ms = is_new ? v->answer.date_ms : v->turn.history.captured_ms;
    memcpy(p->record_id, is_new ? v->stored.location.id.bytes : v->turn.history.record_id,
           sizeof p->record_id);
    p->etag = visit_is_whole(v) ? v->answer.heads.etag : v->turn.history.etag;
    p->last_modified =
        visit_is_whole(v) ? v->answer.heads.last_modified : v->turn.history.last_modified;
    p->changes += change == CHANGE_SEEN;
    p->codes = is_new                    ? v->judged.codes
               : v->turn.history.codes.p ? v->turn.history.codes
               : change == CHANGE_NONE   ? v->judged.codes
                                         : STR_NONE;
    p->what_changed =
        change == CHANGE_SEEN ? (uint8_t)v->judged.what_changed : v->turn.history.what_changed;
    if (v->answer.end.status == 304 && v->turn.has_history)
        p->mime = v->turn.history.mime;
}

static uint8_t cut_of(const struct http_answer *a)
{
    static const uint8_t cuts[] = {[HTTP_CUT_NONE] = HISTORY_WHOLE,
                                   [HTTP_CUT_LENGTH] = HISTORY_CUT_LENGTH,
                                   [HTTP_CUT_TIME] = HISTORY_CUT_TIME,
                                   [HTTP_CUT_DISCONNECT] = HISTORY_CUT_DISCONNECT};
    return a ? cuts[a->cut] : HISTORY_WHOLE;
}

void visit_history(const struct visit *v, int code, int64_t wall_ms, bool with_links,
                   struct history_entry *ret)
{
    *ret = (struct history_entry){
        .url = url_href(&v->turn.url),
        .via = v->turn.checkout.via,
        .seed_path = v->turn.checkout.seed_path,
        .date_ms = v->answer.date_ms ? v->answer.date_ms : wall_ms,
        .code = code,
        .bytes = visit_body_bytes(v),
        .cut = cut_of(v->answer.http),
        .mime = v->answer.mime,
        .fetches = v->turn.has_history ? v->turn.history.fetches + 1 : 1,
        .changes = v->turn.has_history ? v->turn.history.changes : 0,
    };
    history_capture(v, ret);
    if (with_links && v->stored.is_kept) { /* what was found in the answer stands behind it */
        ret->file = str_c(v->stored.location.file);
        ret->file_offset = v->stored.location.offset + v->stored.location.record_bytes;
        ret->file_bytes = v->stored.location.bytes - v->stored.location.record_bytes;
    }
}
