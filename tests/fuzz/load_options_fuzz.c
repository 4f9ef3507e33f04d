/*
 * load_options_fuzz.c - LoadOptions of any bytes: decoded, then parsed as the
 * command line
 */
#include "boot/options.h"
#include "console/options.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/host.h"

static struct options options;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct boot_options_found found;
    const size_t room = size > 0 && data[0] & 1 ? 32 : 2048;
    char *line = malloc(room);
    size_t n;

    if (line == NULL)
        abort();
    host_reset();
    n = boot_options_decode(data, size, line, room, &found);
    FUZZ_CHECK(n < room && line[n] == '\0' && strlen(line) == n);
    FUZZ_CHECK(!found.is_binary || n == 0);
    if (options_parse(line, &options) != OK) {
        FUZZ_CHECK(options.error[0] != '\0');
        FUZZ_CHECK(options.error_column >= 1 && options.error_column <= n + 1);
    }
    free(line);
    return 0;
}
