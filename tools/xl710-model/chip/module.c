/*
 * module.c - the pluggable module's memory, as command 0x0629 shows it
 *
 * A 40G port holds a QSFP+ SR4 (SFF-8636), the others an SFP (SFF-8472). Pages
 * are made byte by byte on demand: a sum over few bytes costs nothing.
 */
#include "chip/control.h"

#include <string.h>

#define SFP_ID_ADDRESS  0xA0
#define SFP_DDM_ADDRESS 0xA2

struct field {
    uint8_t at;
    const char *text; /* padded with spaces */
    uint8_t width;
};

static const struct field qsfp_text[] = {
    { 148, "MODEL", 16 },    { 168, "QSFP-40G-SR4", 16 }, { 184, "A0", 2 },
    { 196, "M0000001", 16 }, { 212, "260101", 8 },
};

static const struct field sfp_text[] = {
    { 20, "MODEL", 16 },    { 40, "SFP-SR", 16 }, { 56, "A0", 4 },
    { 68, "M0000001", 16 }, { 84, "260101", 8 },
};

struct byte {
    uint8_t at, value;
};

/* SFF-8636 page 00h: identifier, connector MPO, 40GBASE-SR4, 4 x 10.3 Gb/s. */
static const struct byte qsfp_bytes[] = {
    { 0, 0x0D },   { 1, 0x07 },   { 2, 0x00 },   { 22, 0x1E },  { 23, 0x00 },
    { 26, 0x80 },  { 27, 0xE8 },  { 34, 0x27 },  { 35, 0x10 },  { 36, 0x27 },
    { 37, 0x10 },  { 38, 0x27 },  { 39, 0x10 },  { 40, 0x27 },  { 41, 0x10 },
    { 128, 0x0D }, { 129, 0xC0 }, { 130, 0x0C }, { 131, 0x04 }, { 139, 0x05 },
    { 140, 0x67 }, { 146, 0x0A }, { 147, 0x00 }, { 186, 0x42 }, { 187, 0x68 },
    { 190, 0x46 },
};

/* SFF-8472: identifier, connector LC, 10GBASE-SR, 10.3 Gb/s; monitors there. */
static const struct byte sfp_bytes[] = {
    { 0, 0x03 },  { 1, 0x04 },  { 2, 0x07 },  { 3, 0x10 },  { 11, 0x06 },
    { 12, 0x67 }, { 16, 0x08 }, { 17, 0x03 }, { 19, 0x1E }, { 60, 0x03 },
    { 61, 0x52 }, { 92, 0x68 }, { 94, 0x05 },
};

static uint8_t plain(const struct byte *bytes, size_t nbytes,
                     const struct field *fields, size_t nfields, unsigned at)
{
    for (size_t i = 0; i < nbytes; i++)
        if (bytes[i].at == at)
            return bytes[i].value;
    for (size_t i = 0; i < nfields; i++) {
        const unsigned off = at - fields[i].at;

        if (at >= fields[i].at && off < fields[i].width)
            return off < strlen(fields[i].text) ? (uint8_t)fields[i].text[off]
                                                : ' ';
    }
    return 0;
}

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define PLAIN(k, at)                                                           \
    plain(k##_bytes, COUNT(k##_bytes), k##_text, COUNT(k##_text), at)

static uint8_t qsfp(unsigned at)
{
    unsigned sum = 0;

    if (at != 191 && at != 223)
        return PLAIN(qsfp, at);
    for (unsigned i = at == 191 ? 128 : 192; i < at; i++)
        sum += PLAIN(qsfp, i);
    return (uint8_t)sum;
}

static uint8_t sfp(unsigned at)
{
    unsigned sum = 0;

    if (at != 63 && at != 95)
        return PLAIN(sfp, at);
    for (unsigned i = at == 63 ? 0 : 64; i < at; i++)
        sum += PLAIN(sfp, i);
    return (uint8_t)sum;
}

/* @device: a QSFP's upper page (only 0 is implemented), or an SFP's address. */
bool module_read(const struct chip *chip, uint8_t device, uint32_t offset,
                 uint8_t *value)
{
    if (offset > 255)
        return false;
    if (link_module_id(chip) == 0x0D) {
        if (device != 0 && device != SFP_ID_ADDRESS && offset >= 128)
            *value = 0;
        else
            *value = qsfp(offset);
        return true;
    }
    if (device == SFP_ID_ADDRESS || device == 0)
        *value = sfp(offset);
    else if (device == SFP_DDM_ADDRESS)
        *value = 0;
    else
        return false;
    return true;
}
