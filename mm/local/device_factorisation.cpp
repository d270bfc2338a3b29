#include "mm/local/device_factorisation.hpp"

#include <cuboid/error.hpp>

#include "devices/cuda/cusolver_library.hpp"
#include "devices/memory/memory_space.hpp"
#include "devices/memory/own_pages.hpp"
#include "mm/local/device_gemm.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// Where the parts of a worker's memory begin, each at an address that cuSOLVER accepts.
struct FactorisationMemory {
  std::size_t matrix = 0, workspace = 0, pivots = 0, info = 0, end = 0;

  FactorisationMemory(std::size_t matrix_bytes, std::size_t workspace_bytes, std::size_t steps) {
    const auto after = [](std::size_t begin, std::size_t bytes) {
      constexpr std::size_t aligned = 256;
      return (begin + bytes + aligned - 1) / aligned * aligned;
    };
    workspace = after(matrix, matrix_bytes);
    pivots = after(workspace, workspace_bytes);
    info = after(pivots, steps * sizeof(std::int64_t));
    end = after(info, sizeof(int));
  }
};

}  // namespace

/// One matrix on its way to the device, through cuSOLVER and back.
template <MatrixElement T>
class DeviceFactorisation {
 public:
  DeviceFactorisation(DeviceGemm& gemm, LocalView<T> A) : gemm_(gemm), A_(A) {}

  /// @param multiplications  of the factorisation
  /// @param needs            the workspace that `factorise` needs: library, handle
  /// @param factorise        queues the factorisation: library, handle, matrix, pivots, workspace,
  ///                         its memory
  /// @param complete         queues what is left to do on the device: worker, matrix
  /// @param pivots           nothing if the factorisation has none
  template <class Needs, class Factorise, class Complete>
  bool run(double multiplications, const Needs& needs, const Factorise& factorise,
           const Complete& complete, std::span<std::int64_t> pivots) {
    try {
      return is_worthwhile(multiplications) && run_there(needs, factorise, complete, pivots);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory && error.code() != ErrorCode::unsupported) throw;
      gemm_.warn_once(fmt::format("{}; panels are factorised on the cores", error.what()));
      return false;
    }
  }

  const CudaDevice& device() const { return gemm_.device(); }

 private:
  bool is_worthwhile(double multiplications) {
    if (A_.rows == 0 || A_.columns == 0 || !memory_space_of(A_.data).on_host()) return false;
    const DeviceUse use = gemm_.environment_.device_use;
    if (use == DeviceUse::never) return false;
    const bool always = use == DeviceUse::always;
    if (!always && multiplications < DeviceGemm::fewest_multiplications) return false;
    const double cores_seconds =
        always ? std::numeric_limits<double>::infinity() : multiplications / gemm_.cores_rate<T>();
    // Who is refused asks again for the updates, which are counted then.
    if (!always && !gemm_.would_be_worth_opening(cores_seconds)) return false;
    if (gemm_.open() == nullptr) return false;
    const DeviceRates rates = gemm_.rates<T>();
    // Every column is searched and scaled by kernels that wait for each other.
    const bool pinned = are_own_pages(A_.data);
    const double both_ways = pinned ? rates.up_byte + rates.down_byte
                                    : rates.pageable_up_byte + rates.pageable_down_byte;
    const double seconds = static_cast<double>(bytes()) * both_ways +
                           multiplications * rates.multiplication +
                           static_cast<double>(steps()) * rates.call;
    return seconds < cores_seconds;
  }

  template <class Needs, class Factorise, class Complete>
  bool run_there(const Needs& needs, const Factorise& factorise, const Complete& complete,
                 std::span<std::int64_t> pivots) {
    const CusolverLibrary* const cusolver = gemm_.cusolver();
    if (cusolver == nullptr) return false;
    const CusolverLibrary& library = *cusolver;
    DeviceGemm::Lease worker(gemm_);
    const CusolverHandle handle = worker->solver(library);
    const CusolverLibrary::Workspace workspace = needs(library, handle);
    const FactorisationMemory places(bytes(), workspace.on_device, pivots.size());
    if (places.end > gemm_.memory_left()) return false;
    std::byte* const memory = worker->memory(places.end);
    std::vector<std::byte> on_host(workspace.on_host);
    auto* const there = reinterpret_cast<T*>(memory + places.matrix);
    auto* const swaps = reinterpret_cast<std::int64_t*>(memory + places.pivots);
    auto* const info_there = reinterpret_cast<int*>(memory + places.info);
    int info = 0;
    pin_own_pages(worker->device, A_.data);
    const CopiedMemory copied(
        worker->device, std::array{range_of(A_.data, A_.rows, A_.columns, A_.leading_dimension)},
        false);
    with_idle_streams_on_error(*worker, [&] {
      const CudaStream& stream = worker->compute;
      stream.copy(here(), on_device(there), height(), width());
      factorise(
          library, handle, there, swaps, workspace,
          CusolverLibrary::WorkspaceMemory{memory + places.workspace, on_host.data(), info_there});
      copy_row(stream, info_there, &info, 1);
      if (!pivots.empty()) copy_row(stream, swaps, pivots.data(), pivots.size());
      stream.wait();
      if (info != 0) return;
      complete(*worker, there);
      stream.copy(on_device(there), here(), height(), width());
      stream.wait();
    });
    for (std::int64_t& pivot : pivots) --pivot;
    return info == 0;
  }

  std::size_t bytes() const { return static_cast<std::size_t>(A_.rows * A_.columns) * sizeof(T); }
  std::int64_t steps() const { return std::min(A_.rows, A_.columns); }
  std::size_t height() const { return static_cast<std::size_t>(A_.rows) * sizeof(T); }
  std::size_t width() const { return static_cast<std::size_t>(A_.columns); }

  MemoryLines here() const {
    return {A_.data, static_cast<std::size_t>(A_.leading_dimension) * sizeof(T), false};
  }
  MemoryLines on_device(T* there) const { return {there, height(), true}; }

  template <class Value>
  static void copy_row(const CudaStream& stream, Value* from, Value* to, std::size_t count) {
    const std::size_t bytes = count * sizeof(Value);
    stream.copy({from, bytes, true}, {to, bytes, false}, bytes, 1);
  }

  DeviceGemm& gemm_;
  LocalView<T> A_;
};

