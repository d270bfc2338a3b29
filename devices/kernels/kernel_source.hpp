#pragma once

#include <string>

namespace cuboid::detail {

/// The CUDA source of one kernel. Its name is that of a template in kernel_source.cpp and the
/// template's arguments, such as "combine sum float64".
struct KernelSource {
  std::string name;  ///< the kernel's name in the source, e.g. "combine_sum_float64"
  std::string text;
};

/// into[i] ← into[i] ⊕ from[i]: parameters from, into, count.
KernelSource combine_source(const std::string& operation, const std::string& type);
/// into[i] ← from0[i] ⊕ from1[i] ⊕ …, from left to right: the parameters are the `operands` arrays,
/// into, count. The average is the sum divided by the number of operands.
std::string name_of_fold(const std::string& operation, const std::string& type, int operands);
KernelSource fold_source(const std::string& operation, const std::string& type, int operands);
/// to[i] ← from[i]: parameters from, to, count.
KernelSource convert_source(const std::string& from, const std::string& to);
/// Lines of `width` units of `unit` bytes (1, 2, 4, 8 or 16): parameters from, from_pitch, to,
/// to_pitch, width, height, all in units.
KernelSource copy_source(int unit);
/// The same unit everywhere: parameters unit, to, pitch, width, height.
KernelSource fill_source(int unit);

}  // namespace cuboid::detail
