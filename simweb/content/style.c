/* SPDX-License-Identifier: Apache-2.0 */
#include "content/image_draw.h"
#include "content/look.h"
#include "content/looks.h"

enum { CHANCE_LAYOUT = 0x4c20, CHANCE_COLOUR = 0x4c21, CHANCE_QUOTES = 0x4c22 };

/* A host's own colour, and the paper that goes with it. */
struct pair {
    uint32_t strong, paper;
};
static const struct pair pairs[] = {
    {0x3d5a80, 0xe9eef3}, {0x3f7d4e, 0xeaf2e6}, {0x9a5b13, 0xf7f0df}, {0xa8442a, 0xf8ece3},
    {0x2b6c73, 0xe4f0ef}, {0x1f5f8b, 0xe3eef6}, {0x7a3b3b, 0xf4ebe6}, {0x4c4f9e, 0xeaeaf6},
    {0x545c66, 0xeceef0}, {0x8a2f4b, 0xf6e9ed}, {0x2f5d62, 0xe8efec}, {0x5b7a2a, 0xf0f3e1},
};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static struct look light_look(enum layout layout, struct pair p)
{
    return (struct look){
        .layout = layout,
        .page = p.paper,
        .page_mark = colour_mix(p.paper, p.strong, 9),
        .sheet = 0xffffff,
        .text = 0x262a2e,
        .soft = 0x5d656d,
        .line = 0xd9dde1,
        .strong = p.strong,
        .link = p.strong,
    };
}

static struct look dark_look(struct pair p)
{
    return (struct look){
        .layout = LAYOUT_DARK,
        .page = 0x12161f,
        .page_mark = 0x1b2130,
        .sheet = 0x1a2030,
        .text = 0xe3e7ee,
        .soft = 0xa3adbd,
        .line = 0x343d52,
        .strong = p.strong,
        .link = 0x8fb8f0,
    };
}

struct look look_of(const struct world *w, uint32_t host)
{
    /* The demo's dozen, each in the layout that suits it. */
    static const enum layout by_host[PAIRS] = {
        LAYOUT_POSTER, LAYOUT_MAGAZINE, LAYOUT_CARDS,    LAYOUT_MAGAZINE,
        LAYOUT_MANUAL, LAYOUT_POSTER,   LAYOUT_MANUAL,   LAYOUT_DARK,
        LAYOUT_CARDS,  LAYOUT_POSTER,   LAYOUT_MAGAZINE, LAYOUT_CARDS,
    };
    uint64_t colour = world_chance(w, CHANCE_COLOUR, host, 0) % PAIRS;
    enum layout layout = (enum layout)(world_chance(w, CHANCE_LAYOUT, host, 0) % LAYOUT_COUNT_);
    if (world_settings(w)->demo && host < PAIRS) {
        colour = host;
        layout = by_host[host];
    }
    return layout == LAYOUT_DARK ? dark_look(pairs[colour]) : light_look(layout, pairs[colour]);
}

