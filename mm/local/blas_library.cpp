#include "mm/local/blas_library.hpp"

#include <cuboid/error.hpp>

#include "base/process_limits.hpp"
#include "mm/local/cpu_features.hpp"
#include "mm/local/environment_overlay.hpp"
#include "mm/local/kernel_choice.hpp"
#include "mm/local/trial.hpp"
#include "mm/matrix/element_types.hpp"

#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr const char* no_library = "none";
constexpr const char* blis_variable = "BLIS_ARCH_TYPE";
constexpr const char* openblas_variable = "OPENBLAS_CORETYPE";

/// The constants of the CBLAS interface (CBLAS_ORDER, CBLAS_TRANSPOSE).
constexpr int column_major = 102;

int cblas_transpose(Op op) {
  switch (op) {
    case Op::none: return 111;
    case Op::transpose: return 112;
    case Op::conjugate_transpose: return 113;
  }
  return 111;
}

/// The way in which CBLAS passes a number of type T: by value or, if it is complex, by pointer.
template <class T>
struct Passed {
  using Scalar = T;
  using Input = const T*;
  using Output = T*;
  static Scalar scalar(const T& value) { return value; }
};
template <class Real>
struct Passed<std::complex<Real>> {
  using Scalar = const void*;
  using Input = const void*;
  using Output = void*;
  static Scalar scalar(const std::complex<Real>& value) { return &value; }
};

template <class T, class Integer>
using GemmFunction = void (*)(int, int, int, Integer, Integer, Integer, typename Passed<T>::Scalar,
                              typename Passed<T>::Input, Integer, typename Passed<T>::Input,
                              Integer, typename Passed<T>::Scalar, typename Passed<T>::Output,
                              Integer);

/// The structure that MKL_Get_Version() fills in.
struct MklVersion {
  int major = 0, minor = 0, update = 0;
  const char *status = "", *build = "", *processor = "unknown", *platform = "";
};

std::string text_of_variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// The variables that OpenBLAS reads when it is loaded: its kernels, and the number of threads that
/// it starts at once.
EnvironmentOverlay::Variables openblas_variables(int threads) {
  EnvironmentOverlay::Variables variables{{"OPENBLAS_NUM_THREADS", std::to_string(threads)}};
  const std::string_view kernels = openblas_name(best_kernels(this_cpu()));
  if (!kernels.empty()) variables.emplace_back(openblas_variable, kernels);
  return variables;
}

SharedLibrary load(const std::string& path, int threads, std::string_view remedy) {
  if (mappable_bytes().value_or(bytes_mapped_by_blas) < bytes_mapped_by_blas) {
    throw Error(
        ErrorCode::out_of_memory,
        fmt::format("{} needs {} MiB of memory, and this process may map {} MiB more: raise "
                    "the limit (ulimit -v)",
                    path, bytes_mapped_by_blas >> 20, *mappable_bytes() >> 20));
  }
  const EnvironmentOverlay overlay(openblas_variables(threads));
  return SharedLibrary(path, Symbols::own, remedy);
}

/// The names of the kernels that a BLIS knows, by number. The numbers differ between versions. The
/// last name is "generic"; in AMD's BLIS the second name is "generic", too.
std::vector<std::string_view> blis_names(const char* (*name_of)(int)) {
  constexpr std::size_t more_than_there_are = 64, second = 2;
  std::vector<std::string_view> names;
  while (names.size() < more_than_there_are &&
         (names.size() <= second || names.back() != "generic")) {
    const char* name = name_of(static_cast<int>(names.size()));
    if (name == nullptr) break;
    names.emplace_back(name);
  }
  return names;
}

}  // namespace

const BlasLibrary& BlasLibrary::at(const std::string& path, int threads, std::string_view remedy) {
  // Once per process also because a library reads the variables that choose its kernels only once.
  return once_per_process<const BlasLibrary>(path, [&] {
    return path == no_library ? new BlasLibrary() : new BlasLibrary(path, threads, remedy);
  });
}

BlasLibrary::BlasLibrary()
    : name_("no library: nothing is multiplied"),
      kernels_("none"),
      largest_integer_(std::numeric_limits<std::int64_t>::max()) {}

BlasLibrary::BlasLibrary(const std::string& path, int threads, std::string_view remedy)
    : file_(load(path, threads, remedy)),
      largest_integer_(std::numeric_limits<std::int32_t>::max()) {
  gemm_ = {file_->find<void()>("cblas_sgemm"), file_->find<void()>("cblas_dgemm"),
           file_->find<void()>("cblas_cgemm"), file_->find<void()>("cblas_zgemm")};
  if (gemm_.s == nullptr || gemm_.d == nullptr || gemm_.c == nullptr || gemm_.z == nullptr) {
    throw Error(ErrorCode::unsupported,
                fmt::format("{} has no cblas_?gemm functions; {}", path, remedy));
  }
  name_ = "CBLAS";
  recognise_blis();
  recognise_openblas();
  recognise_mkl();
  name_ += fmt::format(" ({})", file_->path());
  use_threads(threads);
}

