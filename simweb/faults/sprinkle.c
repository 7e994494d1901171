/* SPDX-License-Identifier: Apache-2.0 */
/* Which host has which fault is decided by one chance of the host: the shares lie one behind the
 * other on the line from 0 to 1, and the host has the fault its chance falls on. So a host has at
 * most one, and raising the last share moves nobody else's. */
#include "faults/sprinkle.h"

#include "world/place.h"

enum { CHANCE_SPRINKLE = 0x5350 };

/* One "f35=0.1". */
struct part {
    struct str name;
    struct str text; /* of the share; absent without '=' */
    double share;
};

bool fault_is_named(const struct fault *f, struct str name)
{
    return str_eq_nocase(name, STR("all")) || str_eq_nocase(name, str_c(f->id)) ||
           str_eq_nocase(name, str_c(f->group));
}

static bool row_can_sprinkle(const struct fault_host *h)
{
    return !h->no_sprinkle && !str_eq(str_c(h->label), STR("*"));
}

bool fault_can_sprinkle(const struct fault *f)
{
    if (f->is_path)
        return true;
    for (const struct fault_host *h = f->hosts; h && h->label; h++)
        if (row_can_sprinkle(h))
            return true;
    return false;
}

/* A decimal number from 0 to 1, as "0.25", ".5" or "1". */
static enum rc read_share(struct str text, double *ret)
{
    double value = 0, unit = 1;
    bool behind = false, any = false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '.' && !behind) {
            behind = true;
        } else if (ascii_is_digit(text.p[i])) {
            any = true;
            unit = behind ? unit / 10 : 1;
            value = behind ? value + unit * (text.p[i] - '0') : value * 10 + (text.p[i] - '0');
        } else {
            return RC_INVALID;
        }
    }
    if (!any || value > 1)
        return RC_INVALID;
    *ret = value;
    return RC_OK;
}

static struct part next_part(struct str *rest)
{
    struct str item = str_trim(str_take_until(rest, ','));
    struct part p = {.name = str_trim(str_take_until(&item, '=')), .text = item};
    if (read_share(str_trim(item), &p.share) != RC_OK)
        p.share = -1;
    return p;
}

/* How many sprinklable faults a name means; the nth of them in *ret_nth, if it is not NULL. */
static uint32_t named_by(struct str name, uint32_t nth, const struct fault **ret_nth)
{
    uint32_t count, found = 0;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++) {
        if (!fault_is_named(all[i], name) || !fault_can_sprinkle(all[i]))
            continue;
        if (found++ == nth && ret_nth)
            *ret_nth = all[i];
    }
    return found;
}

static const struct fault *fault_at_chance(const struct option_list *list, double chance)
{
    for (size_t i = 0; i < list->count; i++) {
        for (struct str rest = list->items[i]; rest.p;) {
            struct part p = next_part(&rest);
            if (p.share <= 0)
                continue;
            if (chance < p.share) {
                const struct fault *f = NULL;
                uint32_t n = named_by(p.name, UINT32_MAX, NULL);
                uint32_t nth = (uint32_t)(chance / p.share * n);
                named_by(p.name, nth < n ? nth : n - 1, &f);
                return f;
            }
            chance -= p.share;
        }
    }
    return NULL;
}

/* A row needs TLS to show; host 0, where crawls begin, stays alive. */
static bool row_fits(const struct world *w, uint32_t host, const struct fault_host *h)
{
    return row_can_sprinkle(h) && (!h->https || host_is_https(w, host)) &&
           (!h->is_dead || host != 0);
}

static const struct fault_host *row_for(const struct world *w, uint32_t host, const struct fault *f)
{
    uint64_t fitting = 0;
    for (const struct fault_host *h = f->hosts; h && h->label; h++)
        fitting += row_fits(w, host, h);
    if (fitting == 0)
        return NULL;
    uint64_t nth = world_chance(w, CHANCE_SPRINKLE, host, 1) % fitting;
    for (const struct fault_host *h = f->hosts; h->label; h++)
        if (row_fits(w, host, h) && nth-- == 0)
            return h;
    return NULL;
}

