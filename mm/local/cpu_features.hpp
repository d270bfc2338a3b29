#pragma once

#include <string>

namespace cuboid::detail {

/// The features of a CPU on which the choice of kernels depends.
struct CpuFeatures {
  std::string vendor;   ///< the CPU's own spelling, e.g. "GenuineIntel"; empty if unknown
  bool avx2 = false;    ///< AVX2 and FMA, and the operating system saves their registers
  bool avx512 = false;  ///< AVX-512 F, DQ, BW, VL and CD, and the operating system saves them
};

/// The features of the CPU that this process runs on. All are false on CPUs other than x86.
CpuFeatures this_cpu();

}  // namespace cuboid::detail
