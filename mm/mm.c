/*
 * mm.c - opens and closes the house
 */
#include "mm/mm.h"

#include "mm/frame.h"
#include "mm/mempool_impl.h"
#include "mm/node.h"

enum status mm_init(const struct mm_range *ranges, unsigned count)
{
    return frame_init(ranges, count);
}

void mm_close(void)
{
    mempool_forget_all();
    frame_close();
    node_ranges_set(NULL, 0);
}
