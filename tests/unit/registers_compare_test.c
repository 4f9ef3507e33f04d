/*
 * registers_compare_test.c - driver and model typed their register tables apart
 * from each other; here the two meet, row by row
 *
 * What differs on purpose is listed below by name, and a listed difference that
 * has gone is a failure too.
 */
#include <stdio.h>
#include <string.h>

#include <millrace/bits.h>

#include "tests/fake/registers.h"
#include "tests/unit/test.h"

/* The driver gives members of an array names of their own. */
static const struct {
    const char *driver, *model;
    unsigned index;
} members[] = {
    { "PFINT_ITRN_0", "PFINT_ITRN", 0 },
    { "GL_SWR_PRI_JOIN_MAP_0", "GL_SWR_PRI_JOIN_MAP", 0 },
    { "GL_SWR_PRI_JOIN_MAP_2", "GL_SWR_PRI_JOIN_MAP", 2 },
};

/*
 * Access kinds are in no public header; each side writes down what it needs.
 * ACT rows of the model do work on access and are RW to the driver.
 */
static const struct {
    const char *driver, *model;
} access_pairs[] = {
    { "RO", "RO" },
    { "RW", "RW" },
    { "RW", "ACT" },
    { "RW", "W1C" },
};

/* What the two sides call differently, each with the reason. */
static const struct {
    const char *reg, *driver, *model;
} access_differences[] = {
    /* Read first, then cleared by writing ones (i40e_handle_mdd_event). */
    { "GL_MDET_TX", "RC", "W1C" },
    { "GL_MDET_RX", "RC", "W1C" },
    { "PF_MDET_TX", "RC", "W1C" },
    { "PF_MDET_RX", "RC", "W1C" },
};

static const struct {
    const char *reg, *driver, *model;
} domain_differences[] = {
    /* The model has no PCI Express reset apart from power-on. */
    { "PF_FUNC_RID", "PCIR", "POR" },
    { "GLPCI_CAPSUP", "PCIR", "POR" },
    { "GLPCI_CNF2", "PCIR", "POR" },
    /* It has no VFs: a function's reset takes theirs along. */
    { "VPINT_LNKLST0", "VFR", "PFR" },
    { "VPINT_LNKLSTN", "VFR", "PFR" },
    /* The cable's state is the world's, no reset restores it. */
    { "PRTMAC_LINKSTA", "GLOBR", "POR" },
};

static unsigned faults;

#define FAULT(...)                                                             \
    do {                                                                       \
        print_error(__VA_ARGS__);                                              \
        faults++;                                                              \
    } while (0)

