/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/ask.h"

#include "host/host_robots.h"
#include "net/head.h"
#include "visit/visit_host.h"

enum { TYPE_MAX_BYTES = 64 << 10 }; /* of a Content-Type over several lines */

struct request_condition ask_condition(const struct visit *v)
{
    const struct history_entry *h = &v->turn.history;
    struct request_condition c = {0};
    int64_t modified_ms;
    if (!v->turn.has_history || !h->has_digest)
        return c;
    c.etag = h->etag;
    if (h->last_modified.p &&
        http_date_read(h->last_modified, h->captured_ms, &modified_ms) == RC_OK &&
        modified_ms <= h->captured_ms)
        c.last_modified = h->last_modified;
    return c;
}

uint64_t ask_body_bytes(const struct visit *v, uint64_t most)
{
    return v->kind == VISIT_ROBOTS ? HOST_ROBOTS_BODY_BYTES : most;
}

bool ask_wants(struct visit *v, const struct type_set *types, uint16_t status, struct str head)
{
    bool is_ours = seed_path_is_prerequisite(v->turn.checkout.seed_path);
    bool has_body = status < 300 || status >= 400;
    struct buf scratch = {.max = TYPE_MAX_BYTES};
    v->answer.has_other_type =
        has_body && !is_ours &&
        !type_set_has(types, media_type(head_get(head, STR("Content-Type"), &scratch)));
    buf_done(&scratch);
    return !v->answer.has_other_type;
}

bool ask_peeks(const struct visit *v)
{
    struct str path = v->turn.checkout.seed_path;
    return v->kind == VISIT_PAGE && !seed_path_is_prerequisite(path) && !seed_path_is_seeds(path);
}

void ask_answered(struct visit *v, const struct http_answer *answer)
{
    v->state = VISIT_ENDED;
    v->answer.http = answer->head.n ? answer : NULL;
    v->why = answer->why;
    if (v->answer.http)
        visit_read_heads(v);
    v->answer.uncounted_bytes += answer->bytes_in;
    struct str mime = media_type(v->answer.heads.type);
    v->answer.mime = mime.p ? arena_dup(v->arena, mime) : STR_NONE;
}

struct pace_end ask_end(const struct visit *v, const struct http_answer *answer, int64_t wall_ms)
{
    struct request_condition asked =
        answer->status == 304 ? ask_condition(v) : (struct request_condition){0};
    struct pace_end end = host_end_of_answer(answer, v->answer.heads.retry_after,
                                             asked.etag.p || asked.last_modified.p, wall_ms);
    if (!visit_asks_own_host(v)) /* the record is another host's */
        end.http_version = (struct host_http_end){0};
    return end;
}

bool ask_offers_h2(const struct visit *v)
{
    return host_http_offers_h2(visit_http(v)) && visit_asks_own_host(v);
}

bool ask_has_other_address(const struct visit *v)
{
    return v->answer.end.http == HTTP_NO_CONNECT && v->route.address_count > 1;
}

void ask_failed(struct visit *v)
{
    v->state = VISIT_ENDED;
    v->answer.end = (struct pace_end){.dns = DNS_FOUND, .http = HTTP_FAILED};
    v->why = "no memory";
}
