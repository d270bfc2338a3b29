#pragma once

#include <string>

namespace cuboid::detail {

/// What a CPU offers a matrix multiplication, as far as the choice of kernels depends on it.
struct CpuFeatures {
  std::string vendor;   ///< as the CPU spells it, e.g. "GenuineIntel"; empty if it does not say
  bool avx2 = false;    ///< AVX2 and FMA, and the operating system saves their registers
  bool avx512 = false;  ///< AVX-512 F, DQ, BW, VL and CD, and the operating system saves them
};

/// The CPU this runs on. All false on anything but x86.
CpuFeatures this_cpu();

}  // namespace cuboid::detail