/* What all layouts begin with. No rule depends on how the page nests its elements. */
static const char base_rules[] =
    "*, *::before, *::after { box-sizing: border-box }\n"
    "html { font-size: 100%; -webkit-text-size-adjust: 100% }\n"
    "body { margin: 0; color: var(--text); line-height: 1.6; font-family: var(--font);\n"
    "  overflow-wrap: break-word }\n"
    "img, svg, iframe, table, pre, form { max-width: 100% }\n"
    "img { height: auto; border-radius: var(--round); vertical-align: middle }\n"
    "iframe { border: 1px solid var(--line); border-radius: var(--round); width: 20rem }\n"
    "a { color: var(--link); text-decoration-thickness: 1px; text-underline-offset: 2px }\n"
    "a:hover { text-decoration-thickness: 2px }\n"
    "a:focus-visible { outline: 2px solid var(--strong); outline-offset: 2px }\n"
    "h1, h2, h3 { line-height: 1.2; font-family: var(--head); text-wrap: balance }\n"
    "h1 { font-size: clamp(1.9rem, 4vw, 2.7rem); margin: .3em 0 .5em }\n"
    "h2 { font-size: 1.45rem; margin: 1.8em 0 .6em }\n"
    "h3 { font-size: 1.1rem; margin: 1.2em 0 .3em }\n"
    "p, ul, ol, table, blockquote, pre, figure, form, dl { margin: 0 0 1.1em }\n"
    "blockquote { margin-left: 0; padding: .2em 1.2em; border-left: 4px solid var(--strong);\n"
    "  color: var(--soft); font-style: italic }\n"
    "pre, code { font-family: ui-monospace, monospace; font-size: .9em }\n"
    "pre { overflow-x: auto; padding: 1em; background: var(--tint); border-radius: var(--round) }\n"
    "table { border-collapse: collapse; display: block; overflow-x: auto }\n"
    "th, td { padding: .45em .9em; border-bottom: 1px solid var(--line); text-align: left }\n"
    "th { color: var(--soft); font-weight: 600 }\n"
    "input, select, textarea, button { font: inherit; color: inherit; padding: .4em .7em;\n"
    "  border: 1px solid var(--line); border-radius: var(--round); background: var(--sheet);\n"
    "  max-width: 100% }\n"
    "button, input[type=submit] { background: var(--strong); border-color: var(--strong);\n"
    "  color: #fff; cursor: pointer }\n"
    "hr { border: 0; border-top: 1px solid var(--line); margin: 2em 0 }\n"
    ".top { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem 1.2rem;\n"
    "  padding: .8rem max(1.2rem, calc(50% - 34rem)) }\n"
    ".top > a, .top > strong { font: 700 1.15rem var(--head); color: inherit; text-decoration: "
    "none }\n"
    ".emblem { width: 2.2rem; height: 2.2rem; flex: none; vertical-align: middle }\n"
    ".nav { display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .95rem }\n"
    ".nav ul { display: contents; list-style: none }\n"
    ".nav a { color: inherit; text-decoration: none; opacity: .88; max-width: 13rem;\n"
    "  overflow: hidden; text-overflow: ellipsis; white-space: nowrap }\n"
    ".nav:empty { display: none }\n"
    ".headerlink { visibility: hidden; text-decoration: none; padding-left: .3em }\n"
    ":hover > .headerlink { visibility: visible }\n"
    ".nav a:hover { text-decoration: underline; opacity: 1 }\n"
    ".article { max-width: 68rem; margin: 0 auto; padding: 1.6rem max(1.2rem, 4%) 2.4rem }\n"
    ".lead { font-size: 1.2rem; color: var(--soft); max-width: 46rem }\n"
    ".figure { margin: 1.4em 0; max-width: 100%; clear: both }\n"
    "section, article, main, form, ul, ol, dl, blockquote, .box, .highlight { display: flow-root "
    "}\n"
    "h2, footer { clear: both }\n"
    ".figure img { display: block; width: 100% }\n"
    "figcaption { color: var(--soft); font-size: .88rem; padding-top: .4rem }\n"
    ".box { background: var(--tint); border: 1px solid var(--line); border-radius: var(--round);\n"
    "  padding: 1rem 1.2rem; margin: 1.4em 0 }\n"
    ".box > :first-child { margin-top: 0 }\n"
    ".box > :last-child { margin-bottom: 0 }\n"
    ".cards { display: grid; gap: 1.2rem; margin: 1.4em 0;\n"
    "  grid-template-columns: repeat(auto-fill, minmax(min(100%, 15rem), 1fr)) }\n"
    ".card { background: var(--sheet); border: 1px solid var(--line); overflow: hidden;\n"
    "  border-radius: var(--round); padding: 1rem 1.1rem; box-shadow: 0 1px 4px #0001 }\n"
    ".card > img, .card > a > img { display: block; width: calc(100% + 2.2rem); max-width: none;\n"
    "  margin: -1rem -1.1rem .8rem; border-radius: 0; aspect-ratio: 8/5; object-fit: cover }\n"
    ".card > .emblem { width: 3rem; height: 3rem; margin-bottom: .5rem }\n"
    ".card h2, .card h3 { margin: .1em 0 .3em; font-size: 1.1rem }\n"
    ".card p { margin: 0 0 .5em; font-size: .95rem; color: var(--soft) }\n"
    ".tag { display: inline-block; padding: .1em .7em; border-radius: 1em; font-size: .82rem;\n"
    "  background: var(--tint); color: var(--soft); border: 1px solid var(--line) }\n"
    ".links { columns: 16rem; padding-left: 1.2em }\n"
    ".links li { break-inside: avoid; margin-bottom: .25em }\n"
    ".foot { padding: 1.4rem max(1.2rem, calc(50% - 34rem)); color: var(--soft);\n"
    "  font-size: .9rem; border-top: 1px solid var(--line) }\n"
    ".dim { filter: brightness(.7) }\n"
    "@media print { .nav, .foot { display: none } }\n";

