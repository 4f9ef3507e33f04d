/*
 * build_id.h - which build runs: the linker's hash of all that it linked
 *
 * A dump names it, so that nobody reads one with another build's symbols.
 */
#pragma once

#define BUILD_ID_CHARS 40

/* As 40 hexadecimal digits and a NUL. Context: any, a panic too. */
void build_id_get(char text[BUILD_ID_CHARS + 1]);
