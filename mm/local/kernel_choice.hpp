#pragma once

#include "mm/local/cpu_features.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// The kernels of a BLAS library that Cuboid asks for.
enum class KernelChoice {
  library,   ///< the library's own choice
  haswell,   ///< 256-bit vectors with FMA
  skylake_x  ///< 512-bit vectors
};

/// The kernels that are fastest on a CPU.
///
/// Libraries know CPUs by model number or by brand string. So they choose too small kernels on
/// every CPU that is younger than the library, and in a virtual machine that hides the brand: BLIS
/// 0.9 multiplies at 34 instead of 57 GFLOP/s a core on a Xeon of 2023, at 19 instead of 105 on an
/// EPYC of 2024. Cuboid therefore judges CPUs by their flags. It takes AVX-512 wherever the CPU has
/// it. Some of Intel's and AMD's CPUs have only one 512-bit unit per core; with it they multiply as
/// fast as with their two 256-bit units, so nothing is lost.
KernelChoice best_kernels(const CpuFeatures& cpu);

/// BLIS's number of the best kernels for a CPU, which depends on the build of BLIS; nullopt if BLIS
/// should choose by itself.
/// @param names  the names of all kernels that BLIS knows, by number, as bli_arch_string() spells
///               them
std::optional<int> blis_kernels(const CpuFeatures& cpu, const std::vector<std::string_view>& names);

/// OpenBLAS's name of a choice ("SkylakeX"), for OPENBLAS_CORETYPE; empty for `library`.
std::string_view openblas_name(KernelChoice choice);

/// The width in bits of the vectors of the kernels with this name, of BLIS or OpenBLAS: 512, 256,
/// or 0 if the name does not tell.
int vector_bits(std::string_view kernels);

/// One line that says that the kernels which the user asks for by `variable` waste this CPU. Empty
/// if they do not, or if the user did not ask.
std::string kernel_advice(const CpuFeatures& cpu, std::string_view kernels,
                          std::string_view variable, std::string_view value);

}  // namespace cuboid::detail
