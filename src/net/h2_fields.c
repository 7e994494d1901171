/* SPDX-License-Identifier: Apache-2.0 */
#include "net/h2_fields.h"

#include "net/head.h"

enum { LIST_BYTES = 1024 };

static bool is_of_connection(struct str name)
{
    static const struct str names[] = {
        {"Connection", 10},        {"Keep-Alive", 10}, {"Proxy-Connection", 16},
        {"Transfer-Encoding", 17}, {"Upgrade", 7},     {"HTTP2-Settings", 14},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(name, names[i]))
            return true;
    return false;
}

static bool is_listed(struct str list, struct str name)
{
    struct str item;
    while (head_list_next(&list, &item))
        if (str_eq_nocase(item, name))
            return true;
    return false;
}

/* "GET /a HTTP/1.1": exactly three words. */
static bool read_line(struct str line, struct str *ret_method, struct str *ret_target)
{
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    *ret_method = str_take_until(&line, ' ');
    *ret_target = str_take_until(&line, ' ');
    return ret_method->n && ret_target->n && str_eq(line, STR("HTTP/1.1"));
}

static enum rc add_field(struct h2_fields *f, struct str name, struct str value)
{
    if (f->count == H2_FIELDS_MOST)
        return RC_LIMIT;
    f->at[f->count++] = (struct h2_field){name, value};
    return RC_OK;
}

/* One field of the request; Host stands in front already. */
static enum rc take(struct h2_fields *f, const struct head_field *field, struct str dropped)
{
    struct buf none = buf_on(NULL, 0);
    if (field->is_folded)
        return RC_INVALID;
    struct str value = head_value(field, &none);
    bool is_te = str_eq_nocase(field->name, STR("TE"));
    if (is_of_connection(field->name) || is_listed(dropped, field->name) ||
        str_eq_nocase(field->name, STR("Host")) ||
        (is_te && !str_eq_nocase(value, STR("trailers"))))
        return RC_OK;
    return add_field(f, field->name, value);
}

enum rc h2_fields_read(struct str request, struct h2_fields *ret)
{
    char room[LIST_BYTES];
    struct buf scratch = buf_on(room, sizeof room);
    struct str method, target, line = str_take_until(&request, '\n');
    if (!request.p || !read_line(line, &method, &target))
        return RC_INVALID;
    struct str host = head_get(request, STR("Host"), &scratch);
    if (host.n == 0)
        return RC_INVALID;
    *ret = (struct h2_fields){.count = 4,
                              .at = {{STR(":method"), method},
                                     {STR(":scheme"), STR("https")},
                                     {STR(":authority"), host},
                                     {STR(":path"), target}}};
    struct str dropped = head_get(request, STR("Connection"), &scratch);
    struct head_field field;
    enum rc rc = RC_OK;
    while (rc == RC_OK && head_next(&request, &field))
        rc = take(ret, &field, dropped);
    return rc;
}
