/* SPDX-License-Identifier: Apache-2.0 */
/* status_screen: a crawl's status (control_status.c) for a person. */
#ifndef CLI_OPERATE_STATUS_SCREEN_H
#define CLI_OPERATE_STATUS_SCREEN_H

#include "base/buf.h"

#include <jansson.h>

void status_screen(const json_t *status, const char *dir, struct buf *out);

#endif
