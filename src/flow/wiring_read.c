/* SPDX-License-Identifier: Apache-2.0 */
/* From a tree of words to a wiring. Every function goes on after a problem, so that a person sees
 * all of them at once; wiring_check() looks at the graph only if the words were in order. */
#include "flow/wiring.h"

#include "base/mem.h"
#include "flow/tree_option.h"
#include "net/link.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { ARENA_BLOCK = 16 << 10, ARENA_MAX_BYTES = 64 << 20 };
#define CREDITS_MAX 100000000u

struct reader {
    struct wiring *w;
    const struct catalog *catalog;
    struct problems *problems;
    const char *file;
    enum rc rc; /* RC_NOMEM ends everything */
};

#define WRONG(r, at, ...) problems_add((r)->problems, (at)->line, (at)->column, __VA_ARGS__)

/* "unknown X; did you mean Y?" */
static void wrong_name(struct reader *r, const struct tree *at, const struct nearest *near,
                       const char *where, const char *what)
{
    struct buf like = {.max = 1000};
    nearest_print(near, &like);
    WRONG(r, at, "%s: unknown %s \"" STR_FMT "\"" STR_FMT, where, what, STR_ARG(near->wanted),
          STR_ARG(buf_str(&like)));
    if (like.rc)
        r->rc = like.rc;
    buf_done(&like);
}

static void *room(struct reader *r, size_t bytes)
{
    void *p = arena_zero(r->w->arena, bytes);
    if (!p)
        r->rc = RC_NOMEM;
    return p;
}

static const char *label(struct reader *r, const char *section, struct str name, const char *key)
{
    struct str text = arena_printf(r->w->arena, "%s." STR_FMT "%s%s", section, STR_ARG(name),
                                   key ? "." : "", key ? key : "");
    if (!text.p)
        r->rc = RC_NOMEM;
    return text.p ? text.p : section;
}

static bool expect(struct reader *r, const struct tree *t, enum tree_kind kind, const char *where,
                   const char *what)
{
    if (t->kind == kind && !(kind == TREE_TEXT && t->is_null))
        return true;
    WRONG(r, t, "%s: expected %s, found %s", where, what, tree_kind_text(t));
    return false;
}

/* A number with a unit, read as an option is, so that 1k and 1M mean the same everywhere. */
static bool read_count(struct reader *r, const struct tree *t, const char *where, uint64_t min,
                       uint64_t max, uint64_t *ret)
{
    const struct option o = {.key = where, .type = OPTION_COUNT, .min = min, .max = max};
    if (!expect(r, t, TREE_TEXT, where, "a whole number"))
        return false;
    struct buf why = {.max = 1000};
    enum rc rc = option_set(&o, ret, r->w->arena, t->text, &why);
    if (rc == RC_INVALID)
        WRONG(r, t, "%s: \"" STR_FMT "\": " STR_FMT, where, STR_ARG(t->text),
              STR_ARG(buf_str(&why)));
    buf_done(&why);
    return rc == RC_OK;
}

/* ---- parts ---- */

static bool is_path(struct str name)
{
    return str_starts(name, STR("./")) || str_starts(name, STR("../")) ||
           str_starts(name, STR("/"));
}

static const struct part *load_library(struct reader *r, const struct tree *at, struct str name,
                                       const char *where)
{
    const char *slash = strrchr(r->file, '/');
    struct str folder =
        slash && name.p[0] != '/' ? str_make(r->file, (size_t)(slash - r->file) + 1) : STR("");
    struct str path = arena_printf(r->w->arena, STR_FMT STR_FMT, STR_ARG(folder), STR_ARG(name));
    if (!path.p) {
        r->rc = RC_NOMEM;
        return NULL;
    }
    const struct part *part = NULL;
    struct buf why = {.max = 4000};
    enum rc rc = library_load(&r->w->libraries, path.p, &part, &why);
    if (rc == RC_NOMEM)
        r->rc = rc;
    else if (rc)
        WRONG(r, at, "%s: " STR_FMT, where, STR_ARG(buf_str(&why)));
    buf_done(&why);
    return part;
}

