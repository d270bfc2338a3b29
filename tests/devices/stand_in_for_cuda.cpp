/// A stand-in for CUDA's driver, cuBLAS, cuSOLVER and NVRTC on host memory, for machines without a
/// GPU. It knows kernels by their names and runs host versions of them.
///
/// Device memory is mapped twice: the program sees a mapping without access, so the host cannot
/// touch it by mistake; the stand-in works on the other. Streams run when told:
///   in_order  each operation at once;
///   early     operations of all streams in random order, as soon as their events allow: a missing
///             wait makes one overtake another;
///   late      nothing before somebody waits for it, and then no more than that needs: a missing
///             wait leaves work undone.
/// Settings, by these variables before the library is loaded, or by stand_in_...() later:
///   STAND_IN_CUDA_STREAMS  in_order, early or late
///   STAND_IN_CUDA_DEVICES  how many devices there are (1)
///   STAND_IN_CUDA_MEMORY   bytes of each (1 GiB)
///   STAND_IN_CUDA_FAIL     function:calls:result, e.g. cuMemAlloc_v2:2:2: after so many calls that
///                          succeed one fails with that result
///   STAND_IN_CUDA_WITHOUT  "ipc": no allocation can be shared between processes; "peers": no
///   device
///                          reaches another
/// A result of 700 or more takes the device away: everything fails from then on.

#include <cuboid/half.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

using Result = int;
using Pointer = std::uint64_t;
constexpr Result success = 0, invalid_value = 1, no_memory = 2, not_initialised = 3,
                 no_device = 100, invalid_device = 101, invalid_context = 201, not_ready = 600,
                 map_failed = 205, peer_access_unsupported = 217, invalid_handle = 400,
                 illegal_address = 700, peer_access_already_enabled = 704, already_registered = 712,
                 not_registered = 713, misaligned_address = 716, not_supported = 801;

struct Copy2d {
  std::size_t source_x, source_y;
  int source_kind;
  const void* source_host;
  Pointer source_device;
  void* source_array;
  std::size_t source_pitch;
  std::size_t target_x, target_y;
  int target_kind;
  void* target_host;
  Pointer target_device;
  void* target_array;
  std::size_t target_pitch;
  std::size_t width, height;
};

struct Allocation {
  std::byte* real = nullptr;
  std::size_t bytes = 0, mapped = 0;
  int device = 0;
  bool managed = false;
  bool of_pool = false;  // of cudaMallocAsync: no handle, and peers have no access
  int file = -1;         // what other processes open; none of an opened allocation
  std::uint64_t number = 0;
  bool opened = false;  // from another process
  int openings = 0;
};

/// What another process finds an allocation by: a file of its owner. Numbers of files are used
/// again, so the file's name tells which allocation it is.
struct MemoryHandle {
  std::int32_t process, file;
  std::uint64_t number, bytes;
  std::int32_t device;
  std::byte rest[36];
};
static_assert(sizeof(MemoryHandle) == 64);

struct Event {
  int device = 0;
  std::uint64_t recorded = 0, completed = 0;
};

struct Operation {
  std::function<Result()> run;  // null: an event
  Event* event = nullptr;
  std::uint64_t version = 0;
  bool waits = false;  // for the event; else records it
};

struct Stream {
  int device = 0;
  bool destroyed = false;  // what it holds is done all the same
  std::deque<Operation> operations = {};
};

enum class Mode { in_order, early, late };

struct World {
  std::mutex mutex;
  Mode mode = Mode::in_order;
  std::mt19937 random{1};
  int devices = 1;
  std::size_t memory = std::size_t{1} << 30;
  std::string fails;
  int fails_after = -1;
  Result fails_with = 0;
  Result lost = success;
  bool initialised = false;
  std::map<Pointer, Allocation> allocations;
  std::map<const std::byte*, std::size_t> pinned;
  std::set<const std::byte*> stale;  // pinned by a device that was lost: the memory may be gone
  std::vector<Stream*> streams;
  std::map<int, Stream> default_streams;  // by device
  std::set<std::pair<int, int>> peers;    // devices, and others whose memory their kernels reach
  std::optional<int> kernel_on;           // the device of the kernel that runs
  std::map<int, std::size_t> used;
  std::string without;
  std::uint64_t numbers = 0;
  std::int64_t opened = 0;
  std::int64_t bytes_up = 0, bytes_down = 0, multiplications = 0, allocated = 0, compiled = 0;

  World() {
    if (const char* text = std::getenv("STAND_IN_CUDA_STREAMS")) {
      mode = std::string(text) == "late"    ? Mode::late
             : std::string(text) == "early" ? Mode::early
                                            : Mode::in_order;
    }
    if (const char* text = std::getenv("STAND_IN_CUDA_DEVICES")) devices = std::atoi(text);
    if (const char* text = std::getenv("STAND_IN_CUDA_MEMORY"))
      memory = std::strtoull(text, nullptr, 10);
    if (const char* text = std::getenv("STAND_IN_CUDA_FAIL")) {
      const std::string all = text;
      const std::size_t first = all.find(':'), second = all.find(':', first + 1);
      fails = all.substr(0, first);
      fails_after = std::atoi(all.c_str() + first + 1);
      fails_with = std::atoi(all.c_str() + second + 1);
    }
    if (const char* text = std::getenv("STAND_IN_CUDA_WITHOUT")) without = text;
  }
};

World& world() {
  static auto& it = *new World;
  return it;
}

thread_local std::vector<int> contexts;  // of this thread: numbers of devices, plus one

/// The stream of a handle: null is the default stream of the current device.
Stream& stream_of(Stream* handle) {
  if (handle != nullptr) return *handle;
  const int device = contexts.back() - 1;
  const auto [at, is_new] = world().default_streams.try_emplace(device, Stream{.device = device});
  if (is_new) world().streams.push_back(&at->second);
  return at->second;
}

/// What every call begins with: is the device there, and is this the call that shall fail?
Result enter(const char* name, bool needs_context = true) {
  World& w = world();
  if (w.lost != success) return w.lost;
  if (!w.fails.empty() && w.fails == name && w.fails_after-- == 0) {
    if (w.fails_with >= illegal_address && w.fails_with != already_registered &&
        w.fails_with != not_registered && w.fails_with != not_supported)
      w.lost = w.fails_with;
    return w.fails_with;
  }
  if (!w.initialised) return not_initialised;
  if (needs_context && contexts.empty()) return invalid_context;
  return success;
}

Result lose(Result result) {
  if (result != success) world().lost = result;
  return result;
}

/// The stand-in's own mapping of device memory; null, and the device lost, where it is none.
std::byte* real(Pointer pointer, std::size_t bytes) {
  World& w = world();
  auto after = w.allocations.upper_bound(pointer);
  if (after == w.allocations.begin()) return nullptr;
  const auto& [begin, allocation] = *std::prev(after);
  if (pointer - begin > allocation.bytes || bytes > allocation.bytes - (pointer - begin))
    return nullptr;
  if (w.kernel_on && !allocation.managed && *w.kernel_on != allocation.device &&
      (allocation.of_pool || !w.peers.contains({*w.kernel_on, allocation.device})))
    return nullptr;
  return allocation.real + (pointer - begin);
}

bool is_on_another_device(Pointer pointer) {
  const auto after = world().allocations.upper_bound(pointer);
  return real(pointer, 1) != nullptr && std::prev(after)->second.device != contexts.back() - 1;
}

enum class Pinned { not_at_all, in_part, whole };

