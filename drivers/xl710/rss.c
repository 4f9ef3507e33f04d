/*
 * rss.c - which packet goes to which queue: key, table and types of the hash
 *
 *   K1  the table names queues that are configured, and no others
 *   K2  the chip hashes only after key and table were read back as written
 *   K3  registers of the whole chip are written only when they differ from what
 *       every driver of it wants
 *
 * Numbers of packet types and their words as in i40e_adminq_cmd.h and
 * i40e_ethdev.c (i40e_get_default_input_set) of DPDK's i40e PMD. Which words go
 * into the hash, and in which order, is a register; the order of the standard
 * (source, destination, ports) is that of the reset value.
 */
#include <string.h>

#include <millrace/endian.h>
#include <millrace/log.h>
#include <millrace/toeplitz.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"

#define KEY_WORDS      (PORT_RSS_KEY_BYTES / 4)
#define ENTRIES_SMALL  128
#define ENTRIES_LARGE  512
#define SYMMETRIC_WORD 0x6D5A /* 9 of its 16 bits are set */

/* Words of a packet's headers, a bit each; bit 63 is word 0. */
#define WORDS_IPV4  UINT64_C(0x0001801800000000)
#define WORDS_IPV6  UINT64_C(0x0007FFF800000000)
#define WORDS_PORTS UINT64_C(0x0000000600000000)
#define WORDS_VTAG  UINT64_C(0x0000000180000000)
#define WORDS_ETYPE UINT64_C(0x0000000000004000)

static const struct {
    uint8_t pctype;
    uint64_t words;
} types[PORT_RSS_TYPE_COUNT] = {
    [PORT_RSS_IPV4_FRAG] = { 36, WORDS_IPV4 },
    [PORT_RSS_IPV4_TCP] = { 33, WORDS_IPV4 | WORDS_PORTS },
    [PORT_RSS_IPV4_UDP] = { 31, WORDS_IPV4 | WORDS_PORTS },
    [PORT_RSS_IPV4_SCTP] = { 34, WORDS_IPV4 | WORDS_PORTS | WORDS_VTAG },
    [PORT_RSS_IPV4_OTHER] = { 35, WORDS_IPV4 },
    [PORT_RSS_IPV6_FRAG] = { 46, WORDS_IPV6 },
    [PORT_RSS_IPV6_TCP] = { 43, WORDS_IPV6 | WORDS_PORTS },
    [PORT_RSS_IPV6_UDP] = { 41, WORDS_IPV6 | WORDS_PORTS },
    [PORT_RSS_IPV6_SCTP] = { 44, WORDS_IPV6 | WORDS_PORTS | WORDS_VTAG },
    [PORT_RSS_IPV6_OTHER] = { 45, WORDS_IPV6 },
    [PORT_RSS_L2_PAYLOAD] = { 63, WORDS_ETYPE },
};

/*
 * The key of Microsoft's "Verifying the RSS Hash Calculation", 40 bytes, and its
 * first 12 again: only SCTP over IPv6 reaches that far.
 */
static const uint8_t default_key[PORT_RSS_KEY_BYTES] = {
    0x6D, 0x5A, 0x56, 0xDA, 0x25, 0x5B, 0x0E, 0xC2, 0x41, 0x67, 0x25,
    0x3D, 0x43, 0xA3, 0x8F, 0xB0, 0xD0, 0xCA, 0x2B, 0xCB, 0xAE, 0x7B,
    0x30, 0xB4, 0x77, 0xCB, 0x2D, 0xA3, 0x80, 0x30, 0xF2, 0x0C, 0x6A,
    0x42, 0xB7, 0x3B, 0xBE, 0xAC, 0x01, 0xFA, 0x6D, 0x5A, 0x56, 0xDA,
    0x25, 0x5B, 0x0E, 0xC2, 0x41, 0x67, 0x25, 0x3D,
};

const uint8_t *port_rss_key_default(bool symmetric)
{
    static uint8_t key[PORT_RSS_KEY_BYTES];

    if (!symmetric)
        return default_key;
    for (unsigned i = 0; i < sizeof(key); i += 2)
        put_be16(key + i, SYMMETRIC_WORD);
    return key;
}

/* ---- known answers ---- */

/* Of the same document: source, destination, ports; what they hash to. */
static enum status check_arithmetic(const struct nic *nic)
{
    static const struct {
        uint8_t flow[12];
        uint32_t addresses, all;
    } known[] = {
        { { 66, 9, 149, 187, 161, 142, 100, 80, 0x0A, 0xEA, 0x06, 0xE6 },
          0x323E8FC2,
          0x51CCC178 },
        { { 199, 92, 111, 2, 65, 69, 140, 83, 0x37, 0x96, 0x12, 0x83 },
          0xD718262A,
          0xC626B0EA },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(known); i++) {
        const uint32_t two = toeplitz_hash(default_key, known[i].flow, 8);
        const uint32_t four = toeplitz_hash(default_key, known[i].flow, 12);

        if (two == known[i].addresses && four == known[i].all)
            continue;
        log_error("xl710 %s: known answer %u of the hash: expected %#x and "
                  "%#x, found %#x and %#x; the queues stay off",
                  nic->name, i, known[i].addresses, known[i].all, two, four);
        return E_CORRUPT;
    }
    return OK;
}

