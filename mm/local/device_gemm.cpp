#include "mm/local/device_gemm.hpp"

#include <cuboid/error.hpp>

#include "devices/memory/memory_space.hpp"
#include "mm/local/measured_rates.hpp"
#include "mm/local/tiled_product.hpp"
#include "mm/matrix/element_types.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

CublasFactors cublas_factors(FactorPrecision precision) {
  switch (precision) {
    case FactorPrecision::single: return CublasFactors::as_they_are;
    case FactorPrecision::tf32: return CublasFactors::tf32;
    case FactorPrecision::bfloat16: return CublasFactors::bfloat16;
    case FactorPrecision::half: break;
  }
  return CublasFactors::half;
}

}  // namespace

struct DeviceGemm::Open {
  const CudaDevice& device;
  const CublasLibrary& cublas;
  int ranks = 1;  ///< ranks that share the device
  HostLinkRates links;
  std::size_t memory = 0;  ///< bytes of device memory that this rank may use
  std::vector<std::unique_ptr<DeviceWorker>> idle;
};

DeviceGemm& DeviceGemm::at(const Environment& environment, RankOnNode rank,
                           const BlasLibrary& cores, int threads, FactorPrecision factors) {
  const std::string settings =
      fmt::format("{}|{}|{}|{}|{}|{}|{}/{}|{}|{}|{}", static_cast<int>(environment.device_use),
                  fmt::join(environment.devices, ","), environment.device_memory.value_or(0),
                  environment.cuda.value_or(""), environment.cublas.value_or(""),
                  environment.cusolver.value_or(""), rank.index, rank.ranks, cores.name(), threads,
                  static_cast<int>(factors));
  // Once per process, because a program may open a LocalGemm for every product.
  DeviceGemm& gemm = once_per_process<DeviceGemm>(
      settings, [&] { return new DeviceGemm(environment, rank, cores, threads, factors); });
  if (environment.device_use == DeviceUse::always || !environment.devices.empty() ||
      CudaDriver::loaded() != nullptr || SharedLibrary::is_loaded(cuda_driver_file))
    gemm.open();
  return gemm;
}

DeviceGemm::DeviceGemm(const Environment& environment, RankOnNode rank, const BlasLibrary& cores,
                       int threads, FactorPrecision factors)
    : environment_(environment), rank_(rank), cores_(cores), threads_(threads), factors_(factors) {}

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
    worker_ = std::make_unique<DeviceWorker>(gemm.open_->device, gemm.open_->cublas,
                                             cublas_factors(gemm.factors_));
}

