/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/seed_input.h"

#include "base/mem.h"
#include "ledger/seed.h"

enum rc seed_input_open(struct seed_input *in, struct instance *self,
                        const struct option_list *seeds, const struct option_list *files,
                        struct buf *why)
{
    *in = (struct seed_input){.seeds = seeds, .files = files};
    if (files->count > SEED_INPUT_MAX_FILES) {
        buf_printf(why, "%zu seed files; at most %d can be read", files->count,
                   SEED_INPUT_MAX_FILES);
        return RC_INVALID;
    }
    in->inputs = files->count ? mem_zero(files->count, sizeof *in->inputs) : NULL;
    if (files->count && !in->inputs)
        return RC_NOMEM;
    enum rc rc = RC_OK;
    for (; in->input_count < files->count && rc == RC_OK; in->input_count++)
        rc = line_input_open(&in->inputs[in->input_count], self, files->items[in->input_count],
                             SEED_INPUT_LINE_BYTES, why);
    return rc ? RC_NOT_FOUND : RC_OK;
}

void seed_input_done(struct seed_input *in)
{
    for (size_t i = 0; i < in->input_count; i++)
        line_input_done(&in->inputs[i]);
    mem_free(in->inputs);
    *in = (struct seed_input){0};
}

void seed_input_stop(struct seed_input *in)
{
    for (size_t i = 0; i < in->input_count; i++)
        line_input_stop(&in->inputs[i]);
}

/* The next line of the file that has a seed, or is too long. */
static enum line_next next_line(struct seed_input *in, struct line_input *file, struct str *ret)
{
    enum line_next next;
    while ((next = line_input_next(file, ret)) <= LINE_TOO_LONG) {
        in->line++;
        if (next == LINE_TOO_LONG)
            return next;
        *ret = seed_line(*ret);
        if (ret->n)
            return LINE_HERE;
    }
    if (next == LINE_END)
        line_input_done(file);
    return next;
}

enum line_next seed_input_next(struct seed_input *in, struct str *ret)
{
    enum line_next next = LINE_END;
    if (in->given < in->seeds->count) {
        *ret = in->seeds->items[in->given++];
        return LINE_HERE;
    }
    while (in->at < in->input_count &&
           (next = next_line(in, &in->inputs[in->at], ret)) == LINE_END) {
        in->at++;
        in->line = 0;
    }
    return next;
}

bool seed_input_where(const struct seed_input *in, struct str *ret_file, uint64_t *ret_line)
{
    if (!in->line)
        return false;
    *ret_file = in->files->items[in->at];
    *ret_line = in->line;
    return true;
}
