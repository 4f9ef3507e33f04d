/*
 * boot_names_test.c - names of configurations, and what lies beside a URL
 */
#include "tests/unit/test.h"

#include "boot/names.h"

static const uint8_t mac[6] = { 0x68, 0x05, 0xca, 0x00, 0x0b, 0x10 };
static const uint8_t uuid[16] = { 0x01, 0x23, 0x45, 0x67, 0x89, 0xab,
                                  0xcd, 0xef, 0x01, 0x23, 0x45, 0x67,
                                  0x89, 0xab, 0xcd, 0xef };

static struct boot_names names;
static char text[64];

TEST(boot_names, the_most_specific_comes_first)
{
    boot_names_usual(&names, mac, uuid);
    CHECK_EQ(names.count, 3);
    CHECK_STR(names.name[0], "millrace-68-05-ca-00-0b-10.conf");
    CHECK_STR(names.name[1],
              "millrace-01234567-89ab-cdef-0123-456789abcdef.conf");
    CHECK_STR(names.name[2], "millrace.conf");
}

TEST(boot_names, what_is_not_known_gives_no_name)
{
    boot_names_usual(&names, NULL, uuid);
    CHECK_EQ(names.count, 2);
    CHECK_STR(names.name[1], "millrace.conf");
    boot_names_usual(&names, mac, NULL);
    CHECK_EQ(names.count, 2);
    boot_names_usual(&names, NULL, NULL);
    CHECK_EQ(names.count, 1);
    CHECK_STR(names.name[0], "millrace.conf");
}

/* Returns what it returns; the rest is in @names. */
static bool asked(const char *cmdline, bool expected)
{
    bool was_asked;
    const bool good = boot_names_asked(&names, cmdline, &was_asked);

    CHECK_EQ(was_asked, expected);
    return good;
}

TEST(boot_names, an_asked_name_is_the_only_one)
{
    CHECK(asked("config=dut_3.v2-a.conf", true));
    CHECK_EQ(names.count, 1);
    CHECK_STR(names.name[0], "dut_3.v2-a.conf");
    CHECK(asked("-l 0-3 config=b -- --auto-start", true));
    CHECK_STR(names.name[0], "b");
    CHECK(asked("-- --auto-start  config=c", true));
    CHECK_STR(names.name[0], "c");
}

TEST(boot_names, none_is_no_name_at_all)
{
    CHECK(asked("config=none", true));
    CHECK_EQ(names.count, 0);
    CHECK(asked("config=none2", true));
    CHECK_EQ(names.count, 1);
}

TEST(boot_names, other_words_ask_for_nothing)
{
    CHECK(asked("", false));
    CHECK(asked("-l 0-3 -- --config=(0,0,1) xconfig=y", false));
    CHECK(asked("config", false));
    CHECK(asked("a config", false));
    CHECK(asked("a ", false));
}

TEST(boot_names, what_is_no_plain_name_is_refused)
{
    CHECK(!asked("config=", true));
    CHECK(!asked("config= x", true));
    CHECK(!asked("config=../x", true));
    CHECK(!asked("config=a\\b", true));
    CHECK(!asked("config=\"a\"", true));
    /* 63 characters fit, 64 do not. */
    CHECK(
        asked("config=012345678901234567890123456789012345678901234567890123456"
              "789012",
              true));
    CHECK(
        !asked("config=01234567890123456789012345678901234567890123456789012345"
               "67890123",
               true));
}

TEST(boot_names, beside_a_url_is_its_folder)
{
    CHECK(boot_url_beside("http://10.0.2.2:8080/lab/m.efi", "x.conf", text,
                          sizeof(text)));
    CHECK_STR(text, "http://10.0.2.2:8080/lab/x.conf");
    CHECK(boot_url_beside("https://h/m.efi", "x", text, sizeof(text)));
    CHECK_STR(text, "https://h/x");
    CHECK(boot_url_beside("http://h/a/b/", "x", text, sizeof(text)));
    CHECK_STR(text, "http://h/a/b/x");
}

TEST(boot_names, slashes_in_a_query_are_no_folders)
{
    CHECK(
        boot_url_beside("http://h/a/m.efi?path=/x/y", "c", text, sizeof(text)));
    CHECK_STR(text, "http://h/a/c");
    CHECK(boot_url_beside("http://h/a/m.efi#/x/y", "c", text, sizeof(text)));
    CHECK_STR(text, "http://h/a/c");
}

TEST(boot_names, what_is_no_url_has_nothing_beside_it)
{
    CHECK(!boot_url_beside("", "c", text, sizeof(text)));
    CHECK(!boot_url_beside("/a/b", "c", text, sizeof(text)));
    CHECK(!boot_url_beside("http://host", "c", text, sizeof(text)));
    CHECK(!boot_url_beside("http:/host/x", "c", text, sizeof(text)));
    CHECK(!boot_url_host("boot.efi", text, sizeof(text)));
}

TEST(boot_names, a_url_without_room_is_refused)
{
    /* "http://h/c" and its NUL are 11. */
    CHECK(boot_url_beside("http://h/m", "c", text, 11));
    CHECK(!boot_url_beside("http://h/m", "c", text, 10));
    CHECK(boot_url_host("http://abc/m", text, 4));
    CHECK(!boot_url_host("http://abc/m", text, 3));
}

TEST(boot_names, a_host_is_without_the_login)
{
    CHECK(boot_url_host("http://10.0.2.2:80/x", text, sizeof(text)));
    CHECK_STR(text, "10.0.2.2:80");
    CHECK(boot_url_host("http://me:secret@h/x", text, sizeof(text)));
    CHECK_STR(text, "h");
    CHECK(!boot_url_host("http://me@/x", text, sizeof(text)));
    CHECK(!boot_url_host("http:///x", text, sizeof(text)));
}