const struct fault *fault_sprinkled(const struct world *w, uint32_t host,
                                    const struct fault_host **ret_host)
{
    const struct option_list *list = &world_settings(w)->sprinkle;
    *ret_host = NULL;
    if (list->count == 0)
        return NULL;
    double chance = (double)(world_chance(w, CHANCE_SPRINKLE, host, 0) >> 11) * 0x1p-53;
    const struct fault *f = fault_at_chance(list, chance);
    if (!f || f->is_path)
        return f;
    *ret_host = row_for(w, host, f);
    return *ret_host ? f : NULL;
}

/* What a person wrote ----------------------------------------------------------------------- */

static void suggest_one(struct str name, const char *candidate, size_t *best, const char **ret)
{
    char lower[16];
    size_t n = 0;
    for (; candidate[n] && n < sizeof lower; n++)
        lower[n] = ascii_lower(candidate[n]);
    size_t far = name_distance(name, str_make(lower, n), 2);
    if (far < *best) {
        *best = far;
        *ret = candidate;
    }
}

static void unknown(struct str name, struct buf *why)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    const char *near = NULL;
    size_t best = 3;
    suggest_one(name, "all", &best, &near);
    for (uint32_t i = 0; i < count; i++) {
        suggest_one(name, all[i]->group, &best, &near);
        suggest_one(name, all[i]->id, &best, &near);
    }
    buf_printf(why, "there is no fault \"" STR_FMT "\"", STR_ARG(name));
    if (near && near[0] == 'F')
        buf_printf(why, "; did you mean f%s?", near + 1);
    else if (near)
        buf_printf(why, "; did you mean %s?", near);
    else
        buf_printf(why, "; expected f01 to f93, a group such as tcp, or all");
}

static bool is_known(struct str name)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        if (fault_is_named(all[i], name))
            return true;
    return false;
}

static enum rc check_faults(const struct option_list *list, struct buf *why)
{
    for (size_t i = 0; i < list->count; i++) {
        for (struct str rest = list->items[i]; rest.p;) {
            struct str name = str_trim(str_take_until(&rest, ','));
            if (is_known(name))
                continue;
            buf_add(why, STR("--fault: "));
            unknown(name, why);
            return RC_INVALID;
        }
    }
    return RC_OK;
}

static enum rc check_part(const struct part *p, struct buf *why)
{
    buf_printf(why, "--sprinkle: ");
    if (!p->text.p)
        buf_printf(why, "\"" STR_FMT "\" has no share; expected FAULT=SHARE, such as f35=0.1",
                   STR_ARG(p->name));
    else if (!is_known(p->name))
        unknown(p->name, why);
    else if (p->share < 0)
        buf_printf(why, "\"" STR_FMT "\" is no share of hosts; expected a number from 0 to 1",
                   STR_ARG(p->text));
    else if (named_by(p->name, UINT32_MAX, NULL) == 0)
        buf_printf(why, STR_FMT " makes no sense on an ordinary host; use --fault " STR_FMT,
                   STR_ARG(p->name), STR_ARG(p->name));
    else
        return RC_OK;
    return RC_INVALID;
}

static enum rc check_sprinkle(const struct option_list *list, struct buf *why)
{
    double sum = 0;
    size_t before = why->n;
    for (size_t i = 0; i < list->count; i++) {
        for (struct str rest = list->items[i]; rest.p;) {
            struct part p = next_part(&rest);
            if (check_part(&p, why) != RC_OK)
                return RC_INVALID;
            why->n = before;
            sum += p.share;
        }
    }
    if (sum <= 1.000001)
        return RC_OK;
    buf_printf(why,
               "--sprinkle: the shares add up to %.3g; a host has at most one fault, so they "
               "may add up to 1",
               sum);
    return RC_INVALID;
}

enum rc faults_check(const struct world_settings *s, struct buf *why)
{
    enum rc rc = check_faults(&s->faults, why);
    return rc == RC_OK ? check_sprinkle(&s->sprinkle, why) : rc;
}