Pinned pinned(const void* data, std::size_t bytes) {
  const auto* const first = static_cast<const std::byte*>(data);
  for (const auto& [begin, length] : world().pinned) {
    if (begin >= first + bytes || first >= begin + length) continue;
    if (begin <= first && first + bytes <= begin + length) return Pinned::whole;
    if (!world().stale.contains(begin)) return Pinned::in_part;
  }
  return Pinned::not_at_all;
}

bool ready(const Operation& operation) {
  return !operation.waits || operation.event->completed >= operation.version;
}

Result run_front(Stream& stream) {
  const Operation operation = std::move(stream.operations.front());
  stream.operations.pop_front();
  if (operation.run) return lose(operation.run());
  if (!operation.waits)
    operation.event->completed = std::max(operation.event->completed, operation.version);
  return success;
}

/// Runs what must be run before this record of an event is complete. Later records of the event may
/// be in other streams, which wait for this one.
Result complete(Event* event, std::uint64_t version);

Result run_all(Stream& stream, const std::function<bool()>& enough) {
  while (!stream.operations.empty() && !enough()) {
    const Operation& front = stream.operations.front();
    if (front.waits)
      if (const Result result = complete(front.event, front.version)) return result;
    if (const Result result = run_front(stream)) return result;
  }
  return success;
}

Result complete(Event* event, std::uint64_t version) {
  const auto done = [&] { return event->completed >= version; };
  for (Stream* stream : world().streams) {
    if (done()) return success;
    bool records = false;
    for (const Operation& operation : stream->operations)
      records = records || (!operation.waits && operation.event == event && !operation.run &&
                            operation.version == version);
    if (records)
      if (const Result result = run_all(*stream, done)) return result;
  }
  return success;
}

Result enqueue(Stream* stream, Operation operation) {
  World& w = world();
  Stream& queue = stream_of(stream);
  queue.operations.push_back(std::move(operation));
  if (w.mode == Mode::in_order) return run_all(queue, [] { return false; });
  if (w.mode == Mode::early) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      Stream& any = *w.streams[w.random() % w.streams.size()];
      if (!any.operations.empty() && ready(any.operations.front()))
        if (const Result result = run_front(any)) return result;
    }
  }
  return success;
}

/// A kernel reaches the memory of its device, and of the peers to which its context has access.
Result enqueue_kernel(Stream* stream, std::function<Result()> work) {
  return enqueue(stream, {[device = stream_of(stream).device, work = std::move(work)] {
                   world().kernel_on = device;
                   const Result result = work();
                   world().kernel_on.reset();
                   return result;
                 }});
}

template <class Number>
Number conjugated(Number value) {
  return value;
}
template <class Real>
std::complex<Real> conjugated(std::complex<Real> value) {
  return std::conj(value);
}

template <class T>
std::byte* real_matrix(const T* data, std::int64_t rows, std::int64_t columns, std::int64_t ld) {
  if (rows == 0 || columns == 0) return nullptr;
  return real(reinterpret_cast<Pointer>(data),
              static_cast<std::size_t>((columns - 1) * ld + rows) * sizeof(T));
}

struct Handle {
  Stream* stream = nullptr;
};

/// What the factors of a product are rounded to: cublasComputeType_t.
enum class Rounding { none = 68, half = 74, bfloat16 = 75, tf32 = 77 };

float rounded(float value, Rounding to) {
  constexpr std::uint32_t dropped = 13;
  switch (to) {
    case Rounding::none: return value;
    case Rounding::half: return static_cast<float>(cuboid::Float16(value));
    case Rounding::bfloat16: return static_cast<float>(cuboid::BFloat16(value));
    case Rounding::tf32: break;
  }
  const auto word = std::bit_cast<std::uint32_t>(value) + (1u << (dropped - 1));
  return std::bit_cast<float>(word >> dropped << dropped);
}
std::complex<float> rounded(std::complex<float> value, Rounding to) {
  return {rounded(value.real(), to), rounded(value.imag(), to)};
}

/// A factor of a product. Only single precision is rounded.
template <class T>
T factor(T value, Rounding to) {
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>) {
    return rounded(value, to);
  } else {
    return value;
  }
}

template <class T>
int gemm(Handle* handle, int a, int b, std::int64_t m, std::int64_t n, std::int64_t k,
         const T* alpha_of, const T* A, std::int64_t lda, const T* B, std::int64_t ldb,
         const T* beta_of, T* C, std::int64_t ldc, Rounding to_round = Rounding::none) {
  constexpr int invalid = 7, failed = 13;
  const std::lock_guard lock(world().mutex);
  if (m < 0 || n < 0 || k < 0 || lda < (a == 0 ? m : k) || ldb < (b == 0 ? k : n) || ldc < m)
    return invalid;
  const T alpha = *alpha_of, beta = *beta_of;
  if (enter("cublas_gemm") != success) return failed;
  const auto run = [=]() -> Result {
    const auto* const left =
        reinterpret_cast<const T*>(real_matrix(A, a == 0 ? m : k, a == 0 ? k : m, lda));
    const auto* const right =
        reinterpret_cast<const T*>(real_matrix(B, b == 0 ? k : n, b == 0 ? n : k, ldb));
    auto* const to = reinterpret_cast<T*>(real_matrix(C, m, n, ldc));
    if ((m * k > 0 && left == nullptr) || (k * n > 0 && right == nullptr) || to == nullptr)
      return illegal_address;
    world().multiplications += m * n * k;
    std::vector<T> row(static_cast<std::size_t>(k));
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t l = 0; l < k; ++l) {
        const T value = a == 0 ? left[i + l * lda] : left[l + i * lda];
        row[static_cast<std::size_t>(l)] = factor(a == 2 ? conjugated(value) : value, to_round);
      }
      for (std::int64_t j = 0; j < n; ++j) {
        T sum{};
        for (std::int64_t l = 0; l < k; ++l) {
          const T value = b == 0 ? right[l + j * ldb] : right[j + l * ldb];
          sum += row[static_cast<std::size_t>(l)] *
                 factor(b == 2 ? conjugated(value) : value, to_round);
        }
        T& element = to[i + j * ldc];
        element = beta == T(0) ? alpha * sum : alpha * sum + beta * element;
      }
    }
    return success;
  };
  return enqueue_kernel(handle->stream, run) == success ? 0 : failed;
}

template <class T>
int geam(Handle* handle, int a, int b, std::int64_t m, std::int64_t n, const T* alpha_of,
         const T* A, std::int64_t lda, const T* beta_of, const T* B, std::int64_t ldb, T* C,
         std::int64_t ldc) {
  constexpr int invalid = 7, failed = 13;
  const std::lock_guard lock(world().mutex);
  const T alpha = *alpha_of, beta = *beta_of;
  // B in place of C is what Cuboid asks for; A in place of C must not be transposed.
  if (m < 0 || n < 0 || lda < (a == 0 ? m : n) || ldc < m || b != 0 || B != C || ldb != ldc ||
      (A == C && (a != 0 || lda != ldc)))
    return invalid;
  if (enter("cublas_geam") != success) return failed;
  const auto run = [=]() -> Result {
    const auto* const from =
        reinterpret_cast<const T*>(real_matrix(A, a == 0 ? m : n, a == 0 ? n : m, lda));
    auto* const to = reinterpret_cast<T*>(real_matrix(C, m, n, ldc));
    if (from == nullptr || to == nullptr) return illegal_address;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        const T value = a == 0 ? from[i + j * lda] : from[j + i * lda];
        T& element = to[i + j * ldc];
        const T added = alpha * (a == 2 ? conjugated(value) : value);
        element = beta == T(0) ? added : added + beta * element;
      }
    }
    return success;
  };
  return enqueue_kernel(handle->stream, run) == success ? 0 : failed;
}

