/* SPDX-License-Identifier: Apache-2.0 */
#include "robots/robots.h"

enum robots_status_meaning robots_status(int http_status)
{
    switch (http_status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        return ROBOTS_REDIRECT;
    case 304:
        return ROBOTS_UNCHANGED;
    case 429: /* "too many requests" says nothing about what may be fetched */
        return ROBOTS_RETRY;
    }
    if (http_status >= 200 && http_status < 300)
        return ROBOTS_USE_BODY;
    if (http_status >= 300 && http_status < 500)
        return ROBOTS_ALLOW;
    return ROBOTS_RETRY;
}
