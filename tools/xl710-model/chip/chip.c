/*
 * chip.c - making a chip, and the two things that move it: time and polls
 */
#include "chip/control.h"

#include <stdlib.h>
#include <string.h>

static bool config_is_sane(const struct chip_config *c)
{
    return c->ports >= 1 && c->ports <= CHIP_PF_MAX && c->queues_per_pf >= 1 &&
           c->queues_per_pf <= CHIP_QUEUES_MAX / c->ports && c->sr_kib >= 4 &&
           c->sr_kib <= 64 && (c->sr_kib & (c->sr_kib - 1)) == 0;
}

static bool pf_create(struct chip *chip, struct chip_pf *pf, unsigned index)
{
    pf->chip = chip;
    pf->index = index;
    pf->queues = chip->config.queues_per_pf;
    pf->first_q = index * pf->queues;
    memcpy(pf->mac_factory, chip->config.mac[index], 6);
    memcpy(pf->mac_lan, chip->config.mac[index], 6);
    pf->link.wire_up = chip->config.link_up_at_reset;
    pf->txq = calloc(pf->queues, sizeof(*pf->txq));
    pf->rxq = calloc(pf->queues, sizeof(*pf->rxq));
    return pf->txq != NULL && pf->rxq != NULL;
}

struct chip *chip_create(const struct chip_config *config,
                         const struct chip_host *host)
{
    struct chip *chip;

    if (!config_is_sane(config) || host->dma == NULL)
        return NULL;
    chip = calloc(1, sizeof(*chip));
    if (chip == NULL)
        return NULL;
    chip->config = *config;
    chip->host = *host;
    chip->strict = true;
    chip->ports = config->ports;
    chip->nvm_owner = -1;
    chip->pf = calloc(chip->ports, sizeof(*chip->pf));

    bool ok = chip->pf != NULL && nvm_create(chip);

    for (unsigned p = 0; ok && p < chip->ports; p++)
        ok = pf_create(chip, &chip->pf[p], p);
    if (!ok) {
        chip_destroy(chip);
        return NULL;
    }
    reset_power_on(chip);
    return chip;
}

void chip_destroy(struct chip *chip)
{
    if (chip == NULL)
        return;
    for (unsigned p = 0; chip->pf != NULL && p < chip->ports; p++) {
        free(chip->pf[p].txq);
        free(chip->pf[p].rxq);
    }
    free(chip->pf);
    free(chip->nvm);
    free(chip);
}

void chip_doorbells_set(struct chip *chip, unsigned pf_index,
                        uint32_t *qtx_tail, uint32_t *qrx_tail)
{
    if (pf_index >= chip->ports)
        return;

    struct chip_pf *pf = &chip->pf[pf_index];

    qregs_doorbells_fetch(pf);
    pf->qtx_tail = qtx_tail;
    pf->qrx_tail = qrx_tail;
    qregs_doorbells_sync(pf);
}

void chip_advance(struct chip *chip, uint64_t now_ns)
{
    if (now_ns > chip->now_ns)
        chip->now_ns = now_ns;
    reset_advance(chip);
    for (unsigned p = 0; p < chip->ports; p++) {
        link_advance(chip, &chip->pf[p]);
        adminq_advance(chip, &chip->pf[p]);
    }
    data_advance(chip, chip->now_ns);
    for (unsigned p = 0; p < chip->ports; p++)
        intr_advance(chip, &chip->pf[p]);
}

unsigned chip_poll(struct chip *chip, unsigned budget)
{
    return data_poll(chip, budget);
}
