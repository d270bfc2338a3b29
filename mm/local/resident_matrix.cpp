#include "mm/local/resident_matrix.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/memory_space.hpp"
#include "mm/local/device_gemm.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// The elements of each part of the device's memory.
struct ResidentSizes {
  std::int64_t leading_dimension, matrix, lower, upper, rows, diagonal;

  ResidentSizes(std::int64_t m, std::int64_t n, const FactorisationWork& work)
      : leading_dimension(block_elements(m, 1)),
        matrix(leading_dimension * n),
        lower(block_elements(m, work.width)),
        upper(block_elements(work.width, n)),
        // A step takes its own rows and as many others.
        rows(work.exchanges_rows ? block_elements(std::min(2 * work.width, m), n) : 0),
        diagonal(work.exchanges_rows ? block_elements(work.width, work.width) : 0) {}
  std::int64_t all() const { return matrix + 2 * (lower + upper) + rows + diagonal; }
};

/// The predicted seconds of a factorisation's updates, with all copies one after the other.
double predicted_seconds(std::int64_t m, std::int64_t n, const FactorisationWork& work,
                         std::size_t element_bytes, const DeviceRates& rates) {
  const double bytes = static_cast<double>(m * n) * static_cast<double>(element_bytes);
  // The matrix comes up once, and comes down in panels and block rows. Of every panel L goes up,
  // and of every block row U. Rows that are exchanged, as many as there are block rows, come down
  // and go up for half of the columns on average.
  const double half_of_rows = work.exchanges_rows ? bytes / 2 : 0;
  const double steps = static_cast<double>(std::min(m, n)) / static_cast<double>(work.width);
  constexpr double copies_of_step = 6, updates_of_step = 2;
  return (2 * bytes + half_of_rows) * rates.up_byte + (bytes + half_of_rows) * rates.down_byte +
         work.multiplications * rates.multiplication +
         steps * (copies_of_step * rates.copy_call + updates_of_step * rates.call);
}

/// Calls use(first, count) for every run of consecutive rows.
template <class Use>
void for_each_run(std::span<const std::int64_t> rows, const Use& use) {
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    end = begin + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    use(rows[begin], static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end - begin));
  }
}

/// The numbers of a worker's events.
constexpr std::size_t arrived = 0, fetchable = 1, fetched = 2, rows_moved = 3;

}  // namespace

