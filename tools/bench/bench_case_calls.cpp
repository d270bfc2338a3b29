#include <cuboid/collectives.hpp>

#include "tools/bench/bench_case.hpp"

#include <optional>
#include <span>

namespace cuboid::detail::tools {

namespace {

/// The three functions that can run a case's collective; a run calls one of them.
struct Run {
  template <class Blocking, class Start, class Plan, class... Arguments>
  void operator()(Blocking blocking, Start, Plan, const Arguments&... arguments) {
    blocking(arguments...);
  }
};
struct Start {
  Request request;
  template <class Blocking, class StartCall, class Plan, class... Arguments>
  void operator()(Blocking, StartCall start, Plan, const Arguments&... arguments) {
    request = start(arguments..., OnStream());
  }
};
struct MakePlan {
  std::optional<CollectivePlan> made;
  template <class Blocking, class StartCall, class Plan, class... Arguments>
  void operator()(Blocking, StartCall, Plan plan, const Arguments&... arguments) {
    made.emplace(plan(arguments...));
  }
};

CollectivePlan plan_one_broadcast(const Communicator& communicator, const Buffer& buffer,
                                  int root) {
  return plan_broadcast(communicator, buffer, root);
}

/// Calls `use` with the three functions of the case's operation and their arguments.
template <class Use>
void call(const BenchCase& test, const Reduction& sum, std::span<const std::size_t> lengths,
          Use& use) {
  const Communicator& c = test.communicator();
  const Buffer& in = test.input();
  const Buffer& out = test.output();
  const int root = test.call().root;
  const bool v = test.call().v_form;
  const Blocks blocks{lengths};
  const std::span<const std::size_t> dense;
  switch (test.call().operation) {
    case Operation::barrier: return use(barrier, start_barrier, plan_barrier, c);
    case Operation::broadcast:
      return use(broadcast, start_broadcast, plan_one_broadcast, c, out, root);
    case Operation::reduce: return use(reduce, start_reduce, plan_reduce, c, in, out, sum, root);
    case Operation::allreduce:
      return use(allreduce, start_allreduce, plan_allreduce, c, in, out, sum);
    case Operation::allgather:
      if (v) return use(allgatherv, start_allgatherv, plan_allgatherv, c, in, out, lengths, dense);
      return use(allgather, start_allgather, plan_allgather, c, in, out);
    case Operation::reduce_scatter:
      if (v)
        return use(reduce_scatterv, start_reduce_scatterv, plan_reduce_scatterv, c, in, out,
                   lengths, sum);
      return use(reduce_scatter, start_reduce_scatter, plan_reduce_scatter, c, in, out, sum);
    case Operation::gather:
      if (v) return use(gatherv, start_gatherv, plan_gatherv, c, in, out, lengths, dense, root);
      return use(gather, start_gather, plan_gather, c, in, out, root);
    case Operation::scatter:
      if (v) return use(scatterv, start_scatterv, plan_scatterv, c, in, lengths, dense, out, root);
      return use(scatter, start_scatter, plan_scatter, c, in, out, root);
    case Operation::alltoall:
      if (v) return use(alltoallv, start_alltoallv, plan_alltoallv, c, in, blocks, out, blocks);
      return use(alltoall, start_alltoall, plan_alltoall, c, in, out);
    case Operation::scan: return use(scan, start_scan, plan_scan, c, in, out, sum);
    case Operation::exscan: return use(exscan, start_exscan, plan_exscan, c, in, out, sum);
  }
}

}  // namespace

void BenchCase::run() {
  Run run;
  detail::tools::call(*this, sum_, lengths_, run);
}

Request BenchCase::start() {
  Start start;
  detail::tools::call(*this, sum_, lengths_, start);
  return std::move(start.request);
}

CollectivePlan BenchCase::plan() const {
  MakePlan make;
  detail::tools::call(*this, sum_, lengths_, make);
  return *make.made;
}

std::string BenchCase::algorithm() const {
  return std::string(plan().algorithm());
}

}  // namespace cuboid::detail::tools