static const struct part *find_part(struct reader *r, const struct tree *at, struct str name,
                                    struct str role, enum part_kind kind, const char *where)
{
    const struct part *part;
    if (is_path(name)) {
        part = load_library(r, at, name, where);
        if (part && part->kind != kind) {
            WRONG(r, at, "%s: \"%s\" is a %s; expected a %s", where, part->name,
                  kind == PART_PROVIDER ? "component" : "provider",
                  kind == PART_PROVIDER ? "provider" : "component");
            part = NULL;
        }
        return part;
    }
    struct nearest near = {.wanted = name};
    if (kind == PART_COMPONENT) {
        part = catalog_component(r->catalog, name, &near);
    } else {
        struct str rest = name;
        struct str interface = str_take_until(&rest, '/'); /* seen/exact, for a role of any name */
        part = rest.p ? catalog_provider(r->catalog, interface, rest, NULL)
                      : catalog_provider(r->catalog, role, name, &near);
    }
    if (!part && str_ends(name, STR(".so")))
        WRONG(r, at,
              "%s: unknown part \"" STR_FMT "\"; a shared object is named by its path: ./" STR_FMT,
              where, STR_ARG(name), STR_ARG(name));
    else if (!part)
        wrong_name(r, at, &near, where, "part");
    return part;
}

static void read_option(struct reader *r, const struct option *o, void *settings,
                        const struct tree *value, const char *where)
{
    enum rc rc = tree_option(value, o, settings, r->w->arena, where, r->problems);
    if (rc)
        r->rc = rc;
}

static void read_shard(struct reader *r, struct wiring_part *p, const struct tree *t,
                       const char *where)
{
    uint64_t shard;
    if (!read_count(r, t, where, 0, WIRING_MAX_SHARDS, &shard))
        return;
    if (shard >= r->w->shards)
        WRONG(r, t, "%s: there is no shard %llu: shards are numbered 0 to %u", where,
              (unsigned long long)shard, r->w->shards - 1);
    else
        p->shard = (int)shard;
}

static void read_credits(struct reader *r, struct wiring_part *p, const struct tree *t,
                         const char *where)
{
    uint64_t credits;
    uint32_t least = p->part->credits_each ? p->part->credits_each : 1;
    if (!p->part->produce)
        WRONG(r, t, "%s: part \"%s\" is no source: only sources have credits", where,
              p->part->name);
    else if (read_count(r, t, where, least, CREDITS_MAX, &credits))
        p->credits = (uint32_t)credits;
}

static void read_at(struct reader *r, struct wiring_part *p, const struct tree *t,
                    const char *where)
{
    struct nearest near = {.wanted = t->text};
    if (!expect(r, t, TREE_TEXT, where, "the name of a place"))
        return;
    for (unsigned i = 0; i < r->w->place_count; i++) {
        if (str_eq(r->w->places[i].name, t->text)) {
            p->place = i;
            return;
        }
        nearest_try(&near, r->w->places[i].name);
    }
    if (r->w->place_count)
        wrong_name(r, t, &near, where, "place");
    else
        WRONG(r, t, "%s: the wiring has no places; expected \"places\" with their addresses",
              where);
}