/// Left, lower, plain, unit: what Cuboid asks for.
template <class T>
int trsm(Handle* handle, std::int64_t m, std::int64_t n, const T* A, std::int64_t lda, T* B,
         std::int64_t ldb) {
  constexpr int failed = 13;
  const std::lock_guard lock(world().mutex);
  if (enter("cublas_trsm") != success) return failed;
  const auto run = [=]() -> Result {
    const auto* const lower = reinterpret_cast<const T*>(real_matrix(A, m, m, lda));
    auto* const to = reinterpret_cast<T*>(real_matrix(B, m, n, ldb));
    if (lower == nullptr || to == nullptr) return illegal_address;
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t k = 0; k < m; ++k)
        for (std::int64_t i = k + 1; i < m; ++i)
          to[i + j * ldb] -= lower[i + k * lda] * to[k + j * ldb];
    return success;
  };
  return enqueue_kernel(handle->stream, run) == success ? 0 : failed;
}

/// The size by which LAPACK chooses pivots.
template <class T>
auto size_of_pivot(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::abs(value);
  } else {
    return std::abs(value.real()) + std::abs(value.imag());
  }
}

/// What a factorisation is given beside its matrix. Its workspaces hold a byte for every row.
struct Factorisation {
  void* on_device;
  std::size_t device_bytes;
  void* on_host;
  std::size_t host_bytes;
  int* info;

  /// Where the number of the first breakdown goes; nullptr if some memory is not there.
  int* ready(std::int64_t m) const {
    const auto bytes = static_cast<std::size_t>(m);
    if (device_bytes < bytes || host_bytes < bytes) return nullptr;
    std::byte* const there = real(reinterpret_cast<Pointer>(on_device), bytes);
    if (there == nullptr) return nullptr;
    std::memset(there, 1, bytes);
    std::memset(on_host, 1, bytes);
    return reinterpret_cast<int*>(real(reinterpret_cast<Pointer>(info), sizeof(int)));
  }
};

template <class T>
int getrf(Handle* handle, std::int64_t m, std::int64_t n, T* A, std::int64_t lda,
          std::int64_t* pivots, const Factorisation& memory) {
  constexpr int invalid = 3, failed = 6;
  const std::lock_guard lock(world().mutex);
  if (m < 0 || n < 0 || lda < m) return invalid;
  if (enter("cusolver_getrf") != success) return failed;
  const auto run = [=]() -> Result {
    const std::int64_t steps = std::min(m, n);
    auto* const a = reinterpret_cast<T*>(real_matrix(A, m, n, lda));
    auto* const swaps = reinterpret_cast<std::int64_t*>(real_matrix(pivots, steps, 1, steps));
    int* const info = memory.ready(m);
    if (a == nullptr || swaps == nullptr || info == nullptr) return illegal_address;
    *info = 0;
    for (std::int64_t k = 0; k < steps; ++k) {
      std::int64_t pivot = k;
      for (std::int64_t i = k + 1; i < m; ++i)
        if (size_of_pivot(a[i + k * lda]) > size_of_pivot(a[pivot + k * lda])) pivot = i;
      swaps[k] = pivot + 1;
      for (std::int64_t j = 0; pivot != k && j < n; ++j)
        std::swap(a[k + j * lda], a[pivot + j * lda]);
      if (a[k + k * lda] == T(0)) {
        if (*info == 0) *info = static_cast<int>(k + 1);
        continue;
      }
      for (std::int64_t i = k + 1; i < m; ++i) a[i + k * lda] /= a[k + k * lda];
      for (std::int64_t j = k + 1; j < n; ++j)
        for (std::int64_t i = k + 1; i < m; ++i) a[i + j * lda] -= a[i + k * lda] * a[k + j * lda];
    }
    return success;
  };
  return enqueue_kernel(handle->stream, run) == success ? 0 : failed;
}

/// Of the lower triangle.
template <class T>
int potrf(Handle* handle, std::int64_t n, T* A, std::int64_t lda, const Factorisation& memory) {
  constexpr int invalid = 3, failed = 6;
  const std::lock_guard lock(world().mutex);
  if (n < 0 || lda < n) return invalid;
  if (enter("cusolver_potrf") != success) return failed;
  const auto run = [=]() -> Result {
    auto* const a = reinterpret_cast<T*>(real_matrix(A, n, n, lda));
    int* const info = memory.ready(n);
    if (a == nullptr || info == nullptr) return illegal_address;
    *info = 0;
    for (std::int64_t k = 0; k < n; ++k) {
      const auto diagonal = std::real(a[k + k * lda]);
      if (!(diagonal > 0)) {
        *info = static_cast<int>(k + 1);
        break;
      }
      a[k + k * lda] = std::sqrt(diagonal);
      for (std::int64_t i = k + 1; i < n; ++i) a[i + k * lda] /= a[k + k * lda];
      for (std::int64_t j = k + 1; j < n; ++j)
        for (std::int64_t i = j; i < n; ++i)
          a[i + j * lda] -= a[i + k * lda] * conjugated(a[j + k * lda]);
    }
    return success;
  };
  return enqueue_kernel(handle->stream, run) == success ? 0 : failed;
}

/// Calls use(T()) for the element type of a number of cudaDataType.
template <class Use>
int with_cuda_type(int type, const Use& use) {
  constexpr int invalid = 3;
  switch (type) {
    case 0: return use(float{});
    case 1: return use(double{});
    case 4: return use(std::complex<float>{});
    case 5: return use(std::complex<double>{});
    default: return invalid;
  }
}

/// A kernel by its name: for a queued call it takes the parameters, and returns the work.
using Work = std::function<Result()>;
using Kernel = std::function<Work(void** parameters)>;

template <class T>
T parameter(void** parameters, int index) {
  T value;
  std::memcpy(&value, parameters[index], sizeof value);
  return value;
}

/// A device loads and stores elements at multiples of their sizes only.
bool are_aligned(std::size_t element, std::initializer_list<Pointer> pointers) {
  return std::all_of(pointers.begin(), pointers.end(),
                     [element](Pointer pointer) { return pointer % element == 0; });
}

template <class T>
T combined(const std::string& operation, T a, T b) {
  const auto truth = [](bool value) { return static_cast<T>(value ? 1.0f : 0.0f); };
  if constexpr (std::is_same_v<T, cuboid::Float16> || std::is_same_v<T, cuboid::BFloat16>) {
    return T(combined(operation, static_cast<float>(a), static_cast<float>(b)));
  } else {
    if (operation == "sum") return static_cast<T>(a + b);
    if (operation == "product") return static_cast<T>(a * b);
    if constexpr (std::is_arithmetic_v<T>) {
      if (operation == "minimum") return b < a ? b : a;
      if (operation == "maximum") return a < b ? b : a;
      if (operation == "logical_and") return truth(a != T{} && b != T{});
      if (operation == "logical_or") return truth(a != T{} || b != T{});
      if (operation == "logical_xor") return truth((a != T{}) != (b != T{}));
    }
    if constexpr (std::is_integral_v<T>) {
      if (operation == "bitwise_and") return static_cast<T>(a & b);
      if (operation == "bitwise_or") return static_cast<T>(a | b);
      if (operation == "bitwise_xor") return static_cast<T>(a ^ b);
    }
    std::abort();
  }
}

