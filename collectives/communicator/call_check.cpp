#include "collectives/communicator/call_check.hpp"

#include <cuboid/error.hpp>

#include "collectives/communicator/communicator_state.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool has_root(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::gather || operation == Operation::scatter;
}

/// True if all ranks give the lengths of all ranks' blocks, and must give the same lengths.
bool shares_blocks(Operation operation) {
  return operation == Operation::allgather || operation == Operation::reduce_scatter;
}

bool shares_count(Operation operation) {
  return operation == Operation::broadcast || operation == Operation::reduce ||
         operation == Operation::allreduce || operation == Operation::scan ||
         operation == Operation::exscan;
}

std::uint64_t hash(const std::vector<std::size_t>& counts) {
  std::uint64_t value = 14695981039346656037U;  // FNV-1a
  for (const std::size_t count : counts) value = (value ^ count) * 1099511628211U;
  return value;
}

/// What the calls of all ranks must have in common, in a form that can be sent.
struct Signature {
  Operation operation = Operation::barrier;
  Datatype type = Datatype::Kind::byte;
  std::int32_t root = 0;
  std::int32_t reduction = -1;  ///< a Reduction::Kind; -1: none
  std::uint64_t count = 0;      ///< the elements of the call, or of all blocks together
  std::uint64_t blocks = 0;     ///< a digest of the blocks' lengths
  bool equal_blocks = false;

  bool operator==(const Signature&) const = default;
};

Signature signature_of(const Collective& call) {
  Signature signature{.operation = call.operation};
  if (call.operation == Operation::barrier) return signature;
  signature.type = call.type;
  if (has_root(call.operation)) signature.root = call.root;
  if (call.reduction) signature.reduction = static_cast<std::int32_t>(call.reduction->kind());
  if (shares_count(call.operation)) signature.count = call.count;
  signature.equal_blocks = call.equal_blocks;
  if (shares_blocks(call.operation)) {
    const BlockList& blocks =
        call.operation == Operation::allgather ? call.output_blocks : call.input_blocks;
    signature.count = blocks.total();
    signature.blocks = hash(blocks.counts());
  }
  return signature;
}

std::string text_of(const Signature& signature) {
  const std::string name = to_string(signature.operation);
  if (signature.operation == Operation::barrier) return name;
  std::string text = name;
  const bool counted = shares_count(signature.operation) || shares_blocks(signature.operation);
  text += counted ? fmt::format(" of {}", signature.count) : " of";
  text += ' ' + to_string(signature.type);
  if (has_root(signature.operation)) text += fmt::format(", root {}", signature.root);
  if (signature.reduction >= 0)
    text += fmt::format(", {}", to_string(static_cast<Reduction::Kind>(signature.reduction)));
  return text;
}

/// The first difference between two calls, in words.
std::string difference(const Signature& a, const Signature& b) {
  if (a.operation != b.operation) return "the operation differs";
  if (a.type != b.type) return "the type differs";
  if (a.root != b.root) return "the root differs";
  if (a.reduction != b.reduction) return "the reduction differs";
  if (a.count != b.count) return "the count differs";
  if (a.equal_blocks != b.equal_blocks) return "one is the v-form";
  return "the lengths of the blocks differ";
}

/// A block for which sender and receiver give different lengths.
struct Complaint {
  std::int32_t found = 0;
  std::int32_t sender = 0;
  std::int32_t receiver = 0;
  std::uint64_t sent = 0;
  std::uint64_t expected = 0;
};

class CallCheck {
 public:
  CallCheck(const Communicator& communicator, const Collective& call)
      : communicator_(communicator),
        call_(call),
        ranks_(static_cast<std::size_t>(communicator.size())) {}

