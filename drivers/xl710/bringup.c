/*
 * bringup.c - from a PCI function to a port with its queues off
 *
 * The table is the documentation, the log line ("cannot leave PXE mode: timed
 * out") and the way back.
 */
#include <string.h>

#include <millrace/log.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"

static enum status bar_map(struct nic *nic)
{
    nic->bar = (volatile uint8_t *)(uintptr_t)pci_map_bar(nic->dev, 0,
                                                          XL710_BAR_BYTES);
    if (nic->bar != NULL)
        return OK;
    log_error("xl710 %s: BAR 0 at %#llx cannot be mapped", nic->name,
              (unsigned long long)nic->dev->bar[0].base);
    return E_UNSUPPORTED;
}

static void dma_off(struct nic *nic)
{
    pci_disable_dma(nic->dev);
    nic->bar = NULL;
}

/* A virtual machine renumbers functions, so the chip is asked, not the bus. */
static enum status identify(struct nic *nic)
{
    const bool ari = reg_get(nic, GLPCI_CAPSUP_ARI_EN, 0) != 0;
    const uint32_t own = reg_read(nic, PFLAN_QALLOC, 0);
    const unsigned first = field_of(PFLAN_QALLOC_FIRSTQ, own);
    const unsigned last = field_of(PFLAN_QALLOC_LASTQ, own);
    const uint32_t pf =
        reg_get(nic, ari ? PF_FUNC_RID_ARI : PF_FUNC_RID_FUNCTION, 0);

    nic->port_number = (uint8_t)reg_get(nic, PFGEN_PORTNUM_PORT_NUM, 0);
    if (pf >= XL710_PF_MAX || field_of(PFLAN_QALLOC_VALID, own) == 0 ||
        last < first || last >= XL710_QUEUES_MAX) {
        log_error("xl710 %s: function %u with queues %u to %u%s cannot be",
                  nic->name, pf, first, last,
                  field_of(PFLAN_QALLOC_VALID, own) ? "" : " (not valid)");
        return E_CORRUPT;
    }
    nic->pf = (uint8_t)pf;
    nic->first_queue = (uint16_t)first;
    nic->queue_count = (uint16_t)(last - first + 1);
    if (reg_get(nic, GLNVM_FLA_LOCKED, 0) == 0) {
        log_error("xl710 %s: the NVM is blank or unlocked", nic->name);
        return E_UNSUPPORTED;
    }
    return OK;
}

static enum status read_mac(struct nic *nic)
{
    return aq_read_mac(nic, nic->mac);
}

/* It eats LLDP frames; we leave it alone, but say so. */
static enum status ask_lldp(struct nic *nic)
{
    bool runs;
    const enum status s = aq_lldp_agent_runs(nic, &runs);

    if (s == OK && runs)
        log_info("xl710 %s: firmware's LLDP agent runs: LLDP frames do not "
                 "reach us",
                 nic->name);
    if (s == OK && nic->caps.traffic_classes > 1)
        log_warning("xl710 %s: firmware splits the port into traffic classes "
                    "(%#x); all queues are put into the first",
                    nic->name, nic->caps.traffic_classes);
    return s;
}

static bool is_again(const struct nic *nic)
{
    return nic->recovery.stage != RECOVERY_NONE;
}

static enum status start_counting(struct nic *nic)
{
    if (is_again(nic))
        stats_resume(nic);
    else
        stats_open(nic);
    nic_watch_open(nic);
    return OK;
}

/* In the order the chip needs. A failed step undoes those above it. */
static const struct step {
    const char *what;
    enum status (*run)(struct nic *nic);
    void (*undo)(struct nic *nic);
} steps[] = {
    /* to ...                            we call                and undo with */
    { "map the registers", bar_map, dma_off },
    { "reset the function", nic_reset, nic_leave_quiet },
    { "trust the firmware", nic_firmware_check, NULL },
    { "identify the function", identify, NULL },
    { "open the admin queue", adminq_open, adminq_close },
    { "agree with the firmware's version", aq_get_version, NULL },
    { "free the NVM lock", aq_release_nvm, NULL },
    { "read the NVM version", aq_read_nvm_version, NULL },
    { "leave PXE mode", aq_clear_pxe, NULL },
    { "read the capabilities", aq_get_capabilities, NULL },
    { "read the MAC address", read_mac, NULL },
    { "lend the queue contexts", hmc_open, hmc_close },
    { "find our switch port", vsi_find, NULL },
    { "shape our switch port", vsi_shape, NULL },
    { "set the address filters", vsi_filters_set, vsi_filters_clear },
    { "set the filter control", filter_control_set, NULL },
    { "let outer tags pass", outer_tags_set, NULL },
    { "tune the switch arbiter", perf_registers_set, NULL },
    { "ask for the LLDP agent", ask_lldp, NULL },
    { "follow the link", link_open, link_close },
    { "set the frame size", link_frame_size_set, NULL },
    { "time the write-back", write_back_timer_open, write_back_timer_close },
    { "start counting", start_counting, NULL },
};

static enum status run(struct nic *nic, const struct step *step)
{
    const unsigned errors = log_errors();
    const enum status s = step->run(nic);

    if (s != OK)
        log_write(log_level_after(errors), "xl710 %s: cannot %s: %s", nic->name,
                  step->what, status_text(s));
    return s;
}

enum status nic_bring_up(struct nic *nic)
{
    for (unsigned i = 0; i < ARRAY_SIZE(steps); i++) {
        const enum status s = run(nic, &steps[i]);

        /* A step that failed may have begun: it is undone, too. */
        nic->steps_done = i + 1;
        if (s != OK) {
            nic_take_down(nic);
            return s;
        }
    }
    return OK;
}

/*
 * The registers stay mapped, and the reset was waited for. A step that fails is
 * not undone: the next try begins with a reset.
 */
enum status nic_bring_up_again(struct nic *nic, unsigned *next, bool *is_done)
{
    enum status s;

    if (*next == 0)
        while (steps[(*next)++].run != nic_reset)
            ;
    s = run(nic, &steps[*next]);
    *next += s == OK;
    *is_done = *next == ARRAY_SIZE(steps);
    return s;
}

void nic_take_down(struct nic *nic)
{
    while (nic->steps_done > 0) {
        const struct step *step = &steps[--nic->steps_done];

        if (step->undo != NULL)
            step->undo(nic);
    }
}
