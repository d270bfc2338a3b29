#include "mm/local/device_gemm.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/memory_space.hpp"
#include "devices/memory/own_pages.hpp"
#include "mm/local/measured_rates.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

CublasOp cublas_op(Op op) {
  switch (op) {
    case Op::none: return CublasOp::none;
    case Op::transpose: return CublasOp::transpose;
    case Op::conjugate_transpose: return CublasOp::conjugate_transpose;
  }
  return CublasOp::none;
}

std::int64_t span(std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  return rows == 0 || columns == 0 ? 0 : (columns - 1) * ld + rows;
}

/// A part of a worker's memory. The work that is recorded by the event `done` may still use it.
struct Region {
  std::byte* memory = nullptr;
  const CudaEvent* done = nullptr;  ///< recorded after the work that uses the region
};

/// The time at which a tiled product returns.
enum class Until {
  c_is_done,
  operands_are_read,  ///< the device may still multiply
};

/// Queues the steps of a product in a worker's streams and waits.
template <class T>
class TiledProduct {
 public:
  TiledProduct(DeviceWorker& worker, const Region& region, const GemmCall<T>& call,
               const TileProblem& problem, const TilePlan& plan)
      : worker_(worker),
        call_(call),
        problem_(problem),
        plan_(plan),
        region_(region),
        a_(reinterpret_cast<T*>(region.memory)),
        b_(a_ + plan.shape.a_slots * a_block(plan.shape)),
        c_(b_ + plan.shape.b_slots * b_block(plan.shape)) {}

  void run(Until until, GemmProgress progress) {
    worker_.up.wait_for(*region_.done);
    for (const TileStep& step : plan_.steps) enqueue(step);
    worker_.compute.record(*region_.done);
    const CudaEvent& read = worker_.event(0);
    worker_.up.record(read);
    wait(read, progress);
    if (until == Until::operands_are_read) return;
    wait(*region_.done, progress);
    const CudaEvent& stored = worker_.event(1);
    worker_.down.record(stored);
    wait(stored, progress);
  }

 private:
  /// The events of a slot: `came` when its block has arrived, `is_free` when the slot may be
  /// written again.
  enum Operand { a, b, c };
  struct SlotEvents {
    const CudaEvent& came;
    const CudaEvent& is_free;
  };
  SlotEvents events(Operand operand, int slot) {
    const TileShape& shape = plan_.shape;
    const int before = operand == a   ? 0
                       : operand == b ? shape.a_slots
                                      : shape.a_slots + shape.b_slots;
    constexpr std::size_t first = 2;
    const std::size_t number = first + 2 * static_cast<std::size_t>(before + slot);
    return {worker_.event(number), worker_.event(number + 1)};
  }

  /// The columns of a block of a stored matrix.
  MemoryLines lines(const T* data, std::int64_t ld, bool on_device) {
    return {const_cast<T*>(data), static_cast<std::size_t>(ld) * sizeof(T), on_device};
  }

  /// Copies a block to a slot as soon as nothing needs the slot's content.
  void load(Operand operand, int slot, const T* from, std::int64_t ld, std::int64_t rows,
            std::int64_t columns, T* to) {
    const SlotEvents of_slot = events(operand, slot);
    if (used_before(operand, slot)) worker_.up.wait_for(of_slot.is_free);
    worker_.up.copy(lines(from, ld, memory_space_of(from).kind == MemoryKind::device),
                    lines(to, rows, true), static_cast<std::size_t>(rows) * sizeof(T),
                    static_cast<std::size_t>(columns));
    worker_.up.record(of_slot.came);
    worker_.compute.wait_for(of_slot.came);
  }

  /// True if an earlier step used the slot. Records that this step uses it.
  bool used_before(Operand operand, int slot) {
    auto& used = used_[static_cast<std::size_t>(operand)];
    if (used.size() <= static_cast<std::size_t>(slot))
      used.resize(static_cast<std::size_t>(slot) + 1);
    const bool before = used[static_cast<std::size_t>(slot)];
    used[static_cast<std::size_t>(slot)] = true;
    return before;
  }

