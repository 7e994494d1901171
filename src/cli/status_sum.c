/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/status_sum.h"

#include "cli/control_client.h"
#include "cli/status_screen.h"
#include "components/counters.h"

/* Whose sum says nothing. */
static bool is_own(const char *key)
{
    static const char *const own[] = {"ok", "pid", "shards", "wiring", "state", "waits", "cluster"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(key, own[i]) == 0)
            return true;
    return false;
}

/* The longest counts, not the sum. */
static bool is_span(const char *key)
{
    size_t n = strlen(key);
    return n > 3 && strcmp(key + n - 3, "_ms") == 0;
}

static void add_one(json_t *to, const char *key, json_t *value)
{
    json_t *old = json_object_get(to, key);
    if (json_is_integer(value)) {
        json_int_t a = json_integer_value(old), b = json_integer_value(value);
        json_int_t sum = is_span(key) ? (a > b ? a : b) : a > INT64_MAX - b ? INT64_MAX : a + b;
        (void)json_object_set_new(to, key, json_integer(b < 0 ? a : sum));
    } else if (json_is_real(value)) {
        (void)json_object_set_new(to, key,
                                  json_real(json_number_value(old) + json_real_value(value)));
    }
}

static void add_status(json_t *to, json_t *from, unsigned depth)
{
    const char *key;
    json_t *value;
    json_object_foreach(from, key, value)
    {
        if (depth == 0 && is_own(key))
            continue;
        if (!json_is_object(value)) {
            add_one(to, key, value);
            continue;
        }
        json_t *inner = json_object_get(to, key);
        if (!inner) {
            inner = json_object();
            (void)json_object_set_new(to, key, inner);
        }
        if (depth == 0)
            add_status(inner, value, 1);
    }
}

/* One state if all have the same. */
static void add_state(json_t *to, const json_t *from)
{
    const char *old = json_text(to, "state"), *state = json_text(from, "state");
    if (!*old)
        (void)json_object_set_new(to, "state", json_string(state));
    else if (strcmp(old, state) != 0)
        (void)json_object_set_new(to, "state", json_string("not all alike"));
}

static json_t *sum_of(const json_t *rows)
{
    json_t *sum = json_object(), *row;
    size_t i;
    (void)json_object_set_new(sum, "ok", json_true());
    json_array_foreach(rows, i, row)
    {
        json_t *answer = json_object_get(row, "answer");
        if (!json_is_object(answer) || json_object_get(answer, "error"))
            continue;
        add_state(sum, answer);
        add_status(sum, answer, 0);
    }
    return sum;
}

static unsigned long long number(const json_t *status, enum counter_id id)
{
    return json_u64(status, crawl_counters[id].name);
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
    json_t *sum = sum_of(rows), *row;
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

void status_sum_show(json_t *answer, const char *dir, bool as_json)
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

int cluster_status_sum(const struct operator_place *p, const char *dir, bool as_json)
{
    json_t *rows = NULL;
    int code = cluster_ask_all(p, "{\"do\":\"status\"}", &rows, NULL);
    if (code == EXIT_DONE)
        show_rows(rows, dir, as_json);
    return code;
}
