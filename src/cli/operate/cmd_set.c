/* SPDX-License-Identifier: Apache-2.0 */
/* set: changes a setting of a running crawl. */
#include "cli/commands.h"
#include "cli/crawl_client.h"

#include <stdio.h>

struct settings {
    bool json, only;
};

static void print(const json_t *answer, bool is_only_said)
{
    if (is_only_said) {
        (void)printf("%s\n", json_text(answer, "text"));
        return;
    }
    const char *kept = json_text(answer, "kept");
    (void)printf("%s = %s", json_text(answer, "changed"), json_text(answer, "value"));
    if (*kept)
        (void)printf(" (%s only changes with the next start)", kept);
    (void)printf("\n");
}

static int set_one(struct crawl_client *c, const char *word, bool as_json)
{
    struct str value = str_c(word);
    struct str key = str_take_until(&value, '=');
    json_t *answer = NULL;
    if (!value.p)
        return cli_fail(EXIT_USAGE, "set: \"%s\": expected KEY=VALUE or PART.KEY=VALUE", word);
    struct operator_dir all = c->all;
    if (str_starts(key, STR("cluster."))) /* of one agent: otherwise all agents would leave */
        c->all.is = OPERATOR_NOT_NEEDED;
    bool is_connected = crawl_client_is_connected(c);
    if (!is_connected && c->all.is != OPERATOR_FOUND)
        return cli_fail(EXIT_USAGE, "set: %s belongs to one agent: give its directory", word);
    struct jsonw *j = crawl_client_begin(c, "set");
    jsonw_text_field(j, "key", key);
    jsonw_text_field(j, "value", value);
    int code = crawl_client_ask(c, &answer);
    c->all = all;
    if (code == EXIT_DONE && as_json)
        json_print_line(answer);
    else if (code == EXIT_DONE)
        print(answer, !is_connected);
    json_decref(answer);
    return code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_client c;
    if (in->word_count < 2)
        return cli_fail(EXIT_USAGE, "set: expected the directory of a crawl and KEY=VALUE");
    int code = crawl_client_open_all(&c, in->words[0], s->only, "set");
    for (int i = 1; i < in->word_count && code == EXIT_DONE; i++)
        code = set_one(&c, in->words[i], s->json);
    crawl_client_close(&c);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "print JSON", .letter = 'j'),
    OPTION_BOOL_ROW(struct settings, only, "only", "no", "in a cluster: this agent alone"),
    {0},
};

const struct command cmd_set = {
    .name = "set",
    .args = "DIR KEY=VALUE...",
    .summary = "change a setting of the running crawl",
    .details =
        "KEY is a setting that orbweaver config defaults calls live (delay, pages, exclude, ...)\n"
        "and changes in every part that has it; PART.KEY is an option of one part\n"
        "(orbweaver check --parts). A list is replaced; nothing behind the = empties it. The\n"
        "directory keeps KEY for later starts; PART.KEY lasts until the crawl ends: give it to\n"
        "the next start with --set. In a cluster all agents are told, but for settings of the\n"
        "part cluster; agents that join later get it, too.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
