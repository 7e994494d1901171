/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/operate/url_links.h"

#include "cli/crawl_arg.h"
#include "control/answer_json.h"
#include "report/graph.h"
#include "url/idn.h"
#include "url/normalise.h"

enum { SHOWN = 5, WHY_MAX_BYTES = 8192 };

static enum rc add_page(void *ctx, struct str url, struct str letters)
{
    json_t *one = json_object();
    (void)json_object_set_new(one, "url", json_stringn(url.p, url.n));
    (void)json_object_set_new(one, "hops", json_stringn(letters.p, letters.n));
    return json_array_append_new(ctx, one) ? RC_NOMEM : RC_OK;
}

/* The answer has the URL in the form that the crawl compares. */
static enum rc fingerprint_of(const char *text, uint64_t *ret)
{
    char room[URL_ROOM_BYTES];
    struct url_idn *idn = NULL;
    struct url u;
    enum rc rc = url_idn_open(&idn);
    struct url_parser parser = {.idn = idn};
    rc = rc ? rc : url_parse(&parser, str_c(text), NULL, (struct url_room){room, sizeof room}, &u);
    if (rc == RC_OK)
        *ret = url_fingerprint(&u);
    url_idn_close(idn);
    return rc;
}

int url_links_add(const struct invocation *in, struct crawl_set crawls, json_t *answer)
{
    struct buf why = {.max = WHY_MAX_BYTES};
    uint64_t fingerprint = 0, count = 0;
    json_t *pages = json_array();
    enum rc rc = pages ? fingerprint_of(json_text(answer, "url"), &fingerprint) : RC_NOMEM;
    rc = rc ? rc : graph_some_pages_to(crawls, fingerprint, SHOWN, add_page, pages, &count, &why);
    if (rc == RC_NOT_FOUND) {
        (void)json_object_set_new(answer, "links", json_null());
    } else if (rc == RC_OK) {
        json_t *links = json_object();
        (void)json_object_set_new(links, "count", json_integer((json_int_t)count));
        (void)json_object_set(links, "pages", pages);
        (void)json_object_set_new(answer, "links", links);
    }
    json_decref(pages);
    int code = rc && rc != RC_NOT_FOUND ? crawl_arg_fail(in, rc, &why) : EXIT_DONE;
    buf_done(&why);
    return code;
}

void url_links_print(const json_t *answer, struct buf *out)
{
    const json_t *links = json_object_get(answer, "links"), *one;
    unsigned long long count = (unsigned long long)json_u64(links, "count");
    size_t i;
    if (!json_is_object(links)) {
        buf_printf(out, "%-9s%s\n", "links", "no link index: start with --link-index");
        return;
    }
    buf_printf(out, "%-9s%llu page%s to it\n", "links", count, count == 1 ? " links" : "s link");
    json_array_foreach(json_object_get(links, "pages"), i, one)
        buf_printf(out, "%-9s%s %s\n", "link", json_text(one, "hops"), json_text(one, "url"));
}
