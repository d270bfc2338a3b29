#include "tools/bench/bench_case.hpp"

#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>

#include "collectives/communicator/collective_try.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/engine/direct_run.hpp"
#include "devices/memory/copy_memory.hpp"
#include "tools/command/memory.hpp"
#include "tools/output/flag_values.hpp"
#include "tools/output/number.hpp"

#include <algorithm>
#include <complex>
#include <span>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace {

/// Calls `use` with a value of the element's C++ type.
template <class Use>
auto with_type(Datatype type, const Use& use) {
  using Kind = Datatype::Kind;
  switch (type.kind()) {
    case Kind::int8: return use.template operator()<std::int8_t>();
    case Kind::int16: return use.template operator()<std::int16_t>();
    case Kind::int32: return use.template operator()<std::int32_t>();
    case Kind::int64: return use.template operator()<std::int64_t>();
    case Kind::uint16: return use.template operator()<std::uint16_t>();
    case Kind::uint32: return use.template operator()<std::uint32_t>();
    case Kind::uint64: return use.template operator()<std::uint64_t>();
    case Kind::float32: return use.template operator()<float>();
    case Kind::float64: return use.template operator()<double>();
    case Kind::complex64: return use.template operator()<std::complex<float>>();
    case Kind::complex128: return use.template operator()<std::complex<double>>();
    case Kind::uint8:
    case Kind::byte:
    case Kind::float16:
    case Kind::bfloat16:
    case Kind::long_double:
    case Kind::located:
    case Kind::user: break;
  }
  return use.template operator()<std::uint8_t>();
}

/// The i-th element that a rank sends. It is small enough for every type to represent it exactly,
/// and it differs between ranks and between positions.
int sent(int rank, std::size_t i) {
  constexpr std::size_t prime = 113;
  return static_cast<int>((static_cast<std::size_t>(rank) * 31 + i * 7 + i / prime) % prime);
}

/// The i-th element that a rank adds: every type represents sums over many ranks exactly.
int added(int rank, std::size_t i) {
  return static_cast<int>((static_cast<std::size_t>(rank) + i) % 2);
}

int sum_of_added(int ranks, std::size_t i) {
  int result = 0;
  for (int rank = 0; rank < ranks; ++rank) result += added(rank, i);
  return result;
}

