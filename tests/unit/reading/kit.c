/* SPDX-License-Identifier: Apache-2.0 */
#include "kit.h"

#include <stdio.h>

enum rc kit_try(struct kit *k, uint16_t status, const char *head, struct str body)
{
    *k = (struct kit){.settings = {.user_agent = STR("orbweaver/1"),
                                   .text_bytes = 8 << 20,
                                   .links = VISIT_MAX_REFERENCES,
                                   .sitemap_urls = VISIT_MAX_REFERENCES}};
    int n = snprintf(k->head, sizeof k->head, "HTTP/1.1 %u X\r\n%s\r\n", status, head);
    assert_true(n > 0 && n < (int)sizeof k->head);
    k->answer = (struct http_answer){
        .outcome = HTTP_WHOLE, .status = status, .head = str_c(k->head), .body = body};
    k->v = visit_open(VISIT_PAGE, NULL);
    if (!k->v)
        return RC_NOMEM;
    k->v->state = VISIT_ENDED;
    k->v->answer.http = &k->answer;
    k->v->answer.end = (struct pace_end){.http = HTTP_WHOLE, .status = status};
    visit_read_heads(k->v);
    return reading_tools_open(k->settings.text_bytes, &k->tools);
}

void kit_open(struct kit *k, uint16_t status, const char *head, struct str body)
{
    assert_rc(kit_try(k, status, head, body), RC_OK);
}

void kit_close(struct kit *k)
{
    reading_tools_close(k->tools);
    if (k->v) {
        k->v->may_end = true;
        message_end(&k->v->head);
    }
}

bool kit_refers(const struct visit_parsed *p, const char *raw, char hop)
{
    for (size_t i = 0; i < p->reference_count; i++)
        if (str_eq(p->references[i].raw, str_c(raw)) && p->references[i].hop == hop)
            return true;
    return false;
}
