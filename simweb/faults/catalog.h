/* SPDX-License-Identifier: Apache-2.0 */
/* catalog: the groups of faults, in the order of their numbers. Each is one file of this folder
 * that ends in its table; a row with id NULL ends it. */
#ifndef FAULTS_CATALOG_H
#define FAULTS_CATALOG_H

#include "faults/fault.h"

extern const struct fault faults_tcp[];     /* F01-F06 */
extern const struct fault faults_slow[];    /* F07-F09 */
extern const struct fault faults_header[];  /* F10-F13 */
extern const struct fault faults_clash[];   /* F14-F19 */
extern const struct fault faults_chunk[];   /* F20-F23 */
extern const struct fault faults_zip[];     /* F24-F27 */
extern const struct fault faults_status[];  /* F28-F34 */
extern const struct fault faults_pace[];    /* F35-F37 */
extern const struct fault faults_redir[];   /* F38-F44 */
extern const struct fault faults_cookie[];  /* F45 */
extern const struct fault faults_dns[];     /* F46-F51 */
extern const struct fault faults_robots[];  /* F52-F61 */
extern const struct fault faults_trap[];    /* F62-F69 */
extern const struct fault faults_html[];    /* F70-F79 */
extern const struct fault faults_sitemap[]; /* F80-F81 */
extern const struct fault faults_url[];     /* F82-F85 */
extern const struct fault faults_tls[];     /* F86-F88 */
extern const struct fault faults_h2[];      /* F89 */
extern const struct fault faults_server[];  /* F90-F93 */

#endif
