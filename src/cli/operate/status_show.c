/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/operate/status_show.h"

#include "cli/cluster_ask.h"
#include "cli/crawl_client.h"
#include "cli/operate/status_screen.h"
#include "control/status_json.h"

static unsigned long long number(const json_t *status, enum counter_id id)
{
    return status_counter(status, id);
}

static void agent_row(struct buf *out, const json_t *row)
{
    const json_t *a = json_object_get(row, "answer");
    buf_printf(out, "%-9s%s: ", "agent", json_text(row, "agent"));
    if (!json_is_object(a)) {
        buf_printf(out, "%s\n", json_text(row, "error"));
        return;
    }
    buf_printf(out, "%s, %llu fetched (%.1f/s now), %llu queued, %llu open\n",
               json_text(a, "state"), number(a, COUNTER_FETCHED),
               json_number_value(json_object_get(a, "rate")), number(a, COUNTER_QUEUED),
               number(a, COUNTER_OPEN));
}

/* Takes `rows`. */
static void show_rows(json_t *rows, const char *dir, bool as_json)
{
    struct buf out = {.max = 1 << 20};
    json_t *sum = status_sum(rows), *row;
    size_t i;
    (void)json_object_set_new(sum, "agents", rows);
    if (as_json) {
        json_print_line(sum);
    } else {
        status_screen(sum, dir, &out);
        json_array_foreach(rows, i, row) agent_row(&out, row);
        cli_print(&out);
    }
    json_decref(sum);
    buf_done(&out);
}

void status_show_all(json_t *answer, const char *dir, bool as_json)
{
    const json_t *cluster = json_object_get(answer, "cluster");
    json_t *rows = json_array(), *own = json_object();
    (void)json_object_set_new(own, "agent", json_string(json_text(cluster, "agent")));
    (void)json_object_set(own, "answer", answer);
    (void)json_array_append_new(rows, own);
    (void)json_array_extend(rows, json_object_get(cluster, "others"));
    json_t *whole = json_deep_copy(rows);
    (void)json_object_del(json_object_get(json_array_get(whole, 0), "answer"), "cluster");
    show_rows(whole, dir, as_json);
    json_decref(rows);
}

int status_show_cluster(const struct operator_dir *o, const char *dir, bool as_json)
{
    json_t *rows = NULL;
    int code = cluster_ask_all(o, "{\"do\":\"status\"}", &rows, NULL);
    if (code == EXIT_DONE)
        show_rows(rows, dir, as_json);
    return code;
}