template <class T>
Kernel combination(const std::string& operation) {
  return [operation](void** parameters) -> Work {
    const auto from = parameter<Pointer>(parameters, 0), into = parameter<Pointer>(parameters, 1);
    const auto count = parameter<std::uint64_t>(parameters, 2);
    return [=]() -> Result {
      if (!are_aligned(sizeof(T), {from, into})) return misaligned_address;
      const auto* const a = reinterpret_cast<const T*>(real(from, count * sizeof(T)));
      auto* const b = reinterpret_cast<T*>(real(into, count * sizeof(T)));
      if (a == nullptr || b == nullptr) return illegal_address;
      for (std::uint64_t i = 0; i < count; ++i) b[i] = combined(operation, b[i], a[i]);
      return success;
    };
  };
}

template <class T>
T quotient(T value, int by) {
  if constexpr (std::is_same_v<T, cuboid::Float16> || std::is_same_v<T, cuboid::BFloat16>) {
    return T(static_cast<float>(value) / static_cast<float>(by));
  } else if constexpr (std::is_floating_point_v<T>) {
    return value / static_cast<T>(by);
  } else if constexpr (!std::is_integral_v<T>) {
    return value / static_cast<typename T::value_type>(by);
  } else {
    std::abort();
  }
}

template <class T>
Kernel folding(const std::string& operation, int operands) {
  return [operation, operands](void** parameters) -> Work {
    std::vector<Pointer> from;
    for (int number = 0; number < operands; ++number)
      from.push_back(parameter<Pointer>(parameters, number));
    const auto into = parameter<Pointer>(parameters, operands);
    const auto count = parameter<std::uint64_t>(parameters, operands + 1);
    return [=]() -> Result {
      const bool averages = operation == "average";
      std::vector<const T*> arrays;
      for (const Pointer one : from) {
        if (!are_aligned(sizeof(T), {one, into})) return misaligned_address;
        arrays.push_back(reinterpret_cast<const T*>(real(one, count * sizeof(T))));
      }
      auto* const to = reinterpret_cast<T*>(real(into, count * sizeof(T)));
      if (to == nullptr || std::find(arrays.begin(), arrays.end(), nullptr) != arrays.end())
        return illegal_address;
      for (std::uint64_t i = 0; i < count; ++i) {
        T value = arrays[0][i];
        for (std::size_t number = 1; number < arrays.size(); ++number)
          value = combined(averages ? "sum" : operation, value, arrays[number][i]);
        to[i] = averages ? quotient(value, operands) : value;
      }
      return success;
    };
  };
}

