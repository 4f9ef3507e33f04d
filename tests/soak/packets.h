/*
 * packets.h - the pools that packets are made of
 */
#pragma once

#include "mm/frame.h"
#include "tests/soak/soak.h"

enum { ROOTS, OLD, PINNED, CLONES, PACKET_POOLS };

extern struct mempool *packet_pools[PACKET_POOLS];
