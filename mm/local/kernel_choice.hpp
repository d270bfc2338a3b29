#pragma once

#include "mm/local/cpu_features.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuboid::detail {

/// Which of a BLAS library's kernels to ask for.
enum class KernelChoice {
  library,   ///< whatever the library takes by itself
  haswell,   ///< 256-bit vectors with FMA
  skylake_x  ///< 512-bit vectors
};

/// The kernels that are fastest on a CPU.
///
/// Libraries know CPUs by model number or by brand string, and so take too small kernels on every
/// CPU younger than themselves, or in a virtual machine that hides its brand: BLIS 0.9 multiplies
/// at 34 instead of 57 GFLOP/s a core on a Xeon of 2023, at 19 instead of 105 on an EPYC of 2024.
/// CPUs are therefore judged by their flags. AVX-512 is taken wherever it is there: a core with one
/// 512-bit unit only, which some of Intel's and AMD's CPUs have, multiplies as fast with it as with
/// its two 256-bit ones, so there is nothing to lose.
KernelChoice best_kernels(const CpuFeatures& cpu);

/// The number of the best kernels for a CPU that a BLIS knows, which depends on its build; nullopt
/// if BLIS should choose for itself.
/// @param names  the names of all kernels that it knows, by number, as bli_arch_string() spells
///               them
std::optional<int> blis_kernels(const CpuFeatures& cpu, const std::vector<std::string_view>& names);

/// OpenBLAS's name of a choice ("SkylakeX"), as OPENBLAS_CORETYPE takes it; empty for `library`.
std::string_view openblas_name(KernelChoice choice);

/// The width of the vectors of named kernels of BLIS or OpenBLAS, in bits: 512, 256, or 0 if the
/// name does not tell.
int vector_bits(std::string_view kernels);

/// One line that says that the kernels which `variable` asks for waste this CPU; empty if they do
/// not, and if the user did not ask.
std::string kernel_advice(const CpuFeatures& cpu, std::string_view kernels,
                          std::string_view variable, std::string_view value);

}  // namespace cuboid::detail
