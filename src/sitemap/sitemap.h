/* SPDX-License-Identifier: Apache-2.0 */
/* sitemap: the URLs of a sitemap or feed, read in pieces of any size.
 *
 *   bytes -> decode (to UTF-8) -> lines, or xml (tags and text) -> record (what they mean) -> emit
 *
 * What the file is shows in its content, never in its name: a sitemap (<urlset>), an index of
 * sitemaps (<sitemapindex>), RSS 0.9x, 1.0 and 2.0, Atom 0.3 and 1.0, or a plain list of URLs, one
 * a line. gzip is undone by the caller.
 *
 * It reads what people publish, not only what the standards allow: wrong or missing namespaces,
 * tags that are never closed, text before the prolog, bare ampersands, a file that ends in the
 * middle. docs/sitemap.md lists these decisions. It never does what a file could use against us: no
 * document type is read, no entity is expanded but the five of XML and numbers, nothing is included
 * or fetched. Elements are known by their local name and by the record around them; there is no
 * stack, so no depth can exhaust it, and each byte is looked at once.
 *
 * What is emitted depends on the bytes alone, not on how they were cut into pieces. One allocation
 * is made, when it opens. */
#ifndef SITEMAP_SITEMAP_H
#define SITEMAP_SITEMAP_H

#include "base/str.h"

enum {
    SITEMAP_MAX_ENTRIES = 50 * 1000,      /* of a file, as sitemaps.org has it */
    SITEMAP_MAX_EXTRAS = 200 * 1000,      /* alternates, images and media of a file */
    SITEMAP_MAX_BYTES = 50 << 20,         /* of a file, not compressed */
    SITEMAP_LOC_MAX_BYTES = 8 << 10,      /* of a URL, as written; sitemaps.org allows 2,048 */
    SITEMAP_DATE_MAX_BYTES = 64,          /* of a date; a longer one counts as absent */
    SITEMAP_TAG_MAX_BYTES = 16 << 10,     /* from < to >; a longer one is passed over */
    SITEMAP_DOCTYPE_MAX_BYTES = 64 << 10, /* behind a longer one nothing is read */
};

enum sitemap_format {
    SITEMAP_NONE, /* nothing that is known, or nothing yet */
    SITEMAP_URLSET,
    SITEMAP_INDEX,
    SITEMAP_RSS,
    SITEMAP_ATOM,
    SITEMAP_LIST, /* plain text */
    SITEMAP_HTML, /* a page stands where the sitemap should be: nothing is emitted */
};

/* "urlset", "index", "rss", "atom", "list", "html", "none". */
const char *sitemap_format_name(enum sitemap_format format);

/* What a URL is. The first two are entries; the others are extras, which belong to an entry and
 * have a limit of their own. */
enum sitemap_kind {
    SITEMAP_PAGE,
    SITEMAP_CHILD,     /* another sitemap */
    SITEMAP_ALTERNATE, /* the page in another language or form: <xhtml:link>, Atom's later links */
    SITEMAP_IMAGE,     /* of an image sitemap, a video's thumbnail, an enclosure that is an image */
    SITEMAP_MEDIA,     /* a video or its player, any other enclosure */
};

/* "page", "sitemap", "alternate", "image", "media". */
const char *sitemap_kind_name(enum sitemap_kind kind);

enum sitemap_changefreq {
    SITEMAP_FREQ_NONE, /* not said, or not one of these */
    SITEMAP_ALWAYS,
    SITEMAP_HOURLY,
    SITEMAP_DAILY,
    SITEMAP_WEEKLY,
    SITEMAP_MONTHLY,
    SITEMAP_YEARLY,
    SITEMAP_NEVER,
};

/* "always" ... "never"; "" for SITEMAP_FREQ_NONE. */
const char *sitemap_changefreq_name(enum sitemap_changefreq freq);

enum { SITEMAP_NO_PRIORITY = -1 };

/* Borrowed for the call of `emit`. All text is UTF-8, made valid where it was not, references
 * decoded, white space at its ends gone. An extra has only number, kind, loc and lang. */
struct sitemap_entry {
    enum sitemap_kind kind;
    uint32_t number;     /* of the <url>, <sitemap>, <item>, <entry> or line, from 1; extras bear
                          * that of their page and come before it */
    struct str loc;      /* never empty; as written: it may be relative or no URL at all */
    struct str lastmod;  /* as written; absent if there was none */
    bool has_lastmod_ms; /* it was a date */
    int64_t lastmod_ms;  /* since 1970 in UTC */
    enum sitemap_changefreq changefreq;
    int priority_permille; /* 0 to 1000, or SITEMAP_NO_PRIORITY */
    struct str lang;       /* hreflang of an alternate, else absent */
};

struct sitemap_options {
    uint64_t max_bytes;   /* 0: SITEMAP_MAX_BYTES */
    uint32_t max_entries; /* 0: SITEMAP_MAX_ENTRIES */
    uint32_t max_extras;  /* 0: SITEMAP_MAX_EXTRAS */
    /* The charset of the Content-Type, if there was one. It goes before the file's own declaration
     * but behind a byte order mark (RFC 7303, 3). A caller that has converted the file says
     * "utf-8". */
    struct str charset;
    /* Called for each URL. What it returns other than RC_OK ends the reading. */
    enum rc (*emit)(void *ctx, const struct sitemap_entry *entry);
    void *ctx;
};

/* What was read and what was left out, true at any time. */
struct sitemap_summary {
    enum sitemap_format format;
    uint64_t bytes;        /* read */
    uint64_t bytes_cut;    /* behind the limit */
    uint32_t entries;      /* emitted */
    uint32_t extras;       /* emitted */
    uint32_t entries_cut;  /* over max_entries */
    uint32_t extras_cut;   /* over max_extras, or of entries that were cut */
    uint32_t without_loc;  /* records without a URL; lines of a list that are none */
    uint32_t too_long;     /* URLs over SITEMAP_LOC_MAX_BYTES, tags over SITEMAP_TAG_MAX_BYTES */
    uint32_t refs_dropped; /* entity references that are not XML's own: nothing stands for them */
    bool doctype;          /* there was a document type; it was passed over */
    bool doctype_cut;      /* it did not end within its limit */
    bool charset_unread; /* another charset than UTF-8, UTF-16 and windows-1252: read as ASCII, with
                          * U+FFFD for the rest. The caller may convert and read again. */
};

struct sitemap_reader;

/* On RC_OK *ret is the caller's (sitemap_close); RC_NOMEM otherwise. `options->charset` and the
 * options themselves may go at once. */
MUST_CHECK enum rc sitemap_open(const struct sitemap_options *options, struct sitemap_reader **ret);
void sitemap_close(struct sitemap_reader *r);

/* The next bytes of the file; nothing of them is borrowed. RC_LIMIT: no more URLs will come out
 * (too many bytes or entries), the rest need not be brought; if it is, it is only counted. What
 * `emit` returned other than RC_OK is returned from then on. */
MUST_CHECK enum rc sitemap_add(struct sitemap_reader *r, struct str piece);

/* The end. `is_whole` is false where the transfer was cut: then the last line of a list, which may
 * be half a URL, is left out. In XML a URL counts once markup follows it, so no half URL is emitted
 * either way. As sitemap_add returns, and RC_LIMIT never. Nothing is added after it. */
MUST_CHECK enum rc sitemap_finish(struct sitemap_reader *r, bool is_whole);

const struct sitemap_summary *sitemap_summary(const struct sitemap_reader *r);

/* The charset that was named, by the caller or else by the file, as written; absent if none was. */
struct str sitemap_charset(const struct sitemap_reader *r);

#endif