/* ---- what is configured ---- */

void rss_open(struct nic *nic)
{
    nic->rss.conf.types = PORT_RSS_ALL;
    memcpy(nic->rss.conf.key, default_key, sizeof(default_key));
}

static unsigned entries(const struct nic *nic)
{
    return nic->caps.rss_entries;
}

bool rss_is_possible(const struct nic *nic)
{
    if (nic_is_x722(nic)) {
        log_notice("xl710 %s: the X722's hash is not driven; one queue pair",
                   nic->name);
        return false;
    }
    if (entries(nic) == ENTRIES_SMALL || entries(nic) == ENTRIES_LARGE)
        return true;
    log_warning("xl710 %s: firmware has a hash table of %u entries, expected "
                "%u or %u; one queue pair",
                nic->name, entries(nic), ENTRIES_SMALL, ENTRIES_LARGE);
    return false;
}

void rss_queues_changed(struct nic *nic)
{
    struct nic_rss *r = &nic->rss;

    if (r->queues == nic_queues(nic))
        return;
    if (r->is_given)
        log_notice("xl710 %s: %u queues, the hash table was for %u and is made "
                   "anew",
                   nic->name, nic_queues(nic), r->queues);
    r->queues = nic_queues(nic);
    r->is_given = false;
    for (unsigned i = 0; i < PORT_RETA_MAX; i++)
        r->table[i] = (uint8_t)(i % r->queues);
}

unsigned rss_entries_of(const struct nic *nic, unsigned queue)
{
    unsigned n = 0;

    if (!nic->rss.is_on)
        return 0;
    for (unsigned i = 0; i < entries(nic); i++)
        n += nic->rss.table[i] == queue;
    return n;
}

/* ---- registers ---- */

/* K3 */
static enum status want(struct nic *nic, enum reg reg, unsigned i,
                        uint32_t mask, uint32_t value)
{
    const uint32_t offset = reg_offset(reg, i);
    uint32_t found;
    enum status s = aq_rxctl_read(nic, offset, &found);

    if (s != OK || (found & mask) == value)
        return s;
    log_notice("xl710 %s: hash register %#x was %#x, is made %#x", nic->name,
               offset, found, (found & ~mask) | value);
    return aq_rxctl_write(nic, offset, (found & ~mask) | value);
}

/* Toeplitz, of the words of the standard, not sorted by the chip. */
static enum status want_standard(struct nic *nic)
{
    const uint32_t toeplitz = field_is(GLQF_CTL_HTOEP, 1);
    const uint32_t large = field_is(PFQF_CTL_0_HASHLUTSIZE, 1);
    enum status s = want(nic, GLQF_CTL, 0, toeplitz, toeplitz);

    if (s == OK)
        s = want(nic, PRTQF_CTL_0, 0, UINT32_MAX, 0);
    if (s == OK)
        s = want(nic, PFQF_CTL_0, 0, large,
                 entries(nic) == ENTRIES_LARGE ? large : 0);
    for (unsigned t = 0; s == OK && t < ARRAY_SIZE(types); t++) {
        const unsigned p = types[t].pctype;

        s = want(nic, GLQF_HSYM, p, UINT32_MAX, 0);
        for (unsigned half = 0; s == OK && half < 2; half++) {
            s = want(nic, GLQF_HASH_INSET, 2 * p + half, UINT32_MAX,
                     (uint32_t)(types[t].words >> 32 * half));
            if (s == OK)
                s = want(nic, GLQF_HASH_MSK, 2 * p + half, UINT32_MAX, 0);
        }
    }
    return s;
}

/* K2 */
static enum status write_words(struct nic *nic, enum reg reg, const char *what,
                               const uint8_t *bytes, unsigned words)
{
    for (unsigned i = 0; i < words; i++)
        reg_write(nic, reg, i, get_le32(bytes + 4 * i));
    for (unsigned i = 0; i < words; i++) {
        const uint32_t found = reg_read(nic, reg, i);

        if (found == get_le32(bytes + 4 * i))
            continue;
        log_error("xl710 %s: %s of the hash, word %u: expected %#x, found %#x "
                  "after writing it",
                  nic->name, what, i, get_le32(bytes + 4 * i), found);
        return E_IO;
    }
    return OK;
}

