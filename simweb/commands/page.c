/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/command.h"
#include "content/content.h"

#include "base/clock.h"
#include "base/mem.h"

enum { BODY_MAX_BYTES = 256 << 20 };

static void print_links(const struct world *w, const struct links *links, struct buf *out)
{
    static const char *const kinds[] = {"a",     "area",   "iframe",  "refresh", "nofollow",
                                        "image", "style",  "script",  "icon",    "feed",
                                        "css",   "listed", "location"};
    for (uint32_t i = 0; i < links->count; i++) {
        buf_printf(out, "%s\t", kinds[links->list[i].kind]);
        place_url(w, links->list[i].to, out);
        buf_byte(out, '\n');
    }
}

static int print_place(const struct world *w, struct place p, const struct settings *s,
                       uint64_t wall_ms)
{
    struct buf out = {.max = BODY_MAX_BYTES};
    struct content *c = content_open(w);
    struct links *links = mem_alloc(sizeof *links);
    struct page page = p.kind == PLACE_PAGE ? page_of(w, p.host, p.page) : (struct page){0};
    int code = EXIT_OTHER;
    if (!c || !links) {
        simweb_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    } else {
        if (s->links) {
            links_of(w, p, links);
            print_links(w, links, &out);
        } else if (page.role == PAGE_REDIRECT) {
            buf_printf(&out, "%u ", page.status);
            place_url(w, page.target, &out);
            buf_byte(&out, '\n');
        } else {
            content_body(c, p, place_version(w, p, wall_ms), CODING_IDENTITY, &out);
        }
        code = simweb_print(&out);
    }
    mem_free(links);
    content_close(c);
    buf_done(&out);
    return code;
}

static int page(struct settings *s, struct invocation *in)
{
    if (in->word_count != 1)
        return simweb_fail(EXIT_USAGE, "page: one URL is needed");
    struct world *w = simweb_world(s);
    if (!w)
        return EXIT_USAGE;
    struct place p = place_of_url(w, str_c(in->words[0]));
    int code = EXIT_OTHER;
    if (p.kind == PLACE_NONE)
        simweb_fail(EXIT_OTHER, "%s is no place of this web (a 404)", in->words[0]);
    else
        code = print_place(w, p, s, clock_wall_ms(clock_real()) + s->advance_ms);
    world_close(w);
    return code;
}

static const struct option page_options[] = {
    OPTION_BOOL_ROW(struct settings, links, "show-links", "no", "its links instead of its bytes"),
    OPTION_DURATION_ROW(struct settings, advance_ms, "advance", "0s", "as it will be later"),
    {0},
};

const struct command command_page = {
    .name = "page",
    .args = "URL",
    .summary = "print one page, image or file of the web, or its true links",
    .takes_web = true,
    .more = page_options,
    .run = page,
};
