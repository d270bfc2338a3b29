#include "tools/command/system_result.hpp"

#include <algorithm>

namespace cuboid::detail::tools {

void tell_run(SystemResult& result, const SystemProblem& problem, const MatrixFlags& flags,
              const Communicator& communicator, const LocalKernels& kernels) {
  result.problem = problem;
  result.ranks = communicator.size();
  result.transport = communicator.transport();
  result.threads = flags.threads;
  result.repeats = flags.repeat;
  result.blas = kernels.gemm.library();
  result.kernels = kernels.gemm.kernels();
  result.lapack = kernels.lapack.library();
  result.lapack_kernels = kernels.lapack.kernels();
}

void add_rank(SystemResult& result, const SystemRankSummary& rank) {
  result.read = std::max(result.read, rank.read);
  result.write = std::max(result.write, rank.write);
  result.bytes_sent_total += rank.all.bytes_sent;
  result.bytes_sent_max = std::max(result.bytes_sent_max, rank.all.bytes_sent);
  result.messages_max = std::max(result.messages_max, rank.all.messages_sent);
  result.peak_memory_bytes_max = std::max(result.peak_memory_bytes_max, rank.peak_memory);
}

void put_problem(nlohmann::ordered_json& object, const SystemResult& result) {
  object["m"] = result.problem.m;
  object["n"] = result.problem.n;
  object["right_hand_sides"] = result.problem.right_hand_sides;
  object["type"] = std::string(1, letter(result.problem.type));
  put_ranks(object, result);
}

void put_times(nlohmann::ordered_json& object, const SystemResult& result, double gflops) {
  put_time(object, result, gflops);
  object["solve_seconds"] = nullptr;
  if (result.solve_seconds > 0) object["solve_seconds"] = result.solve_seconds;
}

void put_resources(nlohmann::ordered_json& object, const SystemResult& result) {
  object["bytes_sent_total"] = result.bytes_sent_total;
  object["bytes_sent_max"] = result.bytes_sent_max;
  object["messages_max"] = result.messages_max;
  object["peak_memory_bytes_max"] = result.peak_memory_bytes_max;
  object["blas"] = result.blas;
  object["kernels"] = result.kernels;
  object["lapack"] = result.lapack;
  object["lapack_kernels"] = result.lapack_kernels;
}

}  // namespace cuboid::detail::tools
