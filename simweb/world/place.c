/* SPDX-License-Identifier: Apache-2.0 */
/* A path is made from a page's number, its words and its form. To read one back, the number is
 * picked out of it, the path of that page is made again, and the two must be the same bytes. */
#include "world/place.h"

#include "world/chance.h"
#include "world/put.h"
#include "world/shape.h"
#include "world/tongue.h"

/* The forms of a page's path; %s stand for the section and the slug. */
enum path_form {
    PATH_HTML,    /* /garden/quiet-river-17.html */
    PATH_FOLDER,  /* /garden/quiet-river-17/ */
    PATH_YEAR,    /* /garden/2019/quiet-river-17 */
    PATH_DATE,    /* /garden/2019/07/quiet-river-17.html */
    PATH_DEEP,    /* /garden/notes/2019/quiet/river/quiet-river-17.html */
    PATH_QUERY,   /* /garden/article.php?id=17&lang=en */
    PATH_PRIVATE, /* /private/quiet-river-17.html */
};

/* Which bits of a page's CHANCE_WORDS say what of its path; page_words_by() takes others. */
enum path_bits { BITS_FORM = 32, BITS_YEAR = 8, BITS_MONTH = 16, BITS_TAIL = 24 };

enum {
    CODED_BYTES = 3 * WORD_ROOM,       /* of a word, percent-encoded */
    PATH_BYTES = 5 * CODED_BYTES + 80, /* of the longest path: five words, numbers and the rest */
};

static enum path_form path_form(uint64_t chance)
{
    static const enum path_form usual[] = {
        PATH_HTML,   PATH_HTML, PATH_HTML, PATH_HTML, PATH_HTML,  PATH_FOLDER,
        PATH_FOLDER, PATH_YEAR, PATH_DATE, PATH_DEEP, PATH_QUERY, PATH_QUERY,
    };
    return usual[bits_below(chance, BITS_FORM, sizeof usual / sizeof *usual)];
}

static char *pen_coded(char *to, struct str word)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < word.n; i++) {
        unsigned char c = (unsigned char)word.p[i];
        if (c < 0x80) {
            *to++ = (char)c;
        } else {
            *to++ = '%';
            *to++ = hex[c >> 4];
            *to++ = hex[c & 15];
        }
    }
    return to;
}

/* Every link on every page comes through here, and most are English: those words are ASCII, and
 * copied with the room they stand in. */
static inline char *pen_word(char *to, enum tongue tongue, const struct word *word)
{
    if (tongue != TONGUE_ENGLISH)
        return pen_coded(to, word_str(word));
    memcpy(to, word->text, WORD_ROOM);
    return to + word->n;
}

static inline char *pen_slug(char *to, const struct page_words *words, uint32_t page)
{
    to = pen_byte(to, '/');
    to = pen_word(to, words->tongue, words->adjective);
    to = pen_byte(to, '-');
    to = pen_word(to, words->tongue, words->noun);
    to = pen_byte(to, '-');
    return pen_u64(to, page);
}

static char *pen_year(char *to, uint64_t chance)
{
    return pen_u64(PEN(to, "/"), 2005 + (chance >> BITS_YEAR) % 20);
}

static char *pen_month(char *to, uint64_t chance)
{
    uint64_t month = 1 + (chance >> BITS_MONTH) % 12;
    to = month < 10 ? PEN(to, "/0") : PEN(to, "/");
    return pen_u64(to, month);
}

static char *pen_query(char *to, uint32_t page, uint64_t chance)
{
    static const struct str tails[] = {
        {"", 0}, {"&lang=en", 8}, {"&view=full", 10}, {"&lang=en&page=1", 15}};
    to = pen_u64(PEN(to, "/article.php?id="), page);
    return pen(to, tails[(chance >> BITS_TAIL) % 4]);
}

