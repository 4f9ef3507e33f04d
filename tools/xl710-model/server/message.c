/*
 * message.c - one vfio-user message in, one reply out
 *
 *   M1  every command is answered exactly once, unless it asks for no answer
 *   M2  an error reply is a bare header; nothing has changed then
 *   M3  each descriptor that came is kept by its handler or closed here
 *   M4  no payload byte is read beyond the length of the message
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "server/call.h"
#include "base/log.h"

/* ---- VERSION ---- */

/* The client reads our reply into the buffer of its request: what fits goes. */
static const char offer_all[] =
    "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":65536,"
    "\"max_dma_maps\":65535,\"pgsizes\":4096,\"write_multiple\":true}}";
static const char offer_limits[] =
    "{\"capabilities\":{\"max_msg_fds\":16,\"max_data_xfer_size\":65536}}";
static const char offer_nothing[] = "{}";
static const char *const offers[] = { offer_all, offer_limits, offer_nothing };

static int do_version(struct call *c)
{
    const uint16_t major = get16(c->in);

    if (c->dev->negotiated)
        return EINVAL;
    if (major != 0) {
        model_log("pf %u: client speaks vfio-user %u, this server 0",
                  c->dev->config.pf, major);
        return EINVAL;
    }
    if (c->len > 4 && c->in[c->len - 1] != '\0')
        return EINVAL;
    put16(c->out, 0);
    put16(c->out + 2, 0);
    c->out_len = 4;
    for (unsigned i = 0; i < sizeof(offers) / sizeof(offers[0]); i++) {
        const size_t n = strlen(offers[i]) + 1;

        if (4 + n > c->len)
            continue;
        memcpy(c->out + 4, offers[i], n);
        c->out_len = 4 + n;
        break;
    }
    c->dev->negotiated = true;
    return 0;
}

/* ---- DMA_MAP, DMA_UNMAP ---- */

/*
 * Ranges without a file are firmware, BARs of other devices - or guest RAM that
 * was not shared, on which no device can work: it starts at 0 or at 4 GiB.
 */
static bool is_unshared_ram(uint64_t addr, uint64_t size)
{
    return (addr < 0xa0000 && size >= 0x10000) ||
           (addr == UINT64_C(1) << 32 && size >= 16u << 20);
}

static int do_dma_map(struct call *c)
{
    const uint32_t flags = get32(c->in + 4);
    const uint64_t offset = get64(c->in + 8);
    const uint64_t addr = get64(c->in + 16);
    const uint64_t size = get64(c->in + 24);
    const unsigned pf = c->dev->config.pf;
    int err;

    if (c->nfds > 1 || (flags & ~(VFU_DMA_READABLE | VFU_DMA_WRITABLE)) != 0)
        return EINVAL;
    if (c->nfds == 0 && is_unshared_ram(addr, size)) {
        model_log("pf %u: guest RAM at 0x%llx came without a file, no device "
                  "can reach it. Start QEMU with -object memory-backend-memfd,"
                  "id=ram,size=SIZE,share=on and -machine memory-backend=ram",
                  pf, (unsigned long long)addr);
        return EINVAL;
    }
    err = dma_space_map(&c->dev->dma, addr, size, flags & VFU_DMA_READABLE,
                        flags & VFU_DMA_WRITABLE, c->nfds > 0 ? c->fds[0] : -1,
                        offset);
    if (err != 0)
        model_log("pf %u: cannot map 0x%llx+0x%llx at offset 0x%llx: %s", pf,
                  (unsigned long long)addr, (unsigned long long)size,
                  (unsigned long long)offset, strerror(err));
    return err;
}

static int do_dma_unmap(struct call *c)
{
    const uint32_t flags = get32(c->in + 4);
    int err = 0;

    if ((flags & ~(uint32_t)VFU_UNMAP_ALL) != 0)
        return EINVAL;
    if (flags & VFU_UNMAP_ALL)
        dma_space_clear(&c->dev->dma);
    else
        err =
            dma_space_unmap(&c->dev->dma, get64(c->in + 8), get64(c->in + 16));
    memcpy(c->out, c->in, 24);
    c->out_len = 24;
    return err;
}

/* ---- GET_INFO, GET_REGION_INFO, GET_IRQ_INFO ---- */

