/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/left_out.h"

#include "scope/bringing.h"

void left_out_tell(const struct found_links *links, struct str host_name, uint8_t *told,
                   struct crawl_counts *counts, struct log *log)
{
    for (int why = BRING_OK + 1; why < BRING_VERDICTS_; why++) {
        count_over_limit(counts, (enum bring_verdict)why, links->left_out[why]);
        if (!links->left_out[why] || !told || !bringing_is_first(told, (enum bring_verdict)why))
            continue;
        log_warn(log, "host.limit_reached", LOG_STR("host", host_name),
                 LOG_C("limit", bring_verdict_key((enum bring_verdict)why)),
                 LOG_U64("left_out", links->left_out[why]));
    }
}