  void enqueue(const TileStep& step) {
    const auto& [rows, columns, inner] = std::tie(step.rows, step.columns, step.inner);
    // A block in a slot has the shape in which it is stored: m×k, or k×m if it is transposed.
    const bool a_plain = call_.op_a == Op::none, b_plain = call_.op_b == Op::none;
    const T* A = a_plain ? call_.A + rows.begin + inner.begin * call_.lda
                         : call_.A + inner.begin + rows.begin * call_.lda;
    const T* B = b_plain ? call_.B + inner.begin + columns.begin * call_.ldb
                         : call_.B + columns.begin + inner.begin * call_.ldb;
    T* C = call_.C + rows.begin + columns.begin * call_.ldc;
    std::int64_t lda = call_.lda, ldb = call_.ldb, ldc = call_.ldc;
    if (problem_.moves_a) {
      T* const slot = a_ + step.a_slot * a_block(plan_.shape);
      const std::int64_t height = a_plain ? rows.extent : inner.extent;
      if (step.loads_a)
        load(a, step.a_slot, A, lda, height, a_plain ? inner.extent : rows.extent, slot);
      A = slot;
      lda = height;
    }
    if (problem_.moves_b) {
      T* const slot = b_ + step.b_slot * b_block(plan_.shape);
      const std::int64_t height = b_plain ? inner.extent : columns.extent;
      if (step.loads_b)
        load(b, step.b_slot, B, ldb, height, b_plain ? columns.extent : inner.extent, slot);
      B = slot;
      ldb = height;
    }
    T* const home = C;
    if (problem_.moves_c) {
      C = c_ + step.c_slot * c_block(plan_.shape);
      ldc = rows.extent;
      if (step.first && problem_.reads_c) {
        load(c, step.c_slot, home, call_.ldc, rows.extent, columns.extent, C);
      } else if (step.first && used_before(c, step.c_slot)) {
        worker_.compute.wait_for(events(c, step.c_slot).is_free);
      }
    }
    worker_.cublas.gemm(worker_.device, worker_.handle, cublas_op(call_.op_a),
                        cublas_op(call_.op_b), rows.extent, columns.extent, inner.extent,
                        call_.alpha, A, lda, B, ldb, step.first ? call_.beta : T(1), C, ldc);
    if (problem_.moves_a) worker_.compute.record(events(a, step.a_slot).is_free);
    if (problem_.moves_b) worker_.compute.record(events(b, step.b_slot).is_free);
    if (problem_.moves_c && step.last) store(step, C, home);
  }

  void store(const TileStep& step, const T* from, T* to) {
    const SlotEvents of_slot = events(c, step.c_slot);
    worker_.compute.record(of_slot.came);
    worker_.down.wait_for(of_slot.came);
    worker_.down.copy(lines(from, step.rows.extent, true),
                      lines(to, call_.ldc, memory_space_of(to).kind == MemoryKind::device),
                      static_cast<std::size_t>(step.rows.extent) * sizeof(T),
                      static_cast<std::size_t>(step.columns.extent));
    worker_.down.record(of_slot.is_free);
  }

  DeviceWorker& worker_;
  const GemmCall<T>& call_;
  const TileProblem& problem_;
  const TilePlan& plan_;
  Region region_;
  T *a_, *b_, *c_;
  std::array<std::vector<bool>, 3> used_;
};

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

void wait(const CudaEvent& event, GemmProgress progress) {
  if (!progress) return event.wait();
  while (!event.done()) {
    progress();
    std::this_thread::yield();
  }
}

DeviceWorker::DeviceWorker(const CudaDevice& on, const CublasLibrary& library, bool tf32)
    : device(on),
      cublas(library),
      up(on),
      compute(on),
      down(on),
      half_done{CudaEvent(on), CudaEvent(on)} {
  handle = library.create(on, compute, tf32);
}

DeviceWorker::~DeviceWorker() {
  device.release([this] { cublas.destroy(handle); });
}

std::byte* DeviceWorker::memory(std::size_t bytes) {
  if (memory_ == nullptr || memory_->bytes() < bytes) {
    compute.wait();
    memory_.reset();
    memory_ = std::make_unique<DeviceMemory>(device, bytes);
  }
  return memory_->data();
}