template <class From, class To>
To converted(From value) {
  if constexpr (std::is_same_v<To, cuboid::Float16> || std::is_same_v<To, cuboid::BFloat16>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_class_v<From> && std::is_arithmetic_v<To>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}

template <class From, class To>
Kernel conversion() {
  return [](void** parameters) -> Work {
    const auto from = parameter<Pointer>(parameters, 0), to = parameter<Pointer>(parameters, 1);
    const auto count = parameter<std::uint64_t>(parameters, 2);
    return [=]() -> Result {
      if (!are_aligned(sizeof(From), {from}) || !are_aligned(sizeof(To), {to}))
        return misaligned_address;
      const auto* const a = reinterpret_cast<const From*>(real(from, count * sizeof(From)));
      auto* const b = reinterpret_cast<To*>(real(to, count * sizeof(To)));
      if (a == nullptr || b == nullptr) return illegal_address;
      for (std::uint64_t i = 0; i < count; ++i) b[i] = converted<From, To>(a[i]);
      return success;
    };
  };
}

Kernel copy_of_lines(std::size_t unit) {
  return [unit](void** parameters) -> Work {
    const auto from = parameter<Pointer>(parameters, 0), to = parameter<Pointer>(parameters, 2);
    const auto from_pitch = unit * parameter<std::uint64_t>(parameters, 1),
               to_pitch = unit * parameter<std::uint64_t>(parameters, 3),
               width = unit * parameter<std::uint64_t>(parameters, 4),
               height = parameter<std::uint64_t>(parameters, 5);
    return [=]() -> Result {
      if (!are_aligned(unit, {from, to})) return misaligned_address;
      const std::byte* const a = real(from, (height - 1) * from_pitch + width);
      std::byte* const b = real(to, (height - 1) * to_pitch + width);
      if (a == nullptr || b == nullptr) return illegal_address;
      for (std::uint64_t line = 0; line < height; ++line)
        std::memcpy(b + line * to_pitch, a + line * from_pitch, width);
      return success;
    };
  };
}

Kernel filling(std::size_t unit) {
  return [unit](void** parameters) -> Work {
    const auto* const value = static_cast<const std::byte*>(parameters[0]);
    const std::vector<std::byte> element(value, value + unit);
    const auto to = parameter<Pointer>(parameters, 1);
    const auto pitch = unit * parameter<std::uint64_t>(parameters, 2),
               units = parameter<std::uint64_t>(parameters, 3),
               height = parameter<std::uint64_t>(parameters, 4);
    return [=]() -> Result {
      if (!are_aligned(unit, {to})) return misaligned_address;
      std::byte* const b = real(to, (height - 1) * pitch + units * unit);
      if (b == nullptr) return illegal_address;
      for (std::uint64_t line = 0; line < height; ++line)
        for (std::uint64_t i = 0; i < units; ++i)
          std::memcpy(b + line * pitch + i * unit, element.data(), unit);
      return success;
    };
  };
}

std::map<std::string, Kernel> make_kernels() {
  std::map<std::string, Kernel> all;
  const auto combine = [&]<class T>(const std::string& type, T) {
    std::vector<std::string> operations{"sum", "product"};
    constexpr bool half = std::is_same_v<T, cuboid::Float16> || std::is_same_v<T, cuboid::BFloat16>;
    if constexpr (std::is_arithmetic_v<T> || half)
      for (const char* name : {"minimum", "maximum", "logical_and", "logical_or", "logical_xor"})
        operations.emplace_back(name);
    if constexpr (std::is_integral_v<T>)
      for (const char* name : {"bitwise_and", "bitwise_or", "bitwise_xor"})
        operations.emplace_back(name);
    constexpr int most_operands = 16;
    for (const std::string& one : operations)
      all["combine_" + one + "_" + type] = combination<T>(one);
    if constexpr (!std::is_integral_v<T>) operations.emplace_back("average");
    for (const std::string& one : operations)
      for (int operands = 1; operands <= most_operands; ++operands)
        all["fold_" + one + "_" + type + "_" + std::to_string(operands)] =
            folding<T>(one, operands);
  };
  combine("int8", std::int8_t{});
  combine("int16", std::int16_t{});
  combine("int32", std::int32_t{});
  combine("int64", std::int64_t{});
  combine("uint8", std::uint8_t{});
  combine("uint16", std::uint16_t{});
  combine("uint32", std::uint32_t{});
  combine("uint64", std::uint64_t{});
  combine("float16", cuboid::Float16{});
  combine("bfloat16", cuboid::BFloat16{});
  combine("float32", float{});
  combine("float64", double{});
  combine("complex64", std::complex<float>{});
  combine("complex128", std::complex<double>{});
  const auto convert = [&]<class From>(const std::string& from, From) {
    all["convert_" + from + "_float16"] = conversion<From, cuboid::Float16>();
    all["convert_" + from + "_bfloat16"] = conversion<From, cuboid::BFloat16>();
    all["convert_" + from + "_float32"] = conversion<From, float>();
    all["convert_" + from + "_float64"] = conversion<From, double>();
  };
  convert("float16", cuboid::Float16{});
  convert("bfloat16", cuboid::BFloat16{});
  convert("float32", float{});
  convert("float64", double{});
  all["convert_complex64_complex128"] = conversion<std::complex<float>, std::complex<double>>();
  all["convert_complex128_complex64"] = conversion<std::complex<double>, std::complex<float>>();
  for (const std::size_t unit : {1, 2, 4, 8, 16}) {
    all["copy_" + std::to_string(unit)] = copy_of_lines(unit);
    all["fill_" + std::to_string(unit)] = filling(unit);
  }
  return all;
}

const std::map<std::string, Kernel>& kernels() {
  static const auto& all = *new std::map<std::string, Kernel>(make_kernels());
  return all;
}

/// What the stand-in's compiler makes of a program: a mark and the program itself.
constexpr const char* code_mark = "stand-in's code\n";
struct Program {
  std::string source, log;
};

enum class Memory { plain, managed, of_pool };

Result allocate(Pointer* pointer, std::size_t bytes, Memory kind) {
  World& w = world();
  const bool managed = kind == Memory::managed;
  const int device = contexts.back() - 1;
  if (bytes == 0) return invalid_value;
  if (w.used[device] + bytes > w.memory) return no_memory;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mapped = (bytes + page - 1) / page * page;
  const std::uint64_t number = ++w.numbers;
  const int file = memfd_create(("device-" + std::to_string(number)).c_str(), MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(mapped)) != 0) return no_memory;
  const int access = managed ? PROT_READ | PROT_WRITE : PROT_NONE;
  void* const shown = mmap(nullptr, mapped, access, MAP_SHARED, file, 0);
  void* const own = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (shown == MAP_FAILED || own == MAP_FAILED) return no_memory;
  std::memset(own, 0xff, mapped);  // NaN: what is read must have been written
  *pointer = reinterpret_cast<Pointer>(shown);
  w.allocations[*pointer] = {static_cast<std::byte*>(own), bytes, mapped, device, managed,
                             kind == Memory::of_pool,      file,  number};
  w.used[device] += bytes;
  w.allocated += static_cast<std::int64_t>(bytes);
  return success;
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are CUDA's.
extern "C" {

#define ENTER(...)                           \
  const std::lock_guard lock(world().mutex); \
  if (const Result entered = enter(__VA_ARGS__)) return entered

Result cuInit(unsigned) {
  const std::lock_guard lock(world().mutex);
  world().initialised = true;
  if (const Result entered = enter("cuInit", false)) return entered;
  return world().devices > 0 ? success : no_device;
}
Result cuDriverGetVersion(int* version) {
  const char* text = std::getenv("STAND_IN_CUDA_VERSION");
  *version = text == nullptr ? 12040 : std::atoi(text);
  return success;
}
Result cuGetErrorName(Result result, const char** name) {
  static const std::map<Result, const char*> names{
      {invalid_value, "CUDA_ERROR_INVALID_VALUE"},
      {no_memory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {no_device, "CUDA_ERROR_NO_DEVICE"},
      {invalid_context, "CUDA_ERROR_INVALID_CONTEXT"},
      {illegal_address, "CUDA_ERROR_ILLEGAL_ADDRESS"},
      {already_registered, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED"},
      {719, "CUDA_ERROR_LAUNCH_FAILED"}};
  const auto at = names.find(result);
  if (at == names.end()) return invalid_value;
  *name = at->second;
  return success;
}
Result cuGetErrorString(Result, const char** text) {
  *text = "said by the stand-in";
  return success;
}
Result cuDeviceGetCount(int* count) {
  ENTER("cuDeviceGetCount", false);
  *count = world().devices;
  return success;
}
Result cuDeviceGet(int* device, int number) {
  ENTER("cuDeviceGet", false);
  if (number < 0 || number >= world().devices) return invalid_device;
  *device = number;
  return success;
}
Result cuDeviceGetName(char* name, int length, int) {
  ENTER("cuDeviceGetName", false);
  std::snprintf(name, static_cast<std::size_t>(length), "Stand-in");
  return success;
}
Result cuDeviceGetAttribute(int* value, int attribute, int device) {
  ENTER("cuDeviceGetAttribute", false);
  const std::map<int, int> values{{33, 0x10 + device}, {34, 0}, {41, 1}, {50, 0}, {75, 9}, {76, 0}};
  const auto at = values.find(attribute);
  if (at == values.end()) return invalid_value;
  *value = at->second;
  return success;
}
Result cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  ENTER("cuDeviceTotalMem_v2", false);
  *bytes = world().memory;
  return success;
}
Result cuDevicePrimaryCtxRetain(void** context, int device) {
  ENTER("cuDevicePrimaryCtxRetain", false);
  *context = reinterpret_cast<void*>(static_cast<std::intptr_t>(device) + 1);
  return success;
}
Result cuCtxPushCurrent_v2(void* context) {
  ENTER("cuCtxPushCurrent_v2", false);
  contexts.push_back(static_cast<int>(reinterpret_cast<std::intptr_t>(context)));
  return success;
}
Result cuCtxGetCurrent(void** context) {
  ENTER("cuCtxGetCurrent", false);
  *context = contexts.empty()
                 ? nullptr
                 : reinterpret_cast<void*>(static_cast<std::intptr_t>(contexts.back()));
  return success;
}
Result cuCtxPopCurrent_v2(void** context) {
  if (contexts.empty()) return invalid_context;
  *context = reinterpret_cast<void*>(static_cast<std::intptr_t>(contexts.back()));
  contexts.pop_back();
  return success;
}
Result cuMemGetInfo_v2(std::size_t* free, std::size_t* total) {
  ENTER("cuMemGetInfo_v2");
  *total = world().memory;
  *free = *total - world().used[contexts.back() - 1];
  return success;
}
Result cuMemAlloc_v2(Pointer* pointer, std::size_t bytes) {
  ENTER("cuMemAlloc_v2");
  return allocate(pointer, bytes, Memory::plain);
}
Result cuMemAllocManaged(Pointer* pointer, std::size_t bytes, unsigned) {
  ENTER("cuMemAllocManaged");
  return allocate(pointer, bytes, Memory::managed);
}
Result cuMemAllocAsync(Pointer* pointer, std::size_t bytes, Stream*) {
  ENTER("cuMemAllocAsync");
  return allocate(pointer, bytes, Memory::of_pool);
}
Result cuMemFree_v2(Pointer pointer) {
  ENTER("cuMemFree_v2");
  World& w = world();
  const auto at = w.allocations.find(pointer);
  if (at == w.allocations.end()) return invalid_value;
  for (Stream* stream : w.streams)  // CUDA waits for the device here
    if (const Result result = run_all(*stream, [] { return false; })) return result;
  if (at->second.opened) return invalid_value;
  w.used[at->second.device] -= at->second.bytes;
  close(at->second.file);
  munmap(at->second.real, at->second.mapped);
  munmap(reinterpret_cast<void*>(pointer), at->second.mapped);
  w.allocations.erase(at);
  return success;
}
bool lacks(const char* what) {
  return world().without == what;
}
Result cuIpcGetMemHandle(MemoryHandle* handle, Pointer pointer) {
  ENTER("cuIpcGetMemHandle");
  const auto at = world().allocations.find(pointer);
  if (at == world().allocations.end() || at->second.managed || at->second.of_pool ||
      at->second.opened)
    return invalid_value;
  if (lacks("ipc")) return not_supported;
  *handle = {getpid(), at->second.file, at->second.number, at->second.bytes, at->second.device, {}};
  return success;
}
Result cuIpcOpenMemHandle_v2(Pointer* pointer, MemoryHandle handle, unsigned flags) {
  ENTER("cuIpcOpenMemHandle_v2");
  World& w = world();
  if (flags != 1) return invalid_value;
  if (handle.process == getpid()) return invalid_context;
  if (lacks("peers") && handle.device != contexts.back() - 1) return peer_access_unsupported;
  for (auto& [begin, allocation] : w.allocations) {
    if (!allocation.opened || allocation.number != handle.number ||
        allocation.file != handle.process)
      continue;
    ++allocation.openings;
    *pointer = begin;
    return success;
  }
  const std::string path =
      "/proc/" + std::to_string(handle.process) + "/fd/" + std::to_string(handle.file);
  char name[128] = {};
  const std::string expected = "/memfd:device-" + std::to_string(handle.number) + " (deleted)";
  if (readlink(path.c_str(), name, sizeof name - 1) < 0 || name != expected) return map_failed;
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return map_failed;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t mapped = (handle.bytes + page - 1) / page * page;
  void* const shown = mmap(nullptr, mapped, PROT_NONE, MAP_SHARED, file, 0);
  void* const own = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (shown == MAP_FAILED || own == MAP_FAILED) return map_failed;
  *pointer = reinterpret_cast<Pointer>(shown);
  w.allocations[*pointer] = {static_cast<std::byte*>(own),
                             handle.bytes,
                             mapped,
                             contexts.back() - 1,
                             false,
                             false,
                             handle.process,
                             handle.number,
                             true,
                             1};
  ++w.opened;
  return success;
}
Result cuIpcCloseMemHandle(Pointer pointer) {
  ENTER("cuIpcCloseMemHandle");
  World& w = world();
  const auto at = w.allocations.find(pointer);
  if (at == w.allocations.end() || !at->second.opened) return invalid_value;
  if (--at->second.openings > 0) return success;
  for (Stream* stream : w.streams)
    if (const Result result = run_all(*stream, [] { return false; })) return result;
  munmap(at->second.real, at->second.mapped);
  munmap(reinterpret_cast<void*>(pointer), at->second.mapped);
  w.allocations.erase(at);
  --w.opened;
  return success;
}
Result cuDeviceCanAccessPeer(int* can, int device, int peer) {
  ENTER("cuDeviceCanAccessPeer", false);
  *can = device != peer && !lacks("peers");
  return success;
}
Result cuCtxEnablePeerAccess(void* peer, unsigned flags) {
  ENTER("cuCtxEnablePeerAccess");
  if (lacks("peers")) return peer_access_unsupported;
  if (flags != 0) return invalid_value;
  const int other = static_cast<int>(reinterpret_cast<std::intptr_t>(peer)) - 1;
  const bool is_new = world().peers.emplace(contexts.back() - 1, other).second;
  return is_new ? success : peer_access_already_enabled;
}
Result cuMemHostRegister_v2(void* data, std::size_t bytes, unsigned) {
  ENTER("cuMemHostRegister_v2");
  const auto* const begin = static_cast<const std::byte*>(data);
  const auto page = [](const std::byte* address) {
    return reinterpret_cast<std::uintptr_t>(address) / 4096;
  };
  std::erase_if(world().pinned, [&](const auto& range) {
    return begin < range.first + range.second && range.first < begin + bytes &&
           world().stale.erase(range.first) == 1;
  });
  for (const auto& [other, length] : world().pinned)
    if (!world().stale.contains(other) && page(begin) <= page(other + length - 1) &&
        page(other) <= page(begin + bytes - 1))
      return already_registered;
  world().pinned[begin] = bytes;
  return success;
}
Result cuMemHostUnregister(void* data) {
  ENTER("cuMemHostUnregister");
  const auto* const begin = static_cast<const std::byte*>(data);
  world().stale.erase(begin);
  return world().pinned.erase(begin) == 1 ? success : not_registered;
}
Result cuMemcpy2DAsync_v2(const Copy2d* given, Stream* stream) {
  ENTER("cuMemcpy2DAsync_v2");
  constexpr int host = 1, device = 2, unified = 4;
  Copy2d copy = *given;
  // Memory of another device than the current one is found as unified memory alone.
  for (auto [kind, pointer] : {std::pair(&copy.source_kind, copy.source_device),
                               std::pair(&copy.target_kind, copy.target_device)}) {
    if (*kind == device && is_on_another_device(pointer)) return invalid_value;
    if (*kind == unified) *kind = device;
  }
  if (copy.width > copy.source_pitch || copy.width > copy.target_pitch) return invalid_value;
  constexpr std::size_t longest_pitch = (std::size_t{1} << 31) - 1;
  if (copy.height > 1 && std::max(copy.source_pitch, copy.target_pitch) > longest_pitch)
    return invalid_value;
  const std::size_t from_bytes = (copy.height - 1) * copy.source_pitch + copy.width;
  const std::size_t to_bytes = (copy.height - 1) * copy.target_pitch + copy.width;
  if ((copy.source_kind == host && real(reinterpret_cast<Pointer>(copy.source_host), 1)) ||
      (copy.target_kind == host && real(reinterpret_cast<Pointer>(copy.target_host), 1)))
    return invalid_value;
  const Pinned from_pages =
      copy.source_kind == host ? pinned(copy.source_host, from_bytes) : Pinned::whole;
  const Pinned to_pages =
      copy.target_kind == host ? pinned(copy.target_host, to_bytes) : Pinned::whole;
  if (from_pages == Pinned::in_part || to_pages == Pinned::in_part) return invalid_value;
  const auto bytes = static_cast<std::int64_t>(copy.width * copy.height);
  if (copy.source_kind == host) world().bytes_up += bytes;
  if (copy.target_kind == host) world().bytes_down += bytes;
  // Pageable memory is staged before the call returns.
  std::shared_ptr<std::vector<std::byte>> staged;
  if (from_pages == Pinned::not_at_all) {
    const auto* const from = static_cast<const std::byte*>(copy.source_host);
    staged = std::make_shared<std::vector<std::byte>>(from, from + from_bytes);
  }
  const auto run = [=]() -> Result {
    const std::byte* const from = staged ? staged->data()
                                  : copy.source_kind == device
                                      ? real(copy.source_device, from_bytes)
                                      : static_cast<const std::byte*>(copy.source_host);
    std::byte* const to = copy.target_kind == device ? real(copy.target_device, to_bytes)
                                                     : static_cast<std::byte*>(copy.target_host);
    if (from == nullptr || to == nullptr) return illegal_address;
    for (std::size_t line = 0; line < copy.height; ++line)
      std::memcpy(to + line * copy.target_pitch, from + line * copy.source_pitch, copy.width);
    return success;
  };
  if (const Result result = enqueue(stream, {run})) return result;
  if (to_pages == Pinned::whole) return success;
  return run_all(stream_of(stream), [] { return false; });
}
Result cuMemcpyAsync(Pointer to, Pointer from, std::size_t bytes, Stream* stream) {
  Copy2d copy{};
  {
    ENTER("cuMemcpyAsync");
    constexpr int host = 1, unified = 4;
    copy.source_kind = real(from, bytes) != nullptr ? unified : host;
    copy.target_kind = real(to, bytes) != nullptr ? unified : host;
  }
  copy.source_host = reinterpret_cast<const void*>(from);
  copy.target_host = reinterpret_cast<void*>(to);
  copy.source_device = from;
  copy.target_device = to;
  copy.source_pitch = copy.target_pitch = copy.width = bytes;
  copy.height = 1;
  return cuMemcpy2DAsync_v2(&copy, stream);
}
Result cuMemsetD2D8Async(Pointer pointer, std::size_t pitch, unsigned char value, std::size_t width,
                         std::size_t height, Stream* stream) {
  ENTER("cuMemsetD2D8Async");
  return enqueue(stream, {[=]() -> Result {
                   std::byte* const to = real(pointer, (height - 1) * pitch + width);
                   if (to == nullptr) return illegal_address;
                   for (std::size_t line = 0; line < height; ++line)
                     std::memset(to + line * pitch, value, width);
                   return success;
                 }});
}
Result cuPointerGetAttributes(unsigned count, int* attributes, void** values, Pointer pointer) {
  ENTER("cuPointerGetAttributes", false);
  World& w = world();
  auto after = w.allocations.upper_bound(pointer);
  const Allocation* allocation = nullptr;
  Pointer begin = 0;
  if (after != w.allocations.begin()) {
    begin = std::prev(after)->first;
    if (pointer < begin + std::prev(after)->second.bytes) allocation = &std::prev(after)->second;
  }
  const auto* const address = reinterpret_cast<const std::byte*>(pointer);
  const auto pages = std::ranges::find_if(w.pinned, [&](const auto& range) {
    return range.first <= address && address < range.first + range.second;
  });
  const bool is_pinned = pages != w.pinned.end();
  const Pointer range_begin = allocation != nullptr ? begin
                              : is_pinned           ? reinterpret_cast<Pointer>(pages->first)
                                                    : 0;
  const std::size_t range_bytes = allocation != nullptr ? allocation->bytes
                                  : is_pinned           ? pages->second
                                                        : 0;
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i]) {
      case 2: *static_cast<int*>(values[i]) = allocation != nullptr ? 2 : is_pinned ? 1 : 0; break;
      case 8:
        *static_cast<unsigned*>(values[i]) = allocation != nullptr && allocation->managed;
        break;
      case 9:
        *static_cast<int*>(values[i]) = allocation != nullptr ? allocation->device
                                        : is_pinned           ? 0
                                                              : -2;
        break;
      case 10:
        *static_cast<int*>(values[i]) = allocation != nullptr && !allocation->managed &&
                                        !allocation->of_pool && !allocation->opened;
        break;
      case 11: *static_cast<Pointer*>(values[i]) = range_begin; break;
      case 12: *static_cast<std::size_t*>(values[i]) = range_bytes; break;
      default: return invalid_value;
    }
  }
  return success;
}
Result cuStreamCreate(Stream** stream, unsigned) {
  ENTER("cuStreamCreate");
  *stream = new Stream{.device = contexts.back() - 1};
  world().streams.push_back(*stream);
  return success;
}
Result cuStreamDestroy_v2(Stream* stream) {
  ENTER("cuStreamDestroy_v2");
  stream->destroyed = true;
  std::erase_if(world().streams, [](Stream* one) {
    const bool is_over = one->destroyed && one->operations.empty();
    if (is_over) delete one;
    return is_over;
  });
  return success;
}
Result cuStreamSynchronize(Stream* stream) {
  ENTER("cuStreamSynchronize");
  return run_all(stream_of(stream), [] { return false; });
}
Result cuStreamWaitEvent(Stream* stream, Event* event, unsigned) {
  ENTER("cuStreamWaitEvent");
  return enqueue(stream, {nullptr, event, event->recorded, true});
}
Result cuEventCreate(Event** event, unsigned) {
  ENTER("cuEventCreate");
  *event = new Event{.device = contexts.back() - 1};
  return success;
}
Result cuEventDestroy_v2(Event* event) {
  ENTER("cuEventDestroy_v2");
  if (const Result result = complete(event, event->recorded)) return result;
  for (Stream* stream : world().streams)  // nobody waits for what is gone
    for (Operation& operation : stream->operations)
      if (operation.event == event) operation = {[] { return success; }};
  delete event;
  return success;
}
Result cuEventRecord(Event* event, Stream* stream) {
  ENTER("cuEventRecord");
  if (event->device != stream_of(stream).device) return invalid_handle;
  return enqueue(stream, {nullptr, event, ++event->recorded, false});
}
Result cuEventQuery(Event* event) {
  ENTER("cuEventQuery");
  if (event->completed >= event->recorded) return success;
  // The first to ask hears that it is not done.
  if (const Result result = complete(event, event->recorded)) return result;
  return not_ready;
}
Result cuEventSynchronize(Event* event) {
  ENTER("cuEventSynchronize");
  return complete(event, event->recorded);
}

