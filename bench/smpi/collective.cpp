// One collective on a simulated torus, by Cuboid or by the simulated MPI's algorithms.
//
//   smpi_collective SHAPE BYTES_PER_SECOND LATENCY OPERATION BYTES cuboid|mpi|mpi-again [check]
//
// mpi-again is the simulated MPI's second call. In their first one, algorithms for nodes of several
// ranks find out who shares a node.
// Rank 0 prints one JSON object. With "check" every rank compares its result with the expected one.
// Without "check" all ranks of the process share one small memory, so that messages may be long.
// The bytes of an all-gather are those of all blocks.
// waits, in this file: simulated ranks do not die, and SimGrid reports deadlocks
#include <cuboid/collectives.hpp>

#include "bench/smpi/folded_memory.hpp"
#include "bench/smpi/simulated_world.hpp"
#include "collectives/communicator/communicator_state.hpp"
#include "collectives/selection/selection.hpp"
#include "collectives/selection/simulated_seconds.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>
#include <nlohmann/json.hpp>

namespace cuboid::detail::smpi {
namespace {

struct Arguments {
  SimulatedTorus torus;
  std::string operation;
  std::size_t count;  // number of doubles
  bool by_cuboid;
  bool second_call;
  bool check;
};

Arguments read(int argc, char** argv) {
  if (argc < 7)
    throw Error(ErrorCode::invalid_argument, "give the six arguments of bench/smpi/run");
  return {torus_of(argc, argv),
          argv[4],
          static_cast<std::size_t>(std::atoll(argv[5])) / sizeof(double),
          std::strcmp(argv[6], "cuboid") == 0,
          std::strcmp(argv[6], "mpi-again") == 0,
          argc > 7 && std::strcmp(argv[7], "check") == 0};
}

/// Elements are whole numbers, so that sums are exact in any order.
double element(int rank, std::size_t i) {
  return static_cast<double>((static_cast<std::size_t>(rank) * 31 + i * 7) % 1021);
}

/// One operation on one rank: its buffers, its calls in both libraries, and the expected result.
class Run {
 public:
  Run(const Arguments& arguments, int rank, int ranks)
      : arguments_(arguments),
        rank_(rank),
        ranks_(ranks),
        count_(arguments.count / blocks() * blocks()),
        block_(count_ / static_cast<std::size_t>(ranks)),
        folded_(arguments.check ? 0 : 2 * count_ * sizeof(double)),
        own_(arguments.check ? 2 * count_ : 0) {
    for (std::size_t i = 0; i < own_.size() / 2; ++i) input()[i] = element(rank, i);
  }

  Collective collective() const {
    const Operation operation = named();
    const bool blocks = has_blocks(operation);
    Collective call{
        .operation = operation, .type = Datatype::Kind::float64, .count = blocks ? block_ : count_};
    if (operation == Operation::reduce || operation == Operation::allreduce)
      call.reduction = Reduction::Kind::sum;
    if (operation == Operation::allgather) call.output_blocks = BlockList::equal(ranks_, block_);
    return call;
  }

  void by_cuboid(const Communicator& c) {
    const std::span in(input(), count_);
    const std::span out(output(), count_);
    switch (named()) {
      case Operation::broadcast: broadcast(c, rank_ == 0 ? in : out, 0); break;
      case Operation::reduce: reduce(c, in, out, Reduction::Kind::sum, 0); break;
      case Operation::allreduce: allreduce(c, in, out, Reduction::Kind::sum); break;
      default: allgather(c, in.first(block_), out);
    }
  }

