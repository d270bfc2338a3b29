#include <cuboid/mm/blas/kernel_choice.hpp>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cuboid {

namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

KernelChoice best_kernels(const CpuFeatures& cpu) {
  if (cpu.vendor != "GenuineIntel") return KernelChoice::library;
  if (cpu.avx512) return KernelChoice::skylake_x;
  if (cpu.avx2) return KernelChoice::haswell;
  return KernelChoice::library;
}

std::string_view blis_name(KernelChoice choice) {
  switch (choice) {
    case KernelChoice::skylake_x: return "skx";
    case KernelChoice::haswell: return "haswell";
    case KernelChoice::library: return "";
  }
  return "";
}

std::string_view openblas_name(KernelChoice choice) {
  switch (choice) {
    case KernelChoice::skylake_x: return "SkylakeX";
    case KernelChoice::haswell: return "Haswell";
    case KernelChoice::library: return "";
  }
  return "";
}

int vector_bits(std::string_view kernels) {
  static constexpr std::array<std::string_view, 7> wide{
      "skx", "knl", "zen4", "zen5", "SkylakeX", "Cooperlake", "SapphireRapids"};
  static constexpr std::array<std::string_view, 7> middle{"haswell", "zen",     "zen2", "zen3",
                                                          "Haswell", "Skylake", "Zen"};
  if (contains(wide, kernels)) return 512;
  if (contains(middle, kernels)) return 256;
  return 0;
}

std::string kernel_advice(const CpuFeatures& cpu, std::string_view kernels,
                          std::string_view variable, std::string_view value) {
  if (value.empty() || !cpu.avx512 || vector_bits(kernels) != 256) return {};
  return fmt::format(
      "{}={} holds the local multiplication to 256-bit kernels ({}) on a CPU that has AVX-512: "
      "unset {} to let Cuboid choose",
      variable, value, kernels, variable);
}

}  // namespace cuboid
