#include "collectives/bootstrap/roll_call.hpp"

#include "collectives/bootstrap/absent_ranks.hpp"
#include "collectives/bootstrap/mpi_status.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace cuboid::detail {

namespace {

enum class Answer : char { none, ready, not_ready };

/// The report of rank 0, the same for each rank.
constexpr std::size_t longest_verdict = 320;
using Verdict = std::array<char, longest_verdict>;

/// The memory that MPI reads and writes until the calls are complete.
struct RollCall {
  Answer mine = Answer::none;
  Verdict verdict{};
  std::vector<Answer> answers;  // this and the following vectors are used on rank 0 only
  std::vector<Verdict> verdicts;
  std::vector<int> counts;
  std::vector<int> offsets;
  MPI_Request gather = MPI_REQUEST_NULL;
  MPI_Request scatter = MPI_REQUEST_NULL;
};

void gather(RollCall& roll, MPI_Comm communicator, std::size_t receivers) {
  roll.answers.assign(receivers, Answer::none);
  roll.counts.assign(receivers, 1);
  roll.offsets.resize(receivers);
  std::iota(roll.offsets.begin(), roll.offsets.end(), 0);
  require_mpi(PMPI_Igatherv(&roll.mine, 1, MPI_BYTE, roll.answers.data(), roll.counts.data(),
                            roll.offsets.data(), MPI_BYTE, 0, communicator, &roll.gather),
              "MPI_Igatherv");
}

void scatter(RollCall& roll, MPI_Comm communicator) {
  constexpr int bytes = longest_verdict;
  roll.verdicts.assign(roll.answers.size(), roll.verdict);
  std::ranges::fill(roll.counts, bytes);
  for (int& offset : roll.offsets) offset *= bytes;
  require_mpi(
      PMPI_Iscatterv(roll.verdicts.data(), roll.counts.data(), roll.offsets.data(), MPI_BYTE,
                     roll.verdict.data(), bytes, MPI_BYTE, 0, communicator, &roll.scatter),
      "MPI_Iscatterv");
}

std::string judge(const std::vector<Answer>& answers, std::chrono::duration<double> patience) {
  std::vector<bool> came;
  for (const Answer answer : answers) came.push_back(answer != Answer::none);
  if (std::ranges::find(came, false) != came.end()) return absent_ranks(came, patience);
  const auto not_ready = std::ranges::find(answers, Answer::not_ready);
  if (not_ready == answers.end()) return {};
  return fmt::format("rank {} of {} was not ready in time; set CUBOID_TIMEOUT to a longer time",
                     not_ready - answers.begin(), answers.size());
}

}  // namespace

void call_the_roll(MPI_Comm communicator, const char* purpose, bool ready,
                   std::chrono::duration<double> patience) {
  constexpr std::chrono::duration<double> patience_for_verdict{5.0};
  constexpr std::chrono::duration<double> patience_for_takers{1.0};
  int rank = 0;
  int size = 0;
  require_mpi(PMPI_Comm_rank(communicator, &rank), "MPI_Comm_rank");
  require_mpi(PMPI_Comm_size(communicator, &size), "MPI_Comm_size");

  auto roll = std::make_unique<RollCall>();
  roll->mine = ready ? Answer::ready : Answer::not_ready;
  gather(*roll, communicator, rank == 0 ? static_cast<std::size_t>(size) : 0);
  if (rank == 0) {
    look_until(deadline_after(patience), [&] { return is_complete(roll->gather); });
    const std::string verdict = judge(roll->answers, patience);
    std::copy_n(verdict.data(), std::min(verdict.size(), longest_verdict - 1),
                roll->verdict.data());
  }
  scatter(*roll, communicator);
  const auto until =
      deadline_after(rank == 0 ? patience_for_takers : patience + patience_for_verdict);
  const bool heard = look_until(until, [&] {
    const bool told = is_complete(roll->gather);
    return is_complete(roll->scatter) && (told || rank == 0);
  });
  std::string verdict = roll->verdict.data();
  if (rank != 0 && !heard) {
    std::vector<bool> came(static_cast<std::size_t>(size), true);
    came[0] = false;
    verdict = absent_ranks(came, patience);
  }
  // MPI cannot take the calls back without the missing ranks, so their memory is never freed.
  if (roll->gather != MPI_REQUEST_NULL || roll->scatter != MPI_REQUEST_NULL)
    static_cast<void>(roll.release());
  if (verdict.empty()) return;
  throw Error(ErrorCode::timeout, fmt::format("rank {}: {}: {}", rank, purpose, verdict));
}

}  // namespace cuboid::detail
