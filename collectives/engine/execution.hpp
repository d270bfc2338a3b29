#pragma once

#include <cuboid/error.hpp>
#include <cuboid/on_stream.hpp>

#include "base/clock.hpp"
#include "collectives/engine/device_staging.hpp"
#include "collectives/engine/direct_run.hpp"
#include "collectives/engine/engine.hpp"
#include "collectives/engine/send_order.hpp"
#include "collectives/schedules/planned_collective.hpp"
#include "collectives/transport/group.hpp"
#include "collectives/transport/transport.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cuboid::detail {

/// How long callers have waited for an execution without a step of it completing, in this wait and
/// in earlier waits.
struct Stall {
  std::uint32_t steps_left = 0;  ///< the number of steps left when the last step completed
  Clock::duration waited{};
  /// The part of the time in which something moved without a long pause, perhaps parts of a long
  /// message; and how much of it has been granted as not waiting.
  Clock::duration moving{};
  Clock::duration excused{};
  /// For looks from a caller's own loop: the time of the last look, and the time when the run was
  /// last checked for problems that no message announces.
  Clock::time_point looked_at{};
  Clock::time_point checked_at{};
  std::uint64_t movements = 0;
  Clock::duration moved_at{};
};

/// Runs a planned collective on given buffers, one run at a time. All memory that it needs is
/// allocated when it is made. A run is done when all its steps are complete and everything that it
/// sent has left this process: so nothing that the caller does next holds up another rank.
class Execution {
 public:
  Execution(std::shared_ptr<Engine> engine, std::shared_ptr<Group> group,
            std::shared_ptr<const PlannedCollective> planned);
  /// If a run has not ended, takes the caller's buffers back from the network first.
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Sets the caller's buffers for the next runs.
  void bind(const void* input, void* output);
  /// True if the two buffers lie at the same distance from each other as the buffers of the last
  /// bind().
  bool lie_as_before(const void* input, const void* output) const;
  /// Starts a run. Its first step waits for the work of the stream `after`, if one is given; runs
  /// on devices' memory otherwise wait for the default stream's work. Throws
  /// Error(invalid_argument) if a run is in flight, a buffer that the run uses is a null pointer,
  /// or memory of a device that cannot be used; and Error(peer_failed) if the group is broken.
  void start(OnStream after = {});
  /// The rest of this run: copies to a device end without anybody's wait, and work that is put into
  /// `stream` later waits for them instead.
  void end_on(OnStream stream);

  bool done() const { return steps_left_ == 0; }
  /// True if this is a collective of the group, not a message.
  bool is_collective_of(const Group& group) const {
    return group_.get() == &group && is_collective();
  }
  /// The sequence number of the run that was started last.
  std::uint32_t sequence() const { return sequence_; }
  std::uint32_t steps_left() const { return steps_left_; }
  Stall& stall() { return stall_; }
  const PlannedCollective& planned() const { return *planned_; }
  Engine& engine() { return *engine_; }

  /// Runs every step that is ready. Returns true if the run is done.
  bool advance();
  /// True if the run waits for copies between a device and the host.
  bool awaits_device() const {
    return stage_ != StagingStage::on_host || (goes_directly_ && direct_->awaits_device());
  }
  /// The group's board if the run waits for other ranks to write to it or to read from it;
  /// otherwise nullptr.
  Board* awaited_board() const {
    return waits_.empty() && !awaits_directly() ? nullptr : group_->board();
  }
  /// The ranks that the run waits for on the board, as a set (see Board::set_of()).
  std::uint64_t awaited_on_board() const;
  /// Looks if the run can go on because of what other ranks have done on the board. If so, returns
  /// true; advance() then runs the next steps.
  bool look_at_board();
  /// From now on notices when ranks that the run waits for on the board have left or died.
  void watch_board();
  /// Makes the run fail if a rank that it still needs is gone.
  void check_peers();
  /// Makes the run fail if another operation of the group has failed, because the group's ranks no
  /// longer agree on what comes next.
  void check_group();
  /// Makes the run fail if a message that it waits for has come with another length.
  void check_lengths();
  /// The bytes of the longest message in flight.
  std::size_t longest_message() const;
  /// Makes the run fail with an error that names the ranks that it waits for.
  void time_out();
  /// Ends the run by an exception of the caller, for example one that interrupts the wait. With
  /// nullptr the run ends on this rank only; the other ranks must be told by other means.
  void end_by(std::exception_ptr thrown, const std::string& what);
  /// Throws the error that ended the run. If a callback threw an exception, the first call throws
  /// that exception and later calls an Error with its text. Does nothing if the run succeeded.
  void throw_if_failed();

 private:
  struct StepTransfer : PendingTransfer {
    Execution* execution = nullptr;
    StepId step = 0;
  };