static enum status write_types(struct nic *nic, uint32_t bits)
{
    uint64_t enable = 0;
    enum status s = OK;

    for (unsigned t = 0; t < ARRAY_SIZE(types); t++)
        if ((bits >> t & 1) != 0)
            enable |= UINT64_C(1) << types[t].pctype;
    for (unsigned half = 0; s == OK && half < 2; half++)
        s = aq_rxctl_write(nic, reg_offset(PFQF_HENA, half),
                           (uint32_t)(enable >> 32 * half));
    nic->rss.is_on = enable != 0;
    return s;
}

static enum status write_table(struct nic *nic, const uint8_t *table)
{
    return write_words(nic, PFQF_HLUT, "table", table, entries(nic) / 4);
}

static enum status write_conf(struct nic *nic, const struct port_rss *conf)
{
    const enum status s =
        write_words(nic, PFQF_HKEY, "key", conf->key, KEY_WORDS);

    return s == OK ? write_types(nic, conf->types) : s;
}

enum status rss_start(struct nic *nic)
{
    const struct nic_rss *r = &nic->rss;
    enum status s;

    if (nic_queues(nic) == 1)
        return r->is_on ? write_types(nic, 0) : OK;
    s = check_arithmetic(nic);
    if (s == OK)
        s = want_standard(nic);
    if (s == OK)
        s = write_table(nic, r->table);
    if (s == OK)
        s = write_conf(nic, &r->conf);
    if (s == OK)
        log_info("xl710 %s: %u queue pairs; known answers of the hash are "
                 "right, key and table of %u read back as written",
                 nic->name, nic_queues(nic), entries(nic));
    return s;
}

/* ---- port.h ---- */

/* Does a change reach the chip now? */
static bool is_live(const struct nic *nic)
{
    return nic->state == PORT_STARTED && nic_queues(nic) > 1;
}

enum status port_rss_hash_conf_get(unsigned port, struct port_rss *rss)
{
    const struct nic *nic = nic_of(port);

    if (nic == NULL)
        return E_NOENT;
    *rss = nic->rss.conf;
    return OK;
}

static bool is_zero(const uint8_t *key)
{
    for (unsigned i = 0; i < PORT_RSS_KEY_BYTES; i++)
        if (key[i] != 0)
            return false;
    return true;
}

enum status port_rss_hash_update(unsigned port, const struct port_rss *rss)
{
    struct nic *nic = nic_of(port);
    enum status s = OK;

    if (nic == NULL)
        return E_NOENT;
    if ((rss->types & ~PORT_RSS_ALL) != 0 || is_zero(rss->key)) {
        log_error(
            "xl710 port %u: hash types %#x%s: expected types of %#x and a "
            "key that is not 0",
            port, rss->types, is_zero(rss->key) ? " and a key of 0" : "",
            PORT_RSS_ALL);
        return E_INVALID;
    }
    if (is_live(nic))
        s = write_conf(nic, rss);
    if (s == OK)
        nic->rss.conf = *rss;
    else if (write_conf(nic, &nic->rss.conf) != OK)
        log_error("xl710 %s: neither is the old key in place", nic->name);
    return s;
}

unsigned port_reta_query(unsigned port, uint8_t table[PORT_RETA_MAX])
{
    const struct nic *nic = nic_of(port);

    if (nic == NULL || nic->rss.queues == 0)
        return 0;
    memcpy(table, nic->rss.table, entries(nic));
    return entries(nic);
}

/* K1 */
static enum status check_table(const struct nic *nic, const uint8_t table[],
                               unsigned n)
{
    if (n != entries(nic)) {
        log_error("xl710 port %u: a hash table of %u entries; expected %u",
                  nic->index, n, entries(nic));
        return E_INVALID;
    }
    for (unsigned i = 0; i < n; i++) {
        if (table[i] < nic_queues(nic))
            continue;
        log_error("xl710 port %u: hash %u to queue %u; expected queues 0..%u",
                  nic->index, i, table[i], nic_queues(nic) - 1);
        return E_RANGE;
    }
    return OK;
}

enum status port_reta_update(unsigned port, const uint8_t table[], unsigned n)
{
    struct nic *nic = nic_of(port);
    enum status s;

    if (nic == NULL)
        return E_NOENT;
    if (nic->rss.queues == 0)
        return E_STATE;
    s = check_table(nic, table, n);
    if (s != OK)
        return s;
    if (is_live(nic))
        s = write_table(nic, table);
    if (s != OK) {
        if (write_table(nic, nic->rss.table) != OK)
            log_error("xl710 %s: neither is the old table in place", nic->name);
        return s;
    }
    memcpy(nic->rss.table, table, n);
    nic->rss.is_given = true;
    return OK;
}
