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

/// A message that MPI carries, in one part or several.
struct MpiMessage {
  static constexpr std::size_t no_slot = std::numeric_limits<std::size_t>::max();
  /// MPI counts in int.
  static constexpr std::size_t longest_part = std::size_t{1} << 30;

  int peer = 0;
  bool receiving = false;
  PendingTransfer* transfer = nullptr;  // that ends with it; nullptr where the data is our own
  const std::byte* from = nullptr;      // of what is sent
  std::byte* into = nullptr;            // of what is received
  std::size_t bytes = 0;
  std::size_t part_bytes = longest_part;
  std::size_t begun = 0;  // bytes, of the parts that have begun
  std::size_t parts = 0;  // under way
  int tag = 0;
  MPI_Comm communicator = MPI_COMM_NULL;
  bool failed = false;
  bool cancelled = false;       // or is to be: no further part begins
  bool abandoned = false;       // is waited for no longer
  std::optional<int> timer_of;  // wire to a peer: to this rank itself, for its time only
  void* destination = nullptr;  // that `own` is copied to when it is there
  std::size_t slot = no_slot;   // of an envelope that is to come
  std::vector<std::byte> own;   // memory of the carrier's that it comes from or goes to
};

/// All that is posted, tested and waited for at once.
class MpiRequests {
 public:
  /// One part of a message, and how it ended.
  struct CompletedPart {
    MpiMessage* message;
    MPI_Status status;
    int error;
  };

  /// A message of which nothing is under way yet; stays where it is until it is freed.
  MpiMessage& make();
  void free(MpiMessage& message);

  /// Sends or receives in parts of `part_bytes`, a few at a time. Returns MPI's status.
  int send(MpiMessage& message, const void* data, std::size_t bytes, int tag,
           MPI_Comm communicator);
  int receive(MpiMessage& message, void* data, std::size_t bytes, int source, int tag,
              MPI_Comm communicator);

  /// Begins the parts that follow one that has ended. Returns MPI's status.
  int go_on(MpiMessage& message);

  /// The parts that have ended; until the next call.
  const std::vector<CompletedPart>& test();
  /// One of them once there is any.
  const std::vector<CompletedPart>& wait();

  /// Asks MPI to end what is under way of a message.
  void cancel(MpiMessage& message);
  /// Leaves to MPI what is under way of the messages for which `given_up` says so.
  void abandon(const std::function<bool(const MpiMessage&)>& given_up);
  /// Whether a message is under way for which `condition` holds.
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
  std::vector<MpiMessage*> owners_;  // of the requests
  std::vector<int> indices_;
  std::vector<MPI_Status> statuses_;
  std::vector<CompletedPart> ended_;
  SimulatedWires wires_;  // of simulated networks
};

}  // namespace cuboid::detail
