/* SPDX-License-Identifier: Apache-2.0 */
/* answer_json: reads members of a control server's answer, and of what other agents sent. */
#ifndef CONTROL_ANSWER_JSON_H
#define CONTROL_ANSWER_JSON_H

#include <jansson.h>
#include <stdint.h>

/* 0 if it is absent, no integer, or negative. */
uint64_t json_u64(const json_t *j, const char *key);
/* "" if it is absent or no text. Borrowed from `j`. */
const char *json_text(const json_t *j, const char *key);

#endif