template <class T>
T number(int value) {
  if constexpr (requires { typename T::value_type; }) {
    return T(static_cast<typename T::value_type>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// The numbers that make up one element: the bytes of a user-defined type.
template <class T>
std::span<T> numbers_of(const Buffer& buffer, std::size_t element) {
  const std::size_t numbers = buffer.type.bytes() / sizeof(T);
  return {static_cast<T*>(buffer.data) + element * numbers, numbers};
}

/// The elements of a user-defined type are added byte by byte.
Reduction sum_of(Datatype type) {
  if (type.kind() != Datatype::Kind::user) return Reduction::Kind::sum;
  const std::size_t bytes = type.bytes();
  return Reduction::user(
      [bytes](const void* left, const void* right, void* result, std::size_t count) {
        const auto* a = static_cast<const std::uint8_t*>(left);
        const auto* b = static_cast<const std::uint8_t*>(right);
        auto* to = static_cast<std::uint8_t*>(result);
        std::transform(a, a + count * bytes, b, to,
                       [](int x, int y) { return static_cast<std::uint8_t>(x + y); });
      },
      Commutative::yes);
}

void copy_all(const std::byte* from, std::byte* to, std::size_t bytes) {
  copy_memory(from, bytes, to, bytes, bytes, 1);
}

/// Throws Error(out_of_memory) if the ranks on this node need more than it has available.
void require_memory(const Communicator& communicator, std::size_t bytes_of_rank) {
  const auto available = available_memory();
  if (!available) return;
  double needed = 0;
  for (int rank = 0; rank < communicator.size(); ++rank)
    needed += communicator.same_node(rank) ? static_cast<double>(bytes_of_rank) : 0;
  if (needed <= static_cast<double>(*available)) return;
  throw Error(ErrorCode::out_of_memory,
              fmt::format("the buffers of the ranks on {} take {}, but {} are available: give a "
                          "smaller --size or start fewer ranks",
                          communicator.host(communicator.rank()), bytes_to_string(needed),
                          bytes_to_string(static_cast<double>(*available))));
}

}  // namespace

bool reduces(Operation operation) {
  return operation == Operation::reduce || operation == Operation::allreduce ||
         operation == Operation::reduce_scatter || operation == Operation::scan ||
         operation == Operation::exscan;
}

std::size_t message_count(const BenchCall& call, int ranks) {
  const auto blocks = has_blocks(call.operation) ? static_cast<std::size_t>(ranks) : 1;
  const std::size_t unit = call.type.bytes() * blocks;
  return (call.bytes + unit - 1) / unit * blocks;
}

void require_root(int root, int ranks) {
  if (root < 0 || root >= ranks)
    refuse(fmt::format("--root {}: the ranks are 0 to {}", root, ranks - 1));
}

BenchCase::BenchCase(Communicator communicator, const BenchCall& call)
    : communicator_(std::move(communicator)), call_(call), sum_(sum_of(call.type)) {
  const auto ranks = static_cast<std::size_t>(communicator_.size());
  require_root(call_.root, communicator_.size());
  if (reduces(call_.operation) && !sum_.defined_for(call_.type)) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("--type {}: cannot be summed: give a numeric type to {}",
                            to_string(call_.type), to_string(call_.operation)));
  }
  const bool has_blocks = detail::has_blocks(call_.operation);
  count_ = message_count(call_, communicator_.size());
  block_ = has_blocks ? count_ / ranks : count_;
  lengths_.assign(ranks, block_);

  std::size_t in = 0;
  std::size_t out = 0;
  switch (call_.operation) {
    case Operation::barrier: break;
    case Operation::broadcast: out = count_; break;
    case Operation::reduce: in = count_, out = is_root() ? count_ : 0; break;
    case Operation::allreduce:
    case Operation::scan:
    case Operation::exscan:
    case Operation::alltoall: in = out = count_; break;
    case Operation::allgather: in = block_, out = count_; break;
    case Operation::reduce_scatter: in = count_, out = block_; break;
    case Operation::gather: in = block_, out = is_root() ? count_ : 0; break;
    case Operation::scatter: in = is_root() ? count_ : 0, out = block_; break;
  }
  // If only the root has both buffers, only the root can run in place.
  const bool shared =
      call_.in_place && in > 0 && out > 0 &&
      (is_root() || (call_.operation != Operation::reduce && call_.operation != Operation::gather &&
                     call_.operation != Operation::scatter));
  const std::size_t element = call_.type.bytes();
  const std::size_t own =
      has_blocks ? static_cast<std::size_t>(communicator_.rank()) * block_ * element : 0;
  const std::size_t input_bytes = (shared ? std::max(in, out) : in) * element;
  const std::size_t output_bytes = shared ? 0 : out * element;
  // The barrier waits until the last case's buffers are freed on every rank; no rank has allocated
  // new ones.
  barrier(communicator_);
  collective_try(communicator_, [&] { require_memory(communicator_, input_bytes + output_bytes); });
  collective_try(communicator_, [&] {
    input_memory_.resize(input_bytes);
    output_memory_.resize(output_bytes);
  });
  host_input_ = {input_memory_.data() + (shared && in < out ? own : 0), in, call_.type};
  host_output_ = {shared ? input_memory_.data() + (out < in ? own : 0) : output_memory_.data(), out,
                  call_.type};
  input_ = host_input_;
  output_ = host_output_;
  if (call_.memory == BenchMemory::host) return;
  collective_try(communicator_, [&] { place_buffers(); });
}

void BenchCase::place_buffers() {
  const CudaDevice& device = device_of(communicator_);
  const CudaDevice::Current current(device);
  const bool on_device = lies_on_device(call_.memory, is_root());
  placed_input_.emplace(device, on_device, input_memory_.size());
  placed_output_.emplace(device, on_device, output_memory_.size());
  const auto in_place_of = [](const Buffer& buffer, std::vector<std::byte>& memory,
                              const BenchBuffer& there) {
    const auto offset = static_cast<std::byte*>(buffer.data) - memory.data();
    return Buffer(there.data() + offset, buffer.count, buffer.type);
  };
  input_ = in_place_of(host_input_, input_memory_, *placed_input_);
  output_ = shares_memory() ? in_place_of(host_output_, input_memory_, *placed_input_)
                            : in_place_of(host_output_, output_memory_, *placed_output_);
}

