#include "mm/local/library_choice.hpp"

#include <cuboid/error.hpp>

#include "base/shared_library.hpp"
#include "mm/local/blas_library.hpp"
#include "mm/local/measured_rates.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool is_named(const std::string& path, std::string_view name) {
  return std::filesystem::path(path).filename().string().find(name) != std::string::npos;
}

/// The library at a path, with the kernels that fit this CPU; nullptr if it cannot be loaded.
const BlasLibrary* library_if_usable(const std::string& path) {
  try {
    return &BlasLibrary::at(path, 1);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::unsupported) throw;
    return nullptr;
  }
}

}  // namespace

const std::string& faster_library(const CpuFeatures& cpu, const std::string& blas,
                                  const std::string& lapack) {
  const bool openblas_is_faster =
      cpu.avx512 ? cpu.vendor == "GenuineIntel" : cpu.avx2 && cpu.vendor == "AuthenticAMD";
  return openblas_is_faster && is_named(blas, "blis") && is_named(lapack, "openblas") ? lapack
                                                                                      : blas;
}

std::string blas_path(const Environment& environment) {
  if (environment.blas) return *environment.blas;
  return present_library(faster_library(this_cpu(), CUBOID_BLAS_LIBRARY, CUBOID_LAPACK_LIBRARY));
}

std::string default_lapack_path() {
  return present_library(CUBOID_LAPACK_LIBRARY);
}

std::vector<LibraryRate> measured_libraries(const Environment& environment) {
  constexpr int rounds = 3;  // something else may take the core for a moment: the best counts
  const std::string multiplies = blas_path(environment);
  std::vector<const BlasLibrary*> libraries;
  std::vector<LibraryRate> rates;
  for (const std::string& path :
       {multiplies, present_library(CUBOID_BLAS_LIBRARY), default_lapack_path()}) {
    const auto is_this = [&](const LibraryRate& rate) { return rate.path == path; };
    if (std::ranges::any_of(rates, is_this)) continue;
    const BlasLibrary* const library = library_if_usable(path);
    if (library == nullptr) continue;
    libraries.push_back(library);
    rates.push_back({fmt::format("{} of {}", library->kernels(), library->name()), path, 0,
                     path == multiplies});
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t index = 0; index < rates.size(); ++index) {
      libraries[index]->use_threads(1);
      double& best = rates[index].flops_per_second;
      best = std::max(best, 2 * measure_cores<double>(*libraries[index]));
    }
  }
  return rates;
}

}  // namespace cuboid::detail
