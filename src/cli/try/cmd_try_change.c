/* SPDX-License-Identifier: Apache-2.0 */
/* try change: what changed from one version of a page, or of a picture, to the next. */
#include "cli/commands.h"

#include "cli/try/change_report.h"
#include "cli/try/page_input.h"
#include "cli/try/pgm.h"

#include <errno.h>
#include <stdio.h>

enum {
    ARENA_BYTES = 1 << 30,
    OUT_MAX_BYTES = 32 << 20,
    PGM_MAX_BYTES = 2 * CHANGE_MAX_SIDE * CHANGE_MAX_SIDE + 4096, /* two bytes a pixel */
};

struct settings {
    bool json, steps;
};

/* One of the two inputs; what it borrows is in `input`, `raw` or the arena. */
struct side {
    struct page_input input;
    struct buf raw;
    struct change_image image;
    struct change_page page;
    struct change_letters letters;
};

struct try_change {
    struct side side[2];
    struct arena *arena;
    struct buf out;
    bool pictures;
};

/* Only the first bytes, so that a picture is not taken through the detection of charsets. */
static int file_is_pgm(const char *path, bool *ret)
{
    char start[3];
    *ret = false;
    if (strcmp(path, "-") == 0)
        return EXIT_DONE;
    FILE *f = fopen(path, "rb");
    if (!f)
        return cli_fail(EXIT_OTHER, "%s: %s", path, strerror(errno));
    size_t n = fread(start, 1, sizeof start, f);
    (void)fclose(f);
    *ret = pgm_is(str_make(start, n));
    return EXIT_DONE;
}

static int read_picture(struct try_change *t, struct side *s, const char *path)
{
    const char *why = NULL;
    if (cli_read_file(path, PGM_MAX_BYTES, &s->raw) != RC_OK)
        return EXIT_OTHER;
    enum rc rc = pgm_read(buf_str(&s->raw), t->arena, &s->image, &why);
    if (rc)
        return cli_fail(EXIT_OTHER, "%s: %s", path, rc == RC_INVALID ? why : rc_text(rc));
    s->page = (struct change_page){.images = &s->image, .image_count = 1};
    return EXIT_DONE;
}

static int read_page(struct try_change *t, struct side *s, const char *path)
{
    struct page page;
    int code = page_input_read(&s->input, path, STR_NONE);
    if (code == EXIT_DONE)
        code = page_input_parse(&s->input, PAGE_TEXT | PAGE_TAGS, t->arena, &page);
    if (code != EXIT_DONE)
        return code;
    if (page.tags_cut || page.text_cut)
        return cli_fail(EXIT_OTHER, "%s: more tags or text than can be compared", path);
    struct change_tag *tags = arena_alloc(t->arena, page.tag_count * sizeof *tags);
    if (!tags)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    for (size_t i = 0; i < page.tag_count; i++)
        tags[i] = (struct change_tag){page.tags[i].name, (enum change_tag_kind)page.tags[i].kind};
    s->page = (struct change_page){.tags = tags, .tag_count = page.tag_count, .text = page.text};
    enum rc rc = change_letters(tags, page.tag_count, t->arena, &s->letters);
    return rc == RC_OK ? EXIT_DONE : cli_fail(EXIT_OTHER, "%s: %s", path, rc_text(rc));
}

static int compare(struct try_change *t, const struct settings *settings)
{
    struct change_verdict *verdict = arena_alloc(t->arena, sizeof *verdict);
    struct change_codes *codes = arena_alloc(t->arena, 2 * sizeof *codes);
    enum change_mode mode = settings->steps ? CHANGE_STEPS : CHANGE_EVERYTHING;
    enum rc rc = RC_NOMEM;
    if (verdict && codes)
        rc = change_compare_pages(&t->side[0].page, &t->side[1].page, mode, t->arena, verdict,
                                  codes);
    if (rc)
        return cli_fail(EXIT_OTHER, "cannot compare: %s", rc_text(rc));
    struct change_letters letters[2] = {t->side[0].letters, t->side[1].letters};
    struct change_report report = {verdict, codes, letters,
                                   t->pictures ? 1u << CHANGE_IMAGE
                                               : 1u << CHANGE_STRUCTURE | 1u << CHANGE_TEXT};
    if (settings->json)
        change_report_json(&report, &t->out);
    else
        change_report_words(&report, &t->out);
    cli_print(&t->out);
    return EXIT_DONE;
}

static int try_change(struct try_change *t, char **words, const struct settings *settings)
{
    bool second_picture = false;
    int code = file_is_pgm(words[0], &t->pictures);
    if (code == EXIT_DONE)
        code = file_is_pgm(words[1], &second_picture);
    if (code == EXIT_DONE && t->pictures != second_picture)
        return cli_fail(EXIT_USAGE, "a page and a picture cannot be compared");
    for (unsigned i = 0; i < 2 && code == EXIT_DONE; i++)
        code = t->pictures ? read_picture(t, &t->side[i], words[i])
                           : read_page(t, &t->side[i], words[i]);
    return code == EXIT_DONE ? compare(t, settings) : code;
}

static int run(struct invocation *in)
{
    if (in->word_count != 2)
        return cli_fail(EXIT_USAGE, "try change: expected two files, the old and the new version");
    struct try_change *t = arena_zero(in->arena, sizeof *t);
    if (!t)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    buf_init(&t->out, OUT_MAX_BYTES);
    t->arena = arena_open(1 << 20, ARENA_BYTES);
    int code = t->arena ? try_change(t, in->words, in->settings)
                        : cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    for (unsigned i = 0; i < 2; i++) {
        page_input_done(&t->side[i].input);
        buf_done(&t->side[i].raw);
    }
    arena_close(t->arena);
    buf_done(&t->out);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "one line of JSON instead of words",
                    .letter = 'j'),
    OPTION_BOOL_ROW(struct settings, steps, "steps", "no",
                    "structure first, text only if that is the same"),
    {0},
};

const struct command cmd_try_change = {
    .name = "try change",
    .args = "OLD NEW",
    .summary = "what changed between two pages or pictures",
    .details = "OLD and NEW are two HTML files (one may be - for standard input) or two binary\n"
               "PGM pictures (P5). Says what changed, how much, by which test, and for the\n"
               "structure where; then all codes side by side, a star where they differ. The\n"
               "codes of the paper are shown beside those that decide: see docs/change.md.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
