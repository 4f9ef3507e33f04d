/*
 * config_fuzz.c - a configuration text of any bytes: checked, and applied when
 * nothing is wrong with it
 */
#include "console/config.h"
#include "console/console.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/host.h"

static const struct console_hooks hooks = { .version = "fuzz" };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum status status;

    host_reset();
    port_fake_reset(2, NULL);
    fwd_init();
    console_init(&hooks);
    host_console_clear();
    status = config_check((const char *)data, size, "fuzz.cfg");
    /* A refusal says why; what passes says nothing. */
    FUZZ_CHECK((status == OK) == (host_console_text()[0] == '\0'));
    if (status == OK)
        (void)!config_apply((const char *)data, size, "fuzz.cfg");
    if (fwd_is_running())
        (void)!fwd_stop();
    return 0;
}
