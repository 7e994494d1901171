/* SPDX-License-Identifier: Apache-2.0 */
/* set: another value for a setting of a running crawl. */
#include "cli/commands.h"
#include "cli/control_client.h"

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

static int set_one(struct control_client *c, const char *word, bool as_json)
{
    struct str value = str_c(word);
    struct str key = str_take_until(&value, '=');
    json_t *answer = NULL;
    if (!value.p)
        return cli_fail(EXIT_USAGE, "set: \"%s\": expected KEY=VALUE or PART.KEY=VALUE", word);
    struct operator_place all = c->all;
    if (str_starts(key, STR("cluster."))) /* each agent's own: all would leave */
        c->all.is = OPERATOR_NOT_NEEDED;
    if (c->fd < 0 && c->all.is != OPERATOR_FOUND)
        return cli_fail(EXIT_USAGE, "set: %s is one agent's own: give its directory", word);
    control_begin(c, "set");
    jsonw_text_field(&c->j, "key", key);
    jsonw_text_field(&c->j, "value", value);
    int code = control_ask(c, &answer);
    c->all = all;
    if (code == EXIT_DONE && as_json)
        json_print_line(answer);
    else if (code == EXIT_DONE)
        print(answer, c->fd < 0);
    json_decref(answer);
    return code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct control_client c;
    if (in->word_count < 2)
        return cli_fail(EXIT_USAGE, "set: expected the directory of a crawl and KEY=VALUE");
    int code = control_client_open_all(&c, in->words[0], s->only, "set");
    for (int i = 1; i < in->word_count && code == EXIT_DONE; i++)
        code = set_one(&c, in->words[i], s->json);
    control_client_close(&c);
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
    .summary = "another value for a setting of the running crawl",
    .details =
        "KEY is a setting that orbweaver config defaults calls live (delay, pages, exclude, ...)\n"
        "and changes in every part that has it; PART.KEY is an option of one part\n"
        "(orbweaver check --parts). A list is replaced; nothing behind the = empties it. The\n"
        "directory keeps KEY for later starts; PART.KEY lasts until the crawl ends: give it to\n"
        "the next start with --set. In a cluster all agents are told, but for settings of the\n"
        "part cluster; what was said lasts there.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
