/* SPDX-License-Identifier: Apache-2.0 */
#include "control/url_elsewhere.h"

#include "control/answer_json.h"

#include "outputs/lost.h"

struct looking {
    struct str url;
    url_elsewhere_first *first;
    void *ctx;
    json_t *list;
};

static enum rc take_line(void *ctx, struct str line)
{
    struct looking *l = ctx;
    struct elsewhere e;
    if (elsewhere_parse(line, &e) || e.is_again || !str_eq(e.url, l->url))
        return RC_OK;
    uint64_t first = l->first(l->ctx, e.name);
    json_t *one = json_object();
    (void)json_object_set_new(one, "agent", json_stringn(e.name.p, e.name.n));
    (void)json_object_set_new(one, "inc", json_integer((json_int_t)e.inc));
    (void)json_object_set_new(one, "lost", first ? json_boolean(e.inc < first) : json_null());
    (void)json_array_append_new(l->list, one);
    return RC_OK;
}

void url_elsewhere_add(const char *dir, url_elsewhere_first *first, void *ctx, json_t *answer)
{
    struct looking l = {str_c(json_text(answer, "url")), first, ctx, json_array()};
    struct disk *d = NULL;
    enum rc rc = disk_real_open(dir, &d);
    rc = rc ? rc : crawl_dir_each(d, ELSEWHERE_PATH, take_line, &l);
    disk_close(d);
    if (rc == RC_OK && json_array_size(l.list))
        (void)json_object_set(answer, "elsewhere", l.list);
    json_decref(l.list);
}

static uint64_t first_of(void *ctx, struct str agent)
{
    return lost_agents_first(ctx, agent);
}

void url_elsewhere_add_stopped(const char *dir, json_t *answer)
{
    struct lost_agents agents = {0};
    struct disk *d = NULL;
    enum rc rc = disk_real_open(dir, &d);
    rc = rc ? rc : lost_agents_read(&agents, crawl_set_one(&d));
    disk_close(d);
    if (rc == RC_OK)
        url_elsewhere_add(dir, first_of, &agents, answer);
    lost_agents_done(&agents);
}
