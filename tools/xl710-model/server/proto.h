/*
 * proto.h - the vfio-user protocol as bytes
 *
 * Every message is a 16-byte header and a payload; offsets of payload fields
 * stand beside the code that reads them. Integers are little endian.
 *
 * Source: docs/interop/vfio-user.rst in QEMU, linux/vfio.h
 */
#pragma once

enum {
    VFU_HEADER = 16,      /* id 0, command 2, size 4, flags 8, errno 12 */
    VFU_DATA_MAX = 65536, /* of one region access; we announce it */
    VFU_MESSAGE_MAX = VFU_HEADER + 32 + VFU_DATA_MAX,
    VFU_FDS_MAX = 16, /* with one message; QEMU accepts no larger offer */
    VFU_DMA_RANGES = 65535,
    VFU_PAGE = 4096,
};

enum vfu_command {
    VFU_VERSION = 1,
    VFU_DMA_MAP = 2,
    VFU_DMA_UNMAP = 3,
    VFU_GET_INFO = 4,
    VFU_GET_REGION_INFO = 5,
    VFU_GET_IRQ_INFO = 7,
    VFU_SET_IRQS = 8,
    VFU_REGION_READ = 9,
    VFU_REGION_WRITE = 10,
    VFU_DEVICE_RESET = 13,
    VFU_REGION_WRITE_MULTI = 15,
};

enum {
    VFU_TYPE_MASK = 0xf, /* header flags */
    VFU_TYPE_COMMAND = 0,
    VFU_TYPE_REPLY = 1,
    VFU_NO_REPLY = 0x10,
    VFU_ERROR = 0x20,
};

enum {
    VFU_DMA_READABLE = 1,
    VFU_DMA_WRITABLE = 2,
    VFU_UNMAP_ALL = 2,
};

enum {
    VFU_DEVICE_RESETS = 1, /* GET_INFO flags */
    VFU_DEVICE_PCI = 2,
};

enum {
    VFU_REGION_BAR0 = 0,
    VFU_REGION_BAR3 = 3,
    VFU_REGION_CONFIG = 7,
    VFU_REGIONS = 9,
};

enum {
    VFU_REGION_READS = 1, /* GET_REGION_INFO flags */
    VFU_REGION_WRITES = 2,
    VFU_REGION_MMAPS = 4,
    VFU_REGION_CAPS = 8,
    VFU_CAP_SPARSE_MMAP = 1,
};

enum vfu_irq {
    VFU_IRQ_INTX,
    VFU_IRQ_MSI,
    VFU_IRQ_MSIX,
    VFU_IRQ_ERR,
    VFU_IRQ_REQ,
    VFU_IRQS,
};

enum {
    VFU_IRQ_INFO_EVENTFD = 1, /* GET_IRQ_INFO flags */
    VFU_IRQ_INFO_MASKABLE = 2,
    VFU_IRQ_INFO_AUTOMASKED = 4,
};

enum {
    VFU_IRQ_DATA_NONE = 1, /* SET_IRQS flags: one of data, one of action */
    VFU_IRQ_DATA_BOOL = 2,
    VFU_IRQ_DATA_EVENTFD = 4,
    VFU_IRQ_DATA_MASK = 7,
    VFU_IRQ_MASK = 8,
    VFU_IRQ_UNMASK = 0x10,
    VFU_IRQ_TRIGGER = 0x20,
    VFU_IRQ_ACTION_MASK = 0x38,
};
