#pragma once

#include "collectives/bootstrap/pmix_library.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace cuboid::detail {

/// This process as a client of the PMIx server that its launcher runs on each node: what a process
/// puts there, all processes of the job can get. Starts with the first bootstrap. Ends with the
/// process, because a launcher ends the other ranks when a process leaves without that, and PMIx
/// cannot start again.
class PmixClient {
 public:
  /// Throws Error(unsupported), with the remedy, if this process is no client of PMIx.
  static PmixClient& of_this_process();

  ~PmixClient();
  PmixClient(const PmixClient&) = delete;
  PmixClient& operator=(const PmixClient&) = delete;

  int rank() const { return static_cast<int>(self_.rank); }
  int size() const { return static_cast<int>(size_); }

  /// The number of the next bootstrap. It is the same on every rank, because all ranks make
  /// bootstraps in the same order.
  unsigned next_bootstrap() { return bootstraps_++; }

  /// Makes bytes known under a key. Other ranks can get them at once.
  void publish(const std::string& key, std::span<const std::byte> bytes) const;

  /// Waits until all ranks are here; then what they have published is on every node. Returns PMIx's
  /// status: pmix::timeout if the ranks are not all here in time.
  int fence(std::chrono::duration<double> patience);

  /// False once a fence has failed on some rank: ranks may not be at the same fence since.
  bool in_step() const { return in_step_; }
  void leave_step() { in_step_ = false; }

  /// What other ranks have published under a key, by rank; nothing for this rank, and for a rank
  /// that does not do so in time.
  std::vector<std::optional<std::vector<std::byte>>> published_by_others(
      const std::string& key, std::chrono::duration<double> patience) const;

  std::string text_of(int status) const { return library_.text_of(status); }

 private:
  PmixClient();

  PmixProcess process(std::uint32_t rank) const { return {self_.job, rank}; }
  std::uint32_t ask_for_size() const;

  PmixLibrary library_;
  PmixProcess self_{};
  pid_t process_id_;
  std::uint32_t size_ = 0;
  std::atomic<unsigned> bootstraps_ = 0;
  std::atomic<bool> in_step_ = true;
};

}  // namespace cuboid::detail
