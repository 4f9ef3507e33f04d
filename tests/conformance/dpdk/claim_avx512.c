/*
 * claim_avx512.c - lets DPDK's i40e driver choose its AVX2 functions
 *
 * It takes them only on a processor that also has AVX512F (i40e_rxtx.c,
 * get_avx_supported), which no emulated one has. Preloaded, this says that
 * there is AVX512F; with --force-max-simd-bitwidth=256 none of it is used.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

const char *rte_cpu_get_flag_name(unsigned feature);
int rte_cpu_get_flag_enabled(unsigned feature);

int rte_cpu_get_flag_enabled(unsigned feature)
{
    const char *name = rte_cpu_get_flag_name(feature);
    int (*real)(unsigned);

    if (name != NULL && strcmp(name, "AVX512F") == 0)
        return 1;
    *(void **)&real = dlsym(RTLD_NEXT, "rte_cpu_get_flag_enabled");
    return real(feature);
}