  void compare_signatures() const {
    const std::vector<Signature> all = of_all(signature_of(call_));
    if (std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end()) return;
    const auto times = [&](const Signature& one) {
      return std::count(all.begin(), all.end(), one);
    };
    const auto usual = std::max_element(
        all.begin(), all.end(), [&](const auto& a, const auto& b) { return times(a) < times(b); });
    const auto other =
        std::find_if(all.begin(), all.end(), [&](const Signature& one) { return one != *usual; });
    throw Error(ErrorCode::mismatch,
                fmt::format("rank {}: the ranks make different calls: rank {} calls {}, rank {} "
                            "calls {}: {}; make the same call on every rank",
                            communicator_.rank(), other - all.begin(), text_of(*other),
                            usual - all.begin(), text_of(*usual), difference(*other, *usual)));
  }

  /// Checks that sender and receiver give the same length for each block that goes directly from
  /// rank to rank.
  void compare_blocks() const {
    const auto own = static_cast<std::size_t>(communicator_.rank());
    Complaint mine;
    const auto require_equal = [&](int sender, int receiver, std::size_t sent,
                                   std::size_t expected) {
      if (sent != expected && mine.found == 0) mine = {1, sender, receiver, sent, expected};
    };
    switch (call_.operation) {
      case Operation::gather: {
        const auto expected = from_root(call_.output_blocks.counts());
        require_equal(communicator_.rank(), call_.root, call_.count, expected[own]);
        break;
      }
      case Operation::scatter: {
        const auto sent = from_root(call_.input_blocks.counts());
        require_equal(call_.root, communicator_.rank(), sent[own], call_.count);
        break;
      }
      case Operation::alltoall: {
        const auto sent = from_each(call_.input_blocks.counts());
        for (std::size_t peer = 0; peer < ranks_; ++peer) {
          require_equal(static_cast<int>(peer), communicator_.rank(), sent[peer],
                        call_.output_blocks.count(peer));
        }
        break;
      }
      default: return;
    }
    for (const Complaint& complaint : of_all(mine)) {
      if (complaint.found == 0) continue;
      throw Error(ErrorCode::mismatch,
                  fmt::format("rank {}: {}: the ranks disagree about a block: rank {} sends {} "
                              "elements to rank {}, which expects {}; give both the same count",
                              communicator_.rank(), to_string(call_.operation), complaint.sender,
                              complaint.sent, complaint.receiver, complaint.expected));
    }
  }

 private:
  template <class Value>
  std::vector<Value> of_all(const Value& mine) const {
    std::vector<Value> all(ranks_);
    Collective exchange{
        .operation = Operation::allgather, .type = datatype_of<Value>(), .count = 1};
    exchange.output_blocks = BlockList::equal(communicator_.size(), 1);
    CollectiveCall{communicator_, exchange, &mine, all.data()}.run_unchecked();
    return all;
  }

  std::vector<std::size_t> from_root(std::vector<std::size_t> counts) const {
    counts.resize(ranks_);
    const Collective exchange{.operation = Operation::broadcast,
                              .type = datatype_of<std::size_t>(),
                              .count = ranks_,
                              .root = call_.root};
    CollectiveCall{communicator_, exchange, counts.data(), counts.data()}.run_unchecked();
    return counts;
  }

  std::vector<std::size_t> from_each(const std::vector<std::size_t>& counts) const {
    std::vector<std::size_t> theirs(ranks_);
    Collective exchange{.operation = Operation::alltoall,
                        .type = datatype_of<std::size_t>(),
                        .count = ranks_,
                        .equal_blocks = true};
    exchange.input_blocks = exchange.output_blocks = BlockList::equal(communicator_.size(), 1);
    CollectiveCall{communicator_, exchange, counts.data(), theirs.data()}.run_unchecked();
    return theirs;
  }

  const Communicator& communicator_;
  const Collective& call_;
  std::size_t ranks_;
};

}  // namespace

void require_same_call(const Communicator& communicator, const Collective& collective) {
  const CallCheck check(communicator, collective);
  check.compare_signatures();
  check.compare_blocks();
}

}  // namespace cuboid::detail