static int do_get_info(struct call *c)
{
    put32(c->out, 16);
    put32(c->out + 4, VFU_DEVICE_RESETS | VFU_DEVICE_PCI);
    put32(c->out + 8, VFU_REGIONS);
    put32(c->out + 12, VFU_IRQS);
    c->out_len = 16;
    return 0;
}

/* The pages of BAR0 that a client may map: both doorbell arrays. */
static const uint64_t sparse_areas[][2] = {
    { 0x108000, 2 * VFU_PAGE },
    { 0x128000, 2 * VFU_PAGE },
};
enum {
    SPARSE_AREAS = 2,
    SPARSE_CAP = 32,
    SPARSE_ARGSZ = SPARSE_CAP + 16 + 16 * SPARSE_AREAS,
};

static void put_sparse_cap(uint8_t *cap)
{
    memset(cap, 0, SPARSE_ARGSZ - SPARSE_CAP);
    put16(cap, VFU_CAP_SPARSE_MMAP);
    put16(cap + 2, 1);
    put32(cap + 8, SPARSE_AREAS);
    for (unsigned i = 0; i < SPARSE_AREAS; i++) {
        put64(cap + 16 + 16 * i, sparse_areas[i][0]);
        put64(cap + 24 + 16 * i, sparse_areas[i][1]);
    }
}

static int do_get_region_info(struct call *c)
{
    const uint32_t argsz = get32(c->in);
    const uint32_t index = get32(c->in + 8);
    uint32_t flags = 0;

    if (index >= VFU_REGIONS || argsz < 32)
        return EINVAL;
    memset(c->out, 0, 32);
    put32(c->out, 32);
    c->out_len = 32;
    if (device_region_size(index) > 0)
        flags = VFU_REGION_READS | VFU_REGION_WRITES;
    if (index == VFU_REGION_BAR0 && c->dev->bar0_fd >= 0) {
        flags |= VFU_REGION_MMAPS;
        c->out_fd = c->dev->bar0_fd;
        put32(c->out, SPARSE_ARGSZ); /* a short client asks again */
        if (argsz >= SPARSE_ARGSZ) {
            flags |= VFU_REGION_CAPS;
            put32(c->out + 12, SPARSE_CAP);
            put_sparse_cap(c->out + SPARSE_CAP);
            c->out_len = SPARSE_ARGSZ;
        }
    }
    put32(c->out + 4, flags);
    put32(c->out + 8, index);
    put64(c->out + 16, device_region_size(index));
    return 0;
}

static int do_get_irq_info(struct call *c)
{
    const uint32_t index = get32(c->in + 8);
    uint32_t flags = VFU_IRQ_INFO_EVENTFD;

    if (index >= VFU_IRQS)
        return EINVAL;
    if (index == VFU_IRQ_INTX)
        flags |= VFU_IRQ_INFO_MASKABLE | VFU_IRQ_INFO_AUTOMASKED;
    put32(c->out, 16);
    put32(c->out + 4, flags);
    put32(c->out + 8, index);
    put32(c->out + 12, c->dev->irqs.kind[index].count);
    c->out_len = 16;
    return 0;
}

/* ---- REGION_READ, REGION_WRITE, REGION_WRITE_MULTI ---- */

static int access_check(uint64_t offset, uint32_t region, uint32_t count)
{
    uint64_t size;

    if (region >= VFU_REGIONS || count == 0 || count > VFU_DATA_MAX)
        return EINVAL;
    size = device_region_size(region);
    return offset < size && count <= size - offset ? 0 : EINVAL;
}

static int do_region_read(struct call *c)
{
    const uint64_t offset = get64(c->in);
    const uint32_t region = get32(c->in + 8), count = get32(c->in + 12);
    const int err = access_check(offset, region, count);

    if (err != 0)
        return err;
    memcpy(c->out, c->in, 16);
    device_region_read(c->dev, region, offset, count, c->out + 16);
    c->out_len = 16 + count;
    return 0;
}

static int do_region_write(struct call *c)
{
    const uint64_t offset = get64(c->in);
    const uint32_t region = get32(c->in + 8), count = get32(c->in + 12);
    const int err = access_check(offset, region, count);

    if (err != 0)
        return err;
    if (c->len - 16 != count)
        return EINVAL;
    device_region_write(c->dev, region, offset, count, c->in + 16);
    memcpy(c->out, c->in, 16);
    c->out_len = 16;
    return 0;
}