  // Scratch memory is aligned for any element, including elements of vector registers.
  struct alignas(scratch_alignment) ScratchLine {
    std::byte bytes[scratch_alignment];
  };

  // A step that waits on the board, and the rank that it looks at next. Ranks before that one have
  // done their part.
  struct BoardWait {
    StepId step;
    int next = 0;
  };

  // A peer that does not do its part, and what is known about the reason.
  struct Missed {
    Peers::Failure known;
    int peer;
  };

  /// Where the data of a staged run are: some on their way to the host, where the steps work on
  /// them; all there, or on their way back; or all steps complete and the rest on its way back.
  enum class StagingStage : std::uint8_t { to_host, on_host, to_device };

  void place(OnStream after);
  void stage(OnStream after);
  void tell_of_start(OnStream after);
  void go_through_host(OnStream after);
  bool go_directly();
  void end_directly();
  void take_copies();
  bool must_wait_for_copies(StepId step) const;
  void copy_back();
  void bring_back();
  void run(StepId step);
  bool is_collective() const { return planned_->matching == Matching::by_sequence; }
  bool awaits_directly() const { return goes_directly_ && direct_->awaits_others(); }
  bool is_on_board() const { return planned_->schedule.board_rows > 0; }
  bool has_come(BoardWait& wait);
  void count_traffic(const std::vector<PeerTraffic>& traffic);
  template <class Act>
  void for_each_awaited(const Act& act) const;
  void check_awaited();
  StepTransfer& transfer_of(StepId step);
  bool run_transfer(const Step& step, StepTransfer& transfer);
  void complete(StepId step);
  void see_data_off();
  void fail(const Error& error);
  void fail_here(ErrorCode code, const std::string& what);
  void drain();
  void fail_in_the_group(const Error& error, const Step& step);
  bool fails() const { return failure_ || missed_; }
  /// Notes that a peer does not do its part. May be called from inside a callback.
  void miss(const Peers::Failure& known, int peer);
  Error cause_of_missing();
  Error failed(const Peers::GroupFailure& told) const;
  Error peer_failed(const Peers::Failure& failure) const;
  void disagree(int peer, std::size_t bytes);
  std::string waiting_for() const;
  /// A receive for which a message of another length may have come; nullptr if there is none.
  const Step* mismatched() const;
  const std::byte* address(const Address& where) const;
  std::byte* on_board(const Address& where) const;
  std::byte* writable(const Address& where) const;
  std::byte* scratch() const { return reinterpret_cast<std::byte*>(scratch_.get()); }
  Tag tag(const Step& step, int sender) const;
  std::string prefix() const;

  static void transfer_done(PendingTransfer& transfer, TransferStatus status);

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Group> group_;
  std::shared_ptr<const PlannedCollective> planned_;
  bool uses_input_;
  bool uses_output_;
  // The caller's buffers, and where this run's steps find them.
  const std::byte* bound_input_ = nullptr;
  std::byte* bound_output_ = nullptr;
  const std::byte* input_ = nullptr;
  std::byte* output_ = nullptr;
  std::unique_ptr<DeviceStaging> staging_;  // made by the first run of a process that uses devices
  StagingStage stage_ = StagingStage::on_host;
  std::vector<StepId> await_copies_;  // steps that wait for copies to the host, in this order
  std::vector<StepId> coming_;        // empty, but while such steps are looked at
  std::optional<DirectRun> direct_;   // likewise
  bool goes_directly_ = false;        // as far as is known
  OnStream end_on_;
  std::unique_ptr<ScratchLine[]> scratch_;

  SendOrder send_order_;
  std::vector<std::uint32_t> dependencies_left_;
  // One for each step that sends or receives, in the order of the steps.
  std::vector<StepTransfer> transfers_;
  // Peers to which data may stay in this process when its send is complete.
  std::vector<int> may_stay_behind_;
  // The peers of may_stay_behind_ for which this process may still hold data of this run.
  std::vector<int> behind_;
  bool copies_back_ = false;  // whether a copy to a device is left
  Board::Turn turn_;
  std::vector<BoardWait> waits_;
  bool watches_board_ = false;
  std::vector<StepId> ready_;  // a queue that every step passes through once per run
  std::size_t next_ready_ = 0;
  std::uint32_t steps_left_ = 0;  // steps, peers to which data stays behind, and a copy back
  Stall stall_;
  std::uint32_t sequence_ = 0;
  std::optional<Error> failure_;  // found while a step or a callback ran; advance() deals with it
  std::optional<Missed> missed_;  // the first peer missed; advance() deals with it
  std::string untold_;            // text of a failure that the group's other ranks cannot know of
  std::optional<Error> error_;
  std::exception_ptr thrown_;  // thrown by a callback; the cause of the error
};

}  // namespace cuboid::detail