const CudaEvent& DeviceWorker::event(std::size_t number) {
  while (events_.size() <= number) events_.emplace_back(device);
  return events_[number];
}

void DeviceWorker::wait_until_idle() const {
  for (const CudaStream* stream : {&up, &compute, &down}) {
    try {
      stream->wait();
    } catch (const Error&) {
      // A device that is lost does not touch memory.
    }
  }
}

struct DeviceGemm::Open {
  const CudaDevice& device;
  const CublasLibrary& cublas;
  int ranks = 1;  ///< ranks that share the device
  HostLinkRates links;
  std::size_t memory = 0;  ///< bytes of device memory that this rank may use
  std::vector<std::unique_ptr<DeviceWorker>> idle;
};

DeviceGemm& DeviceGemm::at(const Environment& environment, RankOnNode rank,
                           const BlasLibrary& cores, int threads, bool tf32) {
  const std::string settings =
      fmt::format("{}|{}|{}|{}|{}|{}/{}|{}|{}|{}", static_cast<int>(environment.device_use),
                  fmt::join(environment.devices, ","), environment.device_memory.value_or(0),
                  environment.cuda.value_or(""), environment.cublas.value_or(""), rank.index,
                  rank.ranks, cores.name(), threads, tf32);
  // State of the process, because a program may open a LocalGemm for every product. It is never
  // destroyed, like the libraries.
  static std::mutex& mutex = *new std::mutex;
  static auto& all = *new std::map<std::string, std::unique_ptr<DeviceGemm>>;
  const std::lock_guard lock(mutex);
  auto& gemm = all[settings];
  if (gemm == nullptr) gemm.reset(new DeviceGemm(environment, rank, cores, threads, tf32));
  if (environment.device_use == DeviceUse::always || !environment.devices.empty() ||
      CudaDriver::loaded() != nullptr || SharedLibrary::is_loaded(cuda_driver_file))
    gemm->open();
  return *gemm;
}

DeviceGemm::DeviceGemm(const Environment& environment, RankOnNode rank, const BlasLibrary& cores,
                       int threads, bool tf32)
    : environment_(environment), rank_(rank), cores_(cores), threads_(threads), tf32_(tf32) {}

