#pragma once

#include "collectives/bootstrap/pmix_library.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

namespace cuboid::detail {

/// Calls of PMIx's that have not ended.
class PmixCalls;

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

  /// Waits until all ranks have come to as many fences as this rank; then what they had published
  /// is on every node. Returns PMIx's status: pmix::timeout if a rank does not come in time. Then
  /// the fence is pending, and this rank must not come to another before it has ended.
  int fence(std::chrono::duration<double> patience);

  /// Waits until the last fence has ended, at most for `patience`. Returns true if the fence is
  /// still pending.
  bool is_fence_pending(std::chrono::duration<double> patience = {}) const;

  /// How many fences this rank has come to.
  std::uint32_t fences() const { return fences_; }

  /// What other ranks have published under a key, by rank; nothing for this rank, and for a rank
  /// that does not do so in time.
  std::vector<std::optional<std::vector<std::byte>>> published_by_others(
      const std::string& key, std::chrono::duration<double> patience) const;

  std::string text_of(int status) const { return library_.text_of(status); }

 private:
  PmixClient();

  PmixProcess process(std::uint32_t rank) const { return {self_.job, rank}; }
  int initialise();
  std::uint32_t ask_for_size() const;

  PmixLibrary library_;
  PmixProcess self_{};
  pid_t process_id_;
  std::uint32_t size_ = 0;
  std::atomic<unsigned> bootstraps_ = 0;
  std::uint32_t fences_ = 0;
  std::shared_ptr<PmixCalls> last_fence_;
};

}  // namespace cuboid::detail