std::uint64_t BenchCase::runs_from_device_to_device() const {
  return communicator_.state().engine->device_access().runs;
}

std::vector<Choice> BenchCase::choices() const {
  Collective collective{.operation = call_.operation, .type = call_.type, .count = count_};
  if (reduces(call_.operation)) collective.reduction = sum_;
  const BlockList blocks = BlockList::equal(communicator_.size(), block_);
  switch (call_.operation) {
    case Operation::broadcast:
    case Operation::reduce: collective.root = call_.root; break;
    case Operation::gather:
    case Operation::scatter:
      collective.root = call_.root;
      collective.count = block_;
      break;
    case Operation::allgather:
      collective.count = block_;
      collective.output_blocks = blocks;
      break;
    case Operation::reduce_scatter:
      collective.count = block_;
      collective.input_blocks = blocks;
      break;
    case Operation::alltoall:
      collective.equal_blocks = true;
      collective.input_blocks = collective.output_blocks = blocks;
      break;
    default: break;
  }
  return detail::choices(collective, communicator_.state().cost_model);
}

std::optional<double> BenchCase::predicted_seconds(std::string_view algorithm) const {
  for (const Choice& choice : choices()) {
    if (choice.algorithm->name == algorithm) return choice.seconds;
  }
  return std::nullopt;
}

bool BenchCase::shares_memory() const {
  return output_memory_.empty() && input_.count > 0 && output_.count > 0;
}

void BenchCase::fill() {
  constexpr std::byte untouched{0xA5};
  std::ranges::fill(input_memory_, untouched);
  std::ranges::fill(output_memory_, untouched);
  const bool root_sends = call_.operation == Operation::broadcast && is_root();
  const Buffer& source = root_sends ? host_output_ : host_input_;
  with_type(call_.type, [&]<class T>() {
    const bool sums = reduces(call_.operation);
    for (std::size_t i = 0; i < source.count; ++i) {
      const int value = sums ? added(communicator_.rank(), i) : sent(communicator_.rank(), i);
      std::ranges::fill(numbers_of<T>(source, i), number<T>(value));
    }
  });
  if (!placed_input_) return;
  copy_all(input_memory_.data(), placed_input_->data(), input_memory_.size());
  copy_all(output_memory_.data(), placed_output_->data(), output_memory_.size());
}

std::uint64_t BenchCase::errors() {
  const int ranks = communicator_.size();
  if (placed_input_) {
    copy_all(placed_input_->data(), input_memory_.data(), input_memory_.size());
    copy_all(placed_output_->data(), output_memory_.data(), output_memory_.size());
  }
  // The result of an exclusive scan is undefined on rank 0.
  if (call_.operation == Operation::exscan && communicator_.rank() == 0) return 0;
  const std::size_t before_mine = static_cast<std::size_t>(communicator_.rank()) * block_;
  const auto right = [&](std::size_t i) {
    switch (call_.operation) {
      case Operation::broadcast: return sent(call_.root, i);
      case Operation::reduce:
      case Operation::allreduce: return sum_of_added(ranks, i);
      case Operation::allgather:
      case Operation::gather: return sent(static_cast<int>(i / block_), i % block_);
      case Operation::reduce_scatter: return sum_of_added(ranks, before_mine + i);
      case Operation::scatter: return sent(call_.root, before_mine + i);
      case Operation::alltoall: return sent(static_cast<int>(i / block_), before_mine + i % block_);
      case Operation::scan: return sum_of_added(communicator_.rank() + 1, i);
      case Operation::exscan: return sum_of_added(communicator_.rank(), i);
      case Operation::barrier: break;
    }
    return 0;
  };
  return with_type(call_.type, [&]<class T>() {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < host_output_.count; ++i) {
      const T expected = number<T>(right(i));
      wrong += std::ranges::any_of(numbers_of<T>(host_output_, i),
                                   [&](const T& one) { return one != expected; });
    }
    return wrong;
  });
}

}  // namespace cuboid::detail::tools