Result cuModuleLoadData(std::string** module, const void* image) {
  ENTER("cuModuleLoadData");
  constexpr Result invalid_image = 200;
  const std::string text = static_cast<const char*>(image);
  if (!text.starts_with(code_mark)) return invalid_image;
  *module = new std::string(text);
  return success;
}
Result cuModuleUnload(std::string* module) {
  ENTER("cuModuleUnload");
  delete module;
  return success;
}
Result cuModuleGetFunction(const Kernel** function, std::string* module, const char* name) {
  ENTER("cuModuleGetFunction");
  constexpr Result not_found = 500;
  const auto at = kernels().find(name);
  if (at == kernels().end() || module->find(std::string(" ") + name + "(") == std::string::npos)
    return not_found;
  *function = &at->second;
  return success;
}
Result cuLaunchKernel(const Kernel* function, unsigned blocks, unsigned, unsigned, unsigned threads,
                      unsigned, unsigned, unsigned, Stream* stream, void** parameters, void**) {
  ENTER("cuLaunchKernel");
  if (blocks == 0 || threads == 0 || threads > 1024) return invalid_value;
  if (stream_of(stream).device != contexts.back() - 1) return invalid_handle;
  return enqueue_kernel(stream, (*function)(parameters));
}

int nvrtcVersion(int* major, int* minor) {
  *major = 12;
  *minor = 4;
  return 0;
}
int nvrtcCreateProgram(Program** program, const char* source, const char*, int, const char* const*,
                       const char* const*) {
  *program = new Program{source, {}};
  return 0;
}
int nvrtcDestroyProgram(Program** program) {
  delete *program;
  return 0;
}
int nvrtcCompileProgram(Program* program, int count, const char* const* options) {
  constexpr int compilation_failed = 6;
  const std::lock_guard lock(world().mutex);
  ++world().compiled;
  const bool knows_device = std::any_of(options, options + count, [](const char* option) {
    return std::string(option) == "--gpu-architecture=sm_90";
  });
  if (knows_device && enter("nvrtcCompileProgram", false) == success) return 0;
  program->log = "cuboid_kernels.cu(1): error:\nsaid by the stand-in";
  return compilation_failed;
}
int nvrtcGetCUBINSize(Program* program, std::size_t* bytes) {
  *bytes = std::strlen(code_mark) + program->source.size() + 1;
  return 0;
}
int nvrtcGetCUBIN(Program* program, char* code) {
  const std::string all = code_mark + program->source;
  std::memcpy(code, all.c_str(), all.size() + 1);
  return 0;
}
int nvrtcGetProgramLogSize(Program* program, std::size_t* bytes) {
  *bytes = program->log.size() + 1;
  return 0;
}
int nvrtcGetProgramLog(Program* program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return 0;
}
const char* nvrtcGetErrorString(int) {
  return "NVRTC_ERROR_COMPILATION";
}
/// Programs compiled since the start.
std::int64_t stand_in_compiled() {
  const std::lock_guard lock(world().mutex);
  return world().compiled;
}

