/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows libyaml. Its document shares the node of an anchor among all aliases,
 * so a document can be a graph, even one with cycles; copying it with a limit on depth and number
 * makes it a tree, or refuses it. The recursion is as deep as TREE_MAX_DEPTH and no deeper. */
#include "flow/tree.h"

#include <yaml.h>

#define TOO_DEEP "values are nested more than 12 deep"
#define TOO_MANY "more than 20000 values (aliases count each time they are used)"

struct copier {
    yaml_document_t *document;
    struct arena *arena;
    struct problems *problems;
    size_t nodes;
    enum rc rc;
};

const struct tree *tree_get(const struct tree *map, struct str key)
{
    for (size_t i = 0; map && map->kind == TREE_MAP && i < map->count; i++)
        if (str_eq(tree_key(map, i)->text, key))
            return tree_value(map, i);
    return NULL;
}

const char *tree_kind_text(const struct tree *t)
{
    if (t->kind == TREE_TEXT)
        return t->is_null ? "nothing" : "a single value";
    return t->kind == TREE_LIST ? "a list" : "a mapping";
}

static struct tree *refuse(struct copier *c, const yaml_node_t *n, const char *what)
{
    if (c->rc == RC_OK)
        problems_add(c->problems, (unsigned)n->start_mark.line + 1,
                     (unsigned)n->start_mark.column + 1, "%s", what);
    c->rc = RC_INVALID;
    return NULL;
}

static struct tree *no_memory(struct copier *c)
{
    c->rc = RC_NOMEM;
    return NULL;
}

static struct tree *copy(struct copier *c, int index, unsigned depth);

static bool is_null_text(const yaml_node_t *n)
{
    const char *p = (const char *)n->data.scalar.value;
    size_t length = n->data.scalar.length;
    return n->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
           (length == 0 || strcmp(p, "~") == 0 || strcmp(p, "null") == 0);
}

static struct tree *copy_text(struct copier *c, const yaml_node_t *n, struct tree *t)
{
    t->kind = TREE_TEXT;
    t->text =
        arena_dup(c->arena, str_make((const char *)n->data.scalar.value, n->data.scalar.length));
    t->is_null = is_null_text(n);
    t->is_quoted = n->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                   n->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (t->text.p && memchr(t->text.p, 0, t->text.n))
        return refuse(c, n, "a value holds a NUL character");
    return t->text.p ? t : no_memory(c);
}

static struct tree *copy_list(struct copier *c, const yaml_node_t *n, struct tree *t,
                              unsigned depth)
{
    t->kind = TREE_LIST;
    t->count = (size_t)(n->data.sequence.items.top - n->data.sequence.items.start);
    t->items = arena_zero(c->arena, t->count * sizeof(struct tree *));
    if (!t->items)
        return no_memory(c);
    for (size_t i = 0; i < t->count; i++)
        if (!(t->items[i] = copy(c, n->data.sequence.items.start[i], depth + 1)))
            return NULL;
    return t;
}

static bool has_key(const struct tree *map, size_t count, struct str key)
{
    for (size_t i = 0; i < count; i++)
        if (str_eq(tree_key(map, i)->text, key))
            return true;
    return false;
}

static struct tree *copy_map(struct copier *c, const yaml_node_t *n, struct tree *t, unsigned depth)
{
    t->kind = TREE_MAP;
    t->count = (size_t)(n->data.mapping.pairs.top - n->data.mapping.pairs.start);
    if (t->count > TREE_MAX_KEYS)
        return refuse(c, n, "a mapping has more than 1000 keys");
    t->items = arena_zero(c->arena, 2 * t->count * sizeof(struct tree *));
    if (!t->items)
        return no_memory(c);
    for (size_t i = 0; i < t->count; i++) {
        const yaml_node_pair_t *pair = &n->data.mapping.pairs.start[i];
        struct tree *key = t->items[2 * i] = copy(c, pair->key, depth + 1);
        if (!key)
            return NULL;
        if (key->kind != TREE_TEXT)
            return refuse(c, yaml_document_get_node(c->document, pair->key),
                          "a key must be a single word or text");
        if (has_key(t, i, key->text))
            problems_add(c->problems, key->line, key->column,
                         "key \"" STR_FMT "\" stands twice in this mapping", STR_ARG(key->text));
        if (!(t->items[2 * i + 1] = copy(c, pair->value, depth + 1)))
            return NULL;
    }
    return t;
}

static struct tree *copy(struct copier *c, int index, unsigned depth)
{
    const yaml_node_t *n = yaml_document_get_node(c->document, index);
    if (depth > TREE_MAX_DEPTH)
        return refuse(c, n, TOO_DEEP);
    if (++c->nodes > TREE_MAX_NODES)
        return refuse(c, n, TOO_MANY);
    struct tree *t = arena_zero(c->arena, sizeof *t);
    if (!t)
        return no_memory(c);
    t->line = (unsigned)n->start_mark.line + 1;
    t->column = (unsigned)n->start_mark.column + 1;
    if (n->type == YAML_SCALAR_NODE)
        return copy_text(c, n, t);
    return n->type == YAML_SEQUENCE_NODE ? copy_list(c, n, t, depth) : copy_map(c, n, t, depth);
}