DeviceGemm::Lease::~Lease() {
  worker_->give_back_memory_after(Clock::now() - begin_);
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

bool DeviceGemm::would_be_worth_opening(double cores_seconds) {
  if (environment_.device_use == DeviceUse::never) return false;
  const std::lock_guard lock(mutex_);
  if (tried_) return open_ != nullptr;
  // Opening a context and measuring the links take about this long. So no program takes more than
  // twice the time of the better choice.
  constexpr double opening_seconds = 0.3;
  return seconds_on_cores_ + cores_seconds > opening_seconds;
}

bool DeviceGemm::is_worth_opening(double cores_seconds) {
  const bool is_worth = would_be_worth_opening(cores_seconds);
  const std::lock_guard lock(mutex_);
  seconds_on_cores_ += cores_seconds;
  return is_worth;
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
    const GemmRate measured = measure_gemm<T>(*worker, worker->memory(bytes), bytes);
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

const CusolverLibrary* DeviceGemm::cusolver() {
  std::string why;
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(tried_cusolver_, true)) return cusolver_;
    try {
      cusolver_ = &CusolverLibrary::open(environment_.cusolver, open_->device.driver());
      return cusolver_;
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
      why = error.what();
    }
  }
  warn_once(why + "; panels are factorised on the cores");
  return nullptr;
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
    return fmt::format(
        "{}{}{}", open_->device.name(),
        factors_ == FactorPrecision::single ? "" : fmt::format(", {} factors", to_string(factors_)),
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
  const auto place = [&](const char* name, MemoryRange range, bool& moves) {
    const auto [data, bytes] = range;
    const MemorySpace space = memory_space_of(data);
    if (space.on_device()) {
      check_allocation(data, bytes, name);
      if (space.kind == MemoryKind::device) where.on_device = true;
      if (space.kind == MemoryKind::managed) where.managed = space.device;
      moves = is_elsewhere(space.device);
    } else if (space.kind == MemoryKind::host && !are_own_pages(data)) {
      where.pinned = false;
      where.pin_bytes += static_cast<double>(bytes);
    }
  };
  place("A", range_of(call.A, call.a_rows(), call.a_columns(), call.lda), where.problem.moves_a);
  place("B", range_of(call.B, call.b_rows(), call.b_columns(), call.ldb), where.problem.moves_b);
  place("C", range_of(call.C, call.m, call.n, call.ldc), where.problem.moves_c);
  return where;
}

template <class T>
bool DeviceGemm::multiply(const GemmCall<T>& call, GemmProgress progress) {
  const PlacedOperands<T> where = placed(call);
  if (multiply_there(call, where, progress)) return true;
  if (where.managed)
    CudaDevice::at(*CudaDriver::loaded(), *where.managed).wait_for_default_stream();
  return false;
}

template <class T>
bool DeviceGemm::multiply_there(const GemmCall<T>& call, PlacedOperands<T> where,
                                GemmProgress progress) {
  const bool always = environment_.device_use == DeviceUse::always;
  double cores_seconds = never;
  if (!where.on_device && !always) {
    if (environment_.device_use == DeviceUse::never ||
        call.multiplications() < fewest_multiplications)
      return false;
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
      bool pin = true;
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
  for (const void* data : {static_cast<const void*>(call.A), static_cast<const void*>(call.B),
                           static_cast<const void*>(call.C)})
    pin_own_pages(device, data);
  const std::array ranges{range_of(call.A, call.a_rows(), call.a_columns(), call.lda),
                          range_of(call.B, call.b_rows(), call.b_columns(), call.ldb),
                          range_of(call.C, call.m, call.n, call.ldc)};
  const CopiedMemory copied(device, ranges, pin);
  with_idle_streams_on_error(*worker, [&] {
    if (where.on_device || where.managed) {
      worker->up.wait_for_default_stream();
      worker->compute.wait_for_default_stream();
    }
    TiledProduct<T>(*worker, region, call, where.problem, plan).run(Until::c_is_done, progress);
  });
}

template <class T>
bool DeviceGemm::scale(std::int64_t m, std::int64_t n, T beta, T* C, std::int64_t ldc) {
  const MemorySpace space = memory_space_of(C);
  if (space.kind == MemoryKind::managed)
    CudaDevice::at(*CudaDriver::loaded(), space.device).wait_for_default_stream();
  if (space.on_host()) return false;
  check_allocation(C, range_of(C, m, n, ldc).bytes, "C");
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
bool DeviceGemm::add(Op op, std::int64_t m, std::int64_t n, T alpha, const T* from,
                     std::int64_t from_ld, T beta, T* to, std::int64_t to_ld) {
  const MemorySpace source = memory_space_of(from), target = memory_space_of(to);
  if (source.kind != MemoryKind::device || target.kind != MemoryKind::device) return false;
  if (open() == nullptr || is_elsewhere(source.device) || is_elsewhere(target.device)) return false;
  const Lease worker(*this);
  with_idle_streams_on_error(*worker, [&] {
    worker->compute.wait_for_default_stream();
    worker->cublas.add(worker->device, worker->handle, cublas_op(op), m, n, alpha, from, from_ld,
                       beta, to, to_ld);
    worker->compute.wait();
  });
  return true;
}

const CudaDevice& DeviceGemm::device() const {
  return open_->device;
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

#define CUBOID_FOR(T)                                                                             \
  template bool DeviceGemm::multiply(const GemmCall<T>&, GemmProgress);                           \
  template bool DeviceGemm::scale(std::int64_t, std::int64_t, T, T*, std::int64_t);               \
  template bool DeviceGemm::add(Op, std::int64_t, std::int64_t, T, const T*, std::int64_t, T, T*, \
                                std::int64_t);                                                    \
  template double DeviceGemm::predicted_seconds<T>(std::int64_t, std::int64_t, std::int64_t);     \
  template double DeviceGemm::cores_rate<T>();                                                    \
  template DeviceRates DeviceGemm::rates<T>();                                                    \
  template DeviceGemm::PlacedOperands<T> DeviceGemm::placed(const GemmCall<T>&) const
CUBOID_FOR_ELEMENT_TYPES(CUBOID_FOR);
#undef CUBOID_FOR

}  // namespace cuboid::detail
