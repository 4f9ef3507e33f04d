/*
 * boot_search_test.c - places and names: the first text wins, damage ends it
 */
#include "tests/unit/test.h"

#include "boot/search.h"

#define ROOM 64

/* What each place answers to each name. */
struct fake {
    bool is_there;
    enum boot_found answer[BOOT_NAMES_MAX];
    const char *text;
    unsigned asked, opened, closed;
};

static struct fake a, b;
static struct boot_names names = { 2, { "mine.conf", "all.conf" } };
static struct boot_search found;
static char text[ROOM];

static bool open_a(void *ctx, char *where, size_t room)
{
    CHECK(ctx == &names);
    CHECK(room >= 4);
    memcpy(where, "a:/", 4);
    a.opened += a.is_there;
    return a.is_there;
}

static bool open_b(void *ctx, char *where, size_t room)
{
    (void)ctx;
    CHECK(room >= 4);
    memcpy(where, "b:/", 4);
    b.opened += b.is_there;
    return b.is_there;
}

static enum boot_found fetch(struct fake *f, const char *name, char *to,
                             size_t room, size_t *bytes)
{
    const enum boot_found answer = f->answer[f->asked];

    CHECK_EQ(room, ROOM);
    CHECK_STR(name, names.name[f->asked++]);
    if (answer == BOOT_TAKEN) {
        memcpy(to, f->text, strlen(f->text));
        *bytes = strlen(f->text);
    }
    return answer;
}

static enum boot_found fetch_a(void *ctx, const char *name, char *to,
                               size_t room, size_t *bytes)
{
    (void)ctx;
    return fetch(&a, name, to, room, bytes);
}

static enum boot_found fetch_b(void *ctx, const char *name, char *to,
                               size_t room, size_t *bytes)
{
    (void)ctx;
    return fetch(&b, name, to, room, bytes);
}

static void close_a(void *ctx)
{
    (void)ctx;
    a.closed++;
}

static const struct boot_place place_a = { "kind-a", open_a, fetch_a, close_a,
                                           false };
static const struct boot_place place_b = { "kind-b", open_b, fetch_b, NULL,
                                           false };
static const struct boot_place *const places[] = { &place_a, &place_b };

static void search(void)
{
    memset(text, 0, sizeof(text));
    boot_search(places, 2, &names, &names, text, ROOM, &found);
    CHECK_EQ(a.opened, a.closed);
}

static void two_places(void)
{
    a = (struct fake) { .is_there = true, .text = "from a" };
    b = (struct fake) { .is_there = true, .text = "from b" };
}

TEST(boot_search, nothing_anywhere_is_an_ordinary_answer)
{
    two_places();
    search();
    CHECK_EQ(found.found, BOOT_ABSENT);
    CHECK_EQ(found.bytes, 0);
    CHECK_STR(found.source, "");
    CHECK_STR(found.without, "kind-a a:/, kind-b b:/");
    CHECK_EQ(a.asked, 2);
    CHECK_EQ(b.asked, 2);
}

TEST(boot_search, the_first_place_wins)
{
    two_places();
    a.answer[1] = b.answer[0] = BOOT_TAKEN;
    search();
    CHECK_EQ(found.found, BOOT_TAKEN);
    CHECK_EQ(found.bytes, 6);
    CHECK_STR(text, "from a");
    CHECK_STR(found.source, "kind-a a:/all.conf");
    CHECK_STR(found.without, "");
    CHECK_EQ(b.opened, 0);
}

TEST(boot_search, the_first_name_of_a_place_wins)
{
    two_places();
    b.answer[0] = b.answer[1] = BOOT_TAKEN;
    search();
    CHECK_STR(found.source, "kind-b b:/mine.conf");
    CHECK_STR(found.without, "kind-a a:/");
    CHECK_EQ(b.asked, 1);
}

TEST(boot_search, a_place_that_is_not_there_is_not_named)
{
    two_places();
    a.is_there = false;
    search();
    CHECK_EQ(a.asked, 0);
    CHECK_STR(found.without, "kind-b b:/");
}

TEST(boot_search, a_damaged_text_is_not_replaced_by_another)
{
    two_places();
    a.answer[0] = BOOT_REFUSED;
    a.answer[1] = b.answer[0] = BOOT_TAKEN;
    search();
    CHECK_EQ(found.found, BOOT_REFUSED);
    CHECK_STR(found.source, "kind-a a:/mine.conf");
    CHECK_EQ(a.asked, 1);
    CHECK_EQ(b.opened, 0);
}

TEST(boot_search, a_place_that_must_answer_and_does_not_ends_it)
{
    two_places();
    a.answer[0] = BOOT_SILENT;
    b.answer[0] = BOOT_TAKEN;
    search();
    CHECK_EQ(found.found, BOOT_REFUSED);
    CHECK_EQ(a.asked, 1);
    CHECK_EQ(b.opened, 0);
}

TEST(boot_search, a_place_that_need_not_answer_is_passed_over_at_once)
{
    two_places();
    a.answer[0] = BOOT_GONE;
    b.answer[1] = BOOT_TAKEN;
    search();
    CHECK_EQ(a.asked, 1);
    CHECK_EQ(found.found, BOOT_TAKEN);
    CHECK_STR(found.source, "kind-b b:/all.conf");
    CHECK_STR(found.without, "kind-a a:/ (no answer)");
    two_places();
    b.answer[0] = BOOT_GONE;
    search();
    CHECK_EQ(found.found, BOOT_ABSENT);
    CHECK_STR(found.without, "kind-a a:/, kind-b b:/ (no answer)");
}

TEST(boot_search, without_names_no_place_is_asked)
{
    const struct boot_names none = { 0 };

    two_places();
    boot_search(places, 2, &none, &names, text, ROOM, &found);
    CHECK_EQ(found.found, BOOT_ABSENT);
    CHECK_EQ(a.asked + b.asked, 0);
}

static bool open_nameless(void *ctx, char *where, size_t room)
{
    (void)ctx;
    (void)where;
    (void)room;
    return true;
}

static enum boot_found fetch_nameless(void *ctx, const char *name, char *to,
                                      size_t room, size_t *bytes)
{
    (void)ctx;
    (void)room;
    CHECK_STR(name, "");
    a.asked++;
    *bytes = a.answer[0] == BOOT_TAKEN;
    to[0] = 'x';
    return a.answer[0];
}

TEST(boot_search, a_nameless_place_is_asked_once)
{
    static const struct boot_place only = { "only", open_nameless,
                                            fetch_nameless, NULL, true };
    static const struct boot_place *const one[] = { &only };

    a = (struct fake) { .answer = { BOOT_TAKEN } };
    boot_search(one, 1, &names, NULL, text, ROOM, &found);
    CHECK_STR(found.source, "only");
    a = (struct fake) { .answer = { BOOT_ABSENT } };
    boot_search(one, 1, &names, NULL, text, ROOM, &found);
    CHECK_EQ(a.asked, 1);
    CHECK_STR(found.without, "only");
}
