/*
 * numa_test.c - which node a port is near, and what follows from it
 */
#include "console/numa.h"

#include <millrace/core.h>

#include "mm/frame.h"
#include "mm/mm.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/unit/test.h"

#define ARENA (32u << 20)

static struct options o;
static uint64_t base;

/* @ports ports; half of the memory at node 0, half at node 1, if @nodes is 2. */
static void begin(unsigned ports, unsigned nodes)
{
    const struct mm_range ram = { (uintptr_t)host_arena(ARENA), ARENA };

    base = ram.base;
    mm_close();
    CHECK_EQ(mm_init(&ram, 1), OK);
    node_ranges_set(
        (const struct node_range[]) { { base, ARENA / 2, 0 },
                                      { base + ARENA / 2, ARENA / 2, 1 } },
        nodes);
    port_fake_reset(ports, NULL);
    host_cores(0);
    fwd_init();
    options_default(&o);
    host_console_clear();
}

static void give(unsigned port, uint32_t node)
{
    o.port_node_given |= UINT32_C(1) << port;
    o.port_node[port] = node;
}

TEST(numa, a_machine_with_one_node_has_nothing_to_say)
{
    for (unsigned nodes = 0; nodes < 2; nodes++) {
        begin(2, nodes);
        CHECK_EQ(numa_open(&o), OK);
        CHECK_EQ(numa_port_node(0), NODE_ANY);
        CHECK_EQ(numa_main_node(), NODE_ANY);
        give(0, 0); /* right, and worth nothing */
        CHECK_EQ(numa_open(&o), OK);
        CHECK_EQ(numa_port_node(0), NODE_ANY);
        CHECK_STR(host_console_text(), "");
    }
}

TEST(numa, options_name_the_node_of_a_port)
{
    begin(3, 2);
    give(1, 1);
    o.socket_num = 0;
    CHECK_EQ(numa_open(&o), OK);
    CHECK_EQ(numa_port_node(0), 0);
    CHECK_EQ(numa_port_node(1), 1);
    CHECK_EQ(numa_port_node(2), 0);
    CHECK_EQ(numa_port_node(PORT_MAX), NODE_ANY);
    CHECK_EQ(numa_main_node(), 0);
    CHECK_CONTAINS(host_console_text(),
                   "port 1 is near node 1, says --port-numa-config");
    CHECK_CONTAINS(host_console_text(),
                   "port 2 is near node 0, says --socket-num");
}

TEST(numa, a_port_of_which_nobody_says_anything_is_named)
{
    begin(2, 2);
    give(0, 1);
    CHECK_EQ(numa_open(&o), OK);
    CHECK_EQ(numa_port_node(1), NODE_ANY);
    CHECK_EQ(numa_socket_shown(1), 0);
    CHECK_EQ(numa_socket_shown(0), 1);
    CHECK_EQ(numa_main_node(), 1);
    CHECK_CONTAINS(host_console_text(),
                   "nobody says which node port 1 is near");
}

TEST(numa, what_is_not_there_is_refused)
{
    begin(2, 2);
    give(1, 2);
    CHECK_EQ(numa_open(&o), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "--port-numa-config=(1,2): expected");
    begin(2, 2);
    give(2, 0);
    CHECK_EQ(numa_open(&o), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "--port-numa-config=(2,0): expected");
    begin(2, 2);
    o.socket_num = 7;
    CHECK_EQ(numa_open(&o), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "--socket-num=7: expected");
    begin(2, 0);
    o.socket_num = 1;
    CHECK_EQ(numa_open(&o), E_NOENT);
}

TEST(numa, memory_that_is_too_far_is_told)
{
    void *memory;

    begin(1, 2);
    numa_prefer(1);
    memory = frame_alloc(4096, 0, "near");
    numa_done("near things");
    CHECK_EQ(node_of((uintptr_t)memory, 4096), 1);
    CHECK_EQ(node_preferred(), NODE_ANY);
    CHECK_STR(host_console_text(), "");
    numa_prefer(1);
    memory = frame_alloc(ARENA / 2 - (4 << 20), 0, "most");
    CHECK_EQ(node_of((uintptr_t)memory, 4096), 1);
    memory = frame_alloc(8 << 20, 0, "far");
    numa_done("far things");
    CHECK(memory != NULL);
    CHECK_CONTAINS(host_console_text(),
                   "node 1 has too little memory for far things");
}

TEST(numa, a_core_that_is_far_from_its_port_is_named)
{
    static const uint16_t list[] = { 1, 2 };
    struct core_info info = { .apic_id = 2, .node = 1 };

    begin(2, 2);
    give(0, 1);
    give(1, 1);
    CHECK_EQ(numa_open(&o), OK);
    host_cores(2);
    CHECK_EQ(core_add(2, &info), OK);
    core_set_ready(2);
    CHECK_EQ(fwd_cores_set(list, 2), OK);
    host_console_clear();
    numa_check_cores();
    CHECK_CONTAINS(host_console_text(),
                   "core 1 of node 0 polls port 0 queue 0");
    CHECK(strstr(host_console_text(), "core 2") == NULL);
}
