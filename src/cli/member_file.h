/* SPDX-License-Identifier: Apache-2.0 */
/* member_file: the configuration with which a member of a pool starts, and what the manager knows of it.
 *
 *     DIR/members/NAME.yaml     the manager's copy; the same file goes to the member's machine
 *
 *     # orbweaver member: keep it secret
 *     wiring: managed
 *     place: crawlers
 *     manager: 10.0.0.1:7701
 *     member: NAME
 *     member-secret: 48 hexadecimal digits
 *     member-trusted: yes       if so; only the manager's copy counts
 *     user-agent: ...           and the other settings of the crawl that its steps at the member need
 *
 * A member whose file is removed is refused from then on. Its mode is 0600, and a file that other users may
 * read is no key. */
#ifndef CLI_MEMBER_FILE_H
#define CLI_MEMBER_FILE_H

#include "bus/secret.h"
#include "net/link.h"

enum { MEMBER_FILE_MAX_BYTES = 64 << 10 };

/* a-z, 0-9, '-' and '_', 1 to LINK_MAX_NAME_BYTES. */
bool member_name_is_good(struct str name);

/* The value of the line "member-secret: VALUE", borrowed; absent: there is none. */
struct str member_file_secret(struct str text);

/* Whether it has the line "member-trusted: yes". */
bool member_file_trusted(struct str text);

/* For struct pool_login: `ctx` as in the next. Any thread. */
bool member_is_trusted(void *ctx, struct str name);

/* For struct link_keys: `ctx` is the directory of the manager, NUL-terminated. Any thread. */
bool member_key_find(void *ctx, struct str name, struct digest *ret_key);

#endif
