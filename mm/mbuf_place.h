/*
 * mbuf_place.h - where the bytes of a buffer are; for mm/mbuf*.c
 */
#pragma once

#ifdef MBUF_LAYOUT_PUBLISHED
#include <millrace/plat.h>
#endif

#include "mm/mbuf.h"

/* @m's bytes are the @len at @buffer. */
static inline void mbuf_place(struct mbuf *m, void *buffer, unsigned len)
{
    m->buf_addr = buffer;
    m->buf_len = (uint16_t)len;
#ifdef MBUF_LAYOUT_PUBLISHED
    m->buf_bus = plat_bus_addr(buffer);
#endif
}
