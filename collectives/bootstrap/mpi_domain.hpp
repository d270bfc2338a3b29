#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <mpi.h>

namespace cuboid::detail {

/// A communicator of Cuboid's own: the duplicate of a program's communicator. All bootstraps and
/// carriers over that communicator share it. It is made once and kept until the program frees its
/// own communicator or finalises MPI. So no message of Cuboid's meets a receive of the program's, a
/// message that comes late still finds its communicator, and no rank has to wait for others in
/// order to free one.
class MpiDomain {
 public:
  /// The domain of a program's communicator. The first call is collective. It throws Error(timeout)
  /// that names the ranks that are missing, on all ranks that came. Throws Error(unsupported).
  static std::shared_ptr<MpiDomain> of(MPI_Comm parent, std::chrono::duration<double> timeout);
  /// A domain that ends with its last carrier; the caller must see to it that this happens before
  /// MPI ends. It outlives the parent, and does not call the functions that the program has
  /// attached to the parent. Collective.
  static std::shared_ptr<MpiDomain> apart_from(MPI_Comm parent);

  explicit MpiDomain(MPI_Comm communicator);
  ~MpiDomain() = default;
  MpiDomain(const MpiDomain&) = delete;
  MpiDomain& operator=(const MpiDomain&) = delete;

  MPI_Comm communicator() const { return communicator_; }
  bool closed() const { return closed_; }

  /// A tag for a bootstrap. It is the same on every rank, because all ranks make bootstraps in the
  /// same order.
  int next_bootstrap_tag();
  /// The number of the next carrier. It is the same on every rank, because all ranks make carriers
  /// in the same order.
  std::uint32_t next_instance() { return instances_++; }
  /// The MPI tag of the envelopes of a carrier.
  static int envelope_tag(std::uint32_t instance) { return static_cast<int>(instance % envelopes); }
  /// An MPI tag for data that an envelope announces. No other data in flight has it.
  int next_data_tag();

  /// Says that messages may come that no receive is posted for, so close() must deal with them.
  void may_leave_messages() { unmatched_ = true; }

  /// Sets a function that is called when MPI is about to end, while the carrier can still send.
  void add(const void* carrier, std::function<void()> close);
  void remove(const void* carrier);
  /// Called when the program frees its communicator or finalises MPI.
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