int cublasCreate_v2(Handle** handle) {
  const std::lock_guard lock(world().mutex);
  if (const Result result = enter("cublasCreate_v2")) return result == no_memory ? 3 : 1;
  *handle = new Handle;
  return 0;
}
int cublasDestroy_v2(Handle* handle) {
  delete handle;
  return 0;
}
int cublasGemmEx(Handle* handle, int a, int b, int m, int n, int k, const void* alpha,
                 const void* A, int a_type, int lda, const void* B, int b_type, int ldb,
                 const void* beta, void* C, int c_type, int ldc, int compute, int) {
  constexpr int invalid = 7, real = 0, complex = 4;
  if (a_type != b_type || a_type != c_type) return invalid;
  const auto run = [&]<class T>(T) {
    return gemm<T>(handle, a, b, m, n, k, static_cast<const T*>(alpha), static_cast<const T*>(A),
                   lda, static_cast<const T*>(B), ldb, static_cast<const T*>(beta),
                   static_cast<T*>(C), ldc, Rounding{compute});
  };
  if (a_type == real) return run(float{});
  return a_type == complex ? run(std::complex<float>{}) : invalid;
}
int cusolverDnCreate(Handle** handle) {
  const std::lock_guard lock(world().mutex);
  if (const Result result = enter("cusolverDnCreate")) return result == no_memory ? 2 : 1;
  *handle = new Handle;
  return 0;
}
int cusolverDnDestroy(Handle* handle) {
  delete handle;
  return 0;
}
int cusolverDnSetStream(Handle* handle, Stream* stream) {
  handle->stream = stream;
  return 0;
}
int cusolverDnXgetrf_bufferSize(Handle*, void*, std::int64_t m, std::int64_t, int, const void*,
                                std::int64_t, int, std::size_t* device_bytes,
                                std::size_t* host_bytes) {
  *device_bytes = *host_bytes = static_cast<std::size_t>(m);
  return 0;
}
int cusolverDnXgetrf(Handle* handle, void*, std::int64_t m, std::int64_t n, int type, void* A,
                     std::int64_t lda, std::int64_t* pivots, int, void* on_device,
                     std::size_t device_bytes, void* on_host, std::size_t host_bytes, int* info) {
  return with_cuda_type(type, [&]<class T>(T) {
    return getrf(handle, m, n, static_cast<T*>(A), lda, pivots,
                 {on_device, device_bytes, on_host, host_bytes, info});
  });
}
int cusolverDnXpotrf_bufferSize(Handle*, void*, int, std::int64_t n, int, const void*, std::int64_t,
                                int, std::size_t* device_bytes, std::size_t* host_bytes) {
  *device_bytes = *host_bytes = static_cast<std::size_t>(n);
  return 0;
}
int cusolverDnXpotrf(Handle* handle, void*, int triangle, std::int64_t n, int type, void* A,
                     std::int64_t lda, int, void* on_device, std::size_t device_bytes,
                     void* on_host, std::size_t host_bytes, int* info) {
  constexpr int lower = 0, not_supported_status = 9;
  if (triangle != lower) return not_supported_status;
  return with_cuda_type(type, [&]<class T>(T) {
    return potrf(handle, n, static_cast<T*>(A), lda,
                 {on_device, device_bytes, on_host, host_bytes, info});
  });
}