static void read_key(struct reader *r, struct wiring_part *p, const struct tree *key,
                     const struct tree *value, const char *section)
{
    bool is_component = p->part->kind == PART_COMPONENT;
    const char *where = label(r, section, p->name, key->text.p);
    const struct option *o = option_find(p->part->options, key->text);
    if (o) {
        read_option(r, o, p->settings, value, where);
    } else if (is_component && str_eq(key->text, STR("shard"))) {
        read_shard(r, p, value, where);
    } else if (is_component && str_eq(key->text, STR("credits"))) {
        read_credits(r, p, value, where);
    } else if (is_component && str_eq(key->text, STR("at"))) {
        read_at(r, p, value, where);
    } else {
        struct nearest near = {.wanted = key->text};
        for (o = p->part->options; o && o->key; o++)
            nearest_try(&near, str_c(o->key));
        nearest_try(&near, STR("part"));
        if (is_component) {
            nearest_try(&near, STR("shard"));
            nearest_try(&near, STR("credits"));
            nearest_try(&near, STR("at"));
        }
        wrong_name(r, key, &near, label(r, section, p->name, NULL), "option");
    }
}

/* What the crawl was told goes before the part's own default. */
static void inherit(const struct catalog *c, const struct option *own, void *settings)
{
    for (const struct option *o = own; c->table && o && o->key; o++) {
        const struct option *row = option_find(c->table, str_c(o->key));
        if (row && row->type == o->type)
            memcpy((char *)settings + o->offset, (const char *)c->settings + row->offset,
                   option_bytes(o));
    }
}

/* Under its key or its former one. */
static bool is_given(const struct tree *map, const struct option *o)
{
    return tree_get(map, str_c(o->key)) || (o->former && tree_get(map, str_c(o->former)));
}

static void read_settings(struct reader *r, struct wiring_part *p, const struct tree *key,
                          const struct tree *value, const char *section)
{
    p->settings = room(r, p->part->settings_bytes);
    if (r->rc || (r->rc = options_default(p->part->options, p->settings, r->w->arena)))
        return;
    inherit(r->catalog, p->part->options, p->settings);
    for (size_t i = 0; value->kind == TREE_MAP && i < value->count && r->rc == RC_OK; i++)
        if (!str_eq(tree_key(value, i)->text, STR("part")))
            read_key(r, p, tree_key(value, i), tree_value(value, i), section);
    for (const struct option *o = p->part->options; o && o->key; o++)
        if (o->required && !is_given(value, o))
            WRONG(r, key, "%s: option \"%s\" must be given (%s)", label(r, section, p->name, NULL),
                  o->key, o->help);
}

static bool is_good_name(struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (!ascii_is_alnum(name.p[i]) && name.p[i] != '-' && name.p[i] != '_')
            return false;
    return name.n > 0 && name.n <= 64;
}

static void read_part(struct reader *r, struct wiring_part *p, const struct tree *key,
                      const struct tree *value, enum part_kind kind)
{
    const char *section = kind == PART_COMPONENT ? "components" : "providers";
    const char *where = label(r, section, key->text, NULL);
    *p = (struct wiring_part){.name = key->text, .shard = WIRING_ALL_SHARDS};
    p->line = key->line;
    p->column = key->column;
    if (!is_good_name(key->text)) {
        WRONG(r, key, "%s: expected a name of letters, digits, - and _, at most 64", where);
        return;
    }
    const struct tree *named = value->kind == TREE_MAP ? tree_get(value, STR("part")) : NULL;
    if (value->kind == TREE_TEXT && !value->is_null)
        named = value;
    if (value->kind == TREE_LIST ||
        (named && !expect(r, named, TREE_TEXT, where, "a part's name")) ||
        (!named && kind == PART_PROVIDER)) {
        if (!named || value->kind == TREE_LIST)
            WRONG(r, value->is_null ? key : value,
                  "%s: expected a part's name, or a mapping with \"part\" and options", where);
        return;
    }
    p->part =
        find_part(r, named ? named : key, named ? named->text : key->text, key->text, kind, where);
    if (!p->part)
        return;
    p->shard = p->part->where == PART_ON_ONE_SHARD ? 0 : WIRING_ALL_SHARDS;
    p->credits = p->part->credits_default ? p->part->credits_default : PART_CREDITS;
    read_settings(r, p, key, value, section);
}

