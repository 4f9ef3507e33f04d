/*
 * park_test.c - how a core sleeps, by what CPUID says and what is asked for
 */
#include "kernel/park.h"
#include "tests/unit/test.h"

#define MONITOR    (1u << 3)
#define HYPERVISOR (1u << 31)
#define XEON       0x000606A6 /* Ice Lake server */

static uint32_t signature, features;
static struct topology_regs monitor;
static bool is_amd;
static uint32_t last_leaf;

static struct topology_regs cpuid(uint32_t leaf, uint32_t subleaf)
{
    (void)subleaf;
    switch (leaf) {
    case 0:
        if (is_amd) /* "AuthenticAMD" */
            return (struct topology_regs) { last_leaf, 0x68747541, 0x444D4163,
                                            0x69746E65 };
        return (struct topology_regs) { last_leaf, 0x756E6547, 0x6C65746E,
                                        0x49656E69 };
    case 1:
        return (struct topology_regs) { signature, 0, features, 0 };
    case 5:
        CHECK(last_leaf >= 5);
        return monitor;
    default:
        return (struct topology_regs) { 0, 0, 0, 0 };
    }
}

/* A server of today. */
static void begin(void)
{
    signature = XEON;
    features = MONITOR;
    monitor = (struct topology_regs) { 64, 64, 3, 0x2020 };
    is_amd = false;
    last_leaf = 0x1B;
}

static bool in_mwait(enum core_idle wish)
{
    return park_choose(cpuid, wish).in_mwait;
}

TEST(park, mwait_where_the_processor_has_it)
{
    begin();
    CHECK(in_mwait(CORE_IDLE_AUTO));
    CHECK(!in_mwait(CORE_IDLE_HALT));
    features = 0;
    CHECK(!in_mwait(CORE_IDLE_AUTO));
    CHECK(!in_mwait(CORE_IDLE_MWAIT)); /* it would be an undefined opcode */
}

/* It would keep the core from others, or be no sleep at all. */
TEST(park, hlt_under_a_hypervisor_unless_asked_otherwise)
{
    begin();
    features |= HYPERVISOR;
    CHECK(!in_mwait(CORE_IDLE_AUTO));
    CHECK(in_mwait(CORE_IDLE_MWAIT));
}

TEST(park, hlt_where_leaf_5_lists_no_c1)
{
    begin();
    monitor.edx = 0x2002; /* C0, C3 */
    CHECK(!in_mwait(CORE_IDLE_AUTO));
    monitor.ecx = 0; /* no list: state 0 is there */
    CHECK(in_mwait(CORE_IDLE_AUTO));
    last_leaf = 4; /* not even leaf 5 */
    CHECK(in_mwait(CORE_IDLE_AUTO));
}

TEST(park, hlt_on_processors_that_miss_stores)
{
    static const uint32_t bad[] = {
        0x000106D1, /* Dunnington */
        0x000206E6, /* Nehalem-EX */
        0x000206F2, /* Westmere-EX */
        0x000506C9, /* Goldmont */
        0x000B06D1, /* Lunar Lake */
    };

    begin();
    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        signature = bad[i];
        CHECK(!in_mwait(CORE_IDLE_AUTO));
    }
    is_amd = true; /* the same numbers mean nothing there */
    CHECK(in_mwait(CORE_IDLE_AUTO));
}

TEST(park, every_choice_says_why)
{
    begin();
    for (unsigned wish = CORE_IDLE_AUTO; wish <= CORE_IDLE_MWAIT; wish++) {
        CHECK(park_choose(cpuid, wish).why != NULL);
        features ^= MONITOR;
        CHECK(park_choose(cpuid, wish).why != NULL);
        features ^= MONITOR;
    }
}
