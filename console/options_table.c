/*
 * options_table.c - the words that LoadOptions may hold
 *
 * Names and meanings: DPDK lib/eal/common/eal_common_options.c and
 * app/test-pmd/parameters.c; Linux Documentation/admin-guide/
 * kernel-parameters.txt for the kernel-style words.
 */
#include <string.h>

#include "console/options.h"
#include "console/options_impl.h"
#include "console/text.h"
#include "mm/mempool.h"
#include "net/engine.h"
#include "net/txonly.h"

#define NODE_LAST 255

/* ---- kernel-style ---- */

static bool set_console(struct options *o, const char *v)
{
    if (*v == '\0' || strlen(v) >= sizeof(o->console))
        return false;
    memcpy(o->console, v, strlen(v) + 1);
    return true;
}

/* Linux prints what is below the number; we name the last one printed. */
static bool set_loglevel(struct options *o, const char *v)
{
    uint64_t n;

    if (!text_to_number(v, &n) || n > LOG_DEBUG + 1)
        return false;
    o->log_level = n == 0 ? LOG_EMERG : (enum log_level)(n - 1);
    return true;
}

static bool set_debug_exit(struct options *o, const char *v)
{
    uint64_t n;

    if (!text_to_number(v, &n) || n == 0 || n > UINT16_MAX)
        return false;
    o->debug_exit = (uint16_t)n;
    return true;
}

static bool set_panic(struct options *o, const char *v)
{
    const bool negative = *v == '-';
    uint64_t n;

    if (!text_to_number(v + negative, &n) || n > 86400)
        return false;
    o->panic_s = negative ? -(int)n : (int)n;
    return true;
}

/* Linux's words, and one to insist on what it takes by itself. */
static bool set_idle(struct options *o, const char *v)
{
    if (strcmp(v, "mwait") == 0)
        o->idle = CORE_IDLE_MWAIT;
    else if (strcmp(v, "halt") == 0 || strcmp(v, "nomwait") == 0)
        o->idle = CORE_IDLE_HALT;
    else
        return false;
    return true;
}

/* The loader has done what it says, or has left a note why not. */
static bool set_config_name(struct options *o, const char *v)
{
    (void)o;
    return *v != '\0';
}

/* ---- EAL ---- */

/* Decimal digits at *@p, at most LCORE_MAX - 1. */
static bool take_lcore(const char **p, unsigned *lcore)
{
    unsigned v = 0, n = 0;

    for (; **p >= '0' && **p <= '9' && n < 4; n++, ++*p)
        v = v * 10 + (unsigned)(**p - '0');
    *lcore = v;
    return n > 0 && v < LCORE_MAX;
}

/* "0-3,5,7@7": an lcore is the core of the same number. */
static bool set_lcores(struct options *o, const char *v)
{
    uint64_t set[LCORE_MAX / 64] = { 0 };

    for (;; v++) {
        unsigned first, last, cpu;

        if (!take_lcore(&v, &first))
            return false;
        last = first;
        if (*v == '-' && (v++, !take_lcore(&v, &last)))
            return false;
        if (*v == '@' &&
            (v++, !take_lcore(&v, &cpu) || cpu != first || first != last))
            return false;
        if (last < first)
            return false;
        for (unsigned i = first; i <= last; i++)
            set[i / 64] |= UINT64_C(1) << i % 64;
        if (*v == '\0')
            break;
        if (*v != ',')
            return false;
    }
    memcpy(o->lcores, set, sizeof(set));
    return true;
}

static bool add_pci(const char *v, struct pci_addr list[], unsigned *count)
{
    if (*count == PORT_MAX || !text_to_pci(v, &list[*count]))
        return false;
    ++*count;
    return true;
}

static bool set_allow(struct options *o, const char *v)
{
    return o->block_count == 0 && add_pci(v, o->allow, &o->allow_count);
}

static bool set_block(struct options *o, const char *v)
{
    return o->allow_count == 0 && add_pci(v, o->block, &o->block_count);
}

