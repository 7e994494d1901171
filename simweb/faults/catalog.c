/* SPDX-License-Identifier: Apache-2.0 */
/* The groups, one behind the other, are the faults by number. Each row is named, so that the list
 * is a constant; a test sees to it that none is left out. */
#include "faults/catalog.h"

enum { FAULTS_COUNT = 93 };

static const struct fault *const all[FAULTS_COUNT] = {
    &faults_tcp[0],     &faults_tcp[1],    &faults_tcp[2],    &faults_tcp[3],    &faults_tcp[4],
    &faults_tcp[5],     &faults_slow[0],   &faults_slow[1],   &faults_slow[2],   &faults_header[0],
    &faults_header[1],  &faults_header[2], &faults_header[3], &faults_clash[0],  &faults_clash[1],
    &faults_clash[2],   &faults_clash[3],  &faults_clash[4],  &faults_clash[5],  &faults_chunk[0],
    &faults_chunk[1],   &faults_chunk[2],  &faults_chunk[3],  &faults_zip[0],    &faults_zip[1],
    &faults_zip[2],     &faults_zip[3],    &faults_status[0], &faults_status[1], &faults_status[2],
    &faults_status[3],  &faults_status[4], &faults_status[5], &faults_status[6], &faults_pace[0],
    &faults_pace[1],    &faults_pace[2],   &faults_redir[0],  &faults_redir[1],  &faults_redir[2],
    &faults_redir[3],   &faults_redir[4],  &faults_redir[5],  &faults_redir[6],  &faults_cookie[0],
    &faults_dns[0],     &faults_dns[1],    &faults_dns[2],    &faults_dns[3],    &faults_dns[4],
    &faults_dns[5],     &faults_robots[0], &faults_robots[1], &faults_robots[2], &faults_robots[3],
    &faults_robots[4],  &faults_robots[5], &faults_robots[6], &faults_robots[7], &faults_robots[8],
    &faults_robots[9],  &faults_trap[0],   &faults_trap[1],   &faults_trap[2],   &faults_trap[3],
    &faults_trap[4],    &faults_trap[5],   &faults_trap[6],   &faults_trap[7],   &faults_html[0],
    &faults_html[1],    &faults_html[2],   &faults_html[3],   &faults_html[4],   &faults_html[5],
    &faults_html[6],    &faults_html[7],   &faults_html[8],   &faults_html[9],   &faults_sitemap[0],
    &faults_sitemap[1], &faults_url[0],    &faults_url[1],    &faults_url[2],    &faults_url[3],
    &faults_tls[0],     &faults_tls[1],    &faults_tls[2],    &faults_h2[0],     &faults_server[0],
    &faults_server[1],  &faults_server[2], &faults_server[3],
};

const struct fault *const *faults_all(uint32_t *ret_count)
{
    *ret_count = FAULTS_COUNT;
    return all;
}

const struct fault *fault_find(struct str id)
{
    for (uint32_t i = 0; i < FAULTS_COUNT; i++)
        if (str_eq_nocase(id, str_c(all[i]->id)))
            return all[i];
    return NULL;
}
