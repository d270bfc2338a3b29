#include <cuboid/collectives.hpp>
#include <cuboid/error.hpp>

#include "collectives/communicator/arguments.hpp"
#include "collectives/communicator/communicator_state.hpp"

#include <utility>

#include <fmt/format.h>

namespace cuboid {

using namespace detail;

namespace {

CollectiveCall scan_call(const Communicator& communicator, Operation operation,
                         const ConstBuffer& input, const Buffer& output,
                         const Reduction& reduction) {
  require_same_type(communicator, operation, input, output);
  require_count(communicator, operation, "output", output.count, input.count);
  require_defined(communicator, operation, reduction, input.type);
  if (reduction.kind() == Reduction::Kind::average) {
    throw Error(ErrorCode::invalid_argument,
                fmt::format("rank {}: {}: the average of some ranks is not defined; use the sum",
                            communicator.rank(), to_string(operation)));
  }
  Collective collective{.operation = operation, .type = input.type, .count = input.count};
  collective.in_place = in_place(communicator, operation, input, output, 0, input.bytes());
  collective.reduction = reduction;
  return {communicator, std::move(collective), input.data, output.data};
}

}  // namespace

void scan(const Communicator& communicator, ConstBuffer input, Buffer output,
          const Reduction& reduction) {
  scan_call(communicator, Operation::scan, input, output, reduction).run();
}

Request start_scan(const Communicator& communicator, ConstBuffer input, Buffer output,
                   const Reduction& reduction, OnStream after) {
  return scan_call(communicator, Operation::scan, input, output, reduction).start(after);
}

CollectivePlan plan_scan(const Communicator& communicator, ConstBuffer input, Buffer output,
                         const Reduction& reduction) {
  return scan_call(communicator, Operation::scan, input, output, reduction).plan();
}

void exscan(const Communicator& communicator, ConstBuffer input, Buffer output,
            const Reduction& reduction) {
  scan_call(communicator, Operation::exscan, input, output, reduction).run();
}

Request start_exscan(const Communicator& communicator, ConstBuffer input, Buffer output,
                     const Reduction& reduction, OnStream after) {
  return scan_call(communicator, Operation::exscan, input, output, reduction).start(after);
}

CollectivePlan plan_exscan(const Communicator& communicator, ConstBuffer input, Buffer output,
                           const Reduction& reduction) {
  return scan_call(communicator, Operation::exscan, input, output, reduction).plan();
}

}  // namespace cuboid
