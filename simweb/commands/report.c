/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/report.h"
#include "commands/running.h"

#include <stdio.h>

enum { REPORT_MAX_BYTES = 2000 * 1000 * 1000 };

static int print_report(const struct settings *s, struct buf *json)
{
    struct buf text = {.max = REPORT_MAX_BYTES};
    if (s->json || s->urls || s->hosts) {
        buf_add(&text, buf_str(json));
        buf_byte(&text, '\n');
    } else if (report_text(buf_str(json), &text)) {
        buf_done(&text);
        return simweb_fail(EXIT_OTHER, "the control port sent no report");
    }
    int code = simweb_print(&text);
    buf_done(&text);
    return code;
}

static int report(struct settings *s, struct invocation *in)
{
    if (in->word_count)
        return simweb_fail(EXIT_USAGE, "report: \"%s\" has no meaning here", in->words[0]);
    char path[64];
    (void)snprintf(path, sizeof path, "/_sim/report?urls=%d&hosts=%d", s->urls, s->hosts);
    struct buf json = {.max = REPORT_MAX_BYTES};
    struct buf why = {.max = 4096};
    int code = EXIT_OTHER;
    if (running_ask(s->server.dir, "GET", path, &json, &why))
        simweb_fail(EXIT_OTHER, STR_FMT, STR_ARG(buf_str(&why)));
    else
        code = print_report(s, &json);
    if (code == EXIT_DONE && s->reset &&
        running_ask(s->server.dir, "POST", "/_sim/reset", &json, &why))
        code = simweb_fail(EXIT_OTHER, STR_FMT, STR_ARG(buf_str(&why)));
    buf_done(&json);
    buf_done(&why);
    return code;
}

static const struct option report_options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "as JSON"),
    OPTION_BOOL_ROW(struct settings, urls, "urls", "no", "as JSON, with every URL's count"),
    OPTION_BOOL_ROW(struct settings, hosts, "every-host", "no", "as JSON, with every host"),
    OPTION_BOOL_ROW(struct settings, reset, "reset", "no", "and forget everything seen so far"),
    {0},
};

const struct command command_report = {
    .name = "report",
    .args = "",
    .summary = "what the crawler did, as the running web saw it",
    .details =
        "Fetches, repetitions, politeness per host and address, and a verdict on every fault.",
    .more = report_options,
    .run = report,
};