  void by_mpi() {
    const int n = static_cast<int>(count_);
    const int block = static_cast<int>(block_);
    switch (named()) {
      case Operation::broadcast:
        MPI_Bcast(rank_ == 0 ? input() : output(), n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        break;
      case Operation::reduce:
        MPI_Reduce(input(), output(), n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
        break;
      case Operation::allreduce:
        MPI_Allreduce(input(), output(), n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        break;
      default:
        MPI_Allgather(input(), block, MPI_DOUBLE, output(), block, MPI_DOUBLE, MPI_COMM_WORLD);
    }
  }

  /// The number of wrong elements on this rank.
  std::size_t wrong() {
    if (!arguments_.check) return 0;
    const Operation operation = named();
    if ((operation == Operation::broadcast) == (rank_ == 0) && operation != Operation::allreduce &&
        operation != Operation::allgather && operation != Operation::reduce)
      return 0;
    if (operation == Operation::reduce && rank_ != 0) return 0;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < count_; ++i) wrong += output()[i] == expected(i) ? 0 : 1;
    return wrong;
  }

 private:
  Operation named() const {
    for (const Operation operation :
         {Operation::broadcast, Operation::reduce, Operation::allreduce, Operation::allgather}) {
      if (to_string(operation) == arguments_.operation) return operation;
    }
    throw Error(ErrorCode::invalid_argument,
                arguments_.operation + ": give broadcast, reduce, allreduce or allgather");
  }
  std::size_t blocks() const {
    return named() == Operation::allgather ? static_cast<std::size_t>(ranks_) : 1;
  }
  double* input() { return own_.empty() ? folded_.doubles() : own_.data(); }
  double* output() { return input() + count_; }

  double expected(std::size_t i) const {
    switch (named()) {
      case Operation::broadcast: return element(0, i);
      case Operation::allgather: return element(static_cast<int>(i / block_), i % block_);
      default: {
        double sum = 0;
        for (int rank = 0; rank < ranks_; ++rank) sum += element(rank, i);
        return sum;
      }
    }
  }

  const Arguments& arguments_;
  int rank_;
  int ranks_;
  std::size_t count_;
  std::size_t block_;
  FoldedMemory folded_;
  std::vector<double> own_;
};

/// The slowest rank's seconds from a common start, and the number of wrong elements on all ranks.
struct Measured {
  double seconds = 0;
  double wrong = 0;
};

Measured measure(const Arguments& arguments, Run& run, const Communicator* communicator) {
  if (arguments.second_call) run.by_mpi();
  meet();
  const double start = MPI_Wtime();
  if (communicator != nullptr) {
    run.by_cuboid(*communicator);
  } else {
    run.by_mpi();
  }
  const double seconds = MPI_Wtime() - start;
  static Measured all;  // of all simulated ranks, which run one at a time in one process
  all.seconds = std::max(all.seconds, seconds);
  all.wrong += static_cast<double>(run.wrong());
  meet();
  return all;
}

nlohmann::ordered_json report(const Arguments& arguments, const Run& run, int ranks,
                              const Measured& measured, const Communicator* communicator) {
  nlohmann::ordered_json object = {{"shape", arguments.torus.shape.to_string()},
                                   {"ranks", ranks},
                                   {"operation", arguments.operation},
                                   {"bytes", arguments.count * sizeof(double)},
                                   {"by", arguments.by_cuboid ? "cuboid" : "mpi"},
                                   {"seconds", measured.seconds},
                                   {"wrong", measured.wrong}};
  if (communicator == nullptr) return object;
  const GroupCostModel& model = communicator->state().cost_model;
  const Collective call = run.collective();
  const Choice choice = select(call, model, communicator->state().rules);
  object["algorithm"] = describe(choice);
  object["predicted_seconds"] = choice.seconds;
  const auto simulated = simulated_seconds({call, model}, *choice.algorithm, choice.settings);
  object["simulated_seconds"] = simulated ? nlohmann::ordered_json(*simulated) : nullptr;
  object["algorithm_name"] = choice.algorithm->name;
  object["choices"] = nlohmann::ordered_json::array();
  for (const Choice& one : choices(call, model)) {
    object["choices"].push_back(
        {{"algorithm", one.algorithm->name}, {"predicted_seconds", one.seconds}});
  }
  return object;
}

}  // namespace

int run(int argc, char** argv) {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Arguments arguments = read(argc, argv);
  std::optional<Communicator> communicator;
  if (arguments.by_cuboid) communicator.emplace(world_on(arguments.torus));
  Run one(arguments, rank, ranks);
  const Communicator* const by = communicator ? &*communicator : nullptr;
  const Measured measured = measure(arguments, one, by);
  if (rank == 0) std::printf("%s\n", report(arguments, one, ranks, measured, by).dump().c_str());
  return measured.wrong == 0 ? 0 : 1;
}

}  // namespace cuboid::detail::smpi
