#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <mpi.h>

namespace cuboid::detail {

/// A communicator of Cuboid's own, the duplicate of a program's, which all bootstraps and carriers
/// over that one share: it is made once and kept until the program frees its own or finalises MPI.
/// So no message meets a receive of the program's, none that comes late meets a communicator that
/// is no more, and no rank has to wait for the others to free one.
class MpiDomain {
 public:
  /// That of a communicator. Collective over it the first time, when it throws Error(timeout) with
  /// the ranks that are missing, on all others. Throws Error(unsupported).
  static std::shared_ptr<MpiDomain> of(MPI_Comm parent, std::chrono::duration<double> timeout);
  /// One that ends with its last carrier, before MPI does: the caller sees to that. It outlives the
  /// parent, and calls none of the functions that the program has attached to it. Collective.
  static std::shared_ptr<MpiDomain> apart_from(MPI_Comm parent);

  explicit MpiDomain(MPI_Comm communicator);
  ~MpiDomain() = default;
  MpiDomain(const MpiDomain&) = delete;
  MpiDomain& operator=(const MpiDomain&) = delete;

  MPI_Comm communicator() const { return communicator_; }
  bool closed() const { return closed_; }

  /// A tag for a bootstrap; the same on every rank, as all make them in the same order.
  int next_bootstrap_tag();
  /// The number of the next carrier; the same on every rank, as all make them in the same order.
  std::uint32_t next_instance() { return instances_++; }
  /// The MPI tag of the envelopes of a carrier.
  static int envelope_tag(std::uint32_t instance) { return static_cast<int>(instance % envelopes); }
  /// An MPI tag for data that an envelope tells of: no other's in flight.
  int next_data_tag();

  /// Says that messages may come which no receive is posted for: close() sees to them.
  void may_leave_messages() { unmatched_ = true; }

  /// Has `close` called before MPI carries nothing any more.
  void add(const void* carrier, std::function<void()> close);
  void remove(const void* carrier);
  /// The program frees its communicator, or finalises MPI.
  void close();

 private:
  static constexpr std::uint32_t envelopes = 512;
  static constexpr std::uint32_t bootstraps = 512;

  struct OpenCarrier {
    const void* carrier;
    std::function<void()> close;
  };

  MPI_Comm communicator_;
  int highest_tag_;
  std::uint32_t bootstraps_made_ = 0;
  std::uint32_t instances_ = 0;
  std::uint32_t data_messages_ = 0;
  bool unmatched_ = false;
  bool closed_ = false;
  std::vector<OpenCarrier> carriers_;
};

}  // namespace cuboid::detail
