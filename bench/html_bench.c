/* SPDX-License-Identifier: Apache-2.0 */
/* Real HTML (the corpus of tools/get-corpus) through our tokenizer and page reader, and through
 * myhtml, libxml2 and gumbo where they are installed, in one run on the same pages. */
#include "base/arena.h"
#include "base/mem.h"
#include "bench.h"
#include "html/page.h"
#include "html/tokenizer.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#ifdef HAVE_MYHTML
#include <myhtml/api.h>
#endif
#ifdef HAVE_LIBXML
#include <libxml/HTMLparser.h>
#endif
#ifdef HAVE_GUMBO
#include <gumbo.h>
#endif

/* Times five passes, for us and for whom we are compared with: a machine is never quiet. */
enum { BEST_OF = 6 };
enum { MAX_PAGES = 4096, EVERY = 4 /* of the pages, so that the slow ones end soon */ };

struct pages {
    struct buf page[MAX_PAGES];
    size_t n, seen, bytes;
};

static void pages_add(struct pages *p, const char *path)
{
    if (p->seen++ % EVERY || p->n == MAX_PAGES)
        return;
    FILE *f = fopen(path, "rb");
    if (!f)
        return;
    struct buf *b = &p->page[p->n];
    buf_init(b, (size_t)1 << 28);
    char room[65536];
    size_t got;
    while ((got = fread(room, 1, sizeof room, f)) > 0)
        buf_add(b, str_make(room, got));
    (void)fclose(f);
    p->bytes += b->n;
    p->n++;
}

/* Folder by folder, in the order of a list that grows; no recursion. */
static void pages_find(struct pages *p, const char *root)
{
    static char folders[1024][PATH_MAX];
    size_t n = 1;
    (void)snprintf(folders[0], PATH_MAX, "%s", root);
    for (size_t at = 0; at < n; at++) {
        DIR *d = opendir(folders[at]);
        struct dirent *e;
        while (d && (e = readdir(d))) {
            char path[PATH_MAX];
            struct stat st;
            size_t len = strlen(e->d_name);
            if (e->d_name[0] == '.' ||
                snprintf(path, sizeof path, "%s/%s", folders[at], e->d_name) >= PATH_MAX ||
                lstat(path, &st) != 0)
                continue;
            if (S_ISDIR(st.st_mode) && n < 1024)
                memcpy(folders[n++], path, sizeof path);
            else if (S_ISREG(st.st_mode) && len > 5 && strcmp(e->d_name + len - 5, ".html") == 0)
                pages_add(p, path);
        }
        if (d)
            (void)closedir(d);
    }
}

struct counts {
    size_t tags, attrs, texts, text_bytes;
    struct buf scratch;
    bool decode;
};

static enum rc count_tag(void *ctx, const struct html_tag *tag)
{
    struct counts *c = ctx;
    c->tags++;
    c->attrs += tag->attr_count;
    for (size_t i = 0; c->decode && i < tag->attr_count; i++)
        c->text_bytes += html_value(&tag->attrs[i], &c->scratch).n;
    return RC_OK;
}

static enum rc count_text(void *ctx, const struct html_text *text)
{
    struct counts *c = ctx;
    c->texts++;
    c->text_bytes += c->decode ? html_text(text, &c->scratch).n : text->raw.n;
    return RC_OK;
}

static const struct html_handler count_handler = {
    .start_tag = count_tag, .end_tag = count_tag, .text = count_text};

static void run_tokens(const struct pages *p, struct html_tokenizer *t)
{
    static const struct html_options options = {.follow_content = true};
    for (size_t i = 0; i < p->n; i++) {
        tokenizer_reset(t, &options);
        if (tokenizer_feed(t, buf_str(&p->page[i])) != RC_OK || tokenizer_finish(t) != RC_OK)
            abort();
    }
}

static size_t run_page(const struct pages *p, struct page_reader *r, struct arena *a,
                       unsigned parts)
{
    struct page_options options = {.parts = parts};
    struct page page;
    size_t links = 0;
    for (size_t i = 0; i < p->n; i++) {
        arena_clear(a);
        if (page_read(r, &options, buf_str(&p->page[i]), a, &page) != RC_OK)
            abort();
        links += page.link_count;
    }
    return links;
}

static double row(const struct pages *p, const char *name, double ns_a_byte, const char *goal)
{
    double mb = 1e3 / ns_a_byte;
    (void)p;
    bench_row(name, mb, "MB/s", goal);
    return mb;
}

static double bench_tokens(const struct pages *p, bool decode)
{
    struct counts c = {.decode = decode};
    struct html_tokenizer *t;
    double ns, best = 1e300;
    buf_init(&c.scratch, 1 << 24);
    if (tokenizer_open(&count_handler, &c, NULL, &t) != RC_OK)
        abort();
    for (int i = 0; i < BEST_OF; i++) {
        BENCH_BEST(ns, p->bytes, run_tokens(p, t));
        best = ns < best ? ns : best;
    }
    tokenizer_close(t);
    buf_done(&c.scratch);
    printf("  %zu tags, %zu attributes, %zu texts a pass\n", c.tags / (5 * BEST_OF),
           c.attrs / (5 * BEST_OF), c.texts / (5 * BEST_OF));
    return row(p, decode ? "tokens, everything decoded" : "tokens", best, decode ? "-" : "1000");
}