DeviceGemm::Lease::Lease(DeviceGemm& gemm) : gemm_(gemm), current_(gemm.open_->device) {
  {
    const std::lock_guard lock(gemm.mutex_);
    auto& idle = gemm.open_->idle;
    if (!idle.empty()) {
      worker_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (worker_ == nullptr)
    worker_ = std::make_unique<DeviceWorker>(gemm.open_->device, gemm.open_->cublas, gemm.tf32_);
}

DeviceGemm::Lease::~Lease() {
  const std::lock_guard lock(gemm_.mutex_);
  gemm_.open_->idle.push_back(std::move(worker_));
}

DeviceGemm::Open* DeviceGemm::open() {
  const std::lock_guard lock(mutex_);
  if (std::exchange(tried_, true)) return open_.get();
  const bool asked_for =
      environment_.device_use == DeviceUse::always || !environment_.devices.empty();
  try {
    const CudaDriver& driver = CudaDriver::at(environment_.cuda.value_or(cuda_driver_file));
    std::vector<int> devices = environment_.devices;
    for (int number = 0; environment_.devices.empty() && number < driver.devices(); ++number)
      devices.push_back(number);
    const auto number_of = [&](int rank) {
      return devices[static_cast<std::size_t>(rank) * devices.size() /
                     static_cast<std::size_t>(rank_.ranks)];
    };
    const int mine = number_of(rank_.index);
    int ranks = 0;
    for (int rank = 0; rank < rank_.ranks; ++rank) ranks += number_of(rank) == mine ? 1 : 0;
    const CudaDevice& device = CudaDevice::at(driver, mine);
    const CublasLibrary& cublas = CublasLibrary::open(environment_.cublas, driver);
    // A fifth of the memory is left free: for the context of a later rank, and for the program's
    // own memory.
    constexpr std::size_t fifths = 4;
    const std::size_t share =
        device.free_memory() / (fifths + 1) * fifths / static_cast<std::size_t>(ranks);
    open_ = std::make_unique<Open>(Open{device,
                                        cublas,
                                        ranks,
                                        measure_links(device),
                                        environment_.device_memory.value_or(share),
                                        {}});
    Logger(environment_.log_level, rank_.index)
        .info(fmt::format("products on {} by {}, {} MiB of its memory, shared by {} ranks of this "
                          "node",
                          device.name(), cublas.path(), open_->memory >> 20, ranks));
  } catch (const Error& error) {
    if (asked_for) {
      tried_ = false;
      throw;
    }
    reason_ = error.what();
    // A missing driver is usual. A driver without the rest is not, so there is a warning.
    if (CudaDriver::loaded() != nullptr) Logger(environment_.log_level, rank_.index).warn(reason_);
  }
  return open_.get();
}

bool DeviceGemm::is_worth_opening(double cores_seconds) {
  if (environment_.device_use == DeviceUse::never) return false;
  const std::lock_guard lock(mutex_);
  if (tried_) return open_ != nullptr;
  // Opening a context and measuring the links take about this long. So no program takes more than
  // twice the time of the better choice.
  constexpr double opening_seconds = 0.3;
  seconds_on_cores_ += cores_seconds;
  return seconds_on_cores_ > opening_seconds;
}

template <class T>
DeviceGemm::OfType& DeviceGemm::of_type() {
  if constexpr (std::is_same_v<T, float>) return s_;
  if constexpr (std::is_same_v<T, double>) return d_;
  if constexpr (std::is_same_v<T, std::complex<float>>) return c_;
  if constexpr (std::is_same_v<T, std::complex<double>>) return z_;
}

template <class T>
double DeviceGemm::cores_rate() {
  const std::lock_guard lock(mutex_);
  double& rate = of_type<T>().cores;
  if (rate == 0) {
    cores_.use_threads(threads_);
    rate = measure_cores<T>(cores_);
  }
  return rate;
}

template <class T>
DeviceRates DeviceGemm::rates() {
  OfType mine;
  {
    const std::lock_guard lock(mutex_);
    mine = of_type<T>();
  }
  if (mine.device_multiplication == 0) {
    const Lease worker(*this);
    const std::size_t bytes = std::min(gemm_probe_bytes, open_->memory);
    const GemmRate measured = measure_gemm<T>(open_->device, worker->cublas, worker->handle,
                                              worker->compute, worker->memory(bytes), bytes);
    mine.device_call = measured.call;
    mine.device_multiplication = measured.multiplication;
    const std::lock_guard lock(mutex_);
    of_type<T>() = mine;
  }
  const double ranks = open_->ranks;
  const HostLinkRates& links = open_->links;
  return {.call = mine.device_call,
          .multiplication = mine.device_multiplication * ranks,
          .memory_byte = links.memory_byte * ranks,
          .copy_call = links.copy_call,
          .up_byte = links.up_byte * ranks,
          .down_byte = links.down_byte * ranks,
          .pageable_up_byte = std::max(links.pageable_up_byte, links.up_byte * ranks),
          .pageable_down_byte = std::max(links.pageable_down_byte, links.down_byte * ranks),
          .pin_byte = links.pin_byte};
}

std::size_t DeviceGemm::memory_left() const {
  const std::size_t reserved = reserved_;
  return open_->memory - std::min(open_->memory, reserved);
}

void DeviceGemm::warn_once(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (warned_) return;
    warned_ = true;
  }
  Logger(environment_.log_level, rank_.index).warn(why);
}

std::string DeviceGemm::description() {
  const std::lock_guard lock(mutex_);
  if (open_)
    return fmt::format("{}{}{}", open_->device.name(), tf32_ ? ", TF32" : "",
                       open_->ranks == 1 ? "" : fmt::format(", shared by {} ranks", open_->ranks));
  if (environment_.device_use == DeviceUse::never) return "none: CUBOID_DEVICE=none";
  return tried_ ? "none: " + reason_ : "none yet: no product was worth it";
}

bool DeviceGemm::is_elsewhere(int device) const {
  const std::lock_guard lock(mutex_);
  return open_ != nullptr && device != open_->device.number();
}

template <class T>
DeviceGemm::PlacedOperands<T> DeviceGemm::placed(const GemmCall<T>& call) const {
  PlacedOperands<T> where;
  where.problem = {call.m, call.n, call.k, sizeof(T), true, true, true, call.beta != T(0)};
  if (CudaDriver::loaded() == nullptr) {
    where.pinned = false;
    return where;
  }
  const auto place = [&](const char* name, const T* data, std::int64_t elements, bool& moves) {
    const MemorySpace space = memory_space_of(data);
    const std::size_t bytes = static_cast<std::size_t>(elements) * sizeof(T);
    if (space.kind == MemoryKind::device || space.kind == MemoryKind::managed) {
      check_allocation(data, bytes, name);
      where.on_device = where.on_device || space.kind == MemoryKind::device;
      moves = is_elsewhere(space.device);
    } else if (space.kind == MemoryKind::host && !are_own_pages(data)) {
      where.pinned = false;
      where.pin_bytes += static_cast<double>(bytes);
    }
  };
  place("A", call.A, span(call.a_rows(), call.a_columns(), call.lda), where.problem.moves_a);
  place("B", call.B, span(call.b_rows(), call.b_columns(), call.ldb), where.problem.moves_b);
  place("C", call.C, span(call.m, call.n, call.ldc), where.problem.moves_c);
  return where;
}

template <class T>
bool DeviceGemm::multiply(const GemmCall<T>& call, GemmProgress progress) {
  PlacedOperands<T> where = placed(call);
  const bool always = environment_.device_use == DeviceUse::always;
  double cores_seconds = never;
  if (!where.on_device && !always) {
    // For smaller products the cores are done before a launch returns.
    constexpr double least = 1 << 21;
    if (environment_.device_use == DeviceUse::never || call.multiplications() < least) return false;
    cores_seconds = call.multiplications() / cores_rate<T>();
    if (!is_worth_opening(cores_seconds)) return false;
  }
  if (open() == nullptr) {
    if (!where.on_device) return false;
    throw Error(ErrorCode::unsupported,
                fmt::format("local gemm: an operand lies in a device's memory: {}", reason_));
  }
  where = placed(call);

  // There may be less memory than before, because other programs use the device, too.
  constexpr std::size_t least_memory = std::size_t{1} << 20;
  for (std::size_t bytes = memory_left(); bytes >= least_memory; bytes /= 2) {
    try {
      const DeviceRates rates = this->rates<T>();
      auto plan = plan_tiles(where.problem, bytes, rates, HostPages::pinned);
      if (!plan) break;
      bool pin = !where.pinned;
      double seconds = plan->seconds + where.pin_bytes * rates.pin_byte;
      if (!where.pinned) {
        auto pageable = plan_tiles(where.problem, bytes, rates, HostPages::pageable);
        if (pageable && pageable->seconds < seconds) {
          pin = false;
          seconds = pageable->seconds;
          plan = std::move(pageable);
        }
      }
      if (!where.on_device && !always && seconds >= cores_seconds) return false;
      run(call, where, pin, *plan, progress);
      return true;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::out_of_memory) throw;
      warn_once(fmt::format("{}; smaller tiles will do", error.what()));
    }
  }
  if (where.on_device) {
    throw Error(ErrorCode::out_of_memory,
                fmt::format("local gemm: {}: its memory is too short for any tile of {}x{}x{}: "
                            "raise CUBOID_DEVICE_MEMORY or run fewer ranks on it",
                            open_->device.name(), call.m, call.n, call.k));
  }
  warn_once(fmt::format("{}: its memory is too short: the cores multiply", open_->device.name()));
  return false;
}