static struct wiring_part *read_parts(struct reader *r, const struct tree *t, enum part_kind kind,
                                      unsigned *ret_count)
{
    const char *section = kind == PART_COMPONENT ? "components" : "providers";
    if (!t || (t->is_null && kind == PART_PROVIDER) ||
        !expect(r, t, TREE_MAP, section, "a mapping of names to parts"))
        return NULL;
    if (t->count > WIRING_MAX_PARTS) {
        WRONG(r, t, "%s: more than %d", section, WIRING_MAX_PARTS);
        return NULL;
    }
    struct wiring_part *list = room(r, t->count * sizeof *list);
    for (size_t i = 0; list && i < t->count && r->rc == RC_OK; i++)
        read_part(r, &list[i], tree_key(t, i), tree_value(t, i), kind);
    *ret_count = list ? (unsigned)t->count : 0;
    return list;
}

/* ---- connections ---- */

struct end {
    unsigned component;
    struct str port; /* absent: the first of the table */
};

/* Line and column of a word inside a "a -> b.c" scalar: on its line unless it was folded. */
static struct tree word_place(const struct tree *t, const char *word)
{
    struct tree at = *t;
    at.column += (unsigned)(word - t->text.p) + t->is_quoted;
    return at;
}

static bool read_end(struct reader *r, const struct tree *t, struct str word, struct end *ret)
{
    struct tree at = word_place(t, word.p);
    struct str port = word;
    struct str name = str_take_until(&port, '.');
    struct nearest near = {.wanted = name};
    for (unsigned i = 0; i < r->w->component_count; i++) {
        if (str_eq(r->w->components[i].name, name)) {
            *ret = (struct end){i, port};
            return r->w->components[i].part != NULL; /* a part not found was told already */
        }
        nearest_try(&near, r->w->components[i].name);
    }
    if (name.n == 0)
        WRONG(r, &at, "connections: expected \"component.outlet -> component.inlet\"");
    else
        wrong_name(r, &at, &near, "connections", "component");
    return false;
}

static bool find_port(struct reader *r, const struct tree *t, const struct end *end, bool is_outlet,
                      unsigned *ret)
{
    const struct wiring_part *p = &r->w->components[end->component];
    const struct part_port *ports = is_outlet ? p->part->outlets : p->part->inlets;
    const char *what = is_outlet ? "outlet" : "inlet";
    struct nearest near = {.wanted = end->port};
    *ret = 0;
    if (!ports || !ports->name) {
        WRONG(r, t, "connections: part \"%s\" of " STR_FMT " has no %ss", p->part->name,
              STR_ARG(p->name), what);
        return false;
    }
    for (unsigned i = 0; ports[i].name; i++) {
        if (!end->port.p || str_eq(str_c(ports[i].name), end->port)) {
            *ret = i;
            return true;
        }
        nearest_try(&near, str_c(ports[i].name));
    }
    struct tree at = word_place(t, end->port.p);
    wrong_name(r, &at, &near, label(r, "components", p->name, NULL), what);
    return false;
}

static void read_route(struct reader *r, struct wiring_connection *c, const struct tree *t)
{
    if (!expect(r, t, TREE_TEXT, "route", "hash or same"))
        return;
    if (str_eq(t->text, STR("hash")))
        c->route = ROUTE_HASH;
    else if (str_eq(t->text, STR("same")))
        c->route = ROUTE_SAME;
    else
        WRONG(r, t, "route: \"" STR_FMT "\": expected hash or same", STR_ARG(t->text));
}

/* Where messages go that a pool will not answer: "disposition" or "disposition.in". */
static void read_lost(struct reader *r, struct wiring_connection *c, const struct tree *t)
{
    struct end to;
    if (expect(r, t, TREE_TEXT, "lost", "component.inlet") && read_end(r, t, t->text, &to) &&
        find_port(r, t, &to, false, &c->lost_inlet))
        c->lost = to.component;
}

