/* SPDX-License-Identifier: Apache-2.0 */
#include "components/line.h"

#include "base/hash.h"
#include "base/mem.h"

static void line_release(struct message *m)
{
    struct line *line = line_of(m);
    mem_free(line->replaced);
    mem_free(line);
}

static const struct message_type line_type = {LINE_TYPE, line_release};

static void put_text(struct line *line, char *room, struct str text)
{
    memcpy(room, text.p ? text.p : "", text.n);
    room[text.n] = '\0';
    line->text = str_make(room, text.n);
    line->head.route = hash64(line->text);
}

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
