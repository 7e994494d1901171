/* SPDX-License-Identifier: Apache-2.0 */
#include "control/answer_json.h"

uint64_t json_u64(const json_t *j, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(j, key));
    return value > 0 ? (uint64_t)value : 0;
}

const char *json_text(const json_t *j, const char *key)
{
    const char *text = json_string_value(json_object_get(j, key));
    return text ? text : "";
}
