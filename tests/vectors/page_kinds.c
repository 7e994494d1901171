/* SPDX-License-Identifier: Apache-2.0 */
/* What is kept of URLs, pages and robots.txt files. */
#include "kinds.h"

#include "base/digest.h"
#include "change/codes.h"
#include "change/simhash.h"
#include "robots/robots.h"
#include "url/normalise.h"
#include "url/surt.h"

static void of_url(struct str text, struct buf *out,
                   void (*print)(const struct url *u, struct buf *out))
{
    static char room[URL_ROOM_BYTES];
    struct url_parser parser = {0};
    struct url u;
    assert_rc(url_parse(&parser, text, NULL, (struct url_room){room, sizeof room}, &u), RC_OK);
    url_normalise(&u, URL_RULES_DEFAULT);
    print(&u, out);
}

static void print_fingerprint(const struct url *u, struct buf *out)
{
    vector_hex64(out, url_fingerprint(u));
}

static void of_fingerprint(const struct str *f, struct buf *out)
{
    of_url(f[0], out, print_fingerprint);
}

static void of_cdx_key(const struct str *f, struct buf *out)
{
    of_url(f[0], out, url_cdx_key);
}

static void of_simhash(const struct str *f, struct buf *out)
{
    vector_hex64(out, change_simhash(f[0]));
}

/* Words become elements of one level each, the text is the words; a 4 by 4 slope is the picture. */
static void of_codes(const struct str *f, struct buf *out)
{
    struct change_tag tags[16];
    uint8_t grey[16];
    size_t count = 0;
    struct str rest = f[0];
    while (rest.p && count < 16)
        tags[count++] = (struct change_tag){str_take_until(&rest, ' '), CHANGE_TAG_START};
    for (uint8_t i = 0; i < 16; i++)
        grey[i] = (uint8_t)(i * 16);
    const struct change_image image = {grey, 4, 4};
    const struct change_page page = {tags, count, f[0], &image, 1};
    struct arena *arena = arena_open(1 << 16, 1 << 24);
    struct change_codes codes;
    struct buf bytes = {.max = CHANGE_CODES_MAX_BYTES};
    assert_rc(change_codes_of(&page, CHANGE_ALL_TESTS, arena, &codes), RC_OK);
    change_codes_encode(&codes, &bytes);
    buf_hex(out, (const uint8_t *)bytes.p, bytes.n);
    buf_done(&bytes);
    arena_close(arena);
}

/* Lines are separated by "|". */
static void of_robots(const struct str *f, struct buf *out)
{
    char body[1000];
    struct robots *r = NULL;
    struct buf bytes = {.max = 1 << 16};
    assert_true(f[0].n < sizeof body);
    for (size_t i = 0; i < f[0].n; i++)
        body[i] = f[0].p[i] == '|' ? '\n' : f[0].p[i];
    assert_rc(robots_parse(str_make(body, f[0].n), STR("orbweaver"), &r), RC_OK);
    robots_store(r, &bytes);
    buf_hex(out, (const uint8_t *)bytes.p, bytes.n);
    buf_done(&bytes);
    robots_free(r);
}

const struct vector_kind page_kinds[] = {
    {"url-fingerprint", of_fingerprint}, {"cdx-key", of_cdx_key},      {"simhash", of_simhash},
    {"change-codes", of_codes},          {"robots-stored", of_robots}, {NULL, NULL},
};