void BlasLibrary::recognise_blis() {
  const auto initialise = file_->find<void()>("bli_init");
  const auto query = file_->find<int()>("bli_arch_query_id");
  const auto name_of = file_->find<const char*(int)>("bli_arch_string");
  if (initialise == nullptr || query == nullptr || name_of == nullptr) return;

  const std::string chosen = text_of_variable(blis_variable);
  if (!chosen.empty() && !survives(initialise)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("{}={}: {} has no such kernels, or not for this processor: leave the "
                            "variable unset",
                            blis_variable, chosen, file_->path()));
  }
  EnvironmentOverlay::Variables variables;
  if (const auto number = blis_kernels(this_cpu(), blis_names(name_of))) {
    EnvironmentOverlay::Variables wanted{{blis_variable, std::to_string(*number)}};
    // BLIS ends the program if its build lacks these kernels.
    const bool has_them = survives([&] {
      const EnvironmentOverlay overlay(wanted);
      initialise();
    });
    if (has_them) variables = std::move(wanted);
  }
  {
    // BLIS reads the variable when it initialises itself, which it otherwise does at its first use.
    const EnvironmentOverlay overlay(variables);
    initialise();
  }
  kernels_ = name_of(query());
  advice_ = kernel_advice(this_cpu(), kernels_, blis_variable, text_of_variable(blis_variable));
  const auto version = file_->find<const char*()>("bli_info_get_version_str");
  name_ = version == nullptr ? "BLIS" : fmt::format("BLIS {}", version());
  const auto integer_bits = file_->find<std::int64_t()>("bli_info_get_blas_int_type_size");
  if (integer_bits != nullptr && integer_bits() == 64) {
    largest_integer_ = std::numeric_limits<std::int64_t>::max();
  }
  set_threads_wide_ = file_->find<void(std::int64_t)>("bli_thread_set_num_threads");
}

void BlasLibrary::recognise_openblas() {
  const auto configuration = file_->find<const char*()>("openblas_get_config");
  if (configuration == nullptr) return;
  // The text is, e.g., "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  const std::string_view text = configuration();
  name_ = text.substr(0, text.find(' ', text.find(' ') + 1));
  if (text.find("USE64BITINT") != std::string_view::npos) {
    largest_integer_ = std::numeric_limits<std::int64_t>::max();
  }
  if (const auto core = file_->find<const char*()>("openblas_get_corename")) {
    kernels_ = core();
    advice_ =
        kernel_advice(this_cpu(), kernels_, openblas_variable, text_of_variable(openblas_variable));
  }
  set_threads_ = file_->find<void(int)>("openblas_set_num_threads");
}

void BlasLibrary::recognise_mkl() {
  const auto set_threads = file_->find<void(int)>("MKL_Set_Num_Threads");
  if (set_threads == nullptr) return;
  choose_mkl_layers();
  name_ = "MKL";
  if (const auto version_of = file_->find<void(MklVersion*)>("MKL_Get_Version")) {
    MklVersion version;
    version_of(&version);
    name_ += fmt::format(" {}.{}.{}", version.major, version.minor, version.update);
    const std::string_view kernels = version.processor;
    kernels_ = kernels.substr(0, kernels.find(" with support"));
  }
  set_threads_ = set_threads;
}

/// Chooses the libraries for which libmkl_rt stands: with 32- or 64-bit integers, and with the
/// program's OpenMP. By default libmkl_rt takes Intel's OpenMP, and ends the program if that is not
/// installed.
void BlasLibrary::choose_mkl_layers() {
  constexpr int integers_of_32_bits = 0, integers_of_64_bits = 1, sequential = 1, gnu_openmp = 3;
  const auto set_integers = file_->find<int(int)>("MKL_Set_Interface_Layer");
  // A program that uses MKL itself may have chosen already. The function returns the choice in
  // effect.
  if (set_integers != nullptr && (set_integers(integers_of_32_bits) & integers_of_64_bits) != 0) {
    largest_integer_ = std::numeric_limits<std::int64_t>::max();
  }
  const auto set_openmp = file_->find<int(int)>("MKL_Set_Threading_Layer");
  if (set_openmp == nullptr || !text_of_variable("MKL_THREADING_LAYER").empty()) return;
  set_openmp(SharedLibrary::can_be_loaded("libgomp.so.1") ? gnu_openmp : sequential);
}

void BlasLibrary::use_threads(int threads) const {
  if (threads_.exchange(threads) == threads) return;
  if (set_threads_wide_ != nullptr) set_threads_wide_(threads);
  if (set_threads_ != nullptr) set_threads_(threads);
}

template <class T>
void BlasLibrary::gemm(Op a, Op b, std::int64_t m, std::int64_t n, std::int64_t k, T alpha,
                       const T* A, std::int64_t lda, const T* B, std::int64_t ldb, T beta, T* C,
                       std::int64_t ldc) const {
  void (*function)() = nullptr;
  if constexpr (std::is_same_v<T, float>) function = gemm_.s;
  if constexpr (std::is_same_v<T, double>) function = gemm_.d;
  if constexpr (std::is_same_v<T, std::complex<float>>) function = gemm_.c;
  if constexpr (std::is_same_v<T, std::complex<double>>) function = gemm_.z;
  if (function == nullptr) return;

  const auto call = [&]<class Integer>(Integer) {
    const auto narrow = [](std::int64_t value) { return static_cast<Integer>(value); };
    reinterpret_cast<GemmFunction<T, Integer>>(function)(
        column_major, cblas_transpose(a), cblas_transpose(b), narrow(m), narrow(n), narrow(k),
        Passed<T>::scalar(alpha), A, narrow(lda), B, narrow(ldb), Passed<T>::scalar(beta), C,
        narrow(ldc));
  };
  if (largest_integer_ > std::numeric_limits<std::int32_t>::max()) {
    call(std::int64_t{});
  } else {
    call(std::int32_t{});
  }
}

#define CUBOID_INSTANTIATE(T)                                                                    \
  template void BlasLibrary::gemm(Op, Op, std::int64_t, std::int64_t, std::int64_t, T, const T*, \
                                  std::int64_t, const T*, std::int64_t, T, T*, std::int64_t) const
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
