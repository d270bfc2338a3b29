#pragma once

// PBLAS's and ScaLAPACK's error exits, which programs may replace. To be included once in a
// program.

#include "random_parts.hpp"

#include <cstddef>

extern "C" {
void PB_Cabort(int, const char*, int info) {
  last_error = info;
}
void pxerbla_(const int*, const char*, const int* info, std::size_t) {
  last_error = -*info;
}
void PB_Cwarn(int, int, const char*, const char*, ...) {}
}
