/* SPDX-License-Identifier: Apache-2.0 */
/* try text: what an HTML file says, as a search engine would read it. */
#include "cli/commands.h"

#include "base/jsonw.h"
#include "cli/try/page_input.h"

enum { PAGE_ARENA_BYTES = 1 << 30, OUT_MAX_BYTES = 1 << 30 };

struct settings {
    struct str content_type;
    bool json;
};

/* "noindex, nofollow" as bits back to words. */
static void put_robots(struct buf *out, unsigned robots)
{
    static const struct {
        unsigned bit;
        const char *word;
    } rows[] = {
        {PAGE_NOINDEX, "noindex"}, {PAGE_NOFOLLOW, "nofollow"}, {PAGE_NOARCHIVE, "noarchive"}};
    const char *between = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!(robots & rows[i].bit))
            continue;
        buf_printf(out, "%s%s", between, rows[i].word);
        between = ", ";
    }
}

static void put_line(struct buf *out, const char *name, struct str value)
{
    if (value.n)
        buf_printf(out, "%s: " STR_FMT "\n", name, STR_ARG(value));
}

static void put_plain(struct buf *out, const struct page *page, struct str robots)
{
    put_line(out, "title", page->title);
    put_line(out, "description", page->description);
    put_line(out, "language", page->language);
    put_line(out, "robots", robots);
    put_line(out, "canonical", page->canonical);
    if (out->n)
        buf_byte(out, '\n');
    buf_add(out, page->text);
    buf_byte(out, '\n');
}

static void put_json(struct buf *out, const struct page *page, struct str robots,
                     const char *charset)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "title", page->title);
    jsonw_text_field(&j, "description", page->description);
    jsonw_text_field(&j, "language", page->language);
    jsonw_text_field(&j, "robots", robots.n ? robots : STR_NONE);
    jsonw_text_field(&j, "canonical", page->canonical);
    jsonw_text_field(&j, "charset", str_c(charset));
    jsonw_text_field(&j, "text", page->text);
    jsonw_end(&j);
    buf_byte(out, '\n');
}

static int text_print(struct page_input *input, const char *path, const struct settings *s,
                      struct arena *arena)
{
    struct page page;
    char robots_room[64];
    struct buf robots = buf_on(robots_room, sizeof robots_room), out;
    int code = page_input_read(input, path, s->content_type);
    if (code == EXIT_DONE)
        code = page_input_parse(input, PAGE_HEAD | PAGE_TEXT, arena, &page);
    if (code != EXIT_DONE)
        return code;
    buf_init(&out, OUT_MAX_BYTES);
    put_robots(&robots, page.robots);
    if (s->json)
        put_json(&out, &page, buf_str(&robots), input->charset);
    else
        put_plain(&out, &page, buf_str(&robots));
    if (buf_rc(&out) != RC_OK)
        code = cli_fail(EXIT_OTHER, "%s", rc_text(buf_rc(&out)));
    else
        cli_print(&out);
    buf_done(&out);
    return code;
}

static int run(struct invocation *in)
{
    struct page_input input = {0};
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "try text: expected one file of HTML (- is standard input)");
    struct arena *arena = arena_open(1 << 20, PAGE_ARENA_BYTES);
    int code = arena ? text_print(&input, in->words[0], in->settings, arena)
                     : cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    page_input_done(&input);
    arena_close(arena);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, content_type, "content-type", NULL,
                    "what the server said it is, for its charset", .arg = "TYPE"),
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "one JSON object instead of text",
                    .letter = 'j'),
    {0},
};

const struct command cmd_try_text = {
    .name = "try text",
    .args = "FILE|-",
    .summary = "the title, head and visible text of an HTML file",
    .details = "Title, description, language, robots and canonical, each on a line if the page\n"
               "has it, an empty line, then the visible text: white space made single, a new\n"
               "line at each block. docs/html.md says what counts as visible.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