static bool set_simd(struct options *o, const char *v)
{
    uint64_t n;

    if (!text_to_number(v, &n) || (n != 64 && n != 128 && n != 256 && n != 512))
        return false;
    o->max_simd_bits = (uint32_t)n;
    return true;
}

/* "8", "debug", or either behind "type:" or "type,"; types share one level. */
static bool set_log_level(struct options *o, const char *v)
{
    static const char *const names[] = {
        "emergency", "alert",  "critical", "error",
        "warning",   "notice", "info",     "debug",
    };
    const char *level = strrchr(v, ':');
    uint64_t n;

    if (level == NULL)
        level = strrchr(v, ',');
    level = level == NULL ? v : level + 1;
    if (!text_to_number(level, &n))
        for (n = 1; n <= ARRAY_SIZE(names); n++)
            if (strcmp(level, names[n - 1]) == 0)
                break;
    if (n < 1 || n > ARRAY_SIZE(names))
        return false;
    o->log_level = (enum log_level)(n - 1);
    return true;
}

/* ---- testpmd ---- */

static bool set_forward_mode(struct options *o, const char *v)
{
    const struct engine *engine = engine_find(v);

    if (engine == NULL)
        return false;
    o->engine = engine;
    return true;
}

static bool set_portmask(struct options *o, const char *v)
{
    uint64_t mask;

    if (!text_to_hex(v, &mask) || mask == 0 || mask > UINT32_MAX)
        return false;
    o->portmask = (uint32_t)mask;
    return true;
}

/* Decimal digits at *@p, at most @max, and then @end. */
static bool take_number(const char **p, unsigned max, char end, unsigned *out)
{
    unsigned v = 0, n = 0;

    for (; **p >= '0' && **p <= '9' && n < 5; n++, ++*p)
        v = v * 10 + (unsigned)(**p - '0');
    *out = v;
    return n > 0 && v <= max && *(*p)++ == end;
}

/* "(0,0,1),(1,0,2)": port, queue, core; blanks between as l3fwd takes them. */
static bool set_places(struct options *o, const char *v)
{
    unsigned n = 0;

    for (;; v++) {
        unsigned port, queue, lcore;

        v += strspn(v, " ");
        if (n == OPTIONS_PLACES_MAX || *v++ != '(' ||
            !take_number(&v, PORT_MAX - 1, ',', &port) ||
            !take_number(&v, PORT_QUEUE_MAX - 1, ',', &queue) ||
            !take_number(&v, LCORE_MAX - 1, ')', &lcore))
            return false;
        o->place[n++] = (struct fwd_place) { .port = (uint8_t)port,
                                             .queue = (uint16_t)queue,
                                             .lcore = (uint16_t)lcore };
        if (*v == '\0')
            break;
        if (*v != ',')
            return false;
    }
    o->place_count = n;
    return true;
}

/* "(0,1),(1,0)": port and node, as testpmd has it. */
static bool set_port_nodes(struct options *o, const char *v)
{
    uint32_t given = 0, node[PORT_MAX];

    for (;; v++) {
        unsigned port, n;

        if (*v++ != '(' || !take_number(&v, PORT_MAX - 1, ',', &port) ||
            !take_number(&v, NODE_LAST, ')', &n) || (given >> port & 1))
            return false;
        given |= UINT32_C(1) << port;
        node[port] = n;
        if (*v == '\0')
            break;
        if (*v != ',')
            return false;
    }
    for (unsigned p = 0; p < PORT_MAX; p++)
        if (given >> p & 1)
            o->port_node[p] = node[p];
    o->port_node_given = given;
    return true;
}

static bool set_topology(struct options *o, const char *v)
{
    (void)o;
    return strcmp(v, "paired") == 0;
}

static bool set_auto_start(struct options *o, const char *v)
{
    (void)v;
    o->auto_start = true;
    return true;
}

