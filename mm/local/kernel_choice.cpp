#include "mm/local/kernel_choice.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr std::string_view amd = "AuthenticAMD";

template <class Names>
bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

KernelChoice best_kernels(const CpuFeatures& cpu) {
  if (cpu.avx512) return KernelChoice::skylake_x;
  // AMD's CPUs without AVX-512 are older than any library in use, so the libraries know them.
  if (cpu.avx2 && cpu.vendor != amd) return KernelChoice::haswell;
  return KernelChoice::library;
}

std::optional<int> blis_kernels(const CpuFeatures& cpu,
                                const std::vector<std::string_view>& names) {
  // AMD's own BLIS has kernels for AMD's CPUs with AVX-512, and recognises these CPUs.
  if (cpu.vendor == amd && contains(names, "zen4")) return std::nullopt;
  const KernelChoice choice = best_kernels(cpu);
  if (choice == KernelChoice::library) return std::nullopt;
  const std::string_view wanted = choice == KernelChoice::skylake_x ? "skx" : "haswell";
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end()) return std::nullopt;
  return static_cast<int>(found - names.begin());
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
      "{}={} restricts the local multiplication to 256-bit kernels ({}), but this CPU has AVX-512: "
      "unset {} to let Cuboid choose",
      variable, value, kernels, variable);
}

}  // namespace cuboid::detail
