/*
 * sha256.h - the hash by which the boot log names a text
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define BOOT_SHA256_BYTES 32

/* SHA-256 (FIPS 180-4) of @bytes at @data. */
void boot_sha256(const void *data, size_t bytes,
                 uint8_t digest[BOOT_SHA256_BYTES]);