static void bench_page(const struct pages *p, const char *name, unsigned parts)
{
    struct page_reader *r;
    struct arena *a = arena_open(1 << 24, (size_t)1 << 30);
    double ns, best = 1e300;
    if (!a || page_reader_open(&r) != RC_OK)
        abort();
    size_t links = 0;
    for (int i = 0; i < BEST_OF; i++) {
        BENCH_BEST(ns, p->bytes, links = run_page(p, r, a, parts));
        best = ns < best ? ns : best;
    }
    BENCH_USE(links);
    page_reader_close(r);
    arena_close(a);
    (void)row(p, name, best, "1000");
}

#ifdef HAVE_MYHTML
static void *myhtml_count(myhtml_tree_t *tree, myhtml_token_node_t *token, void *ctx)
{
    (void)tree;
    (void)token;
    ++*(size_t *)ctx;
    return ctx; /* it becomes the next call's */
}

static void run_myhtml(const struct pages *p, myhtml_tree_t *tree)
{
    for (size_t i = 0; i < p->n; i++)
        myhtml_parse(tree, MyENCODING_UTF_8, p->page[i].p, p->page[i].n);
}

static double bench_myhtml(const struct pages *p)
{
    size_t tokens = 0;
    double ns, best = 1e300;
    myhtml_t *m = myhtml_create();
    myhtml_init(m, MyHTML_OPTIONS_PARSE_MODE_SINGLE, 1, 0);
    myhtml_tree_t *tree = myhtml_tree_create();
    myhtml_tree_init(tree, m);
    myhtml_tree_parse_flags_set(tree, MyHTML_TREE_PARSE_FLAGS_WITHOUT_BUILD_TREE);
    myhtml_callback_after_token_done_set(tree, myhtml_count, &tokens);
    for (int i = 0; i < BEST_OF; i++) {
        BENCH_BEST(ns, p->bytes, run_myhtml(p, tree));
        best = ns < best ? ns : best;
    }
    myhtml_tree_destroy(tree);
    myhtml_destroy(m);
    printf("  %zu tokens a pass\n", tokens / (5 * BEST_OF));
    return row(p, "myhtml, tokens only", best, "-");
}
#endif

#ifdef HAVE_LIBXML
static void sax_count(void *ctx, const xmlChar *name, const xmlChar **attrs)
{
    (void)name;
    (void)attrs;
    ++*(size_t *)ctx;
}

static void sax_text(void *ctx, const xmlChar *text, int n)
{
    (void)text;
    *(size_t *)ctx += (size_t)n & 1;
}

static void run_libxml(const struct pages *p, htmlSAXHandler *sax, size_t *tags)
{
    for (size_t i = 0; i < p->n; i++) {
        htmlParserCtxtPtr c =
            htmlCreatePushParserCtxt(sax, tags, NULL, 0, NULL, XML_CHAR_ENCODING_UTF8);
        htmlParseChunk(c, p->page[i].p, (int)p->page[i].n, 1);
        htmlFreeParserCtxt(c);
    }
}

static double bench_libxml(const struct pages *p)
{
    size_t tags = 0;
    double ns, best = 1e300;
    htmlSAXHandler sax = {.startElement = sax_count, .characters = sax_text};
    for (int i = 0; i < BEST_OF; i++) {
        BENCH_BEST(ns, p->bytes, run_libxml(p, &sax, &tags));
        best = ns < best ? ns : best;
    }
    return row(p, "libxml2, SAX", best, "-");
}
#endif

#ifdef HAVE_GUMBO
static double bench_gumbo(const struct pages *p)
{
    double start = bench_cpu_ns(); /* one pass is long enough */
    for (size_t i = 0; i < p->n; i++) {
        GumboOutput *o =
            gumbo_parse_with_options(&kGumboDefaultOptions, p->page[i].p, p->page[i].n);
        gumbo_destroy_output(&kGumboDefaultOptions, o);
    }
    return row(p, "gumbo, tree (one pass)", (bench_cpu_ns() - start) / (double)p->bytes, "-");
}
#endif

static void ratio(const char *name, double ours, double theirs, const char *goal)
{
    if (theirs > 0)
        bench_row(name, ours / theirs, "times", goal);
    else
        printf("%-44s       absent\n", name);
}

int main(int argc, char **argv)
{
    static struct pages p;
    const char *folder = getenv("ORBWEAVER_CORPUS");
    pages_find(&p, argc > 1 ? argv[1] : folder && *folder ? folder : CORPUS);
    if (p.bytes == 0) {
        puts("# skipped: html bench (no corpus: tools/get-corpus)");
        return 0;
    }
    printf("%zu pages, %.1f MB\n", p.n, (double)p.bytes / 1e6);
    double tokens = bench_tokens(&p, false), decoded = bench_tokens(&p, true);
    bench_page(&p, "links", PAGE_LINKS);
    bench_page(&p, "links, anchors, head", PAGE_LINKS | PAGE_ANCHORS | PAGE_HEAD);
    bench_page(&p, "links, anchors, head, text, tags", PAGE_ALL & ~(unsigned)PAGE_LAZY);
    double myhtml = 0, libxml = 0, gumbo = 0;
#ifdef HAVE_MYHTML
    myhtml = bench_myhtml(&p);
#endif
#ifdef HAVE_LIBXML
    libxml = bench_libxml(&p);
#endif
#ifdef HAVE_GUMBO
    gumbo = bench_gumbo(&p);
#endif
    ratio("tokens : myhtml", tokens, myhtml, "5");
    ratio("tokens decoded : myhtml", decoded, myhtml, "5");
    ratio("tokens : libxml2", tokens, libxml, "-");
    ratio("tokens : gumbo", tokens, gumbo, "-");
    for (size_t i = 0; i < p.n; i++)
        buf_done(&p.page[i]);
    return 0;
}