/* What stands between the section and the slug. */
static char *pen_middle(char *to, enum path_form form, const struct page_words *words,
                        uint64_t chance)
{
    if (form == PATH_DEEP)
        to = PEN(to, "/more");
    if (form == PATH_YEAR || form == PATH_DATE || form == PATH_DEEP)
        to = pen_year(to, chance);
    if (form == PATH_DATE)
        to = pen_month(to, chance);
    if (form == PATH_DEEP) {
        to = pen_word(PEN(to, "/"), words->tongue, words->adjective);
        to = pen_word(PEN(to, "/"), words->tongue, words->noun);
    }
    return to;
}

static char *pen_page(char *to, const struct world *w, uint32_t host, uint32_t page)
{
    uint64_t key = page_key(w, host, page), chance = chance_at(key, CHANCE_WORDS);
    struct page_words words = page_words_by(w, host, chance);
    enum path_form form = path_form(chance);
    if (page_role_by(w, host, page, key) == PAGE_FORBIDDEN)
        form = PATH_PRIVATE;
    to = form == PATH_PRIVATE ? PEN(to, "/private")
                              : pen_word(PEN(to, "/"), words.tongue, words.section);
    if (form == PATH_QUERY)
        return pen_query(to, page, chance);
    to = pen_slug(pen_middle(to, form, &words, chance), &words, page);
    if (form == PATH_FOLDER)
        return PEN(to, "/");
    return form == PATH_YEAR ? to : PEN(to, ".html");
}

static void page_path(const struct world *w, uint32_t host, uint32_t page, struct buf *out)
{
    char room[PATH_BYTES];
    if (page == 0)
        put_byte(out, '/');
    else
        put(out, str_make(room, (size_t)(pen_page(room, w, host, page) - room)));
}

static void image_path(const struct world *w, struct place p, struct buf *out)
{
    char room[PATH_BYTES];
    struct page_words words = page_words(w, p.host, p.page);
    uint64_t chance = chance_of(w, CHANCE_IMAGE_FORM, p.host, (uint64_t)p.page << 8 | p.nth);
    char *to = pen_slug(PEN(room, "/img"), &words, p.page);
    to = pen_u64(PEN(to, "-"), p.nth);
    to = chance_share(chance, 0.5) ? PEN(to, ".png") : PEN(to, ".svg");
    put(out, str_make(room, (size_t)(to - room)));
}

void place_path(const struct world *w, struct place p, struct buf *out)
{
    static const char *const fixed[PLACE_KINDS_] = {
        [PLACE_STYLE] = "/assets/site.css", [PLACE_STYLE_IMAGE] = "/assets/pattern.png",
        [PLACE_SCRIPT] = "/assets/site.js", [PLACE_ICON] = "/favicon.ico",
        [PLACE_ROBOTS] = "/robots.txt",     [PLACE_SITEMAP_INDEX] = "/sitemap.xml",
        [PLACE_FEED] = "/feed.xml",
    };
    if (p.kind == PLACE_PAGE) {
        page_path(w, p.host, p.page, out);
    } else if (p.kind == PLACE_IMAGE) {
        image_path(w, p, out);
    } else if (p.kind == PLACE_SITEMAP) {
        PUT(out, "/sitemap-");
        put_u64(out, p.nth);
        put(out, p.nth & 1 ? STR(".xml.gz") : STR(".xml"));
    } else if (p.kind < PLACE_KINDS_ && fixed[p.kind]) {
        put(out, str_c(fixed[p.kind]));
    }
}

void place_url(const struct world *w, struct place p, struct buf *out)
{
    host_origin(w, p.host, false, out);
    place_path(w, p, out);
}

/* The decimal number at the start of `s`, at most nine digits; false without one. */
static bool number_at(struct str s, uint32_t *ret)
{
    uint32_t value = 0;
    size_t n = 0;
    while (n < s.n && n < 9 && ascii_is_digit(s.p[n]))
        value = value * 10 + (uint32_t)(s.p[n++] - '0');
    *ret = value;
    return n > 0;
}

/* What stands behind the last '-' before `*end`, which moves there. */
static bool number_behind_dash(struct str path, size_t *end, uint32_t *ret)
{
    size_t at = *end;
    while (at > 0 && path.p[at - 1] != '-')
        at--;
    if (at == 0)
        return false;
    *end = at - 1;
    return number_at(str_from(path, at), ret);
}