static void read_connection_key(struct reader *r, struct wiring_connection *c,
                                const struct tree *key, const struct tree *value)
{
    static const struct option spill = {.key = "spill", .type = OPTION_BOOL};
    uint64_t length;
    if (str_eq(key->text, STR("queue"))) {
        if (read_count(r, value, "queue", 1, WIRING_MAX_QUEUE, &length))
            c->queue_length = (size_t)length;
    } else if (str_eq(key->text, STR("route"))) {
        read_route(r, c, value);
    } else if (str_eq(key->text, STR("spill"))) {
        read_option(r, &spill, &c->spills, value, "spill");
    } else if (str_eq(key->text, STR("lost"))) {
        read_lost(r, c, value);
    } else {
        struct nearest near = {.wanted = key->text};
        nearest_try(&near, STR("queue"));
        nearest_try(&near, STR("route"));
        nearest_try(&near, STR("spill"));
        nearest_try(&near, STR("lost"));
        wrong_name(r, key, &near, "connections", "key");
    }
}

static struct wiring_connection read_how(struct reader *r, const struct tree *t)
{
    struct wiring_connection c = {.lost = WIRING_NOWHERE};
    if (!t || t->is_null || !expect(r, t, TREE_MAP, "connections", "queue, route, spill and lost"))
        return c;
    for (size_t i = 0; i < t->count; i++)
        read_connection_key(r, &c, tree_key(t, i), tree_value(t, i));
    if (!tree_get(t, STR("queue")) && (c.route != ROUTE_UNSAID || c.spills))
        WRONG(r, t, "connections: route and spill belong to a queue; expected \"queue: length\"");
    return c;
}

/* The next word of "a -> b -> c", trimmed, out of *rest; false at the end. */
static bool next_word(struct str *rest, struct str *ret)
{
    if (!rest->p)
        return false;
    size_t at = str_find_str(*rest, STR("->"));
    *ret = str_trim(str_first(*rest, at));
    *rest = at < rest->n ? str_from(*rest, at + 2) : STR_NONE;
    return true;
}

static void add_connection(struct reader *r, const struct tree *t, struct wiring_connection how,
                           const struct end *from, const struct end *to)
{
    how.from = from->component;
    how.to = to->component;
    how.line = t->line;
    how.column = t->column;
    bool good = find_port(r, t, from, true, &how.outlet);
    if (!find_port(r, t, to, false, &how.inlet) || !good)
        return;
    if (r->w->connection_count == WIRING_MAX_CONNECTIONS) {
        WRONG(r, t, "connections: more than %d", WIRING_MAX_CONNECTIONS);
        return;
    }
    r->w->connections[r->w->connection_count++] = how;
}

/* A word in the middle of a chain is entered by its first inlet and left by its outlet: a name
 * behind the dot is the outlet unless it is the last word. */
static void read_chain(struct reader *r, const struct tree *t, const struct tree *how_tree)
{
    struct wiring_connection how = read_how(r, how_tree);
    struct str rest = t->text, word;
    struct end from = {0}, to;
    size_t words = 0;
    bool good = true;
    while (next_word(&rest, &word)) {
        bool is_known = read_end(r, t, word, &to);
        bool is_last = !rest.p;
        struct end entered = to;
        if (!is_last)
            entered.port = STR_NONE;
        if (words++ && is_known && good)
            add_connection(r, t, how, &from, &entered);
        good = is_known;
        from = to;
    }
    if (words < 2)
        WRONG(r, t, "connections: expected \"component.outlet -> component.inlet\"");
}

static void read_connections(struct reader *r, const struct tree *t)
{
    if (!t || t->is_null || !expect(r, t, TREE_LIST, "connections", "a list"))
        return;
    r->w->connections = room(r, WIRING_MAX_CONNECTIONS * sizeof *r->w->connections);
    for (size_t i = 0; i < t->count && r->rc == RC_OK; i++) {
        const struct tree *item = t->items[i];
        if (item->kind == TREE_TEXT && !item->is_null)
            read_chain(r, item, NULL);
        else if (item->kind == TREE_MAP && item->count == 1)
            read_chain(r, tree_key(item, 0), tree_value(item, 0));
        else
            WRONG(r, item,
                  "connections: expected \"a.out -> b.in\" or \"a.out -> b.in: {queue: "
                  "1000}\", found %s",
                  item->kind == TREE_MAP ? "a mapping of several keys" : tree_kind_text(item));
    }
}

