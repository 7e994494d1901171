/* SPDX-License-Identifier: Apache-2.0 */
/* owner: which lines, each a URL, are this agent's own; asks the provider `assign`. */
#include "lines/line.h"

#include "assign/assign.h"
#include "flow/part.h"

enum { NEED_ASSIGN };

enum { MINE, FOREIGN };

struct owner_settings {
    struct str agent;
};

static const struct option owner_options[] = {
    OPTION_TEXT_ROW(struct owner_settings, agent, "agent", NULL, "the name of this agent",
                    .required = true),
    {0},
};

/* The host of a URL in its normal form: between // and the next of / ? # or a port. */
static struct str host_of(struct str url)
{
    size_t at = str_find_str(url, STR("//"));
    struct str host = str_from(url, at == url.n ? at : at + 2);
    static const char ends[] = {'/', '?', '#', '@'};
    for (size_t i = 0; i < 3; i++)
        host = str_first(host, str_find(host, ends[i]));
    size_t user = str_find(host, ends[3]);
    if (user < host.n)
        host = str_from(host, user + 1);
    bool is_ipv6 = host.n && host.p[0] == '[';
    return is_ipv6 ? str_first(host, str_find(host, ']') + 1)
                   : str_first(host, str_find(host, ':'));
}

static void owner_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    const struct owner_settings *s = self->settings;
    const struct assign *assign = part_provider(self, NEED_ASSIGN);
    struct str url = line_of(m)->text;
    struct assign_key key = {.host = host_of(url), .url = url};
    uint32_t at = 0;
    enum rc rc = assign_owner(assign, &key, &at);
    if (rc)
        part_count_error(self);
    bool is_mine = rc == RC_OK && str_eq(assign->agents[at].name, s->agent);
    part_emit(self, is_mine ? MINE : FOREIGN, m);
}

const struct part part_owner = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "owner",
    .help = "separates this agent's URLs from those of others",
    .inlets = (const struct part_port[]){{"in", LINE_TYPE, "normalised URLs", false}, {0}},
    .outlets = (const struct part_port[]){{"mine", LINE_TYPE, "this agent's", false},
                                          {"foreign", LINE_TYPE, "those of others", true},
                                          {0}},
    .needs =
        (const struct part_need[]){[NEED_ASSIGN] = {"assign", "assign", "which agent owns a host"},
                                   {0}},
    .options = owner_options,
    .settings_bytes = sizeof(struct owner_settings),
    .handle = owner_handle,
};
