/*
 * fwd.c - how to forward: the settings
 */
#include "net/fwd.h"

#include <string.h>

#include <millrace/core.h>
#include <millrace/log.h>

#include "net/engine.h"
#include "net/fwd_impl.h"
#include "net/txonly.h"

struct fwd fwd;

void fwd_init(void)
{
    memset(&fwd, 0, sizeof(fwd));
    fwd_run_init();
    fwd.engine = engines[0];
    fwd.burst = FWD_BURST_DEFAULT;
    fwd.tx_len = TXONLY_LEN_DEFAULT;
    fwd.gap_us = FWD_GAP_US_DEFAULT;
    fwd.port_count = port_count();
    for (unsigned p = 0; p < PORT_MAX; p++) {
        fwd.ports[p] = (uint8_t)p;
        fwd.peer[p][0] = 0x02; /* locally administered, as testpmd's peers */
        fwd.peer[p][5] = (uint8_t)p;
    }
}

/* ---- settings ---- */

void fwd_pool_set(struct mempool *pool)
{
    fwd.pool = pool;
    fwd_refresh();
}

void fwd_engine_set(const struct engine *engine)
{
    fwd.engine = engine;
    fwd_refresh();
}

const struct engine *fwd_engine_get(void)
{
    return fwd.engine;
}

enum status fwd_burst_set(unsigned burst)
{
    if (burst == 0 || burst > FWD_BURST_MAX)
        return E_RANGE;
    fwd.burst = burst;
    fwd_refresh();
    return OK;
}

unsigned fwd_burst_get(void)
{
    return fwd.burst;
}

enum status fwd_txpkts_set(unsigned bytes)
{
    if (bytes < TXONLY_LEN_MIN || bytes > TXONLY_LEN_MAX)
        return E_RANGE;
    fwd.tx_len = (uint16_t)bytes;
    fwd_refresh();
    return OK;
}

unsigned fwd_txpkts_get(void)
{
    return fwd.tx_len;
}

enum status fwd_peer_set(unsigned port, const uint8_t mac[ETHER_ADDR_BYTES])
{
    if (port >= PORT_MAX)
        return E_RANGE;
    memcpy(fwd.peer[port], mac, ETHER_ADDR_BYTES);
    fwd_refresh();
    return OK;
}

void fwd_peer_get(unsigned port, uint8_t mac[ETHER_ADDR_BYTES])
{
    memcpy(mac, fwd.peer[port], ETHER_ADDR_BYTES);
}

enum status fwd_ports_set(const uint8_t ports[], unsigned count)
{
    bool seen[PORT_MAX] = { false };

    if (fwd.running)
        return E_STATE;
    if (count == 0 || count > PORT_MAX)
        return E_RANGE;
    for (unsigned i = 0; i < count; i++) {
        if (ports[i] >= port_count())
            return E_NOENT;
        if (seen[ports[i]])
            return E_EXIST;
        seen[ports[i]] = true;
    }
    memcpy(fwd.ports, ports, count);
    fwd.port_count = count;
    return OK;
}

unsigned fwd_port_count(void)
{
    return fwd.port_count;
}

unsigned fwd_port_at(unsigned index)
{
    return fwd.ports[index];
}

bool fwd_port_used(unsigned port)
{
    for (unsigned i = 0; i < fwd.port_count; i++)
        if (fwd.ports[i] == port)
            return true;
    return false;
}

unsigned fwd_paired_with(unsigned index)
{
    if (index % 2 == 1)
        return index - 1;
    return index + 1 < fwd.port_count ? index + 1 : index;
}

void fwd_tx_first_set(unsigned bursts)
{
    fwd.tx_first = bursts;
}

void fwd_record_cycles_set(bool on)
{
    fwd.record_cycles = on;
    fwd_refresh();
}

bool fwd_record_cycles_get(void)
{
    return fwd.record_cycles;
}

/* ---- cores ---- */

static bool may_forward(unsigned lcore)
{
    for (unsigned i = 0; i < fwd.core_count; i++)
        if (fwd.cores[i] == lcore)
            return true;
    return lcore == core_control();
}

enum status fwd_cores_set(const uint16_t lcores[], unsigned count)
{
    if (fwd.running)
        return E_STATE;
    if (count >= LCORE_MAX)
        return E_RANGE;
    for (unsigned i = 0; i < count; i++) {
        if (!core_takes_work(lcores[i]))
            return E_NOENT;
        for (unsigned k = 0; k < i; k++)
            if (lcores[k] == lcores[i])
                return E_EXIST;
    }
    if (count > 0)
        memcpy(fwd.cores, lcores, count * sizeof(lcores[0]));
    fwd.core_count = count;
    fwd.nb_cores = 0;
    fwd.place_count = 0;
    return OK;
}

unsigned fwd_core_count(void)
{
    return fwd.core_count == 0 ? 1 : fwd.core_count;
}

enum status fwd_nb_cores_set(unsigned count)
{
    if (fwd.running)
        return E_STATE;
    if (count > fwd_core_count())
        return E_RANGE;
    fwd.nb_cores = count;
    return OK;
}

/* What is wrong with place @i, or OK. */
static enum status place_check(const struct fwd_place places[], unsigned i)
{
    if (places[i].port >= port_count())
        return E_RANGE;
    if (!may_forward(places[i].lcore))
        return E_NOENT;
    for (unsigned k = 0; k < i; k++)
        if (places[k].port == places[i].port &&
            places[k].queue == places[i].queue)
            return E_EXIST;
    return OK;
}

enum status fwd_places_set(const struct fwd_place places[], unsigned count)
{
    enum status s;

    if (fwd.running)
        return E_STATE;
    if (count > FWD_STREAMS_MAX)
        return E_RANGE;
    for (unsigned i = 0; i < count; i++) {
        s = place_check(places, i);
        if (s != OK) {
            log_error("forwarding: (%u,%u,%u): expected a port of 0..%u, a "
                      "core that may forward, and each queue once: %s",
                      places[i].port, places[i].queue, places[i].lcore,
                      port_count() - 1, status_text(s));
            return s;
        }
    }
    if (count > 0)
        memcpy(fwd.places, places, count * sizeof(places[0]));
    fwd.place_count = count;
    return OK;
}

enum status fwd_gap_set(unsigned us)
{
    if (us == 0 || us > FWD_GAP_US_MAX)
        return E_RANGE;
    fwd.gap_us = us;
    fwd_refresh();
    return OK;
}

unsigned fwd_gap_get(void)
{
    return fwd.gap_us;
}
