#pragma once

#include <cuboid/environment.hpp>

#include "mm/local/cpu_features.hpp"

#include <string>
#include <vector>

namespace cuboid::detail {

/// The library of the two whose products are faster on a CPU: `lapack` if it is an OpenBLAS, `blas`
/// a BLIS, and the CPU one of Intel's with AVX-512 or of AMD's with AVX2 alone; else `blas`. Their
/// files' names tell what they are.
///
/// Measured on one core with the kernels of best_kernels(), products C − A·B and C − Aᵀ·Bᴴ of all
/// four types, in turns. On a Xeon (Sapphire Rapids) OpenBLAS 0.3.21 is faster than BLIS 0.9.0 by a
/// factor of 1.04 to 1.18 at 1000³, 0.98 to 1.13 at 2000×2000×64, 0.97 to 3.5 where one extent of
/// the result is at most 64, and 1.3 to 3.1 at 64³. On an EPYC (Zen 5) BLIS multiplies large
/// matrices 1.1 times as fast. On an EPYC with AVX2 (Zen 3; C + A·B) OpenBLAS is faster by 0.98 to
/// 1.19 at 1000³, 0.95 to 1.36 at 2000×2000×64 (double precision: 1.25 and 1.36), 0.69 to 1.07 at
/// 64³.
const std::string& faster_library(const CpuFeatures& cpu, const std::string& blas,
                                  const std::string& lapack);

/// The path of the CBLAS library that multiplies: the user's (CUBOID_BLAS), or the faster of those
/// that were found at configure time.
std::string blas_path(const Environment& environment);

/// The path of the LAPACK library that was found at configure time.
std::string default_lapack_path();

/// A library and the speed of its products on one core.
struct LibraryRate {
  std::string name;  ///< e.g. "SkylakeX of OpenBLAS 0.3.21 (/usr/lib/libopenblas.so.0)"
  std::string path;
  double flops_per_second = 0;
  bool multiplies = false;  ///< blas_path() names it
};

/// Measures the CBLAS libraries that are here, in double precision on one core: the library
/// of blas_path() first, then the libraries that were found at configure time. Takes some 50 ms.
std::vector<LibraryRate> measured_libraries(const Environment& environment);

}  // namespace cuboid::detail
