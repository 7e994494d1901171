/* SPDX-License-Identifier: Apache-2.0 */
#include "content/pieces.h"

#include "world/put.h"

static uint32_t dice(struct prose *p, uint32_t sides)
{
    return (uint32_t)rng_below(&p->rng, sides);
}

static void sentences(struct prose *p, uint32_t count, struct buf *out)
{
    for (uint32_t i = 0; i < count; i++) {
        if (i && p->tongue != TONGUE_JAPANESE)
            put_byte(out, ' ');
        prose_sentence(p, out);
    }
}

static void plain_write(struct prose *p, struct buf *out)
{
    PUT(out, "<p>");
    sentences(p, 4 + dice(p, 7), out);
    PUT(out, "</p>\n");
}

/* A few words in an element that says something of them. */
static void marked_words(struct prose *p, struct buf *out)
{
    static const char *const around[][2] = {
        {"<em>", "</em>"},
        {"<strong>", "</strong>"},
        {"<em>", "</em>"},
        {"<code class=\"docutils literal\"><span class=\"pre\">", "</span></code>"},
        {"<span class=\"tag\">", "</span>"},
        {"<code class=\"docutils literal\"><span class=\"pre\">", "</span></code>"},
        {"<abbr title=\"as they say here\">", "</abbr>"},
        {"<i>", "</i>"},
        {"<b>", "</b>"},
    };
    uint32_t nth = dice(p, sizeof around / sizeof *around);
    put(out, str_c(around[nth][0]));
    if (nth == 3 || nth == 5)
        prose_name(p, out);
    else
        prose_noun(p, out);
    put(out, str_c(around[nth][1]));
}

static void rich_write(struct prose *p, struct buf *out)
{
    static const char *const joints[] = {" &mdash; ", " &amp; ", ":&nbsp;", " &rarr; ",
                                         " &ndash; "};
    PUT(out, "<p>");
    uint32_t count = 3 + dice(p, 5);
    for (uint32_t i = 0; i < count; i++) {
        prose_sentence(p, out);
        put_byte(out, ' ');
        marked_words(p, out);
        put(out, str_c(joints[dice(p, sizeof joints / sizeof *joints)]));
        marked_words(p, out);
        PUT(out, ". ");
        if (dice(p, 12) == 0)
            PUT(out, "<br>");
    }
    PUT(out, "</p>\n");
}

static void list_write(struct prose *p, struct buf *out)
{
    bool simple = dice(p, 3) != 0;
    bool ordered = dice(p, 5) == 0;
    uint32_t count = 3 + dice(p, 6);
    put(out, ordered ? STR("<ol class=\"arabic simple\">\n") : STR("<ul class=\"simple\">\n"));
    for (uint32_t i = 0; i < count; i++) {
        put(out, simple ? STR("<li>") : STR("<li><p>"));
        if (dice(p, 2)) {
            marked_words(p, out);
            PUT(out, " &ndash; ");
        }
        prose_sentence(p, out);
        put(out, simple ? STR("</li>\n") : STR("</p></li>\n"));
    }
    put(out, ordered ? STR("</ol>\n") : STR("</ul>\n"));
}

static void terms_write(struct prose *p, struct buf *out)
{
    uint32_t count = 2 + dice(p, 4);
    PUT(out, "<dl class=\"terms\">\n");
    for (uint32_t i = 0; i < count; i++) {
        PUT(out, "<dt class=\"sig\"><code class=\"descname\"><span class=\"pre\">");
        prose_name(p, out);
        PUT(out, "</span></code><span class=\"paren\">(</span><em class=\"param\">"
                 "<span class=\"n\"><span class=\"pre\">");
        prose_name(p, out);
        PUT(out, "</span></span></em><span class=\"paren\">)</span></dt>\n<dd><p>");
        sentences(p, 1 + dice(p, 2), out);
        PUT(out, "</p></dd>\n");
    }
    PUT(out, "</dl>\n");
}

static void table_write(struct prose *p, struct buf *out)
{
    uint32_t rows = 3 + dice(p, 5);
    PUT(out, "<table class=\"data\">\n<thead><tr><th>");
    prose_noun(p, out);
    PUT(out, "</th><th>");
    prose_noun(p, out);
    PUT(out, "</th><th>n</th></tr></thead>\n<tbody>\n");
    for (uint32_t i = 0; i < rows; i++) {
        put(out, i % 2 ? STR("<tr class=\"row-odd\"><td>") : STR("<tr class=\"row-even\"><td>"));
        prose_heading(p, out);
        PUT(out, "</td><td>");
        prose_noun(p, out);
        PUT(out, "</td><td>");
        buf_u64(out, dice(p, 1000));
        PUT(out, "</td></tr>\n");
    }
    PUT(out, "</tbody>\n</table>\n");
}

static void coloured(const char *class, struct str word, struct buf *out)
{
    PUT(out, "<span class=\"");
    put(out, str_c(class));
    PUT(out, "\">");
    put(out, word);
    PUT(out, "</span>");
}

