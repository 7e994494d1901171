/* SPDX-License-Identifier: Apache-2.0 */
/* Names, addresses and URLs of the faults' hosts, and what they answer when the fault itself has
 * nothing to say. The index page stands in index.c, the choice of ordinary hosts in sprinkle.c. */
#include "faults/index.h"
#include "faults/sprinkle.h"
#include "faults/tell.h"

#include "base/buf.h"

bool fault_enabled(const struct world *w, const struct fault *f)
{
    const struct option_list *wanted = &world_settings(w)->faults;
    for (size_t i = 0; i < wanted->count; i++)
        for (struct str rest = wanted->items[i]; rest.p;)
            if (fault_is_named(f, str_trim(str_take_until(&rest, ','))))
                return true;
    return false;
}

/* Takes ".test" off a name; false if it does not end so. */
static bool without_suffix(const struct world *w, struct str *name)
{
    struct str suffix = world_settings(w)->suffix;
    if (str_ends(*name, STR(".")))
        name->n--;
    if (!str_ends(*name, suffix) || name->n < suffix.n + 2)
        return false;
    name->n -= suffix.n + 1;
    return name->p[name->n] == '.';
}

const struct fault *fault_of_host(const struct world *w, struct str name, struct str *ret_label)
{
    if (world_settings(w)->faults.count == 0 || !without_suffix(w, &name))
        return NULL;
    size_t at = name.n;
    while (at > 0 && name.p[at - 1] != '.')
        at--;
    const struct fault *f = fault_find(str_from(name, at));
    if (!f || !fault_enabled(w, f) || at == 1)
        return NULL;
    *ret_label = at ? str_first(name, at - 1) : STR("");
    return f;
}

bool is_zoo(const struct world *w, struct str name)
{
    return world_settings(w)->faults.count > 0 && without_suffix(w, &name) &&
           str_eq(name, STR("zoo"));
}

const struct fault_host *fault_host(const struct fault *f, struct str label)
{
    const struct fault_host *wild = NULL;
    for (const struct fault_host *h = f->hosts; h && h->label; h++) {
        if (str_eq(label, str_c(h->label)))
            return h;
        if (label.n > 0 && str_eq(str_c(h->label), STR("*")))
            wild = h;
    }
    return wild;
}

uint32_t fault_address(const struct fault *f, struct str label)
{
    uint32_t number = (uint32_t)(f->id[1] - '0') * 10 + (uint32_t)(f->id[2] - '0');
    const struct fault_host *row = fault_host(f, label);
    uint32_t nth = row && row->label[0] ? (uint32_t)(row - f->hosts) + 1 : 0;
    return 0x7f006400 + (nth << 8) + number;
}

uint32_t mood_address(struct mood m, uint32_t usual)
{
    switch (m.address) {
    case ADDRESS_REFUSES:
        return ADDRESS_REFUSING;
    case ADDRESS_BLACKHOLE:
        return ADDRESS_SILENT;
    case ADDRESS_SHARED:
        return ADDRESS_OF_MANY;
    case ADDRESS_GOOD:
    case ADDRESS_MOODS_:
        break;
    }
    return usual;
}

static void add_origin(const struct world *w, bool https, struct str host, struct buf *out)
{
    const struct world_settings *s = world_settings(w);
    uint64_t port = https ? s->https_port : s->http_port;
    buf_printf(out, "%s://" STR_FMT, https ? "https" : "http", STR_ARG(host));
    if (port != (https ? 443 : 80))
        buf_printf(out, ":%u", (unsigned)port);
}

static void place_url(const struct world *w, const struct fault *f, bool https, struct str label,
                      struct str path, struct buf *out)
{
    char room[300];
    struct buf name = buf_on(room, sizeof room);
    buf_printf(&name, STR_FMT "%sf%s." STR_FMT, STR_ARG(label), label.n ? "." : "", f->id + 1,
               STR_ARG(world_settings(w)->suffix));
    add_origin(w, https, buf_str(&name), out);
    buf_add(out, path);
}

void fault_place_url(const struct world *w, const struct fault *f, struct str label,
                     struct str path, struct buf *out)
{
    const struct fault_host *row = fault_host(f, label);
    place_url(w, f, row && row->https, label, path, out);
}

void fault_https_url(const struct world *w, const struct fault *f, struct str label,
                     struct str path, struct buf *out)
{
    place_url(w, f, true, label, path, out);
}

void fault_url(const struct fault_query *q, const char *label, struct str path, struct buf *out)
{
    struct str own = STR_NONE;
    const struct fault *of = fault_of_host(q->world, q->host, &own);
    if (of && of == q->fault && label && q->mount.n == 0) {
        fault_place_url(q->world, of, str_c(label), path, out);
        return;
    }
    add_origin(q->world, q->request->is_https, q->host, out);
    buf_add(out, q->mount);
    buf_add(out, path);
}

void fault_answer(const struct fault_query *q, struct reply *r)
{
    if (q->fault->answer && q->fault->answer(q, r))
        return;
    if (query_path_is(q, "/") && q->label.n == 0)
        index_answer(q, r);
    else if (query_path_is(q, "/") || str_starts(q->path, STR("/told/")))
        tell_page(q, r, "a healthy page", "");
    else
        tell_page_as(q, r, 404, STR(""), "Nothing is here", "");
}