template <class T>
void DeviceGemm::run(const GemmCall<T>& call, const PlacedOperands<T>& where, bool pin,
                     const TilePlan& plan, GemmProgress progress) {
  Lease worker(*this);
  const Region region{worker->memory(bytes_of_slots(where.problem, plan.shape)),
                      &worker->half_done[0]};
  const CudaDevice& device = open_->device;
  std::array<std::shared_ptr<PinnedPages>, 3> pinned;
  const auto bytes = [](std::int64_t elements) {
    return static_cast<std::size_t>(elements) * sizeof(T);
  };
  for (const void* data : {static_cast<const void*>(call.A), static_cast<const void*>(call.B),
                           static_cast<const void*>(call.C)})
    pin_own_pages(device, data);
  if (pin) {
    pinned[0] = pin_for_now(device, call.A, bytes(span(call.a_rows(), call.a_columns(), call.lda)));
    pinned[1] = pin_for_now(device, call.B, bytes(span(call.b_rows(), call.b_columns(), call.ldb)));
    pinned[2] = pin_for_now(device, call.C, bytes(span(call.m, call.n, call.ldc)));
  }
  with_idle_streams_on_error(*worker, [&] {
    if (where.on_device) {
      worker->up.wait_for_default_stream();
      worker->compute.wait_for_default_stream();
    }
    TiledProduct<T>(*worker, region, call, where.problem, plan).run(Until::c_is_done, progress);
  });
}