static void coloured_name(struct prose *p, const char *class, struct buf *out)
{
    char room[64];
    struct buf name = buf_on(room, sizeof room);
    prose_name(p, &name);
    coloured(class, buf_str(&name), out);
}

static void code_line(struct prose *p, struct buf *out)
{
    static const char *const signs[] = {"=", "+=", "-=", "+", "*", "=="};
    static const char *const keywords[] = {"return", "if", "for", "while", "not"};
    PUT(out, "    ");
    if (dice(p, 4) == 0) {
        coloured("k", str_c(keywords[dice(p, 5)]), out);
        put_byte(out, ' ');
    }
    coloured_name(p, "n", out);
    put_byte(out, ' ');
    coloured("o", str_c(signs[dice(p, 6)]), out);
    put_byte(out, ' ');
    coloured_name(p, "n", out);
    PUT(out, "<span class=\"p\">(</span><span class=\"mi\">");
    buf_u64(out, dice(p, 100));
    PUT(out, "</span><span class=\"p\">)</span>\n");
}

static void code_write(struct prose *p, struct buf *out)
{
    uint32_t lines = 3 + dice(p, 6);
    PUT(out, "<div class=\"highlight\"><pre><span></span><span class=\"k\">def</span> ");
    coloured_name(p, "nf", out);
    PUT(out, "<span class=\"p\">():</span>\n");
    for (uint32_t i = 0; i < lines; i++)
        code_line(p, out);
    PUT(out, "</pre></div>\n");
}

static void quote_write(struct prose *p, struct buf *out)
{
    PUT(out, "<blockquote><div><p>");
    sentences(p, 1 + dice(p, 3), out);
    PUT(out, "</p></div></blockquote>\n");
}

static void form_write(struct prose *p, struct buf *out)
{
    PUT(out, "<form class=\"form\" action=\"/send-");
    prose_name(p, out);
    PUT(out, "\" method=\"post\"><label>");
    prose_heading(p, out);
    PUT(out, " <input type=\"text\" name=\"q\" value=\"\"></label> <select name=\"s\"><option>");
    prose_noun(p, out);
    PUT(out, "<option selected>");
    prose_noun(p, out);
    PUT(out, "</select>\n<textarea name=\"t\" rows=\"2\" cols=\"40\">&lt;a href=\"/not-a-link\"&gt;"
             "</textarea> <input type=\"hidden\" name=\"back\" value=\"/hidden/");
    prose_name(p, out);
    PUT(out, ".html\"> <input type=\"submit\" value=\"Go\"></form>\n");
}

static void style_piece_write(struct prose *p, struct buf *out)
{
    PUT(out, "<style>\n/* was: a { background: url(/img/");
    prose_name(p, out);
    PUT(out, ".png) } */\n");
    uint32_t rules = 4 + dice(p, 6);
    for (uint32_t i = 0; i < rules; i++) {
        PUT(out, "main .");
        prose_name(p, out);
        PUT(out, " > p { margin: 0 0 1em; max-width: ");
        buf_u64(out, 30 + dice(p, 40));
        PUT(out, "em; color: #333; }\n");
    }
    PUT(out, "</style>\n");
}

static void script_piece_write(struct prose *p, struct buf *out)
{
    PUT(out, "<script>\n(function () {\n  var base = \"/script/");
    prose_name(p, out);
    PUT(out, ".html\";\n");
    uint32_t lines = 3 + dice(p, 5);
    for (uint32_t i = 0; i < lines; i++) {
        PUT(out, "  window.");
        prose_name(p, out);
        PUT(out, " = function (n) { return \"<a href='\" + base + \"?n=\" + n + \"'>");
        prose_name(p, out);
        PUT(out, "<\\/a>\"; };\n");
    }
    PUT(out,
        "  if (1 < 2 && document.title) { base += \"<img src=/no.png>\"; }\n})();\n</script>\n");
}

static void comment_write(struct prose *p, struct buf *out)
{
    PUT(out, "<!-- moved in ");
    buf_u64(out, 1996 + dice(p, 28));
    PUT(out, ": <a href=\"/old/");
    prose_name(p, out);
    PUT(out, ".html\">");
    prose_noun(p, out);
    PUT(out, "</a> -->\n");
}

void piece_write(struct prose *p, enum piece_kind kind, struct buf *out)
{
    static void (*const writers[PIECE_KINDS_])(struct prose *, struct buf *) = {
        [PIECE_PLAIN] = plain_write,       [PIECE_RICH] = rich_write,
        [PIECE_LIST] = list_write,         [PIECE_TERMS] = terms_write,
        [PIECE_TABLE] = table_write,       [PIECE_CODE] = code_write,
        [PIECE_QUOTE] = quote_write,       [PIECE_FORM] = form_write,
        [PIECE_STYLE] = style_piece_write, [PIECE_SCRIPT] = script_piece_write,
        [PIECE_COMMENT] = comment_write,   [PIECE_SENTENCE] = prose_sentence,
        [PIECE_HEADING] = prose_heading,
    };
    writers[kind](p, out);
}
