/* SPDX-License-Identifier: Apache-2.0 */
#include "lines/line.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"

static void line_release(struct message *m)
{
    struct line *line = line_of(m);
    mem_free(line->replaced);
    mem_free(line);
}

static void put_text(struct line *line, char *room, struct str text)
{
    memcpy(room, text.p ? text.p : "", text.n);
    room[text.n] = '\0';
    line->text = str_make(room, text.n);
    line->head.route = hash64(line->text);
}

/* Its text and nothing else. */
static enum rc line_pack(const struct message *m, struct buf *out)
{
    buf_add(out, ((const struct line *)(const void *)m)->text);
    return buf_rc(out);
}

static enum rc line_unpack(struct str bytes, struct message **m)
{
    if (bytes.n > LINE_MAX_BYTES)
        return RC_INVALID;
    if (*m)
        return line_replace(line_of(*m), bytes);
    struct line *line = line_open(bytes);
    if (!line)
        return RC_NOMEM;
    *m = &line->head;
    return RC_OK;
}

const struct message_type line_type = {
    .name = LINE_TYPE, .release = line_release, .pack = line_pack, .unpack = line_unpack};

struct line *line_open(struct str text)
{
    struct line *line = mem_alloc(sizeof *line + text.n + 1);
    if (!line)
        return NULL;
    message_init(&line->head, &line_type);
    line->replaced = NULL;
    put_text(line, line->room, text);
    return line;
}

enum rc line_replace(struct line *line, struct str text)
{
    char *room = mem_alloc(text.n + 1);
    if (!room)
        return RC_NOMEM;
    put_text(line, room, text);
    mem_free(line->replaced);
    line->replaced = room;
    return RC_OK;
}