/* ---- places ---- */

static void read_pool(struct reader *r, struct wiring_place *p, const struct tree *t,
                      const char *where)
{
    p->pool = arena_zero(r->w->arena, sizeof *p->pool);
    if (!p->pool || options_default(pool_options, p->pool, r->w->arena) != RC_OK) {
        r->rc = RC_NOMEM;
        return;
    }
    for (size_t i = 0; i < t->count; i++) {
        const struct tree *key = tree_key(t, i);
        const struct option *o = option_find(pool_options, key->text);
        struct nearest near = {.wanted = key->text};
        for (const struct option *row = pool_options; !o && row->key; row++)
            nearest_try(&near, str_c(row->key));
        if (o)
            read_option(r, o, p->pool, tree_value(t, i), where);
        else
            wrong_name(r, key, &near, where, "key");
    }
    if (!p->pool->is_pool)
        WRONG(r, t, "%s: expected address:port, or {pool: yes}", where);
}

static void read_place(struct reader *r, struct wiring_place *p, const struct tree *key,
                       const struct tree *value)
{
    struct link_address ignored;
    const char *where = label(r, "places", key->text, NULL);
    *p = (struct wiring_place){.name = key->text, .line = key->line, .column = key->column};
    if (!is_good_name(key->text))
        WRONG(r, key, "%s: expected a name of letters, digits, - and _, at most 64", where);
    if (value && value->kind == TREE_MAP) {
        read_pool(r, p, value, where);
        return;
    }
    if (!expect(r, value, TREE_TEXT, where, "address:port, or {pool: yes}"))
        return;
    p->address = value->text;
    if (link_address_read(value->text, &ignored) != RC_OK)
        WRONG(r, value, "%s: \"" STR_FMT "\": expected address:port, as 10.0.0.2:7001", where,
              STR_ARG(value->text));
}

static void read_places(struct reader *r, const struct tree *t)
{
    if (!t ||
        !expect(r, t, TREE_MAP, "places", "a mapping of names to address:port or {pool: yes}"))
        return;
    if (t->count > WIRING_MAX_PLACES) {
        WRONG(r, t, "places: more than %d", WIRING_MAX_PLACES);
        return;
    }
    r->w->places = room(r, t->count * sizeof *r->w->places);
    r->w->place_count = r->w->places ? (unsigned)t->count : 0;
    for (unsigned i = 0; i < r->w->place_count && r->rc == RC_OK; i++)
        read_place(r, &r->w->places[i], tree_key(t, i), tree_value(t, i));
}

/* ---- the whole ---- */

static void read_shards(struct reader *r, const struct tree *t)
{
    uint64_t count = 1;
    if (t && t->kind == TREE_TEXT && str_eq(t->text, STR("cores"))) {
        long cores = sysconf(_SC_NPROCESSORS_ONLN);
        count = cores < 1 ? 1 : cores > WIRING_MAX_SHARDS ? WIRING_MAX_SHARDS : (uint64_t)cores;
    } else if (t && !read_count(r, t, "shards", 1, WIRING_MAX_SHARDS, &count)) {
        count = 1;
    }
    r->w->shards = (unsigned)count;
}

static void check_top_keys(struct reader *r, const struct tree *root)
{
    static const char *const known[] = {"name",      "shards",     "places",
                                        "providers", "components", "connections"};
    enum { KNOWN = sizeof known / sizeof known[0] };
    for (size_t i = 0; i < root->count; i++) {
        const struct tree *key = tree_key(root, i);
        struct nearest near = {.wanted = key->text};
        bool found = false;
        for (size_t k = 0; k < KNOWN && !found; k++) {
            found = str_eq(key->text, str_c(known[k]));
            nearest_try(&near, str_c(known[k]));
        }
        if (!found)
            wrong_name(r, key, &near, "wiring", "key");
    }
}

