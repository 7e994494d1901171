/* SPDX-License-Identifier: Apache-2.0 */
#include "change/codes.h"

#include "base/hash.h"
#include "change/letters.h"
#include "change/simhash.h"

const char *change_test_name(enum change_test test)
{
    static const char *const names[CHANGE_TEST_COUNT] = {
        "letters",      "levels",  "tree",    "text-1",  "text-2",       "text-sha256",
        "text-simhash", "ival-16", "ival-32", "ival-64", "image-sha256", "image-dhash",
    };
    return test < CHANGE_TEST_COUNT ? names[test] : "none";
}

static enum rc structure_codes(const struct change_page *page, uint32_t tests, struct arena *arena,
                               struct change_codes *c)
{
    if (tests & CHANGE_BIT(CHANGE_LETTERS)) {
        struct change_letters letters;
        enum rc rc = change_letters(page->tags, page->tag_count, arena, &letters);
        if (rc)
            return rc;
        c->letters_first = hash64(letters.first);
        c->letters_last = hash64(letters.last);
    }
    if (!(tests & (CHANGE_BIT(CHANGE_LEVEL_COUNTS) | CHANGE_BIT(CHANGE_TREE))))
        return RC_OK;
    struct change_tree tree;
    enum rc rc = change_tree(page->tags, page->tag_count, arena, &tree);
    if (rc)
        return rc;
    if (tests & CHANGE_BIT(CHANGE_LEVEL_COUNTS))
        change_tree_levels(&tree, &c->levels);
    if (tests & CHANGE_BIT(CHANGE_TREE)) {
        c->tree = tree.nodes[0].hash;
        c->tree_simhash = change_tree_simhash(&tree);
        c->elements = tree.count - 1;
    }
    return RC_OK;
}

static enum rc text_codes(const struct change_page *page, uint32_t tests, struct arena *arena,
                          struct change_codes *c)
{
    if (tests & (CHANGE_BIT(CHANGE_TEXT_MEAN) | CHANGE_BIT(CHANGE_TEXT_RMS))) {
        enum rc rc = change_text_sums(page->text, arena, &c->text);
        if (rc)
            return rc;
    }
    if (!(tests & (CHANGE_BIT(CHANGE_TEXT_DIGEST) | CHANGE_BIT(CHANGE_TEXT_SIMHASH))))
        return RC_OK;
    struct str normal;
    enum rc rc = change_text_normalise(page->text, arena, &normal);
    if (rc == RC_OK && (tests & CHANGE_BIT(CHANGE_TEXT_DIGEST))) {
        struct digest digest;
        rc = change_text_digest(normal, &digest);
        if (rc == RC_OK)
            memcpy(c->text_sha256, digest.bytes, sizeof c->text_sha256);
    }
    if (rc == RC_OK && (tests & CHANGE_BIT(CHANGE_TEXT_SIMHASH)))
        c->text_simhash = change_simhash(normal);
    return rc;
}

static void picture_codes(const struct change_image *image, uint32_t tests,
                          struct change_picture *ret)
{
    for (unsigned i = 0; i < CHANGE_IVALS; i++)
        if (tests & CHANGE_BIT(CHANGE_IVAL_16 + i))
            ret->ival[i] = change_image_ival(image, 16u << i);
    if (tests & CHANGE_BIT(CHANGE_IMAGE_DHASH))
        ret->dhash = change_image_dhash(image);
}

static enum rc digest_pictures(const struct change_page *page, uint8_t *to)
{
    struct digester *all = digester_open(DIGEST_SHA256);
    if (!all)
        return RC_NOMEM;
    enum rc rc = RC_OK;
    struct digest digest;
    for (size_t i = 0; rc == RC_OK && i < page->image_count; i++) {
        rc = change_image_digest(&page->images[i], &digest);
        if (rc == RC_OK)
            digester_add(all, str_make((const char *)digest.bytes, DIGEST_SHA256_BYTES));
    }
    if (rc == RC_OK)
        rc = digester_finish(all, &digest);
    if (rc == RC_OK)
        memcpy(to, digest.bytes, DIGEST_SHA256_BYTES);
    digester_close(all);
    return rc;
}

static enum rc image_codes(const struct change_page *page, uint32_t tests, struct change_codes *c)
{
    if (page->image_count > CHANGE_MAX_PICTURES)
        return RC_LIMIT;
    for (size_t i = 0; i < page->image_count; i++) {
        enum rc rc = change_image_check(&page->images[i]);
        if (rc)
            return rc;
    }
    c->pictures = (uint32_t)page->image_count;
    for (size_t i = 0; i < page->image_count && i < CHANGE_PICTURES; i++)
        picture_codes(&page->images[i], tests, &c->at[i]);
    if (tests & CHANGE_BIT(CHANGE_IMAGE_DIGEST))
        return digest_pictures(page, c->pictures_sha256);
    return RC_OK;
}

enum rc change_codes_of(const struct change_page *page, uint32_t tests, struct arena *arena,
                        struct change_codes *ret)
{
    struct change_codes c = {.tests = tests & CHANGE_ALL_TESTS};
    enum rc rc = structure_codes(page, tests, arena, &c);
    if (rc == RC_OK)
        rc = text_codes(page, tests, arena, &c);
    if (rc == RC_OK && (tests & CHANGE_IMAGE_TESTS))
        rc = image_codes(page, tests, &c);
    if (rc == RC_OK)
        *ret = c;
    return rc;
}
