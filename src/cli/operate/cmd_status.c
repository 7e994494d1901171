/* SPDX-License-Identifier: Apache-2.0 */
/* status, pause, unpause, checkpoint, stop: requests to a running crawl. */
#include "cli/commands.h"
#include "cli/crawl_client.h"
#include "cli/operate/status_screen.h"
#include "cli/operate/status_show.h"

#include <stdio.h>
#include <string.h>

struct settings {
    bool json;
    bool now, only;
};

static const char *dir_of(const struct invocation *in, const char *command)
{
    if (in->word_count == 1)
        return in->words[0];
    cli_fail(EXIT_USAGE, "%s: expected one directory of a crawl, got %d words", command,
             in->word_count);
    return NULL;
}

static void show(const json_t *status, const char *dir, bool as_json)
{
    struct buf out = {.max = 1 << 20};
    if (as_json) {
        json_print_line(status);
        return;
    }
    status_screen(status, dir, &out);
    cli_print(&out);
    buf_done(&out);
}

static int run_status(struct invocation *in)
{
    const struct settings *s = in->settings;
    const char *dir = dir_of(in, "status");
    struct crawl_client c;
    json_t *answer = NULL;
    if (!dir)
        return EXIT_USAGE;
    struct operator_dir operator;
    if (operator_folder(dir, &operator))
        return status_show_cluster(&operator, dir, s->json);
    int code = crawl_client_open(&c, dir, false);
    if (code == EXIT_DONE) {
        jsonw_bool_field(crawl_client_begin(&c, "status"), "all", !s->only);
        code = crawl_client_ask(&c, &answer);
    }
    if (code == EXIT_DONE && json_object_get(answer, "cluster"))
        status_show_all(answer, dir, s->json);
    else if (code == EXIT_DONE)
        show(answer, dir, s->json);
    json_decref(answer);
    crawl_client_close(&c);
    return code;
}

static int tell(struct invocation *in, const char *what)
{
    const struct settings *s = in->settings;
    const char *dir = dir_of(in, what);
    bool only = s->only || strcmp(what, "checkpoint") == 0;
    return dir ? crawl_client_tell(dir, what, only, s->json) : EXIT_USAGE;
}

static int run_pause(struct invocation *in)
{
    return tell(in, "pause");
}

static int run_unpause(struct invocation *in)
{
    return tell(in, "unpause");
}

static int run_checkpoint(struct invocation *in)
{
    return tell(in, "checkpoint");
}

static int run_stop(struct invocation *in)
{
    const struct settings *s = in->settings;
    const char *dir = dir_of(in, "stop");
    struct crawl_client c;
    json_t *answer = NULL, *last = NULL;
    if (!dir)
        return EXIT_USAGE;
    int code = crawl_client_open_all(&c, dir, s->only, "stop");
    if (code == EXIT_DONE) {
        jsonw_bool_field(crawl_client_begin(&c, "stop"), "now", s->now);
        code = crawl_client_ask(&c, &answer);
    }
    if (code == EXIT_DONE && !crawl_client_is_connected(&c)) {
        (void)printf("%s\n", json_text(answer, "text"));
    } else if (code == EXIT_DONE) {
        last = control_client_next(&c.control);
        if (last)
            show(last, dir, s->json);
        control_client_wait_gone(&c.control);
    }
    json_decref(answer);
    json_decref(last);
    crawl_client_close(&c);
    return code;
}

#define JSON_ROW OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j')
#define ONLY_ROW \
    OPTION_BOOL_ROW(struct settings, only, "only", "no", "in a cluster: this agent alone")
static const struct option json_options[] = {JSON_ROW, {0}};
static const struct option tell_options[] = {JSON_ROW, ONLY_ROW, {0}};
static const struct option stop_options[] = {
    JSON_ROW,
    ONLY_ROW,
    OPTION_BOOL_ROW(struct settings, now, "now", "no", "do not wait for open requests"),
    {0},
};

const struct command cmd_status = {
    .name = "status",
    .args = "DIR",
    .summary = "how the crawl in DIR is doing, and what it waits for",
    .details =
        "Asks the crawl that runs in DIR, over DIR/run/control.sock, which only its owner and\n"
        "root can use. Exit code 2: no crawl runs there. An agent of a cluster asks the others, "
        "and\n"
        "the sum is shown; DIR may be the operator's folder of a cluster, too.",
    .options = tell_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_status,
};

const struct command cmd_pause = {
    .name = "pause",
    .args = "DIR",
    .summary = "pause the crawl: no new requests until it is unpaused",
    .details = "Open requests come to their end. A paused crawl keeps its queues; it can be\n"
               "stopped, and when it is started again it is no longer paused. In a cluster all "
               "agents are\n"
               "told, by the operator's login (docs/cluster.md), those that come later as well.",
    .options = tell_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_pause,
};

const struct command cmd_unpause = {
    .name = "unpause",
    .args = "DIR",
    .summary = "continue a paused crawl",
    .options = tell_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_unpause,
};

const struct command cmd_checkpoint = {
    .name = "checkpoint",
    .args = "DIR",
    .summary = "write a snapshot of the crawl's state now",
    .details = "Nothing is lost without: everything that happened is in the journal. A checkpoint\n"
               "makes the next start faster.",
    .options = json_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_checkpoint,
};

const struct command cmd_stop = {
    .name = "stop",
    .args = "DIR",
    .summary = "end the crawl in order, and wait until it has ended",
    .details = "Open requests come to their end (for five seconds), everything is made durable,\n"
               "and the last status is printed. orbweaver crawl -o DIR goes on with it.",
    .options = stop_options,
    .settings_bytes = sizeof(struct settings),
    .run = run_stop,
};
