/* SPDX-License-Identifier: Apache-2.0 */
#include "net/tls_sessions.h"

#include "base/hash.h"
#include "base/mem.h"

struct tls_session {
    struct tls_session *same;
    struct list_node age;
    SSL_SESSION *session;
    size_t name_n;
    char name[];
};

static struct tls_session **slot_of(struct tls_sessions *t, struct str name)
{
    return &t->slots[hash64(name) % TLS_SESSIONS_SLOTS];
}

/* Where the pointer to it stands, or to NULL at the end of its slot. */
static struct tls_session **find(struct tls_sessions *t, struct str name)
{
    struct tls_session **at = slot_of(t, name);
    while (*at && !str_eq(str_make((*at)->name, (*at)->name_n), name))
        at = &(*at)->same;
    return at;
}

static void forget(struct tls_sessions *t, struct tls_session **at)
{
    struct tls_session *e = *at;
    *at = e->same;
    list_remove(&t->ages, &e->age);
    t->count--;
    SSL_SESSION_free(e->session);
    mem_free(e);
}

static void forget_oldest(struct tls_sessions *t)
{
    struct tls_session *e = LIST_OF(t->ages.first, struct tls_session, age);
    forget(t, find(t, str_make(e->name, e->name_n)));
}

void tls_sessions_done(struct tls_sessions *t)
{
    while (t->count)
        forget_oldest(t);
}

static struct tls_session *add(struct tls_sessions *t, struct str name)
{
    struct tls_session *e = mem_alloc(sizeof *e + name.n);
    if (!e)
        return NULL;
    if (t->count >= t->most)
        forget_oldest(t);
    struct tls_session **at = slot_of(t, name);
    *e = (struct tls_session){.same = *at, .name_n = name.n};
    memcpy(e->name, name.p, name.n);
    *at = e;
    list_add_last(&t->ages, &e->age);
    t->count++;
    return e;
}

static void make_newest(struct tls_sessions *t, struct tls_session *e)
{
    list_remove(&t->ages, &e->age);
    list_add_last(&t->ages, &e->age);
}

bool tls_sessions_put(struct tls_sessions *t, struct str name, SSL_SESSION *session)
{
    if (!t->most)
        return false;
    struct tls_session *e = *find(t, name);
    if (e)
        make_newest(t, e);
    else if (!(e = add(t, name)))
        return false;
    SSL_SESSION_free(e->session);
    e->session = session;
    return true;
}

SSL_SESSION *tls_sessions_take(struct tls_sessions *t, struct str name)
{
    struct tls_session **at = find(t, name);
    if (!*at)
        return NULL;
    SSL_SESSION *session = (*at)->session;
    if (SSL_SESSION_up_ref(session) != 1)
        return NULL;
    if (SSL_SESSION_get_protocol_version(session) >= TLS1_3_VERSION)
        forget(t, at);
    else
        make_newest(t, *at);
    return session;
}