template <MatrixElement T>
struct ResidentMatrix<T>::State {
  State(DeviceGemm& gemm, LocalView<T> host, const ResidentSizes& sizes, const DeviceRates& rates)
      : gemm(gemm),
        rates(rates),
        reserved(static_cast<std::size_t>(sizes.all()) * sizeof(T)),
        host(host),
        leading_dimension(sizes.leading_dimension),
        worker(gemm),
        copied(worker->device,
               std::array{range_of(host.data, host.rows, host.columns, host.leading_dimension)},
               false),
        matrix(reinterpret_cast<T*>(worker->memory(reserved))),
        lower{matrix + sizes.matrix, matrix + sizes.matrix + sizes.lower},
        upper{lower[1] + sizes.lower, lower[1] + sizes.lower + sizes.upper},
        rows(upper[1] + sizes.upper),
        diagonal(rows + sizes.rows) {
    gemm.reserved_ += reserved;
    pin_own_pages(worker->device, host.data);
  }
  ~State() {
    worker->wait_until_idle();
    gemm.reserved_ -= reserved;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  static MemoryLines lines(const T* data, std::int64_t ld, bool on_device) {
    return {const_cast<T*>(data), static_cast<std::size_t>(ld) * sizeof(T), on_device};
  }
  /// The place on the device of a part of the host's matrix.
  T* place(const T* of_part) const {
    const std::int64_t offset = of_part - host.data;
    return matrix + offset % host.leading_dimension +
           offset / host.leading_dimension * leading_dimension;
  }
  /// The place on the device of a part of a panel, which is dense there.
  static T* place(T* panel, LocalView<const T> named, const T* of_part) {
    const std::int64_t offset = of_part - named.data;
    return panel + offset % named.leading_dimension + offset / named.leading_dimension * named.rows;
  }

  void up(const CudaStream& stream, LocalView<const T> from, T* to, std::int64_t ld) const {
    pin_own_pages(worker->device, from.data);
    stream.copy(lines(from.data, from.leading_dimension, false), lines(to, ld, true),
                static_cast<std::size_t>(from.rows) * sizeof(T),
                static_cast<std::size_t>(from.columns));
  }
  void down(const CudaStream& stream, const T* from, std::int64_t ld, LocalView<T> to) const {
    pin_own_pages(worker->device, to.data);
    stream.copy(lines(from, ld, true), lines(to.data, to.leading_dimension, false),
                static_cast<std::size_t>(to.rows) * sizeof(T),
                static_cast<std::size_t>(to.columns));
  }
  /// Waits until a stream has done what it was given so far.
  void finish(const CudaStream& stream, std::size_t event, GemmProgress progress) {
    stream.record(worker->event(event));
    wait(worker->event(event), progress);
  }
  void send_panel(LocalView<const T> from, T* to, GemmProgress progress) {
    up(worker->up, from, to, from.rows);
    finish(worker->up, arrived, progress);
    worker->compute.wait_for(worker->event(arrived));
  }
  template <class Work>
  void run(const Work& work) {
    with_idle_streams_on_error(*worker, work);
  }

  DeviceGemm& gemm;
  const DeviceRates rates;
  const std::size_t reserved;
  const LocalView<T> host;
  const std::int64_t leading_dimension;
  DeviceGemm::Lease worker;
  const CopiedMemory copied;
  T* const matrix;
  const std::array<T*, 2> lower, upper;  ///< the panels of two steps, in turns
  T* const rows;
  T* const diagonal;
  std::size_t half = 0;  ///< which panels are in use
  LocalView<const T> lower_named, upper_named;
  bool fetches = false;
};

template <MatrixElement T>
ResidentMatrix<T>::ResidentMatrix() = default;
template <MatrixElement T>
ResidentMatrix<T>::~ResidentMatrix() = default;
template <MatrixElement T>
ResidentMatrix<T>::ResidentMatrix(ResidentMatrix&&) noexcept = default;

template <MatrixElement T>
ResidentMatrix<T>::ResidentMatrix(const LocalGemm& local, LocalView<T> host,
                                  const FactorisationWork& work) {
  DeviceGemm* const gemm = local.device_gemm();
  if (gemm == nullptr || work.multiplications == 0) return;
  const bool always = gemm->environment_.device_use == DeviceUse::always;
  const double cores_seconds = always ? std::numeric_limits<double>::infinity()
                                      : work.multiplications / gemm->cores_rate<T>();
  if (!always && !gemm->is_worth_opening(cores_seconds)) return;
  if (gemm->open() == nullptr || !memory_space_of(host.data).on_host()) return;
  try {
    const ResidentSizes sizes(host.rows, host.columns, work);
    const DeviceRates rates = gemm->rates<T>();
    if (predicted_seconds(host.rows, host.columns, work, sizeof(T), rates) >= cores_seconds) return;
    if (static_cast<std::size_t>(sizes.all()) * sizeof(T) > gemm->memory_left()) return;
    state_ = std::make_unique<State>(*gemm, host, sizes, rates);
    state_->run([&] {
      // The worker is idle: its last user waited for its streams.
      const DeviceWorker& worker = *state_->worker;
      const CudaEvent& here = state_->worker->event(arrived);
      state_->up(worker.up, host, state_->matrix, state_->leading_dimension);
      worker.up.record(here);
      worker.compute.wait_for(here);
    });
  } catch (const Error& error) {
    state_.reset();
    if (error.code() != ErrorCode::out_of_memory) throw;
    gemm->warn_once(fmt::format("{}; the matrix is not kept there", error.what()));
  }
}

template <MatrixElement T>
void ResidentMatrix<T>::start_fetch(LocalView<T> part) {
  State& state = *state_;
  state.run([&] {
    const CudaEvent& updated = state.worker->event(fetchable);
    state.worker->compute.record(updated);
    state.worker->down.wait_for(updated);
    state.down(state.worker->down, state.place(part.data), state.leading_dimension, part);
    state.worker->down.record(state.worker->event(fetched));
    state.fetches = true;
  });
}

template <MatrixElement T>
void ResidentMatrix<T>::finish_fetch(GemmProgress progress) {
  State& state = *state_;
  if (std::exchange(state.fetches, false))
    state.run([&] { wait(state.worker->event(fetched), progress); });
}

template <MatrixElement T>
void ResidentMatrix<T>::take_rows(LocalView<T> part, std::span<const std::int64_t> rows,
                                  LocalView<T> to, GemmProgress progress) {
  if (to.rows == 0 || to.columns == 0) return;
  State& state = *state_;
  const DeviceWorker& worker = *state.worker;
  state.run([&] {
    for_each_run(rows, [&](std::int64_t row, std::int64_t place, std::int64_t count) {
      worker.cublas.copy(worker.device, worker.handle, count, to.columns,
                         state.place(part.data) + row, state.leading_dimension, state.rows + place,
                         to.rows);
    });
    state.down(worker.compute, state.rows, to.rows, to);
    state.finish(worker.compute, rows_moved, progress);
  });
}

template <MatrixElement T>
void ResidentMatrix<T>::put_rows(LocalView<T> part, std::span<const std::int64_t> rows,
                                 LocalView<const T> from, GemmProgress progress) {
  if (from.rows == 0 || from.columns == 0) return;
  State& state = *state_;
  const DeviceWorker& worker = *state.worker;
  state.run([&] {
    state.up(worker.compute, from, state.rows, from.rows);
    worker.compute.record(state.worker->event(rows_moved));
    for_each_run(rows, [&](std::int64_t row, std::int64_t place, std::int64_t count) {
      worker.cublas.copy(worker.device, worker.handle, count, from.columns, state.rows + place,
                         from.rows, state.place(part.data) + row, state.leading_dimension);
    });
    wait(state.worker->event(rows_moved), progress);
  });
}

template <MatrixElement T>
void ResidentMatrix<T>::start_update(LocalView<const T> lower, LocalView<const T> upper,
                                     GemmProgress progress) {
  State& state = *state_;
  state.half = 1 - state.half;
  state.lower_named = lower;
  state.upper_named = upper;
  state.run([&] {
    // The step before the last has used this memory.
    state.worker->up.wait_for(state.worker->half_done[state.half]);
    if (lower.rows > 0 && lower.columns > 0)
      state.send_panel(lower, state.lower[state.half], progress);
  });
}

template <MatrixElement T>
void ResidentMatrix<T>::take_upper(LocalView<const T> columns, GemmProgress progress) {
  if (columns.rows == 0 || columns.columns == 0) return;
  State& state = *state_;
  state.run([&] {
    state.send_panel(
        columns, State::place(state.upper[state.half], state.upper_named, columns.data), progress);
  });
}

template <MatrixElement T>
void ResidentMatrix<T>::subtract(LocalView<const T> lower, LocalView<const T> upper,
                                 LocalView<T> part) {
  if (part.rows == 0 || part.columns == 0 || upper.rows == 0) return;
  State& state = *state_;
  const DeviceWorker& worker = *state.worker;
  state.run([&] {
    worker.cublas.gemm(worker.device, worker.handle, worker.factors, CublasOp::none, CublasOp::none,
                       part.rows, part.columns, upper.rows, T(-1),
                       State::place(state.lower[state.half], state.lower_named, lower.data),
                       state.lower_named.rows,
                       State::place(state.upper[state.half], state.upper_named, upper.data),
                       state.upper_named.rows, T(1), state.place(part.data),
                       state.leading_dimension);
    worker.compute.record(worker.half_done[state.half]);
  });
}

template <MatrixElement T>
bool ResidentMatrix<T>::solve_unit_lower(LocalView<const T> diagonal, LocalView<T> upper,
                                         GemmProgress progress) {
  State& state = *state_;
  const double multiplications = static_cast<double>(upper.rows * upper.rows * upper.columns) / 2;
  const double bytes = static_cast<double>(upper.rows * upper.columns) * sizeof(T);
  const double there = bytes * (state.rates.up_byte + state.rates.down_byte) +
                       2 * state.rates.copy_call + state.rates.call +
                       multiplications * state.rates.multiplication;
  const bool always = state.gemm.environment_.device_use == DeviceUse::always;
  if (upper.columns == 0 ||
      (!always && there >= multiplications / state.gemm.template cores_rate<T>()))
    return false;
  const DeviceWorker& worker = *state.worker;
  state.run([&] {
    state.up(worker.compute, diagonal, state.diagonal, diagonal.rows);
    state.up(worker.compute, upper, state.rows, upper.rows);
    worker.cublas.solve_unit_lower(worker.device, worker.handle, upper.rows, upper.columns,
                                   state.diagonal, diagonal.rows, state.rows, upper.rows);
    state.down(worker.compute, state.rows, upper.rows, upper);
    state.finish(worker.compute, rows_moved, progress);
  });
  return true;
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(ResidentMatrix);

}  // namespace cuboid::detail
