/* SPDX-License-Identifier: Apache-2.0 */
/* looks: what a person sees of the ordinary web: pictures, style sheets, scripts, and the index
 * page of the demo.
 *
 * Every host has a theme (birds, coast, night sky …) that its pictures show, and a look (cards,
 * magazine, dark …) that its style sheet gives. Everything follows from the world's settings alone.
 *
 * The style sheets know these classes, and the semantic elements with none:
 *
 *   <body class="page">
 *     <header class="top"><a …>site</a> <nav class="nav"><a>…</a></nav></header>
 *     <main class="article"> <h1> <p class="lead"> <p> <h2> <ul> <table> <blockquote> <pre> <form>
 *       <figure class="figure"><img><figcaption>…</figcaption></figure>
 *       <aside class="box">…</aside>  <span class="tag">…</span>
 *       <div class="cards"><section class="card">…</section>…</div>
 *     </main>
 *     <footer class="foot">…</footer>
 *
 * Nothing depends on the nesting; an <img> anywhere stays within its column. */
#ifndef CONTENT_LOOKS_H
#define CONTENT_LOOKS_H

#include "world/links.h"
#include "world/version.h"

#include "base/rng.h"

/* Pictures ---------------------------------------------------------------------------------- */

/* "image/png", "image/svg+xml" or "image/x-icon", by the suffix of the place's path. */
const char *image_type(const struct world *w, struct place p);

/* Appends the bytes of a PLACE_IMAGE, PLACE_STYLE_IMAGE or PLACE_ICON. A change of v.image is a
 * change of the picture that anybody would see. Failures stick in `out`. */
void image_write(const struct world *w, struct place p, struct version v, struct buf *out);

/* What width= and height= may say of it. */
struct image_size {
    uint32_t width, height;
};
struct image_size image_size(const struct world *w, struct place p);

/* What alt= and a caption may say of a PLACE_IMAGE: "A lighthouse at dusk". Plain ASCII, without
 * markup and quotes; the same for every version. */
void image_words(const struct world *w, struct place p, struct buf *out);

/* The host's sign as an inline <svg class="emblem">, for the page's top; names no URL. */
void emblem_write(const struct world *w, uint32_t host, struct buf *out);

/* Style sheet and script -------------------------------------------------------------------- */

/* Names one image by url(), PLACE_STYLE_IMAGE, and nothing else. */
void style_write(const struct world *w, uint32_t host, struct buf *out);

/* Harmless; has strings that look like paths and are none. */
void script_write(const struct world *w, uint32_t host, struct buf *out);

/* The demo ---------------------------------------------------------------------------------- */

/* Words for people, plain ASCII without markup: the site's name ("Harbour Light"), one line about
 * it, a page's title ("Three boats before the storm"), and a sentence or two to begin it with. They
 * fit the host's theme in every world; meant for the demo. */
void demo_site_name(const struct world *w, uint32_t host, struct buf *out);
void demo_site_line(const struct world *w, uint32_t host, struct buf *out);
void demo_page_title(const struct world *w, uint32_t host, uint32_t page, struct buf *out);
void demo_page_lead(const struct world *w, uint32_t host, uint32_t page, struct buf *out);

/* One sentence with its full stop, and a heading without, for the demo's running text: plain ASCII,
 * free of markup and quotes. They fit any theme. */
void demo_sentence(struct rng *r, struct buf *out);
void demo_heading(struct rng *r, struct buf *out);

/* How the demo's index page places the links it must have. `write` appends the whole element of
 * links->list[nth]: <a href=…>inner</a>, <area href=… alt=…>, <iframe src=…></iframe>, <img src=…
 * alt=…>. `inner` is finished HTML for <a>, and plain text for the alt of the others; where it is
 * absent, `write` finds words itself. */
struct demo_links {
    const struct links *links;
    void (*write)(void *ctx, uint32_t nth, struct str inner, struct buf *out);
    void *ctx;
};

/* The inside of <main> of host 0's home page in demo mode, from its <h1> on. Writes each link of
 * kind LINK_A, LINK_A_NOFOLLOW, LINK_AREA, LINK_IFRAME and LINK_IMAGE exactly once, in an order of
 * its own, and no other; those of the head (style, script, icon, feed, refresh) are the caller's.
 */
void demo_index_write(const struct world *w, const struct demo_links *links, struct buf *out);

#endif
