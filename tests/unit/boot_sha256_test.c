/*
 * boot_sha256_test.c - the loader's SHA-256 gives what others give
 *
 * The short digests are the examples of FIPS 180-4's companion document; the
 * others are coreutils' sha256sum of the same bytes.
 */
#include "tests/unit/test.h"

#include <stdio.h>
#include <stdlib.h>

#include "boot/sha256.h"

static char hex[2 * BOOT_SHA256_BYTES + 1];

/* Of a heap copy of exactly @bytes, so that ASan sees one too many. */
static const char *hash(const void *data, size_t bytes)
{
    uint8_t digest[BOOT_SHA256_BYTES];
    void *copy = malloc(bytes == 0 ? 1 : bytes);

    memcpy(copy, data, bytes);
    boot_sha256(bytes == 0 ? NULL : copy, bytes, digest);
    free(copy);
    for (unsigned i = 0; i < BOOT_SHA256_BYTES; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return hex;
}

TEST(boot_sha256, the_standards_examples)
{
    CHECK_STR(
        hash("abc", 3),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK_STR(
        hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(boot_sha256, nothing_has_a_hash_too)
{
    CHECK_STR(
        hash("", 0),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

/* 55 bytes and the length fill one block; from 56 on it takes another. */
TEST(boot_sha256, every_way_in_which_a_last_block_ends)
{
    static const struct {
        size_t bytes;
        const char *digest;
    } rows[] = {
        { 55,
          "3376424373aba5558fe0d6fb4de3b937b5cc23e38bf978d47a792423bb77a235" },
        { 56,
          "433433c89b6417aafffa5b2361b4912dbb11e4a796207bf7ca3a1dcc116ea994" },
        { 63,
          "6e80a1cca9ce209522c092413cd97b7b71b18c8c3e90b2e0d5fe59b97c37ad18" },
        { 64,
          "55d24d1e5bb5c78ff659439718f787646160ce78ff2f48952745723fe61d06e6" },
        { 65,
          "676fc2b538902dd46ab4f093f1cfd8d218dfa9624fc3d539cad3cba6a3eb07f5" },
        { 119,
          "4f1fca6f9f81f68cd9b37209a7bf1eebece7533f47acfe55e204736ea05c26b6" },
        { 120,
          "864bacb2b3f3b4c49e904e197a03783d6825bc7738ce9e945b14c75dca2b3ff7" },
        { 100000,
          "f45333393d79f473d706f3b1d97ee05244ac4636f2a209bad56588294b5854e4" },
    };
    static uint8_t text[100000];

    memset(text, 'm', sizeof(text));
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK_STR(hash(text, rows[i].bytes), rows[i].digest);
}