static void read_root(struct reader *r, const struct tree *root)
{
    struct wiring *w = r->w;
    if (!root) {
        problems_add(r->problems, 1, 1, "the file is empty; expected components and connections");
        return;
    }
    if (!expect(r, root, TREE_MAP, "wiring", "name, shards, components and connections"))
        return;
    check_top_keys(r, root);
    const struct tree *name = tree_get(root, STR("name"));
    w->name = name && expect(r, name, TREE_TEXT, "name", "a name") ? name->text : STR("unnamed");
    read_shards(r, tree_get(root, STR("shards")));
    read_places(r, tree_get(root, STR("places")));
    w->providers =
        read_parts(r, tree_get(root, STR("providers")), PART_PROVIDER, &w->provider_count);
    const struct tree *components = tree_get(root, STR("components"));
    if (!components)
        WRONG(r, root, "wiring: key \"components\" is missing");
    w->components = read_parts(r, components, PART_COMPONENT, &w->component_count);
    read_connections(r, tree_get(root, STR("connections")));
}

enum rc wiring_read(struct str text, const char *file, const struct catalog *catalog,
                    struct wiring **ret_wiring, struct problems *problems)
{
    if (text.n > WIRING_MAX_BYTES) {
        problems_add(problems, 1, 1, "the file is larger than %d KiB", WIRING_MAX_BYTES >> 10);
        return RC_INVALID;
    }
    struct arena *arena = arena_open(ARENA_BLOCK, ARENA_MAX_BYTES);
    struct wiring *w = arena ? arena_zero(arena, sizeof *w) : NULL;
    if (!w) {
        arena_close(arena);
        return RC_NOMEM;
    }
    w->arena = arena;
    struct reader r = {.w = w, .catalog = catalog, .problems = problems, .file = file};
    const struct tree *root = NULL;
    r.rc = tree_read(text, arena, problems, &root);
    if (r.rc == RC_OK)
        read_root(&r, root);
    if (r.rc == RC_OK)
        r.rc = problems_rc(problems);
    if (r.rc == RC_OK)
        r.rc = wiring_check(w, catalog, problems);
    if (r.rc)
        wiring_close(w);
    else
        *ret_wiring = w;
    return r.rc;
}

static enum rc read_whole(int fd, struct buf *text)
{
    char *to;
    while ((to = buf_reserve(text, 4096))) {
        ssize_t n = read(fd, to, 4096);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? RC_IO : RC_OK;
        text->n += (size_t)n;
        if (text->n > WIRING_MAX_BYTES)
            return RC_OK; /* wiring_read() says so */
    }
    return buf_rc(text);
}

enum rc wiring_load(const char *file, const struct catalog *catalog, struct wiring **ret_wiring,
                    struct problems *problems)
{
    struct buf text = {.max = WIRING_MAX_BYTES + 8192};
    int fd = strcmp(file, "-") == 0 ? dup(STDIN_FILENO) : open(file, O_RDONLY | O_CLOEXEC);
    enum rc rc = fd < 0 ? RC_IO : read_whole(fd, &text);
    if (rc == RC_IO) {
        problems_add(problems, 1, 1, "cannot read the file: %s", strerror(errno));
        rc = RC_INVALID;
    }
    if (fd >= 0)
        close(fd);
    if (rc == RC_OK)
        rc = wiring_read(buf_str(&text), file, catalog, ret_wiring, problems);
    buf_done(&text);
    return rc;
}

void wiring_close(struct wiring *w)
{
    if (!w)
        return;
    library_close_all(&w->libraries);
    arena_close(w->arena);
}