static const struct register_row *model_row(const char *driver, unsigned *index)
{
    const char *name = driver;

    *index = 0;
    for (unsigned i = 0; i < ARRAY_SIZE(members); i++) {
        if (strcmp(members[i].driver, driver) == 0) {
            name = members[i].model;
            *index = members[i].index;
        }
    }
    for (const struct register_row *m = registers_of_model; m->name != NULL;
         m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

static const struct register_row *driver_row(const char *name)
{
    for (const struct register_row *d = registers_of_driver; d->name != NULL;
         d++)
        if (strcmp(d->name, name) == 0)
            return d;
    return NULL;
}

TEST(registers, each_row_of_the_driver_is_the_models)
{
    faults = 0;
    for (const struct register_row *d = registers_of_driver; d->name != NULL;
         d++) {
        unsigned index;
        const struct register_row *m = model_row(d->name, &index);

        if (m == NULL) {
            FAULT("%s: the model does not have it\n", d->name);
            continue;
        }
        if (d->offset != m->offset + index * m->step)
            FAULT("%s: driver 0x%06x, model 0x%06x\n", d->name, d->offset,
                  m->offset + index * m->step);
        if (d->count > 1 && d->step != m->step)
            FAULT("%s: step driver %u, model %u\n", d->name, d->step, m->step);
        if (index + d->count > m->count)
            FAULT("%s: the driver reaches %u, the model has %u\n", d->name,
                  index + d->count, m->count);
    }
    CHECK_EQ(faults, 0);
}

/* A member's name is not an excuse for a register that has a row itself. */
TEST(registers, members_are_of_rows_that_exist)
{
    for (unsigned i = 0; i < ARRAY_SIZE(members); i++) {
        unsigned index;

        CHECK(driver_row(members[i].driver) != NULL);
        CHECK(model_row(members[i].driver, &index) != NULL);
    }
}

static bool is_pair(const char *driver, const char *model)
{
    for (unsigned i = 0; i < ARRAY_SIZE(access_pairs); i++)
        if (strcmp(access_pairs[i].driver, driver) == 0 &&
            strcmp(access_pairs[i].model, model) == 0)
            return true;
    return false;
}

TEST(registers, access_kinds_agree_or_are_listed)
{
    unsigned listed = 0;

    faults = 0;
    for (const struct register_row *d = registers_of_driver; d->name != NULL;
         d++) {
        unsigned index;
        const struct register_row *m = model_row(d->name, &index);
        bool is_known = m == NULL || is_pair(d->access, m->access);

        for (unsigned i = 0; m != NULL && i < ARRAY_SIZE(access_differences);
             i++) {
            if (strcmp(access_differences[i].reg, d->name) == 0 &&
                strcmp(access_differences[i].driver, d->access) == 0 &&
                strcmp(access_differences[i].model, m->access) == 0) {
                listed++;
                is_known = true;
            }
        }
        if (!is_known)
            FAULT("%s: driver %s, model %s\n", d->name, d->access, m->access);
    }
    CHECK_EQ(faults, 0);
    CHECK_EQ(listed, ARRAY_SIZE(access_differences));
}

TEST(registers, reset_domains_agree_or_are_listed)
{
    unsigned listed = 0;

    faults = 0;
    for (const struct register_row *d = registers_of_driver; d->name != NULL;
         d++) {
        unsigned index;
        const struct register_row *m = model_row(d->name, &index);
        bool is_known = m == NULL || strcmp(d->domain, m->domain) == 0;

        for (unsigned i = 0; m != NULL && i < ARRAY_SIZE(domain_differences);
             i++) {
            if (strcmp(domain_differences[i].reg, d->name) == 0 &&
                strcmp(domain_differences[i].driver, d->domain) == 0 &&
                strcmp(domain_differences[i].model, m->domain) == 0) {
                listed++;
                is_known = true;
            }
        }
        if (!is_known)
            FAULT("%s: driver %s, model %s\n", d->name, d->domain, m->domain);
    }
    CHECK_EQ(faults, 0);
    CHECK_EQ(listed, ARRAY_SIZE(domain_differences));
}

/* The model keeps a mask for each register: a field lies inside it. */
TEST(registers, each_field_of_the_driver_exists_in_the_model)
{
    faults = 0;
    for (const struct register_field *f = register_fields_of_driver;
         f->reg != NULL; f++) {
        unsigned index;
        const struct register_row *m = model_row(f->reg, &index);
        const uint32_t bits = (uint32_t)((BIT64(f->width) - 1) << f->lsb);

        if (m == NULL)
            FAULT("%s.%s: the model lacks the register\n", f->reg, f->field);
        else if ((bits & ~m->mask) != 0)
            FAULT("%s.%s: bits 0x%08x, the model has 0x%08x\n", f->reg,
                  f->field, bits, m->mask);
    }
    CHECK_EQ(faults, 0);
}

TEST(registers, each_counter_of_the_driver_is_the_models)
{
    faults = 0;
    for (const struct register_counter *d = register_counters_of_driver;
         d->name != NULL; d++) {
        const struct register_counter *m = register_counters_of_model;

        while (m->name != NULL && strcmp(m->name, d->name) != 0)
            m++;
        if (m->name == NULL)
            FAULT("%s: the model does not have it\n", d->name);
        else if (m->offset != d->offset || m->bits != d->bits ||
                 strcmp(m->kind, d->kind) != 0)
            FAULT("%s: driver 0x%06x %u bits of a %s, model 0x%06x %u bits of "
                  "a %s\n",
                  d->name, d->offset, d->bits, d->kind, m->offset, m->bits,
                  m->kind);
    }
    CHECK_EQ(faults, 0);
}
