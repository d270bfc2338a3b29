#include "mm/local/library_choice.hpp"

#include "base/shared_library.hpp"
#include "mm/local/blas_library.hpp"
#include "mm/local/measured_rates.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool is_named(const std::string& path, std::string_view name) {
  return std::filesystem::path(path).filename().string().find(name) != std::string::npos;
}

}  // namespace

const std::string& faster_library(const CpuFeatures& cpu, const std::string& blas,
                                  const std::string& lapack) {
  const bool openblas_is_faster = cpu.avx512 && cpu.vendor == "GenuineIntel";
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
  const std::string multiplies = blas_path(environment);
  std::vector<LibraryRate> rates;
  for (const std::string& path :
       {multiplies, present_library(CUBOID_BLAS_LIBRARY), default_lapack_path()}) {
    const auto is_this = [&](const LibraryRate& rate) { return rate.path == path; };
    if (std::ranges::any_of(rates, is_this) || !SharedLibrary::can_be_loaded(path)) continue;
    const BlasLibrary& library = BlasLibrary::at(path, 1);
    library.use_threads(1);
    rates.push_back({fmt::format("{} of {}", library.kernels(), library.name()), path,
                     2 * measure_cores<double>(library), path == multiplies});
  }
  return rates;
}

}  // namespace cuboid::detail
