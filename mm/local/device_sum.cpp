#include <cuboid/error.hpp>

#include "mm/local/tiled_product.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The plan of a product in a single step.
TilePlan whole(const TileProblem& problem) {
  const TileShape shape{problem.m,
                        problem.n,
                        problem.k,
                        problem.moves_a ? 1 : 0,
                        problem.moves_b ? 1 : 0,
                        problem.moves_c ? 1 : 0};
  return {shape, tile_steps(problem, shape), 0};
}

}  // namespace

template <class T>
std::unique_ptr<DeviceSum<T>> DeviceSum<T>::open(DeviceGemm& gemm, T* C, std::int64_t ldc,
                                                 std::int64_t m, std::int64_t n, std::int64_t k,
                                                 std::int64_t width, T beta) {
  // A product of a single panel is better as a tiled product, whose tiles travel in both directions
  // at once.
  if (m == 0 || n == 0 || width == 0 || width >= k || !memory_space_of(C).on_host()) return nullptr;
  const bool always = gemm.environment_.device_use == DeviceUse::always;
  const double multiplications =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  const double cores_seconds =
      always ? std::numeric_limits<double>::infinity() : multiplications / gemm.cores_rate<T>();
  if (!always && !gemm.is_worth_opening(cores_seconds)) return nullptr;
  if (gemm.open() == nullptr) return nullptr;
  try {
    const DeviceRates rates = gemm.rates<T>();
    const double tile = static_cast<double>(m * n) * sizeof(T);
    const double column = static_cast<double>((m + n) * static_cast<std::int64_t>(sizeof(T)));
    // The best chunk. A chunk has c inner indices. The first chunk is copied before anything is
    // multiplied, which takes c·u seconds. Each of the k/c chunks costs o seconds besides its
    // multiplications. So c = √(k·o/u) is the best.
    const double for_each = rates.call + rates.copy_call + 2 * tile * rates.memory_byte;
    constexpr double narrowest = 64;
    const auto best = static_cast<std::int64_t>(std::max(
        narrowest, std::sqrt(static_cast<double>(k) * for_each / (column * rates.up_byte))));
    const std::int64_t chunk = std::min(width, best);
    const double panel = column * static_cast<double>(chunk);
    const double of_chunk =
        static_cast<double>(m * n) * static_cast<double>(chunk) * rates.multiplication;
    const double chunks = std::ceil(static_cast<double>(k) / static_cast<double>(chunk));
    const double seconds = (beta == T(0) ? 0 : tile * rates.up_byte) + panel * rates.up_byte +
                           tile * rates.down_byte +
                           chunks * std::max(panel * rates.up_byte + 2 * rates.copy_call,
                                             rates.call + of_chunk + 2 * tile * rates.memory_byte);
    if (seconds >= cores_seconds) return nullptr;
    const double bytes = tile + 2 * panel;
    if (bytes > static_cast<double>(gemm.memory_left())) return nullptr;
    std::unique_ptr<DeviceSum> sum(new DeviceSum(gemm, C, ldc, m, n, chunk));
    DeviceWorker& worker = *sum->worker_;
    const auto lines = [](T* data, std::int64_t ld, bool on_device) {
      return MemoryLines{data, static_cast<std::size_t>(ld) * sizeof(T), on_device};
    };
    const std::size_t width_bytes = static_cast<std::size_t>(m) * sizeof(T);
    if (beta == T(0)) {
      worker.compute.clear(lines(sum->on_device_, m, true), width_bytes,
                           static_cast<std::size_t>(n));
      return sum;
    }
    with_idle_streams_on_error(worker, [&] {
      worker.compute.copy(lines(C, ldc, false), lines(sum->on_device_, m, true), width_bytes,
                          static_cast<std::size_t>(n));
      if (beta != T(1))
        worker.cublas.scale(worker.device, worker.handle, m, n, beta, sum->on_device_, m);
    });
    return sum;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    gemm.warn_once(fmt::format("{}; C is not kept there", error.what()));
    return nullptr;
  }
}

template <class T>
DeviceSum<T>::DeviceSum(DeviceGemm& gemm, T* C, std::int64_t ldc, std::int64_t m, std::int64_t n,
                        std::int64_t width)
    : gemm_(gemm),
      worker_(gemm),
      copied_(worker_->device, std::array{range_of(C, m, n, ldc)}, false),
      C_(C),
      ldc_(ldc),
      m_(m),
      n_(n),
      width_(width),
      half_(block_elements(m, width) + block_elements(width, n)),
      on_device_(reinterpret_cast<T*>(worker_->memory(
          static_cast<std::size_t>(block_elements(m, n) + 2 * half_) * sizeof(T)))) {
  pin_own_pages(worker_->device, C);
}

template <class T>
DeviceSum<T>::~DeviceSum() {
  if (finished_) return;
  try {
    worker_->compute.wait();
  } catch (const Error&) {
    // A lost device is reported elsewhere.
  }
}

template <class T>
void DeviceSum<T>::add(const GemmCall<T>& call, GemmProgress progress) {
  if (call.m == 0 || call.n == 0 || call.alpha == T(0)) return;
  for (std::int64_t begin = 0; begin < call.k; begin += width_) {
    GemmCall<T> panel = call;
    panel.k = std::min(width_, call.k - begin);
    panel.A += call.op_a == Op::none ? begin * call.lda : begin;
    panel.B += call.op_b == Op::none ? begin : begin * call.ldb;
    add_panel(panel, progress);
  }
}

template <class T>
void DeviceSum<T>::add_panel(const GemmCall<T>& call, GemmProgress progress) {
  const std::int64_t place = call.C - C_;
  GemmCall<T> there = call;
  there.C = on_device_ + place % ldc_ + place / ldc_ * m_;
  there.ldc = m_;
  there.beta = T(1);
  const DeviceGemm::PlacedOperands<T> where = gemm_.placed(there);
  const TilePlan plan = whole(where.problem);
  const std::size_t half = adds_++ % 2;
  const Region region{reinterpret_cast<std::byte*>(on_device_ + block_elements(m_, n_) +
                                                   static_cast<std::int64_t>(half) * half_),
                      &worker_->half_done[half]};
  pin_own_pages(worker_->device, call.A);
  pin_own_pages(worker_->device, call.B);
  const CopiedMemory copied(worker_->device,
                            std::array{range_of(call.A, call.a_rows(), call.a_columns(), call.lda),
                                       range_of(call.B, call.b_rows(), call.b_columns(), call.ldb)},
                            false);
  with_idle_streams_on_error(*worker_, [&] {
    TiledProduct<T>(*worker_, region, there, where.problem, plan)
        .run(Until::operands_are_read, progress);
  });
}

template <class T>
void DeviceSum<T>::finish(GemmProgress progress) {
  with_idle_streams_on_error(*worker_, [&] {
    worker_->compute.copy({on_device_, static_cast<std::size_t>(m_) * sizeof(T), true},
                          {C_, static_cast<std::size_t>(ldc_) * sizeof(T), false},
                          static_cast<std::size_t>(m_) * sizeof(T), static_cast<std::size_t>(n_));
    const CudaEvent& done = worker_->event(0);
    worker_->compute.record(done);
    wait(done, progress);
  });
  finished_ = true;
}

#define CUBOID_INSTANTIATE(T) template class DeviceSum<T>
CUBOID_FOR_ELEMENT_TYPES(CUBOID_INSTANTIATE);
#undef CUBOID_INSTANTIATE

}  // namespace cuboid::detail
