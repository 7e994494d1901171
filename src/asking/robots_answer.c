/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/robots_answer.h"

#include "discovery/depth_key.h"
#include "fetch/request.h"
#include "visit/visit_host.h"

#include <assert.h>

enum robots_status_meaning robots_answer_meaning(const struct visit *v,
                                                 const struct host_request *request)
{
    bool is_there = v->answer.http && v->answer.end.http <= HTTP_TRUNCATED;
    bool is_cut = is_there && v->answer.end.http == HTTP_TRUNCATED &&
                  v->answer.http->cut != HTTP_CUT_LENGTH; /* that one is our own limit */
    return host_robots_meaning(request, is_there ? v->answer.end.status : 0, is_cut);
}

bool robots_answer_is_of_version(const struct visit *v)
{
    return host_http_asks_again(visit_http(v), &v->answer.end.http_version);
}

enum rc robots_answer_rules(const struct visit *v, struct str user_agent, struct decoder *decoder,
                            struct buf *text, const struct robots **ret)
{
    const struct http_answer *a = v->answer.http;
    assert(a); /* no answer means no body to use */
    struct decode_input in = {
        .body = a->body,
        .is_chunked = a->is_chunked,
        .content_encoding = v->answer.heads.encoding,
        .max_bytes = HOST_ROBOTS_BODY_BYTES,
    };
    struct decode_report report;
    struct str body;
    struct robots *rules;
    enum rc rc = decoder_run(decoder, &in, text, &body, &report);
    if (rc == RC_OK && report.end == DECODE_BROKEN)
        return RC_INVALID;
    if (rc == RC_OK)
        rc = robots_parse(body, request_robots_token(user_agent), &rules);
    if (rc == RC_OK)
        *ret = rules;
    return rc;
}

static void shortest_seed_path(struct visit *v, struct depth_index *depths)
{
    const struct checkout *c = &v->turn.checkout;
    uint64_t origin = depth_index_origin_key(host_hash(c->host), c->is_https, c->port);
    struct str path;
    if (depths && depth_index_take(depths, origin, &path) &&
        seed_path_depth(path) < seed_path_depth(c->seed_path))
        v->turn.origin_path = arena_dup(v->arena, path);
}

void robots_answer_sitemaps(struct visit *v, const struct robots *rules, struct depth_index *depths)
{
    struct str url;
    shortest_seed_path(v, depths);
    for (size_t i = 0; robots_sitemap(rules, i, &url); i++) {
        struct str copy = arena_dup(v->arena, url);
        if (!copy.p || !visit_refer(v, copy, HOP_PREREQUISITE, STR("robots.txt/Sitemap")))
            return;
        v->turn.record->is_listed = true;
    }
}
