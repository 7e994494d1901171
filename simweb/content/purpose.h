/* SPDX-License-Identifier: Apache-2.0 */
/* purpose: what this folder draws chances for (world_chance); the world's own are below 1000, those
 * of the pictures in their own files from 2000. */
#ifndef CONTENT_PURPOSE_H
#define CONTENT_PURPOSE_H

enum content_purpose {
    PURPOSE_POOL = 1000,
    PURPOSE_SITE_NAME,
    PURPOSE_PAGE,
    PURPOSE_FEED,
    PURPOSE_ROBOTS,
    PURPOSE_ETAG,
};

#endif
