/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/elsewhere.h"

static void print_number(struct buf *out, uint64_t v)
{
    buf_u64(out, v);
    buf_byte(out, ' ');
}

void elsewhere_print(const struct record *r, struct buf *out)
{
    bool is_done = r->kind == RECORD_DONE && r->where.n && r->path.n;
    if (!is_done && !(r->kind == RECORD_URL && r->is_again))
        return;
    buf_add(out, is_done ? STR("done ") : STR("again "));
    buf_add(out, is_done ? r->where : STR("-"));
    buf_byte(out, ' ');
    print_number(out, is_done ? r->where_inc : 0);
    print_number(out, is_done ? r->time_ms : 0);
    buf_add(out, r->seed_path.n ? r->seed_path : STR("-"));
    buf_byte(out, ' ');
    print_number(out, r->class);
    buf_add(out, r->is_https ? STR("https://") : STR("http://"));
    buf_add(out, r->host);
    if (r->port)
        buf_printf(out, ":%u", r->port);
    buf_add(out, r->path);
    buf_byte(out, '\n');
}

enum rc elsewhere_parse(struct str line, struct elsewhere *ret)
{
    struct elsewhere e = {0};
    uint64_t class = 0;
    struct str kind = str_take_until(&line, ' ');
    e.is_again = str_eq(kind, STR("again"));
    e.name = str_take_until(&line, ' ');
    bool is_ok = e.is_again || str_eq(kind, STR("done"));
    is_ok = str_to_u64(str_take_until(&line, ' '), &e.inc) == RC_OK && is_ok;
    is_ok = str_to_u64(str_take_until(&line, ' '), &e.time_ms) == RC_OK && is_ok;
    e.seed_path = str_take_until(&line, ' ');
    if (str_eq(e.seed_path, STR("-")))
        e.seed_path = STR("");
    is_ok = str_to_u64(str_take_until(&line, ' '), &class) == RC_OK && is_ok;
    e.class = (uint8_t) class;
    e.url = line;
    if (!is_ok || class >= RECORDS_CLASSES || !e.name.n || !e.url.n)
        return RC_INVALID;
    *ret = e;
    return RC_OK;
}

void elsewhere_print_agent(struct str name, uint64_t inc, struct buf *out)
{
    buf_add(out, name);
    buf_byte(out, ' ');
    buf_u64(out, inc);
    buf_byte(out, '\n');
}

enum rc elsewhere_parse_agent(struct str line, struct str *ret_name, uint64_t *ret_inc)
{
    struct str name = str_take_until(&line, ' ');
    uint64_t inc;
    if (!name.n || str_to_u64(line, &inc) != RC_OK)
        return RC_INVALID;
    *ret_name = name;
    *ret_inc = inc;
    return RC_OK;
}