template <MatrixElement T>
bool lu_on_device(const LocalGemm& gemm, LocalView<T> A, std::span<std::int64_t> pivots) {
  if (gemm.device_gemm() == nullptr) return false;
  DeviceFactorisation<T> factorisation(*gemm.device_gemm(), A);
  const auto m = static_cast<double>(A.rows), n = static_cast<double>(A.columns);
  const double least = std::min(m, n);
  return factorisation.run(
      least * (m * n - least * (m + n) / 2 + least * least / 3),
      [&](const CusolverLibrary& library, CusolverHandle handle) {
        return library.workspace_of_lu<T>(factorisation.device(), handle, A.rows, A.columns,
                                          A.rows);
      },
      [&](const CusolverLibrary& library, CusolverHandle handle, T* matrix, std::int64_t* swaps,
          const auto& workspace, const auto& memory) {
        library.lu(factorisation.device(), handle, A.rows, A.columns, matrix, A.rows, swaps,
                   workspace, memory);
      },
      [](const DeviceWorker&, T*) {}, pivots);
}

namespace {

/// The width of the blocks of columns whose adjoint is stored above the diagonal by one call each.
/// The squares on the diagonal are left to the cores.
constexpr std::int64_t adjoint_width = 256;

/// Stores Lᴴ above the diagonal's squares of a matrix on a device, in the worker's stream.
template <MatrixElement T>
void store_adjoint(const DeviceWorker& worker, T* matrix, std::int64_t n) {
  for (std::int64_t begin = 0; begin + adjoint_width < n; begin += adjoint_width) {
    const std::int64_t below = begin + adjoint_width;
    worker.cublas.add(worker.device, worker.handle, CublasOp::conjugate_transpose, adjoint_width,
                      n - below, T(1), matrix + below + begin * n, n, T(0),
                      matrix + begin + below * n, n);
  }
}

/// Stores Lᴴ in the squares on the diagonal.
template <MatrixElement T>
void store_adjoint_of_squares(LocalView<T> A) {
  for (std::int64_t j = 0; j < A.columns; ++j) {
    for (std::int64_t i = j / adjoint_width * adjoint_width; i < j; ++i)
      A(i, j) = conjugate(A(j, i));
  }
}

}  // namespace

template <MatrixElement T>
bool cholesky_on_device(const LocalGemm& gemm, LocalView<T> A) {
  if (gemm.device_gemm() == nullptr) return false;
  DeviceFactorisation<T> factorisation(*gemm.device_gemm(), A);
  const auto n = static_cast<double>(A.rows);
  const bool done = factorisation.run(
      n * n * n / 6,
      [&](const CusolverLibrary& library, CusolverHandle handle) {
        return library.workspace_of_cholesky<T>(factorisation.device(), handle, A.rows, A.rows);
      },
      [&](const CusolverLibrary& library, CusolverHandle handle, T* matrix, std::int64_t*,
          const auto& workspace, const auto& memory) {
        library.cholesky(factorisation.device(), handle, A.rows, matrix, A.rows, workspace, memory);
      },
      [&](const DeviceWorker& worker, T* matrix) { store_adjoint(worker, matrix, A.rows); }, {});
  if (done) store_adjoint_of_squares(A);
  return done;
}

#define CUBOID_FOR(T)                                                                  \
  template bool lu_on_device(const LocalGemm&, LocalView<T>, std::span<std::int64_t>); \
  template bool cholesky_on_device(const LocalGemm&, LocalView<T>)
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
