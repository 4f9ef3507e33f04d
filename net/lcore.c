/*
 * lcore.c - starting and stopping the loop; the loop itself is in engine.h
 */
#include "net/lcore.h"

#include "net/engine.h"

const char *const fwd_drop_names[FWD_DROP_COUNT] = {
#define FWD_DROP_NAME(id, name) name,
    FWD_DROPS(FWD_DROP_NAME)
#undef FWD_DROP_NAME
};

void lcore_assign(struct lcore *lcore, struct stream *streams, unsigned count,
                  const struct engine *engine)
{
    lcore->streams = streams;
    lcore->stream_count = count;
    lcore->engine = engine;
    __atomic_store_n(&lcore->request, LCORE_RUN, __ATOMIC_RELEASE);
}

void lcore_run(struct lcore *lcore, unsigned rounds)
{
    lcore->engine->run(lcore, rounds);
}

void lcore_stop(struct lcore *lcore)
{
    __atomic_store_n(&lcore->request, LCORE_STOP, __ATOMIC_RELEASE);
}