/* Bytes that are not UTF-8 come with an offset only. */
static void place_of(struct str yaml, size_t offset, unsigned *line, unsigned *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset && i < yaml.n; i++) {
        bool ends = yaml.p[i] == '\n';
        *line += ends;
        *column = ends ? 1 : *column + 1;
    }
}

static enum rc report(const yaml_parser_t *p, struct str yaml, struct problems *problems)
{
    unsigned line = (unsigned)p->problem_mark.line + 1;
    unsigned column = (unsigned)p->problem_mark.column + 1;
    if (p->error == YAML_MEMORY_ERROR)
        return RC_NOMEM;
    if (p->error == YAML_READER_ERROR)
        place_of(yaml, p->problem_offset, &line, &column);
    problems_add(problems, line, column, "this is not YAML: %s%s%s",
                 p->problem ? p->problem : "unknown error", p->context ? " " : "",
                 p->context ? p->context : "");
    return RC_INVALID;
}

static enum rc only_one(yaml_parser_t *parser, struct str yaml, struct problems *problems)
{
    yaml_document_t next;
    if (!yaml_parser_load(parser, &next))
        return report(parser, yaml, problems);
    const yaml_node_t *root = yaml_document_get_root_node(&next);
    if (root)
        problems_add(problems, (unsigned)root->start_mark.line + 1, 1,
                     "a second document begins here; expected one");
    yaml_document_delete(&next);
    return problems_rc(problems);
}

static bool parser_open(yaml_parser_t *parser, struct str yaml)
{
    if (!yaml_parser_initialize(parser))
        return false;
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser, (const unsigned char *)yaml.p, yaml.n);
    return true;
}

struct sizes {
    unsigned depth;
    size_t nodes;
};

/* RC_INVALID: one too many. */
static enum rc count_event(struct sizes *s, const yaml_event_t *e, struct problems *problems)
{
    bool begins = e->type == YAML_SEQUENCE_START_EVENT || e->type == YAML_MAPPING_START_EVENT;
    bool ends = e->type == YAML_SEQUENCE_END_EVENT || e->type == YAML_MAPPING_END_EVENT;
    s->nodes += begins || e->type == YAML_SCALAR_EVENT || e->type == YAML_ALIAS_EVENT;
    s->depth += begins;
    s->depth -= ends;
    if (s->nodes <= TREE_MAX_NODES && s->depth <= TREE_MAX_DEPTH + 1)
        return RC_OK;
    problems_add(problems, (unsigned)e->start_mark.line + 1, (unsigned)e->start_mark.column + 1,
                 s->nodes > TREE_MAX_NODES ? TOO_MANY : TOO_DEEP);
    return RC_INVALID;
}

/* Looks for what is too deep or too much before anything is built: libyaml takes quadratic time for
 * deep nesting and for many anchors. What is no YAML is left for the reading that follows. */
static enum rc check_sizes(struct str yaml, struct problems *problems)
{
    yaml_parser_t parser;
    yaml_event_t e;
    struct sizes sizes = {0};
    enum rc rc = RC_OK;
    if (!parser_open(&parser, yaml))
        return RC_NOMEM;
    for (bool more = true; more && rc == RC_OK && yaml_parser_parse(&parser, &e);) {
        more = e.type != YAML_STREAM_END_EVENT;
        rc = count_event(&sizes, &e, problems);
        yaml_event_delete(&e);
    }
    if (parser.error == YAML_MEMORY_ERROR)
        rc = RC_NOMEM;
    yaml_parser_delete(&parser);
    return rc;
}

enum rc tree_read(struct str yaml, struct arena *arena, struct problems *problems,
                  const struct tree **ret)
{
    yaml_parser_t parser;
    yaml_document_t document;
    if (str_starts(yaml, STR("\xef\xbb\xbf"))) /* the mark that some editors put in front */
        yaml = str_from(yaml, 3);
    enum rc rc = check_sizes(yaml, problems);
    if (rc)
        return rc;
    if (!parser_open(&parser, yaml))
        return RC_NOMEM;
    if (!yaml_parser_load(&parser, &document)) {
        rc = report(&parser, yaml, problems);
    } else {
        struct copier c = {.document = &document, .arena = arena, .problems = problems};
        *ret = yaml_document_get_root_node(&document) ? copy(&c, 1, 0) : NULL;
        rc = c.rc ? c.rc : problems_rc(problems);
        if (rc == RC_OK && *ret)
            rc = only_one(&parser, yaml, problems);
        yaml_document_delete(&document);
    }
    yaml_parser_delete(&parser);
    return rc;
}