static struct place guess_page(uint32_t host, struct str path)
{
    struct place p = {.host = host, .kind = PLACE_PAGE};
    struct str query = STR("?id=");
    size_t end = path.n, at = str_find_str(path, query);
    bool found = at < path.n ? number_at(str_from(path, at + query.n), &p.page)
                             : number_behind_dash(path, &end, &p.page);
    return found || str_eq(path, STR("/")) ? p : (struct place){0};
}

static struct place guess_image(uint32_t host, struct str path)
{
    struct place p = {.host = host, .kind = PLACE_IMAGE};
    size_t end = path.n;
    bool found = number_behind_dash(path, &end, &p.nth) && number_behind_dash(path, &end, &p.page);
    return found ? p : (struct place){0};
}

static struct place guess_place(uint32_t host, struct str path)
{
    static const struct {
        const char *start;
        enum place_kind kind;
    } fixed[] = {
        {"/robots.txt", PLACE_ROBOTS},          {"/favicon.ico", PLACE_ICON},
        {"/sitemap.xml", PLACE_SITEMAP_INDEX},  {"/feed.xml", PLACE_FEED},
        {"/assets/site.css", PLACE_STYLE},      {"/assets/site.js", PLACE_SCRIPT},
        {"/assets/pattern", PLACE_STYLE_IMAGE}, {"/sitemap-", PLACE_SITEMAP},
    };
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (str_starts(path, str_c(fixed[i].start))) {
            struct place p = {.host = host, .kind = fixed[i].kind};
            size_t end = path.n;
            if (p.kind == PLACE_SITEMAP && !number_behind_dash(path, &end, &p.nth))
                return (struct place){0};
            return p;
        }
    return str_starts(path, STR("/img/")) ? guess_image(host, path) : guess_page(host, path);
}

/* Whether the world has it; only then may its path be computed. */
static bool place_exists(const struct world *w, struct place p)
{
    switch (p.kind) {
    case PLACE_NONE:
        return false;
    case PLACE_PAGE:
        return p.page < host_pages(w, p.host);
    case PLACE_IMAGE: { /* a copy shows the pictures of its original */
        if (p.page >= host_pages(w, p.host))
            return false;
        struct page page = page_of(w, p.host, p.page);
        return page.same_as == 0 && page.role != PAGE_DUPLICATE &&
               page.role != PAGE_NEAR_DUPLICATE && p.nth < page.images;
    }
    case PLACE_ROBOTS:
        return host_robots(w, p.host).exists;
    case PLACE_SITEMAP_INDEX:
        return host_robots(w, p.host).sitemaps > 0;
    case PLACE_SITEMAP:
        return p.nth < host_robots(w, p.host).sitemaps;
    default:
        return true;
    }
}

struct place place_of(const struct world *w, uint32_t host, struct str path_and_query)
{
    enum { MOST_BYTES = 1000 }; /* the longest path of ours is far shorter */
    char room[MOST_BYTES];
    struct buf same = buf_on(room, sizeof room);
    if (path_and_query.n > MOST_BYTES || host >= world_settings(w)->hosts)
        return (struct place){0};
    struct place p = guess_place(host, path_and_query);
    if (!place_exists(w, p))
        return (struct place){0};
    place_path(w, p, &same);
    bool is_same = buf_rc(&same) == RC_OK && str_eq(path_and_query, buf_str(&same));
    return is_same ? p : (struct place){0};
}

struct place place_of_url(const struct world *w, struct str url)
{
    size_t slashes = str_find_str(url, STR("://"));
    struct str rest = str_from(url, slashes + 3);
    size_t path = str_find(rest, '/');
    struct str authority = str_first(rest, path);
    int64_t host = host_of(w, str_first(authority, str_find(authority, ':')));
    if (slashes == url.n || host < 0)
        return (struct place){0};
    return place_of(w, (uint32_t)host, path == rest.n ? STR("/") : str_from(rest, path));
}