static bool set_no_device_start(struct options *o, const char *v)
{
    (void)v;
    o->disable_device_start = true;
    return true;
}

/* "0,aa:bb:cc:dd:ee:ff" */
static bool set_peer(struct options *o, const char *v)
{
    const char *comma = strchr(v, ',');
    char port[8];
    uint64_t n;

    if (comma == NULL || (size_t)(comma - v) >= sizeof(port))
        return false;
    memcpy(port, v, (size_t)(comma - v));
    port[comma - v] = '\0';
    if (!text_to_number(port, &n) || n >= PORT_MAX ||
        !text_to_mac(comma + 1, o->peer[n]))
        return false;
    o->peer_given |= UINT32_C(1) << n;
    return true;
}

#define FIELD(name) offsetof(struct options, name)
#define IGNORED(name, p)                                                       \
    {                                                                          \
        name, p, VALUE_NONE, 0, 0, 0, 0, 0, 0                                  \
    }
#define IGNORED_V(name, p)                                                     \
    {                                                                          \
        name, p, VALUE_NEEDED, 0, 0, 0, 0, 0, 0                                \
    }
#define NUMBER(name, p, field, low, high, multiple)                            \
    {                                                                          \
        name, p, VALUE_NEEDED, 0, 0, FIELD(field), low, high, multiple         \
    }
#define WORD(name, p, v, text, set)                                            \
    {                                                                          \
        name, p, v, text, set, 0, 0, 0, 0                                      \
    }

#define E PART_EAL
#define T PART_TESTPMD
#define K PART_KERNEL

#define EXPECT_LCORES                                                           \
    "cores like 0-3,5 below 256; N@M only with N = M (an lcore is the core of " \
    "that number)"
#define EXPECT_ENGINE "io, mac, macswap, rxonly or txonly"
#define EXPECT_LEVEL  "a level 1..8 or emergency .. debug, after type: if wanted"
#define EXPECT_ALLOW                                                           \
    "a PCI address 0000:3b:00.0 without device arguments, and not --allow "    \
    "together with --block"

