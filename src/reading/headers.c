/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/headers.h"

#include "fetch/request.h"
#include "fetch/x_robots.h"
#include "html/refresh.h"

static bool is_redirect(uint16_t status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

bool headers_allow_reading(uint16_t status)
{
    return (status >= 200 && status < 300 && status != 206) || is_redirect(status);
}

bool headers_read_redirect(struct visit *v)
{
    if (!is_redirect(v->answer.end.status) || !v->answer.heads.location.p)
        return false;
    (void)visit_refer(v, v->answer.heads.location, HOP_REDIRECT, STR("Location"));
    return true;
}

void headers_read_robots(const struct reading_settings *s, struct buf *scratch, struct visit *v)
{
    if (v->answer.heads.x_robots.p)
        v->parsed.robots_bits =
            x_robots_read(v->answer.http->head, request_robots_token(s->user_agent), scratch);
}

void headers_read_refresh(const struct reading_settings *s, struct visit *v)
{
    struct str to;
    if (!v->answer.heads.refresh.p || reading_obeys_nofollow(s, v->parsed.robots_bits))
        return;
    if (refresh_url(v->answer.heads.refresh, &to))
        (void)visit_refer(v, to, HOP_LINK, STR("Refresh"));
}