int cublasSetStream_v2(Handle* handle, Stream* stream) {
  handle->stream = stream;
  return 0;
}

#define CUBLAS(LETTER, T)                                                                          \
  int cublas##LETTER##gemm_v2(Handle* handle, int a, int b, int m, int n, int k, const T* alpha,   \
                              const T* A, int lda, const T* B, int ldb, const T* beta, T* C,       \
                              int ldc) {                                                           \
    return gemm<T>(handle, a, b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);                    \
  }                                                                                                \
  int cublas##LETTER##gemm_v2_64(Handle* handle, int a, int b, std::int64_t m, std::int64_t n,     \
                                 std::int64_t k, const T* alpha, const T* A, std::int64_t lda,     \
                                 const T* B, std::int64_t ldb, const T* beta, T* C,                \
                                 std::int64_t ldc) {                                               \
    return gemm<T>(handle, a, b, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);                    \
  }                                                                                                \
  int cublas##LETTER##geam(Handle* handle, int a, int b, int m, int n, const T* alpha, const T* A, \
                           int lda, const T* beta, const T* B, int ldb, T* C, int ldc) {           \
    return geam<T>(handle, a, b, m, n, alpha, A, lda, beta, B, ldb, C, ldc);                       \
  }                                                                                                \
  int cublas##LETTER##trsm_v2(Handle* handle, int side, int triangle, int op, int unit, int m,     \
                              int n, const T* alpha, const T* A, int lda, T* B, int ldb) {         \
    constexpr int not_supported = 15;                                                              \
    if (side != 0 || triangle != 0 || op != 0 || unit != 1 || *alpha != T(1))                      \
      return not_supported;                                                                        \
    return trsm<T>(handle, m, n, A, lda, B, ldb);                                                  \
  }
CUBLAS(S, float)
CUBLAS(D, double)
CUBLAS(C, std::complex<float>)
CUBLAS(Z, std::complex<double>)

void stand_in_streams(const char* mode, unsigned seed) {
  const std::lock_guard lock(world().mutex);
  const std::string name = mode;
  world().mode = name == "late" ? Mode::late : name == "early" ? Mode::early : Mode::in_order;
  world().random.seed(seed);
}
void stand_in_fail(const char* function, int after, int result) {
  const std::lock_guard lock(world().mutex);
  world().fails = function;
  world().fails_after = after;
  world().fails_with = result;
}
void stand_in_without(const char* what) {
  const std::lock_guard lock(world().mutex);
  world().without = what;
}
/// Allocations of other processes that are open now.
std::int64_t stand_in_opened() {
  const std::lock_guard lock(world().mutex);
  return world().opened;
}
void stand_in_memory(std::size_t bytes) {
  const std::lock_guard lock(world().mutex);
  world().memory = bytes;
}
/// Gives a lost device back. What its streams held is gone.
void stand_in_recover() {
  const std::lock_guard lock(world().mutex);
  world().lost = success;
  world().fails.clear();
  for (Stream* stream : world().streams) stream->operations.clear();
  for (const auto& [begin, bytes] : world().pinned) world().stale.insert(begin);
}
/// Bytes copied up and down, multiplications, bytes allocated since the start, bytes pinned now.
void stand_in_counts(std::int64_t* counts) {
  const std::lock_guard lock(world().mutex);
  counts[0] = world().bytes_up;
  counts[1] = world().bytes_down;
  counts[2] = world().multiplications;
  counts[3] = world().allocated;
  counts[4] = 0;
  for (const auto& [begin, bytes] : world().pinned) counts[4] += static_cast<std::int64_t>(bytes);
}
}
// NOLINTEND(readability-identifier-naming)