/* clang-format off */
const struct option option_table[] = {
    WORD("console", K, VALUE_NEEDED, "a port, as in console=ttyS0,115200n8", set_console),
    WORD("loglevel", K, VALUE_NEEDED, "0..8; what is below it is printed", set_loglevel),
    WORD("debug-exit", K, VALUE_NEEDED, "an I/O port, as in debug-exit=0xf4", set_debug_exit),
    WORD("panic", K, VALUE_NEEDED, "seconds until the reboot, 0 = never", set_panic),
    WORD("idle", K, VALUE_NEEDED, "mwait, halt or nomwait", set_idle),
    WORD("config", K, VALUE_NEEDED, "a file's name, or none", set_config_name),
    NUMBER("acpi_apic_instance", K, madt_instance, 0, 16, 1),

    WORD("-l", E, VALUE_NEEDED, EXPECT_LCORES, set_lcores),
    WORD("--lcores", E, VALUE_NEEDED, EXPECT_LCORES, set_lcores),
    NUMBER("--main-lcore", E, main_lcore, 0, LCORE_MAX - 1, 1),
    WORD("-a", E, VALUE_NEEDED, EXPECT_ALLOW, set_allow),
    WORD("--allow", E, VALUE_NEEDED, EXPECT_ALLOW, set_allow),
    WORD("-b", E, VALUE_NEEDED, EXPECT_ALLOW, set_block),
    WORD("--block", E, VALUE_NEEDED, EXPECT_ALLOW, set_block),
    WORD("--log-level", E, VALUE_NEEDED, EXPECT_LEVEL, set_log_level),
    WORD("--force-max-simd-bitwidth", E, VALUE_NEEDED, "64, 128, 256 or 512", set_simd),
    IGNORED_V("-n", E),
    IGNORED_V("-r", E),
    IGNORED_V("-m", E),
    IGNORED("-v", E),
    IGNORED_V("--base-virtaddr", E),
    IGNORED_V("--file-prefix", E),
    IGNORED_V("--huge-dir", E),
    WORD("--huge-unlink", E, VALUE_ATTACHED, 0, 0),
    IGNORED("--in-memory", E),
    IGNORED_V("--iova-mode", E),
    IGNORED("--legacy-mem", E),
    IGNORED("--match-allocations", E),
    IGNORED_V("--mbuf-pool-ops-name", E),
    IGNORED("--no-hpet", E),
    IGNORED("--no-huge", E),
    IGNORED("--no-shconf", E),
    IGNORED("--no-telemetry", E),
    IGNORED_V("--proc-type", E),
    IGNORED("--single-file-segments", E),
    IGNORED_V("--socket-limit", E),
    IGNORED_V("--socket-mem", E),
    WORD("--syslog", E, VALUE_ATTACHED, 0, 0),
    IGNORED("--telemetry", E),
    IGNORED_V("--vfio-intr", E),

    WORD("--forward-mode", T, VALUE_NEEDED, EXPECT_ENGINE, set_forward_mode),
    NUMBER("--rxq", T, rxq, 1, PORT_QUEUE_MAX, 1),
    NUMBER("--txq", T, txq, 1, PORT_QUEUE_MAX, 1),
    NUMBER("--nb-cores", T, nb_cores, 1, LCORE_MAX - 1, 1),
    WORD("--config", T, VALUE_NEEDED, "(port,queue,core) with commas between, as in (0,0,1),(1,0,2)", set_places),
    NUMBER("--rxd", T, rxd, PORT_DESC_MIN, PORT_DESC_MAX, PORT_DESC_ALIGN),
    NUMBER("--txd", T, txd, PORT_DESC_MIN, PORT_DESC_MAX, PORT_DESC_ALIGN),
    NUMBER("--txrst", T, txrst, 1, PORT_DESC_MAX, 1),
    NUMBER("--txfreet", T, txfreet, 1, PORT_DESC_MAX, 1),
    NUMBER("--burst", T, burst, 1, FWD_BURST_MAX, 1),
    NUMBER("--txpkts", T, txpkts, TXONLY_LEN_MIN, TXONLY_LEN_MAX, 1),
    NUMBER("--mbcache", T, mbcache, 0, MEMPOOL_CACHE_MAX, 1),
    NUMBER("--total-num-mbufs", T, total_num_mbufs, 1, 1u << 24, 1),
    NUMBER("--stats-period", T, stats_period, 0, 86400, 1),
    WORD("-p", T, VALUE_NEEDED, "a hexadecimal mask of ports, not 0", set_portmask),
    IGNORED("-P", T),
    WORD("--portmask", T, VALUE_NEEDED, "a hexadecimal mask of ports, not 0", set_portmask),
    WORD("--port-topology", T, VALUE_NEEDED, "paired (the only one there is)", set_topology),
    WORD("--eth-peer", T, VALUE_NEEDED, "port,aa:bb:cc:dd:ee:ff", set_peer),
    WORD("--auto-start", T, VALUE_NONE, 0, set_auto_start),
    WORD("-a", T, VALUE_NONE, 0, set_auto_start),
    WORD("--disable-device-start", T, VALUE_NONE, 0, set_no_device_start),
    IGNORED("-i", T),
    IGNORED("--interactive", T),
    IGNORED_V("--mp-alloc", T),
    IGNORED("--mlockall", T),
    IGNORED("--no-mlockall", T),
    IGNORED("--numa", T),
    IGNORED("--no-numa", T),
    IGNORED("--no-flush-rx", T),
    IGNORED("--no-lsc-interrupt", T),
    IGNORED("--no-rmv-interrupt", T),
    NUMBER("--socket-num", T, socket_num, 0, NODE_LAST, 1),
    WORD("--port-numa-config", T, VALUE_NEEDED, "(port,node) with commas between, as in (0,0),(1,1), each port once", set_port_nodes),
    { 0 },
};
/* clang-format on */
