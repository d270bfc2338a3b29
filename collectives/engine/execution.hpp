#pragma once

#include <cuboid/error.hpp>

#include "base/clock.hpp"
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

/// How long has been waited for an execution, in this wait and those before, without it getting on.
struct Stall {
  std::uint32_t steps_left = 0;  ///< at its last step
  Clock::duration waited{};
  /// While something moved all the time, which may have been parts of a long message, and how much
  /// of that does not count as waiting.
  Clock::duration moving{};
  Clock::duration excused{};
  /// For looks from a caller's own loop: when the last was, what the engine had seen move by then,
  /// and how long had been waited when it last did; when it was last checked for what no message
  /// tells.
  Clock::time_point looked_at{};
  Clock::time_point checked_at{};
  std::uint64_t movements = 0;
  Clock::duration moved_at{};
};

/// One run of a planned collective at a time, on given buffers. All memory it needs is allocated
/// when it is made. A run is done when all its steps are, and what it sent has left this process:
/// what the caller does next holds up no other rank.
class Execution {
 public:
  Execution(std::shared_ptr<Engine> engine, std::shared_ptr<Group> group,
            std::shared_ptr<const PlannedCollective> planned);
  /// Takes the caller's buffers back first where a run has not ended.
  ~Execution();
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;

  /// Sets the caller's buffers for the next runs.
  void bind(const void* input, void* output);
  /// Whether these lie to each other as those do that were set last.
  bool lie_as_before(const void* input, const void* output) const;
  /// Starts a run. Throws Error(invalid_argument) when one is in flight or a buffer lies nowhere,
  /// Error(peer_failed) when the group is broken.
  void start();

  bool done() const { return steps_left_ == 0; }
  /// Whether it is a collective of this group.
  bool is_collective_of(const Group& group) const {
    return group_.get() == &group && planned_->matching == Matching::by_sequence;
  }
  /// Of the run that was started last.
  std::uint32_t sequence() const { return sequence_; }
  std::uint32_t steps_left() const { return steps_left_; }
  Stall& stall() { return stall_; }
  const PlannedCollective& planned() const { return *planned_; }
  Engine& engine() { return *engine_; }

  /// Runs every step that is ready. Returns true when that ended the run.
  bool advance();
  /// The group's board, where the run waits for what others write to it or read of it.
  Board* awaited_board() const { return waits_.empty() ? nullptr : group_->board(); }
  /// Whom it waits for there, as Board::set_of() has them.
  std::uint64_t awaited_on_board() const;
  /// Looks whether anything of that has happened; if so, advance() goes on with it.
  bool look_at_board();
  /// Has it noticed that those it waits for there have left or died.
  void watch_board();
  /// Fails where a rank of the group is gone and still needed.
  void check_peers();
  /// Fails where another operation of the group has failed: its ranks no longer agree on what comes
  /// next.
  void check_group();
  /// Fails where what it waits for has come with another length.
  void check_lengths();
  /// Of the longest message in flight.
  std::size_t longest_message() const;
  /// Fails with a message that names whom it waits for.
  void time_out();
  /// Ends the run by an exception of the caller's, e.g. one that interrupts its wait; by nullptr on
  /// this rank only, where the others are told by other means.
  void end_by(std::exception_ptr thrown, const std::string& what);
  /// Throws what ended the run; a callback's exception once, its text afterwards. Does nothing if
  /// the run succeeded.
  void throw_if_failed();

 private:
  struct StepTransfer : PendingTransfer {
    Execution* execution = nullptr;
    StepId step = 0;
  };

  // Scratch memory is aligned for any element, those of vector registers too.
  struct alignas(scratch_alignment) ScratchLine {
    std::byte bytes[scratch_alignment];
  };

  // A step that waits on the board, and whom it looks at next: those before have done their part.
  struct BoardWait {
    StepId step;
    int next = 0;
  };

  // A peer that does not do its part, and what is known of why.
  struct Missed {
    Peers::Failure known;
    int peer;
  };

  void run(StepId step);
  bool is_on_board() const { return planned_->schedule.board_rows > 0; }
  bool has_come(BoardWait& wait);
  void count_traffic();
  template <class Act>
  void for_each_awaited(const Act& act) const;
  void check_awaited();
  StepTransfer& transfer_of(StepId step);
  bool run_transfer(const Step& step, StepTransfer& transfer);
  void complete(StepId step);
  void follow_up();
  void fail(const Error& error);
  void fail_here(ErrorCode code, const std::string& what);
  void drain();
  void fail_in_the_group(const Error& error, const Step& step);
  bool fails() const { return failure_ || missed_; }
  /// Notes that a peer does not do its part. Also from inside a callback.
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
  static void follow_up_done(PendingTransfer& transfer, TransferStatus status);

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Group> group_;
  std::shared_ptr<const PlannedCollective> planned_;
  bool uses_input_;
  bool uses_output_;
  const std::byte* input_ = nullptr;
  std::byte* output_ = nullptr;
  std::unique_ptr<ScratchLine[]> scratch_;

  SendOrder send_order_;
  std::vector<std::uint32_t> dependencies_left_;
  std::vector<StepTransfer> transfers_;   // of the steps that send or receive, in their order
  std::vector<StepTransfer> follow_ups_;  // one for each peer to which data may stay behind
  bool followed_up_ = false;
  Board::Turn turn_;
  std::vector<BoardWait> waits_;
  bool watches_board_ = false;
  std::vector<StepId> ready_;  // a queue: every step passes through it once a run
  std::size_t next_ready_ = 0;
  std::uint32_t steps_left_ = 0;  // the follow-ups' included
  Stall stall_;
  std::uint32_t sequence_ = 0;
  std::optional<Error> failure_;  // found while a step or a callback ran, dealt with in advance()
  std::optional<Missed> missed_;  // the first, likewise
  std::string untold_;            // of a failure that the group's other ranks cannot know of
  std::optional<Error> error_;
  std::exception_ptr thrown_;  // by a callback, the cause of the error
};

}  // namespace cuboid::detail
