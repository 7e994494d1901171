/* SPDX-License-Identifier: Apache-2.0 */
/* record: what tags and text mean; the sink of xml.
 *
 * A record is a <url>, <sitemap>, <item> or <entry>. It is emitted when it ends, when the next one
 * begins or, in files that forget the end tag, when it gets a second <loc>. At any time at most one
 * text is captured: that of the field whose tag was last opened. It ends with its own end tag or
 * with any other tag that is known; the unknown ones inside it are as if they were not there. */
#ifndef SITEMAP_RECORD_H
#define SITEMAP_RECORD_H

#include "sitemap/names.h"
#include "sitemap/xml.h"

enum field {
    FIELD_NONE,
    FIELD_LOC,
    FIELD_OWN,   /* text right behind <url> or <sitemap>: a URL without its <loc> */
    FIELD_OTHER, /* a URL that counts if there is no better one: <guid>, <id> */
    FIELD_EXTRA,
    FIELD_LASTMOD,
    FIELD_CHANGEFREQ,
    FIELD_PRIORITY,
};

/* Text of one field: raw as it comes, decoded run by run. */
struct capture {
    enum field field;     /* FIELD_NONE: nothing is captured */
    enum element element; /* whose end tag ends it */
    enum sitemap_kind kind;
    uint8_t date_rank;
    uint8_t nested; /* <url> in <loc> that wait for their end */
    bool is_over;
    char *room;
    size_t max, n;
    size_t run;   /* where the run not yet decoded begins */
    size_t blank; /* so much at the front is known to be white space */
};

struct record {
    enum sitemap_format format;
    struct sitemap_summary *summary;
    struct xml *xml; /* whose want_text follows the capture */
    uint32_t max_entries, max_extras;
    enum rc (*emit)(void *ctx, const struct sitemap_entry *entry);
    void *ctx;
    enum rc rc; /* what emit returned */

    bool is_open;
    enum element inside; /* the part of the record we are in; EL_NONE */
    uint8_t date_rank;   /* of the lastmod there is; 0: none */
    struct sitemap_entry entry;
    struct str other; /* the URL of FIELD_OTHER */
    struct capture capture;

    char loc_room[SITEMAP_LOC_MAX_BYTES], other_room[SITEMAP_LOC_MAX_BYTES],
        extra_room[SITEMAP_LOC_MAX_BYTES], clean_room[SITEMAP_LOC_MAX_BYTES];
    char date_room[SITEMAP_DATE_MAX_BYTES], word_room[SITEMAP_DATE_MAX_BYTES];
};

/* Emits a line of a list, given as it was read. */
void record_line(struct record *r, struct str line, bool is_over);

/* The sink. */
void record_tag(void *ctx, const struct xml_tag *tag);
void record_text(void *ctx, struct str piece);
void record_text_end(void *ctx, bool is_cdata);
void record_html(void *ctx);

/* The end of the file. A text still being captured counts if `text_is_whole`. */
void record_finish(struct record *r, bool text_is_whole);

/* Begins as http:// or https:// do. */
bool record_is_url(struct str s);

#endif
