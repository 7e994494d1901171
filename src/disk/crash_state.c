/* SPDX-License-Identifier: Apache-2.0 */
#include "disk/crash_state.h"

#include "base/mem.h"

struct node *crash_node(struct crash *c, bool is_folder)
{
    struct node *n = mem_zero(1, sizeof *n);
    if (!n)
        return NULL;
    n->is_folder = is_folder;
    n->number = c->node_count++;
    buf_init(&n->now, DISK_CRASH_MAX_FILE_BYTES);
    buf_init(&n->durable, DISK_CRASH_MAX_FILE_BYTES);
    n->next = c->nodes;
    c->nodes = n;
    return n;
}

void change_apply(struct buf *bytes, const struct change *change)
{
    if (!change->is_truncation)
        buf_add(bytes, change->bytes);
    else if (change->length < bytes->n)
        bytes->n = (size_t)change->length;
}

/* Where the path stands, or belongs. */
static uint32_t index_of(const struct names *names, struct str path, bool *ret_found)
{
    uint32_t low = 0, high = names->count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (str_cmp(str_c(names->rows[mid].path), path) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    *ret_found = low < names->count && str_eq(str_c(names->rows[low].path), path);
    return low;
}

struct node *names_get(const struct names *names, struct str path)
{
    bool found;
    uint32_t at = index_of(names, path, &found);
    return found ? names->rows[at].node : NULL;
}

static enum rc make_room(struct names *names)
{
    struct name *rows = mem_grow(names->rows, names->count, &names->cap, sizeof *rows);
    if (!rows)
        return RC_NOMEM;
    names->rows = rows;
    return RC_OK;
}

enum rc names_put(struct names *names, const char *path, struct node *node)
{
    bool found;
    uint32_t at = index_of(names, str_c(path), &found);
    if (found) {
        names->rows[at].node = node;
        return RC_OK;
    }
    size_t n = strlen(path) + 1;
    char *copy = mem_alloc(n);
    if (!copy || make_room(names)) {
        mem_free(copy);
        return RC_NOMEM;
    }
    memcpy(copy, path, n);
    memmove(&names->rows[at + 1], &names->rows[at], (names->count - at) * sizeof *names->rows);
    names->rows[at] = (struct name){copy, node};
    names->count++;
    return RC_OK;
}

static void names_remove(struct names *names, const char *path)
{
    bool found;
    uint32_t at = index_of(names, str_c(path), &found);
    if (!found)
        return;
    mem_free(names->rows[at].path);
    names->count--;
    memmove(&names->rows[at], &names->rows[at + 1], (names->count - at) * sizeof *names->rows);
}

enum rc names_move(struct names *names, const struct move *m)
{
    enum rc rc = RC_OK;
    if (m->kind != MOVE_REMOVE)
        rc = names_put(names, m->kind == MOVE_RENAME ? m->to : m->path, m->node);
    if (rc == RC_OK && m->kind != MOVE_MAKE)
        names_remove(names, m->path);
    return rc;
}

void names_done(struct names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        mem_free(names->rows[i].path);
    mem_free(names->rows);
    *names = (struct names){0};
}