enum { MULTI_ENTRY = 24, MULTI_DATA = 8 };

/* All entries are checked before the first is done (M2). */
static int do_region_write_multi(struct call *c)
{
    const uint64_t entries = get64(c->in);
    const uint8_t *e = c->in + 8;

    if (entries > VFU_DATA_MAX || c->len - 8 != entries * MULTI_ENTRY)
        return EINVAL;
    for (uint64_t i = 0; i < entries; i++) {
        const uint8_t *at = e + i * MULTI_ENTRY;
        const uint32_t count = get32(at + 12);

        if (count > MULTI_DATA ||
            access_check(get64(at), get32(at + 8), count) != 0)
            return EINVAL;
    }
    for (uint64_t i = 0; i < entries; i++, e += MULTI_ENTRY)
        device_region_write(c->dev, get32(e + 8), get64(e), get32(e + 12),
                            e + 16);
    put64(c->out, entries);
    c->out_len = 8;
    return 0;
}

/* ---- DEVICE_RESET ---- */

static int do_reset(struct call *c)
{
    device_power_on(c->dev);
    return 0;
}

/* ---- the table ---- */

/*
 * @least   bytes of payload; where the message has no tail it is all of it
 */
static const struct {
    size_t least;
    bool has_tail;
    int (*run)(struct call *c);
} handlers[] = {
    [VFU_VERSION] = { 4, true, do_version },
    [VFU_DMA_MAP] = { 32, false, do_dma_map },
    [VFU_DMA_UNMAP] = { 24, false, do_dma_unmap },
    [VFU_GET_INFO] = { 16, false, do_get_info },
    [VFU_GET_REGION_INFO] = { 32, true, do_get_region_info },
    [VFU_GET_IRQ_INFO] = { 16, false, do_get_irq_info },
    [VFU_SET_IRQS] = { 20, true, call_set_irqs },
    [VFU_REGION_READ] = { 16, false, do_region_read },
    [VFU_REGION_WRITE] = { 16, true, do_region_write },
    [VFU_DEVICE_RESET] = { 0, false, do_reset },
    [VFU_REGION_WRITE_MULTI] = { 8, true, do_region_write_multi },
};

static int dispatch(struct call *c, uint16_t command)
{
    if (command >= sizeof(handlers) / sizeof(handlers[0]) ||
        handlers[command].run == NULL)
        return ENOSYS;
    if (c->len < handlers[command].least ||
        (!handlers[command].has_tail && c->len != handlers[command].least))
        return EINVAL;
    if (!c->dev->negotiated && command != VFU_VERSION)
        return EINVAL;
    return handlers[command].run(c);
}

static void put_header(struct device_reply *reply, const uint8_t *msg,
                       size_t len, int err)
{
    memcpy(reply->bytes, msg, 4); /* id, command */
    put32(reply->bytes + 4, (uint32_t)len);
    put32(reply->bytes + 8, VFU_TYPE_REPLY | (err != 0 ? VFU_ERROR : 0));
    put32(reply->bytes + 12, (uint32_t)err);
    reply->len = len;
}

void device_handle(struct device *dev, const uint8_t *msg, size_t len,
                   const int *fds, unsigned nfds, struct device_reply *reply)
{
    int own[VFU_FDS_MAX];
    struct call c = {
        .dev = dev,
        .in = msg + VFU_HEADER,
        .len = len - VFU_HEADER,
        .fds = own,
        .nfds = nfds,
        .out = reply->bytes + VFU_HEADER,
        .out_fd = -1,
    };
    const uint32_t flags = get32(msg + 8);
    int err = EINVAL;

    for (unsigned i = 0; i < nfds; i++)
        own[i] = fds[i];
    dev->messages++;
    reply->len = 0;
    reply->fd = -1;
    if ((flags & VFU_TYPE_MASK) == VFU_TYPE_COMMAND && get32(msg + 4) == len)
        err = dispatch(&c, get16(msg + 2));
    for (unsigned i = 0; i < nfds; i++)
        if (own[i] >= 0)
            close(own[i]);
    if ((flags & VFU_NO_REPLY) || (flags & VFU_TYPE_MASK) == VFU_TYPE_REPLY)
        return;
    put_header(reply, msg, VFU_HEADER + (err == 0 ? c.out_len : 0), err);
    if (err == 0)
        reply->fd = c.out_fd;
}
