/* SPDX-License-Identifier: Apache-2.0 */
/* The report of `orbweaver fetch` for a person. */
#include "cli/operate/fetch_page.h"
#include "control/answer_json.h"

#include "base/utf8.h"

/* A server's text, without control characters for a terminal. */
static void put(struct buf *out, struct str text)
{
    buf_visible(out, text);
}

static void section(struct buf *out, const char *name)
{
    buf_printf(out, "\n%s\n", name);
}

static void field(struct buf *out, const json_t *from, const char *key, const char *name)
{
    const char *text = json_text(from, key);
    if (!*text)
        return;
    buf_printf(out, "  %-12s", name);
    put(out, str_c(text));
    buf_byte(out, '\n');
}

/* A head, each line behind a mark, without CR and without the empty line. */
static void head(struct buf *out, const char *text, char mark)
{
    struct str rest = str_c(text);
    while (rest.p && rest.n) {
        struct str line = str_take_until(&rest, '\n');
        while (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        if (!line.n)
            continue;
        buf_printf(out, "  %c ", mark);
        put(out, line);
        buf_byte(out, '\n');
    }
}

static void words(struct buf *out, const json_t *list, const char *name)
{
    const json_t *one;
    size_t i;
    if (json_array_size(list))
        buf_printf(out, "  %-12s", name);
    json_array_foreach(list, i, one) buf_printf(out, "%s%s", i ? ", " : "", json_string_value(one));
    if (json_array_size(list))
        buf_byte(out, '\n');
}

static void answer(struct buf *out, const json_t *report)
{
    const json_t *a = json_object_get(report, "answer"), *t = json_object_get(a, "timing");
    if (!json_object_get(a, "status"))
        return;
    section(out, "request");
    head(out, json_text(report, "request"), '>');
    section(out, "answer");
    head(out, json_text(a, "head"), '<');
    buf_printf(out,
               "  %llu bytes from %s; connected after %.1f ms, TLS %.1f, first byte %.1f, all "
               "%.1f ms\n",
               (unsigned long long)json_u64(a, "bytes"), json_text(a, "from"),
               (double)json_u64(t, "connect_us") / 1000, (double)json_u64(t, "tls_us") / 1000,
               (double)json_u64(t, "first_byte_us") / 1000, (double)json_u64(t, "total_us") / 1000);
    if (json_is_true(json_object_get(a, "reused")))
        buf_add(out, STR("  over the connection of the request before\n"));
    field(out, a, "cut_by", "cut by");
    if (json_is_true(json_object_get(a, "tls_unverified")))
        buf_add(out, STR("  its certificate does not verify\n"));
}

static void page(struct buf *out, const json_t *report)
{
    const json_t *p = json_object_get(report, "page");
    if (!p)
        return;
    section(out, "page");
    field(out, p, "media", "media");
    field(out, p, "said", "said to be");
    field(out, p, "looks_like", "looks like");
    field(out, p, "note", "note");
    if (*json_text(p, "charset"))
        buf_printf(out, "  %-12s%s, by %s\n", "charset", json_text(p, "charset"),
                   json_text(p, "charset_from"));
    field(out, p, "title", "title");
    field(out, p, "language", "language");
    field(out, p, "canonical", "canonical");
    words(out, json_object_get(p, "meta_robots"), "meta robots");
    words(out, json_object_get(report, "x_robots"), "X-Robots-Tag");
}

static void links(struct buf *out, const json_t *report)
{
    const json_t *list = json_object_get(report, "links"), *one;
    size_t i;
    if (!json_array_size(list))
        return;
    section(out, "links");
    json_array_foreach(list, i, one)
    {
        buf_printf(out, "  %c %-10s", json_is_true(json_object_get(one, "follows")) ? '+' : '-',
                   json_text(one, "kind"));
        put(out, str_c(json_text(one, "url")));
        buf_printf(out, "  (%s)\n", json_text(one, "why"));
    }
}

void fetch_screen(const json_t *report, struct buf *out)
{
    const json_t *steps = json_object_get(report, "steps"), *one;
    size_t i;
    json_array_foreach(steps, i, one) buf_printf(out, "%zu. %s\n", i + 1, json_string_value(one));
    answer(out, report);
    page(out, report);
    links(out, report);
}
