/*
 * claim_avx512.c - lets DPDK's i40e driver choose its AVX2 functions
 *
 * It takes them only on a processor that also has AVX512F (i40e_rxtx.c,
 * get_avx_supported), which no emulated one has. Preloaded, this answers yes
 * to any question for a processor's flag; with --force-max-simd-bitwidth=256
 * no AVX-512 code is entered.
 */
int rte_cpu_get_flag_enabled(unsigned feature);

int rte_cpu_get_flag_enabled(unsigned feature)
{
    (void)feature;
    return 1;
}
