/* SPDX-License-Identifier: Apache-2.0 */
/* topic: what a focused crawl looks for, and how well a text fits it.
 *
 * A topic is a list of keywords: words or phrases, each with a weight, "spider^2,orb
 * web^3,trap^-1"; 1 is the usual one, below zero speaks against a text. A word also stands for
 * itself with a short ending: up to three letters, of words of up to three letters one ("cat":
 * cats, not cater). With a star it stands for every word that begins with it ("arachn*").
 *
 * A score is from 0 (nothing fits) to 1, which nothing reaches. Each keyword counts by how often it
 * stands in the text, the less the longer the text is and the more often it was said already:
 *
 *     often(k)  = hits(k) / (1/4 + 3/4 words / 500)
 *     score     = S / (S + 1), S = sum of weight(k) often(k) / (often(k) + 1.2)
 *
 * so that one keyword of weight 1 alone gives up to 0.5, two give 0.67, three 0.75; a keyword said
 * once in 500 words gives 0.31. How many keywords the topic has changes nothing, so a list may be
 * long. */
#ifndef FETCH_TOPIC_H
#define FETCH_TOPIC_H

#include "base/buf.h"

enum {
    TOPIC_MAX_KEYWORDS = 10000,
    TOPIC_MAX_PHRASE = 16, /* words */
    TOPIC_MAX_WEIGHT = 1000,
};

struct topic; /* one thread's */

/* A text: keywords, with commas between them. RC_INVALID: `why` says which keyword, and what was
 * expected; RC_LIMIT: too many. */
MUST_CHECK enum rc topic_open(const struct str *texts, size_t count, struct topic **ret,
                              struct buf *why);
void topic_close(struct topic *t);
size_t topic_keywords(const struct topic *t);

/* A part of what is scored together: a title's words count more than a page's. */
struct topic_field {
    struct str text;
    double times; /* a hit counts so often */
    bool is_url;  /* %E4%BC%9A is undone first */
};

/* 0 <= score < 1. */
double topic_score(struct topic *t, const struct topic_field *fields, size_t count);

/* Of a page: a word of the title is worth three of the text. */
double topic_page_score(struct topic *t, struct str title, struct str visible);

/* Of a link: its own words, in the light of the page it stands on (a score, or below zero for
 * none): where half of the page's score or the link's own speaks for it, it fits. */
double topic_link_score(double own, double page);

#endif