static const char cards_rules[] =
    ".top { background: var(--sheet); border-bottom: 3px solid var(--strong) }\n"
    ".article { background: var(--sheet); margin: 1.6rem auto; border-radius: 14px;\n"
    "  box-shadow: 0 2px 18px #0000001c }\n"
    ".figure { float: right; width: min(100%, 24rem); margin: .4rem 0 1rem 1.6rem }\n"
    ".card { transition: transform .15s }\n"
    ".card:hover { transform: translateY(-2px) }\n"
    ".foot { background: var(--sheet) }\n";

static const char magazine_rules[] =
    ".top { border-bottom: 1px solid var(--text); border-top: 6px solid var(--strong);\n"
    "  background: var(--sheet) }\n"
    ".top > a, .top > strong { font-size: 1.6rem; letter-spacing: .01em }\n"
    ".article { background: var(--sheet); padding-left: max(1.2rem, 11%);\n"
    "  padding-right: max(1.2rem, 11%); font-size: 1.08rem }\n"
    "h1 { font-weight: 500; letter-spacing: -.015em; font-size: clamp(2.1rem, 5vw, 3.3rem) }\n"
    "h2 { font-weight: 500; border-top: 1px solid var(--line); padding-top: .8em }\n"
    ".lead { font-style: italic; font-size: 1.3rem }\n"
    ".lead + p::first-letter { font-size: 3.3em; float: left; line-height: .85; color: "
    "var(--strong);\n"
    "  padding: .06em .1em 0 0; font-family: var(--head) }\n"
    ".figure { display: block; width: min(100%, 44rem) }\n"
    "figcaption { font-style: italic }\n"
    ".foot { background: var(--sheet) }\n";

static const char manual_rules[] =
    "body { font-size: .98rem }\n"
    ".top { background: var(--strong); color: #fff; padding-top: .5rem; padding-bottom: .5rem }\n"
    ".article { background: var(--sheet); max-width: 62rem; border: 1px solid var(--line);\n"
    "  border-top: 0 }\n"
    "h1 { font-size: 1.9rem; border-bottom: 2px solid var(--strong); padding-bottom: .25em }\n"
    "h2 { font-size: 1.3rem; border-bottom: 1px solid var(--line); padding-bottom: .2em }\n"
    ".figure { border: 1px solid var(--line); padding: .5rem; width: min(100%, 20rem);\n"
    "  float: right; margin: .2rem 0 1rem 1.4rem; background: var(--tint) }\n"
    ".lead { font-size: 1.05rem }\n"
    ".box { border-left: 4px solid var(--strong) }\n"
    ".foot { border: 0; text-align: center }\n";

static const char dark_rules[] =
    ".top { background: #0c0f16; border-bottom: 1px solid var(--line) }\n"
    ".article { background: linear-gradient(var(--sheet), #151a27); margin: 1.6rem auto;\n"
    "  border: 1px solid var(--line); border-radius: 12px }\n"
    "h1, h2, h3 { color: #fff }\n"
    ".figure { float: left; width: min(100%, 26rem); margin: .4rem 1.8rem 1rem 0 }\n"
    ".figure:nth-of-type(2n) { float: right; margin: .4rem 0 1rem 1.8rem }\n"
    ".card { box-shadow: none; background: #202840 }\n"
    "pre, .box, .tag { background: #0f1420 }\n"
    ".foot { border: 0 }\n";

