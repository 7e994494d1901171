/* SPDX-License-Identifier: Apache-2.0 */
#include "links_model.h"

#include "base/hash.h"
#include "lib/test.h"
#include "linkindex/link_look.h"
#include "outputs/arcs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t model_print(unsigned url)
{
    return hash64_mix(url + 1);
}

static void append(struct disk *d, const char *path, struct buf *text)
{
    struct disk_file *f;
    struct str piece = buf_str(text);
    assert_rc(buf_rc(text), RC_OK);
    assert_rc(disk_open(d, path, DISK_APPEND, &f), RC_OK);
    if (piece.n)
        assert_rc(disk_append(f, &piece, 1), RC_OK);
    assert_rc(disk_sync(f), RC_OK);
    disk_file_close(f);
    buf_done(text);
}

void model_begin(struct links_model *m, struct disk *d, uint64_t seed)
{
    *m = (struct links_model){0};
    rng_init(&m->rng, seed);
    enum rc rc = disk_mkdir(d, "links");
    assert_true(rc == RC_OK || rc == RC_EXISTS);
    for (unsigned k = 0; k < PAIR_KINDS; k++)
        append(d, index_text_path((enum pair_kind)k), &(struct buf){.max = 1});
    assert_rc(disk_dirsync(d, ""), RC_OK);
    assert_rc(disk_dirsync(d, "links"), RC_OK);
}

static void add_name(struct links_model *m, unsigned url, struct buf *nodes)
{
    if (m->has_name[url] && rng_below(&m->rng, 3)) /* some have two lines, as in large crawls */
        return;
    m->has_name[url] = true;
    node_line_begin(nodes, model_print(url));
    buf_printf(nodes, "http://a.example/%u\n", url);
}

void model_add(struct links_model *m, struct disk *d, unsigned pages)
{
    struct buf arcs = {.max = 1 << 24}, nodes = {.max = 1 << 24};
    for (unsigned i = 0; i < pages; i++) {
        unsigned page = (unsigned)rng_below(&m->rng, MODEL_PAGES);
        uint64_t links = rng_below(&m->rng, 12);
        add_name(m, page, &nodes);
        arc_line_begin(&arcs, model_print(page));
        for (; links; links--) {
            unsigned to = (unsigned)rng_below(&m->rng, MODEL_TARGETS);
            to = rng_below(&m->rng, 3) ? to : to % 3; /* some are linked to by most */
            char letter = "LLLLLERXPZ"[rng_below(&m->rng, 10)];
            arc_line_add(&arcs, letter, model_print(to));
            m->letters[to][page] |= pair_letter(letter);
        }
        buf_add(&arcs, rng_below(&m->rng, 20) ? STR("\n") : STR("\nthis is no line of arcs\n"));
    }
    m->bytes[PAIRS_LINKS] += arcs.n;
    m->bytes[PAIRS_NAMES] += nodes.n;
    append(d, index_text_path(PAIRS_LINKS), &arcs);
    append(d, index_text_path(PAIRS_NAMES), &nodes);
}

/* Comparing ------------------------------------------------------------------------------------- */

static unsigned url_of(uint64_t fingerprint)
{
    for (unsigned i = 0; i < MODEL_TARGETS; i++)
        if (model_print(i) == fingerprint)
            return i;
    return MODEL_TARGETS;
}

struct found {
    uint32_t letters[MODEL_PAGES];
    bool has_name[MODEL_TARGETS], is_wrong;
};

static enum rc take_page(void *ctx, uint64_t page, uint32_t letters)
{
    struct found *f = ctx;
    unsigned url = url_of(page);
    f->is_wrong |= url >= MODEL_PAGES || !letters;
    if (url < MODEL_PAGES)
        f->letters[url] |= letters;
    return RC_OK;
}

static enum rc take_url(void *ctx, uint64_t fingerprint, struct str url)
{
    struct found *f = ctx;
    char right[64];
    unsigned i = url_of(fingerprint);
    (void)snprintf(right, sizeof right, "http://a.example/%u", i);
    f->is_wrong |= i >= MODEL_TARGETS || !str_eq(url, str_c(right));
    if (i < MODEL_TARGETS)
        f->has_name[i] = true;
    return RC_OK;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static enum rc ask(const struct links_model *m, const struct link_look *l)
{
    uint64_t all[MODEL_TARGETS];
    enum rc rc = RC_OK;
    for (unsigned to = 0; to < MODEL_TARGETS && rc == RC_OK; to++) {
        struct found f = {0};
        rc = link_look_pages(l, model_print(to), take_page, &f);
        if (rc == RC_OK &&
            (f.is_wrong || memcmp(f.letters, m->letters[to], sizeof f.letters) != 0)) {
            print_message("the pages that link to %u are others\n", to);
            return RC_INVALID;
        }
        all[to] = model_print(to);
    }
    struct found f = {0};
    qsort(all, MODEL_TARGETS, sizeof *all, by_value);
    rc = rc ? rc : link_look_urls(l, all, MODEL_TARGETS, take_url, &f);
    if (rc == RC_OK && (f.is_wrong || memcmp(f.has_name, m->has_name, sizeof f.has_name) != 0)) {
        print_message("names differ\n");
        return RC_INVALID;
    }
    return rc;
}

enum rc model_differs(const struct links_model *m, struct disk *d)
{
    struct link_look l;
    struct buf why = {.max = 1000};
    enum rc rc = link_look_open(&l, d, &why);
    if (rc == RC_OK) {
        rc = ask(m, &l);
        link_look_close(&l);
    }
    buf_done(&why);
    return rc;
}

void model_compare(const struct links_model *m, struct disk *d)
{
    assert_rc(model_differs(m, d), RC_OK);
}
