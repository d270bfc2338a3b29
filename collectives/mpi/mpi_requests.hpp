#pragma once

#include "collectives/mpi/simulated_wires.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include <mpi.h>

namespace cuboid::detail {

struct PendingTransfer;

/// A message that MPI carries in one or several parts.
struct MpiMessage {
  static constexpr std::size_t no_slot = std::numeric_limits<std::size_t>::max();
  /// MPI counts in int.
  static constexpr std::size_t longest_part = std::size_t{1} << 30;

  int peer = 0;
  bool receiving = false;
  // Ends with the message; nullptr if the data is the carrier's own.
  PendingTransfer* transfer = nullptr;
  const std::byte* from = nullptr;  // the data of a send
  std::byte* into = nullptr;        // the memory of a receive
  std::size_t bytes = 0;
  std::size_t part_bytes = longest_part;
  std::size_t begun = 0;  // the bytes of the parts that have begun
  std::size_t parts = 0;  // the number of parts under way
  int tag = 0;
  MPI_Comm communicator = MPI_COMM_NULL;
  bool failed = false;
  bool cancelled = false;  // cancelled, or about to be: no further part begins
  bool abandoned = false;  // nobody waits for it any more
  // The peer of a wire, if the message goes to this rank itself only to measure time.
  std::optional<int> timer_of;
  void* destination = nullptr;  // where `own` is copied when all of it has come
  std::size_t slot = no_slot;   // the slot of an envelope that is to come
  std::vector<std::byte> own;   // memory of the carrier that the message comes from or goes to
};

/// All requests of a carrier, tested and waited for together.
class MpiRequests {
 public:
  /// One part of a message, and how it ended.
  struct CompletedPart {
    MpiMessage* message;
    MPI_Status status;
    int error;
  };

  /// A message without requests. It stays at its address until it is freed.
  MpiMessage& make();
  void free(MpiMessage& message);

  /// Sends or receives in parts of `part_bytes` bytes, a few at a time. Returns MPI's status.
  int send(MpiMessage& message, const void* data, std::size_t bytes, int tag,
           MPI_Comm communicator);
  int receive(MpiMessage& message, void* data, std::size_t bytes, int source, int tag,
              MPI_Comm communicator);

  /// Begins further parts after a part has ended. Returns MPI's status.
  int go_on(MpiMessage& message);

  /// The parts that have ended; valid until the next call of test() or wait().
  const std::vector<CompletedPart>& test();
  /// Waits until at least one part has ended, and returns it.
  const std::vector<CompletedPart>& wait();

  /// Asks MPI to end the parts of a message that are under way.
  void cancel(MpiMessage& message);
  /// Leaves the parts of all messages for which `given_up` is true to MPI.
  void abandon(const std::function<bool(const MpiMessage&)>& given_up);
  /// True if a message for which `condition` is true is under way.
  bool any(const std::function<bool(const MpiMessage&)>& condition) const;
  void for_each(const std::function<void(MpiMessage&)>& action);

 private:
  void drive_wire(int peer);
  void start_timer(int peer, double seconds);
  void wire_goes_on(const MpiMessage& ended);
  int start(MpiMessage& message);
  int begin_part(MpiMessage& message);
  const std::vector<CompletedPart>& collect(int status, int count);
  void make_room();
  void compact();

  std::deque<MpiMessage> messages_;
  std::vector<MpiMessage*> free_;
  std::vector<MPI_Request> requests_;
  std::vector<MpiMessage*> owners_;  // the message of each request
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<CompletedPart> ended_;
  SimulatedWires wires_;  // used only on simulated networks
};

}  // namespace cuboid::detail