static const char poster_rules[] =
    ".top { background: var(--strong); color: #fff; padding-top: 1.2rem; padding-bottom: 1.2rem }\n"
    ".top > a, .top > strong { font-size: 1.4rem; text-transform: uppercase; letter-spacing: .06em "
    "}\n"
    ".article { background: var(--sheet); border-bottom: 8px solid var(--strong) }\n"
    "h1 { font-weight: 800; font-size: clamp(2.2rem, 6vw, 3.6rem); letter-spacing: -.02em;\n"
    "  color: var(--strong) }\n"
    "h2 { font-weight: 800; color: var(--strong) }\n"
    ".figure { float: left; width: min(100%, 25rem); margin: .4rem 1.8rem 1rem 0 }\n"
    "section:first-of-type > .figure:first-of-type { float: none; width: 100%; margin: 0 0 1.4em "
    "}\n"
    ".card { border-top: 4px solid var(--strong) }\n"
    ".foot { border: 0 }\n";

struct layout_facts {
    const char *font, *head, *round;
    const char *rules;
};
static const struct layout_facts layouts[LAYOUT_COUNT_] = {
    [LAYOUT_CARDS] = {"system-ui, sans-serif", "var(--font)", "10px", cards_rules},
    [LAYOUT_MAGAZINE] = {"Georgia, serif", "var(--font)", "2px", magazine_rules},
    [LAYOUT_MANUAL] = {"Verdana, sans-serif", "var(--font)", "4px", manual_rules},
    [LAYOUT_DARK] = {"system-ui, sans-serif", "Georgia, serif", "8px", dark_rules},
    [LAYOUT_POSTER] = {"Helvetica, Arial, sans-serif", "var(--font)", "6px", poster_rules},
};

static void colours_write(const struct look *l, struct buf *out)
{
    const struct {
        const char *name;
        uint32_t rgb;
    } rows[] = {
        {"page", l->page}, {"sheet", l->sheet},   {"text", l->text}, {"soft", l->soft},
        {"line", l->line}, {"strong", l->strong}, {"link", l->link},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        buf_printf(out, " --%s: #%06x;", rows[i].name, (unsigned)rows[i].rgb);
    buf_add(out, STR(" --tint: color-mix(in srgb, var(--page) 60%, var(--sheet));\n "));
}

/* The one image, in any of the ways a style sheet may name it. */
static void background_write(const struct world *w, uint32_t host, struct buf *out)
{
    static const char *const quotes[] = {"", "\"", "'"};
    char room[512];
    struct buf path = buf_on(room, sizeof(room));
    uint64_t chance = world_chance(w, CHANCE_QUOTES, host, 0);
    const char *quote = quotes[chance % 3];
    place_path(w, (struct place){.host = host, .kind = PLACE_STYLE_IMAGE}, &path);
    struct str p = buf_str(&path);
    /* Both stand in one folder, so the last part alone says it too. */
    if (chance & 256 && str_starts(p, STR("/assets/")))
        p = str_from(p, 8);
    buf_printf(out, "body { background: var(--page) url(%s" STR_FMT "%s) 0 0 / 48px }\n", quote,
               STR_ARG(p), quote);
}

void style_write(const struct world *w, uint32_t host, struct buf *out)
{
    struct look l = look_of(w, host);
    const struct layout_facts *f = &layouts[l.layout];
    buf_add(out, STR("@charset \"utf-8\";\n:root {"));
    colours_write(&l, out);
    buf_printf(out, " --font: %s; --head: %s; --round: %s }\n", f->font, f->head, f->round);
    buf_add(out, str_c(base_rules));
    background_write(w, host, out);
    buf_add(out, str_c(f->rules));
}