template <class T>
bool DeviceGemm::scale(std::int64_t m, std::int64_t n, T beta, T* C, std::int64_t ldc) {
  const MemorySpace space = memory_space_of(C);
  if (space.on_host()) return false;
  check_allocation(C, static_cast<std::size_t>(span(m, n, ldc)) * sizeof(T), "C");
  if (open() == nullptr)
    throw Error(ErrorCode::unsupported,
                fmt::format("local gemm: C lies in a device's memory: {}", reason_));
  const Lease worker(*this);
  with_idle_streams_on_error(*worker, [&] {
    worker->compute.wait_for_default_stream();
    if (beta == T(0)) {
      worker->compute.clear({C, static_cast<std::size_t>(ldc) * sizeof(T), true},
                            static_cast<std::size_t>(m) * sizeof(T), static_cast<std::size_t>(n));
    } else if (beta != T(1)) {
      worker->cublas.scale(worker->device, worker->handle, m, n, beta, C, ldc);
    }
    worker->compute.wait();
  });
  return true;
}

template <class T>
double DeviceGemm::predicted_seconds(std::int64_t m, std::int64_t n, std::int64_t k) {
  const bool always = environment_.device_use == DeviceUse::always;
  const double multiplications =
      static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
  if (!always && !is_worth_opening(multiplications / cores_rate<T>())) return never;
  if (open() == nullptr) return never;
  try {
    const TileProblem problem{m, n, k, sizeof(T)};
    const auto plan = plan_tiles(problem, memory_left(), rates<T>(), HostPages::pinned);
    return plan ? plan->seconds : never;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::out_of_memory) throw;
    warn_once(error.what());
    return never;
  }
}

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
  const double cores_seconds = always ? never : multiplications / gemm.cores_rate<T>();
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
      C_(C),
      ldc_(ldc),
      m_(m),
      n_(n),
      width_(width),
      half_(block_elements(m, width) + block_elements(width, n)),
      on_device_(reinterpret_cast<T*>(worker_->memory(
          static_cast<std::size_t>(block_elements(m, n) + 2 * half_) * sizeof(T)))) {
  pin_own_pages(gemm.open_->device, C);
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
  pin_own_pages(gemm_.open_->device, call.A);
  pin_own_pages(gemm_.open_->device, call.B);
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

#define CUBOID_FOR(T)                                                                         \
  template bool DeviceGemm::multiply(const GemmCall<T>&, GemmProgress);                       \
  template bool DeviceGemm::scale(std::int64_t, std::int64_t, T, T*, std::int64_t);           \
  template double DeviceGemm::predicted_seconds<T>(std::int64_t, std::int64_t, std::int64_t); \
  template double DeviceGemm::cores_rate<T>();                                                \
  template DeviceRates DeviceGemm::rates<T>();                                                \
  template class DeviceSum<T>;
CUBOID_FOR(float)
CUBOID_FOR(double)
CUBOID_FOR(std::complex<float>)
CUBOID_FOR(std::complex<double>)
#undef CUBOID_FOR

}  // namespace cuboid::detail
