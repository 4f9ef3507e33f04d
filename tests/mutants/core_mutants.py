"""Mistakes about cores: who they are, their work, what is changed meanwhile."""
from mutant import Mutant

BOX, CORES, TOPOLOGY = "kernel/mailbox.c", "kernel/cores.c", "kernel/topology.c"
MADT = "kernel/acpi_cpu.c"
RUN, PLAN, FWD = "net/fwd_run.c", "net/fwd_plan.c", "net/fwd.c"
LCORE = "net/lcore.c"

MUTANTS = [
    Mutant("mailbox: a hold is acknowledged and not obeyed", BOX,
           "            count_set(&m->held, hold); /* M3 */\n"
           "        return true;\n",
           "            count_set(&m->held, hold); /* M3 */\n",
           "cores_test", "nobody_works_until"),
    Mutant("mailbox: the same, seen by the thread checker", BOX,
           "            count_set(&m->held, hold); /* M3 */\n"
           "        return true;\n",
           "            count_set(&m->held, hold); /* M3 */\n",
           "mailbox_mt_test", "under_a_hold", "tsan"),
    Mutant("mailbox: done is told before the last step", BOX,
           "    if (!m->step(m->arg))\n"
           "        count_set(&m->done, asked);\n",
           "    count_set(&m->done, asked);\n"
           "    if (m->step(m->arg))\n"
           "        m->done = asked - 1;\n",
           "mailbox_mt_test", "every_job", "tsan"),
    Mutant("mailbox: a job is taken without acquire", BOX,
           "    const uint32_t asked = count_get(&m->asked);\n",
           "    const uint32_t asked =\n"
           "        __atomic_load_n(&m->asked, __ATOMIC_RELAXED);\n",
           "mailbox_mt_test", "every_job", "tsan"),
    Mutant("mailbox: a second job replaces the first", BOX,
           "    if (mailbox_is_busy(m))\n        return E_BUSY;\n", "",
           "cores_test", "one_job_at_a_time"),
    Mutant("mailbox: a ticket is confirmed after the step only when it ends",
           BOX,
           "    if (m->quiet != ticket)\n", "    if (m->quiet > ticket)\n",
           "cores_test", "a_ticket_is_reached"),
    Mutant("cores: a hold keeps its number, so an old answer counts", CORES,
           "    if (++hold_number == 0)\n        hold_number = 1;\n",
           "    hold_number = 1;\n",
           "cores_test", "acknowledged_anew"),
    Mutant("cores: a hold that failed stays", CORES,
           "            if (hold_depth == 0)\n"
           "                release_all();\n", "",
           "cores_test", "nobody_is_held"),
    Mutant("cores: the first release lets all go", CORES,
           "    if (--hold_depth == 0)\n        release_all();\n",
           "    --hold_depth;\n    release_all();\n",
           "cores_test", "nobody_works_until"),
    Mutant("cores: one that is left out is waited for", CORES,
           "        if (core_takes_work(i) && "
           "!mailbox_quiet_reached(&mailboxes[i], ticket))\n",
           "        if (!mailbox_quiet_reached(&mailboxes[i], ticket) ||\n"
           "            !core_takes_work(i))\n",
           "cores_test", "is_not_waited_for"),
    Mutant("topology: the list's order decides the numbers", TOPOLOGY,
           "    while (at > 1 && t->core[at - 1].apic_id > info->apic_id)\n"
           "        at--;\n", "",
           "topology_test", "follow_by_id"),
    Mutant("topology: beyond the limit the first come stay", TOPOLOGY,
           "        t->count--; /* the largest id makes room */\n",
           "        return;\n",
           "topology_test", "more_cores_than_numbers"),
    Mutant("topology: dies are taken for packages", TOPOLOGY,
           "    if (from_levels(cpuid, LEAF_TOPOLOGY_2, &b) ||\n"
           "        from_levels(cpuid, LEAF_TOPOLOGY, &b) ||",
           "    if (from_levels(cpuid, LEAF_TOPOLOGY, &b) ||",
           "topology_test", "leaf_1f"),
    Mutant("madt: online-capable processors are started", MADT,
           "#define CPU_ENABLED  1u\n", "#define CPU_ENABLED  3u\n",
           "acpi_tables_test", "madt.disabled"),
    Mutant("srat: upper bytes of a node are lost", MADT,
           "                     p[2] | (uint32_t)p[9] << 8 |",
           "                     p[2] |",
           "acpi_tables_test", "srat.processors"),
    Mutant("fwd: settings are written while cores run", RUN,
           "    if (core_hold(CORE_HOLD_US) != OK)\n"
           "        return; /* the log has the core; it holds with the next "
           "change */\n",
           "    (void)!core_hold(0);\n",
           "fwd_cores_test", "stuck_core_runs"),
    Mutant("fwd: a stop takes queues from a core that still runs", RUN,
           "    if (s != OK)\n"
           "        return s; /* what a lost core holds is nobody's to touch "
           "*/\n", "",
           "fwd_cores_test", "does_not_stop"),
    Mutant("fwd: a core that stopped keeps buffers", RUN,
           "        if (s == OK)\n"
           "            mempool_cache_flush(fwd.pool, lcore->id);\n"
           "        else\n",
           "        if (s != OK)\n",
           "fwd_cores_test", "hold_nothing"),
    Mutant("fwd: a start that fails leaves others running", RUN,
           "        stop_all();\n        (void)!collect();\n        return s;\n",
           "        return s;\n",
           "fwd_cores_test", "other_work"),
    Mutant("fwd: a core that stands still is told every 10 ms", RUN,
           "        if (us < FWD_STILL_US || beats[i].is_still)\n",
           "        if (us < FWD_STILL_US)\n",
           "fwd_cores_test", "told_once"),
    Mutant("plan: the first cores get the rest", PLAN,
           "        const unsigned more = c >= cores - n % cores;\n",
           "        const unsigned more = c < n % cores;\n",
           "fwd_cores_test", "streams_are_spread"),
    Mutant("plan: streams of a core are apart", PLAN,
           "    sort(out, n);\n", "", "fwd_cores_test", "neighbours"),
    Mutant("fwd: a queue may have two cores", FWD,
           "            places[k].queue == places[i].queue)\n"
           "            return E_EXIST;\n",
           "            places[k].queue == places[i].queue)\n"
           "            return OK;\n",
           "fwd_cores_test", "bad_places"),
    Mutant("lcore: a gap counts as work, too", LCORE,
           "        note_gap(lcore, cycles, now);\n    else\n",
           "        note_gap(lcore, cycles, now);\n",
           "lcore_test", "a_gap_and_nothing_else"),
    Mutant("lcore: a mixed slice is all work", LCORE,
           "    uint64_t idle_cycles = idle * lcore->idle_round_cycles;\n",
           "    uint64_t idle_cycles = 0 * idle;\n",
           "lcore_test", "shared_out"),
    Mutant("lcore: every slice is timed", LCORE,
           "    return slice % LCORE_SAMPLED == LCORE_SAMPLED - 1;\n",
           "    return slice % LCORE_SAMPLED != LCORE_SAMPLED;\n",
           "lcore_test", "one_slice_in_64"),
    Mutant("timing: a burst that was a gap is a packet's cost", "net/timing.c",
           "        return; /* somebody else had the core */\n",
           "        (void)0;\n",
           "lcore_test", "no_cost_of_a_packet"),
    Mutant("timing: a stage goes on when the next begins", "net/timing.c",
           "    clock->since = now;\n", "",
           "lcore_test", "stages_share"),
    Mutant("cores: the control core takes work", CORES,
           "    return lcore != control && lcore < count",
           "    return lcore < count",
           "cores_test", "control_core"),
    Mutant("forwarding: only core 0 is control", FWD,
           "    return lcore == core_control();\n",
           "    return lcore == 0;\n",
           "fwd_cores_test", "another_control_core"),
    Mutant("park: a processor that misses stores sleeps in mwait",
           "kernel/park.c",
           "        0x5C, 0xBD,       /* Goldmont, Lunar Lake */\n", "",
           "park_test", "miss_stores"),
    Mutant("frame: the node is a wish for the first range only", "mm/frame.c",
           "        if (memory != NULL)\n            return memory;\n"
           "    }\n    node_count_miss();\n",
           "        return memory;\n"
           "    }\n    node_count_miss();\n",
           "node_test", "all_of_a_nodes_ranges"),
    Mutant("frame: memory from elsewhere is not counted", "mm/frame.c",
           "    node_count_miss();\n", "",
           "node_test", "is_counted"),
]
