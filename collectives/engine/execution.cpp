#include "collectives/engine/execution.hpp"

#include "base/copy_bytes.hpp"
#include "base/thrown.hpp"
#include "collectives/transport/reclaim_buffers.hpp"
#include "collectives/transport/silent_ranks.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

bool is_board_wait(const Step& step) {
  return step.kind == Step::Kind::claim || step.kind == Step::Kind::await;
}

bool is_transfer(const Step& step) {
  return step.kind == Step::Kind::send || step.kind == Step::Kind::receive;
}

}  // namespace

Execution::Execution(std::shared_ptr<Engine> engine, std::shared_ptr<Group> group,
                     std::shared_ptr<const PlannedCollective> planned)
    : engine_(std::move(engine)),
      group_(std::move(group)),
      planned_(std::move(planned)),
      uses_input_(planned_->schedule.uses(Area::input)),
      uses_output_(planned_->schedule.uses(Area::output)),
      scratch_(std::make_unique_for_overwrite<ScratchLine[]>(planned_->schedule.scratch_bytes /
                                                             sizeof(ScratchLine))),
      send_order_(planned_->schedule),
      dependencies_left_(planned_->schedule.steps.size()),
      transfers_(
          static_cast<std::size_t>(std::ranges::count_if(planned_->schedule.steps, is_transfer))) {
  const std::vector<Step>& steps = planned_->schedule.steps;
  ready_.reserve(steps.size());
  waits_.reserve(static_cast<std::size_t>(std::ranges::count_if(steps, is_board_wait)));
  auto transfer = transfers_.begin();
  for (StepId step = 0; step < steps.size(); ++step) {
    if (!is_transfer(steps[step])) continue;
    transfer->done = &Execution::transfer_done;
    transfer->execution = this;
    transfer->step = step;
    ++transfer;
  }
  std::set<int> peers;
  for (const Step& step : steps) {
    if (step.kind != Step::Kind::send) continue;
    const int peer = group_->world_rank(step.peer);
    if (!engine_->transport().messages().may_stay_behind(peer) || !peers.insert(peer).second)
      continue;
    may_stay_behind_.push_back(peer);
  }
}

Execution::~Execution() {
  if (done()) return;
  const Engine::Lock lock = engine_->lock();
  engine_->forget(*this);
  drain();
}

void Execution::bind(const void* input, void* output) {
  bound_input_ = static_cast<const std::byte*>(input);
  bound_output_ = static_cast<std::byte*>(output);
}

bool Execution::lie_as_before(const void* input, const void* output) const {
  const auto distance = [](const void* from, const void* to) {
    return reinterpret_cast<std::uintptr_t>(to) - reinterpret_cast<std::uintptr_t>(from);
  };
  return distance(input, output) == distance(bound_input_, bound_output_);
}

void Execution::start(OnStream after) {
  if (!done()) {
    throw Error(ErrorCode::invalid_argument,
                prefix() + "started again while still in flight; wait for it first");
  }
  if ((uses_input_ && bound_input_ == nullptr) || (uses_output_ && bound_output_ == nullptr)) {
    throw Error(ErrorCode::invalid_argument,
                prefix() + "a buffer lies nowhere: give a pointer to its memory, or a count of 0");
  }
  if (is_collective()) engine_->end_those_too_old(*group_);
  if (!group_->broken().empty()) {
    throw Error(ErrorCode::peer_failed,
                prefix() + "the communicator is no longer usable: " + group_->broken());
  }
  place(after);
  const Schedule& schedule = planned_->schedule;
  error_.reset();
  failure_.reset();
  missed_.reset();
  untold_.clear();
  thrown_ = nullptr;
  dependencies_left_ = schedule.dependencies;
  ready_.clear();
  next_ready_ = 0;
  await_copies_.clear();
  send_order_.clear();
  sequence_ = is_collective() ? group_->next_sequence() : 0;
  if (is_on_board()) turn_ = group_->board()->take_turn(schedule.board_rows);
  waits_.clear();
  watches_board_ = false;
  behind_ = may_stay_behind_;
  steps_left_ = static_cast<std::uint32_t>(schedule.steps.size() + behind_.size()) + copies_back_;
  stall_ = {};
  tell_of_start(after);
  for (StepId step = 0; step < schedule.steps.size(); ++step) {
    if (schedule.dependencies[step] == 0 && send_order_.admit(step)) ready_.push_back(step);
  }
  // Failures found before this run are not announced again. They can reach it only through ranks
  // that it needs, so it looks for them now.
  if (engine_->transport().peers().failures() != 0) check_peers();
  advance();
  if (!done()) engine_->add(*this);
}

/// Finds where the buffers lie. Processes that use no device pay a load from memory for each.
void Execution::place(OnStream after) {
  input_ = bound_input_;
  output_ = bound_output_;
  stage_ = StagingStage::on_host;
  copies_back_ = false;
  goes_directly_ = false;
  end_on_ = {};
  if (!may_lie_on_device(bound_input_) && !may_lie_on_device(bound_output_)) return;
  try {
    const bool reaches_all = group_->board() != nullptr || group_->size() == 1;
    if (planned_->direct && is_collective() && reaches_all) {
      if (!direct_) {
        direct_.emplace(*planned_->direct, *group_, engine_->transport(), engine_->device_access());
      }
      goes_directly_ = direct_->prepare(bound_input_, bound_output_);
    }
    if (!goes_directly_) stage(after);
  } catch (const Error& error) {
    throw Error(error.code(), prefix() + error.what());
  }
}

void Execution::stage(OnStream after) {
  if (!staging_) staging_ = std::make_unique<DeviceStaging>(planned_->schedule, planned_->in_place);
  const DeviceStaging::Addresses staged = staging_->begin(bound_input_, bound_output_, after);
  input_ = staged.input;
  output_ = staged.output;
  copies_back_ = staging_->copies_back();
  steps_left_ += copies_back_;
  if (staging_->waits()) stage_ = StagingStage::to_host;
}

/// Other ranks whose buffers lie on devices wait for each rank to start the collective.
void Execution::tell_of_start(OnStream after) {
  Board* const board = group_->board();
  if (!is_collective() || (board == nullptr && !goes_directly_)) return;
  const std::uint64_t call = board == nullptr ? 0 : board->next_call();
  if (!goes_directly_) return board->start_without_offer(call);
  ++steps_left_;  // going directly is a step, and the schedule may have none
  try {
    if (direct_->start(call, after)) return;
    go_through_host(after);
  } catch (const Error& error) {
    fail_here(error.code(), error.what());
  }
}

void Execution::go_through_host(OnStream after) {
  direct_->end();
  goes_directly_ = false;
  --steps_left_;
  stage(after);
}

/// Returns true if the run goes on through the host, or fails.
bool Execution::go_directly() {
  try {
    switch (direct_->advance()) {
      case DirectRun::DirectOutcome::waits: return false;
      case DirectRun::DirectOutcome::done: end_directly(); return false;
      case DirectRun::DirectOutcome::staged: go_through_host(direct_->comes_after()); break;
      case DirectRun::DirectOutcome::disagrees:
        disagree(direct_->disagreeing_rank(), direct_->expected_bytes());
        break;
    }
  } catch (const Error& error) {
    fail_here(error.code(), error.what());
  }
  return true;
}

/// Nobody has written the rows that the schedule would have taken, and nobody reads them.
void Execution::end_directly() {
  if (is_on_board()) {
    if (!group_->board()->is_on(turn_)) return;
    group_->board()->acknowledge(turn_.first_row + planned_->schedule.board_rows - 1);
    group_->board()->end_turn();
  }
  count_traffic(planned_->direct->traffic);
  ++engine_->device_access().runs;
  goes_directly_ = false;
  steps_left_ = 0;
}

/// Runs the steps whose data have come from a device.
void Execution::take_copies() {
  try {
    if (staging_->progress()) stage_ = StagingStage::on_host;
  } catch (const Error& error) {
    return fail_here(error.code(), error.what());
  }
  coming_.swap(await_copies_);
  for (const StepId step : coming_) {
    if (!fails()) run(step);
  }
  coming_.clear();
}

/// Sends do not overtake sends that wait: messages with equal tags are matched in their order.
bool Execution::must_wait_for_copies(StepId step) const {
  if (stage_ != StagingStage::to_host) return false;
  const bool sends = planned_->schedule.steps[step].kind == Step::Kind::send;
  return (sends && !await_copies_.empty()) || !staging_->has_arrived(step);
}

void Execution::copy_back() {
  try {
    staging_->copy_back();
  } catch (const Error& error) {
    fail_here(error.code(), error.what());
  }
}

/// All steps are complete: copies the rest of what they have written to the device.
void Execution::bring_back() {
  try {
    if (stage_ != StagingStage::to_device) {
      staging_->end_copy_back();
      stage_ = StagingStage::to_device;
    }
    if (end_on_.given()) {
      staging_->hold(end_on_);
    } else if (staging_->done()) {
      staging_->end();
    } else {
      return;
    }
    stage_ = StagingStage::on_host;
    copies_back_ = false;
    --steps_left_;
  } catch (const Error& error) {
    fail_here(error.code(), error.what());
    fail(*failure_);
  }
}

void Execution::end_on(OnStream stream) {
  end_on_ = stream;
}

bool Execution::advance() {
  if (done()) return true;
  if (goes_directly_ && !fails() && !go_directly()) return done();
  if (stage_ == StagingStage::to_host && !fails()) take_copies();
  if (is_on_board() && !fails() && !group_->board()->is_on(turn_)) return false;
  while (next_ready_ < ready_.size() && !fails()) run(ready_[next_ready_++]);
  if (copies_back_ && !fails()) copy_back();
  if (missed_ && !failure_) failure_ = cause_of_missing();
  if (failure_) {
    fail(*failure_);
  } else if (steps_left_ != 0 && steps_left_ == behind_.size() + copies_back_) {
    if (copies_back_) bring_back();
    if (!behind_.empty() && !error_) see_data_off();
  }
  if (done() && is_on_board()) {
    if (!error_) count_traffic(planned_->schedule.board_traffic);
    group_->board()->end_turn();
  }
  return done();
}

void Execution::count_traffic(const std::vector<PeerTraffic>& traffic) {
  Messages& messages = engine_->transport().messages();
  for (const PeerTraffic& with : traffic) {
    const int peer = group_->world_rank(with.peer);
    messages.count_sent(peer, with.bytes_sent, with.messages_sent);
    messages.count_received(peer, with.bytes_received, with.messages_received);
  }
}

bool Execution::look_at_board() {
  bool any = awaits_directly() && direct_->has_come();
  for (BoardWait& wait : waits_) {
    if (!has_come(wait)) continue;
    any = true;
    complete(wait.step);
    wait.next = group_->size() + 1;
  }
  if (any) {
    std::erase_if(waits_, [this](const BoardWait& wait) { return wait.next > group_->size(); });
  }
  return any;
}

// Must not be called while only this rank's own work is missing.
bool Execution::has_come(BoardWait& wait) {
  const Step& step = planned_->schedule.steps[wait.step];
  Board& board = *group_->board();
  const std::uint64_t row = turn_.first_row + step.row;
  if (step.kind == Step::Kind::claim) {
    wait.next = board.first_to_read(wait.next, row);
    return wait.next == group_->size();
  }
  const bool all = step.peer == Step::all_peers;
  if (!all) wait.next = step.peer;
  for (; wait.next < group_->size(); ++wait.next) {
    if (wait.next == group_->rank()) continue;
    const Board::RowState state = board.state_of(wait.next, row, step.bytes);
    if (state == Board::RowState::missing) return false;
    if (state == Board::RowState::of_another_call) {
      disagree(wait.next, step.bytes);
      return false;
    }
    if (!all) break;
  }
  return true;
}

// Calls act(rank, kind of step) for each rank that the run waits for on the board, as far as this
// rank knows.
template <class Act>
void Execution::for_each_awaited(const Act& act) const {
  if (awaits_directly() && !direct_->has_come()) act(direct_->awaited(), Step::Kind::await);
  for (const BoardWait& wait : waits_) {
    const Step& step = planned_->schedule.steps[wait.step];
    const std::uint64_t row = turn_.first_row + step.row;
    const Board& board = *group_->board();
    const int end = step.peer == Step::all_peers ? group_->size() : wait.next + 1;
    for (int rank = wait.next; rank < end; ++rank) {
      const bool done = step.kind == Step::Kind::claim
                            ? board.has_read(rank, row)
                            : board.state_of(rank, row, step.bytes) != Board::RowState::missing;
      if (rank != group_->rank() && !done) act(rank, step.kind);
    }
  }
}

// The set holds only the first rank that each step waits for. When that rank has done its part, the
// step waits for the next.
std::uint64_t Execution::awaited_on_board() const {
  std::uint64_t awaited = awaits_directly() ? group_->board()->set_of(direct_->awaited()) : 0;
  for (const BoardWait& wait : waits_) awaited |= group_->board()->set_of(wait.next);
  return awaited;
}

void Execution::check_awaited() {
  Peers& peers = engine_->transport().peers();
  for_each_awaited([&](int rank, Step::Kind) {
    const int peer = group_->world_rank(rank);
    if (const auto known = peers.failure(peer)) miss(*known, peer);
  });
}

void Execution::watch_board() {
  Peers& peers = engine_->transport().peers();
  const bool first = !std::exchange(watches_board_, true);
  for_each_awaited([&](int rank, Step::Kind) {
    const int peer = group_->world_rank(rank);
    if (peers.good(peer)) {
      if (const BoardGoodbye* const goodbye = group_->board()->goodbye_of(rank))
        peers.note_goodbye(peer, {goodbye->subject, goodbye->reason.data()});
    }
    if (first) peers.watch(peer);
  });
}

// All steps are complete, but some data may leave this process only with further calls of this
// rank.
void Execution::see_data_off() {
  engine_->transport().messages().remove_served(behind_);
  steps_left_ = static_cast<std::uint32_t>(behind_.size()) + copies_back_;
}

void Execution::run(StepId id) {
  if (must_wait_for_copies(id)) {
    await_copies_.push_back(id);
    return;
  }
  const Step& step = planned_->schedule.steps[id];
  switch (step.kind) {
    case Step::Kind::send:
    case Step::Kind::receive:
      try {
        if (!run_transfer(step, transfer_of(id))) return;
      } catch (const Error& error) {
        fail_in_the_group(error, step);
        return;
      }
      break;
    case Step::Kind::combine:
      try {
        planned_->schedule.for_each_piece(step, [this](const Step& piece) {
          planned_->combine(address(piece.source), address(piece.right),
                            writable(piece.destination), piece.bytes / planned_->element_bytes);
        });
      } catch (...) {
        thrown_ = std::current_exception();
        fail_here(ErrorCode::peer_failed, "the reduction threw an exception: " + text_of(thrown_));
        return;
      }
      break;
    case Step::Kind::copy:
      planned_->schedule.for_each_piece(step, [this](const Step& piece) {
        // If the call is in place, an input and an output address can be the same memory.
        copy_bytes(writable(piece.destination), address(piece.source), piece.bytes);
      });
      break;
    case Step::Kind::claim:
    case Step::Kind::await: {
      BoardWait wait{id};
      if (has_come(wait)) break;
      waits_.push_back(wait);
      if (engine_->transport().peers().failures() != 0) check_awaited();
      return;
    }
    case Step::Kind::publish:
      group_->board()->publish(turn_.first_row + step.row, step.bytes);
      break;
    case Step::Kind::acknowledge: group_->board()->acknowledge(turn_.first_row + step.row); break;
    case Step::Kind::finish:
      planned_->finish(writable(step.destination), step.bytes / planned_->element_bytes);
      break;
  }
  complete(id);
}

Execution::StepTransfer& Execution::transfer_of(StepId step) {
  return *std::ranges::lower_bound(transfers_, step, {}, &StepTransfer::step);
}

bool Execution::run_transfer(const Step& step, StepTransfer& transfer) {
  Transport& transport = engine_->transport();
  const int peer = group_->world_rank(step.peer);
  const bool complete = step.kind == Step::Kind::send
                            ? transport.messages().send(peer, address(step.source), step.bytes,
                                                        tag(step, transport.rank()), transfer)
                            : transport.messages().receive(peer, writable(step.destination),
                                                           step.bytes, tag(step, peer), transfer);
  if (complete) return true;
  // All that a rank sent before it left has arrived already, and nothing more will arrive.
  if (step.kind == Step::Kind::receive) {
    if (const auto known = transport.peers().failure(peer)) miss(*known, peer);
  }
  return false;
}

void Execution::complete(StepId id) {
  --steps_left_;
  if (copies_back_) staging_->note_complete(id);
  if (send_order_.limits()) {
    if (const auto next = send_order_.ended(id)) ready_.push_back(*next);
  }
  const Schedule& schedule = planned_->schedule;
  for (std::uint32_t i = schedule.first_successor[id]; i < schedule.first_successor[id + 1]; ++i) {
    const StepId successor = schedule.successors[i];
    if (--dependencies_left_[successor] > 0) continue;
    if (!send_order_.limits() || send_order_.admit(successor)) ready_.push_back(successor);
  }
}

void Execution::transfer_done(PendingTransfer& transfer, TransferStatus status) {
  auto& mine = static_cast<StepTransfer&>(transfer);
  Execution& self = *mine.execution;
  if (self.error_) return;  // the execution takes its buffers back
  const Step& step = self.planned_->schedule.steps[mine.step];
  switch (status) {
    case TransferStatus::complete: self.complete(mine.step); break;
    case TransferStatus::cancelled: break;
    case TransferStatus::wrong_length: self.disagree(step.peer, step.bytes); break;
    case TransferStatus::withdrawn:
      self.miss(self.engine_->transport().messages().withdrawal(mine.peer), mine.peer);
      break;
    case TransferStatus::failed: {
      const Peers& peers = self.engine_->transport().peers();
      const Peers::Failure lost{
          mine.peer, fmt::format("on {} has lost the connection", peers.host(mine.peer))};
      self.miss(peers.failure(mine.peer).value_or(lost), mine.peer);
      break;
    }
  }
}

void Execution::check_peers() {
  if (done() || fails()) return;
  const Peers& peers = engine_->transport().peers();
  if (const std::string& reason = peers.given_up(); !reason.empty()) {
    failure_.emplace(ErrorCode::peer_failed, prefix() + "this rank has given up: " + reason);
    return;
  }
  if (const auto known = peers.known_failure_in(group_->context(), group_->world_ranks())) {
    failure_ = failed(*known);
    return;
  }
  look_at_board();  // sees what the failed ranks wrote before they left
  check_awaited();
  for (const StepTransfer& transfer : transfers_) {
    // Other sends to a rank that has left end without help.
    if (!transfer.pending() || !(transfer.receiving || transfer.in_mailbox)) continue;
    if (const auto known = peers.failure(transfer.peer)) miss(*known, transfer.peer);
  }
}

void Execution::check_group() {
  if (done() || fails() || group_->broken().empty()) return;
  failure_.emplace(ErrorCode::peer_failed,
                   prefix() + "the communicator is no longer usable: " + group_->broken());
}

std::size_t Execution::longest_message() const {
  std::size_t longest = 0;
  for (const StepTransfer& transfer : transfers_) {
    if (transfer.pending()) longest = std::max(longest, transfer.bytes);
  }
  return longest;
}

void Execution::check_lengths() {
  // A message with a tag of the caller's may belong to another receive, which is yet to be posted.
  if (done() || fails() || planned_->matching == Matching::by_tag) return;
  if (const Step* const step = mismatched()) disagree(step->peer, step->bytes);
}

const Step* Execution::mismatched() const {
  Messages& messages = engine_->transport().messages();
  if (!messages.has_mailboxes()) return nullptr;
  for (const StepTransfer& transfer : transfers_) {
    if (!transfer.pending() || !transfer.receiving) continue;
    const Step& step = planned_->schedule.steps[transfer.step];
    if (messages.has_mismatched_message(transfer.peer, step.bytes, tag(step, transfer.peer)))
      return &step;
  }
  return nullptr;
}

void Execution::time_out() {
  if (const Step* const step = mismatched()) {
    disagree(step->peer, step->bytes);
    return fail(*failure_);
  }
  fail(Error(ErrorCode::timeout,
             prefix() + nothing_moved(engine_->transport(), *group_, waiting_for())));
}

void Execution::fail(const Error& error) {
  error_ = error;
  group_->break_off(error.what());
  if (!untold_.empty()) {
    engine_->transport().peers().give_up(group_->context(), group_->world_ranks(), error.code(),
                                         untold_);
  }
  drain();
  stage_ = StagingStage::on_host;
  steps_left_ = 0;
}

void Execution::fail_here(ErrorCode code, const std::string& what) {
  failure_.emplace(code, prefix() + what);
  untold_ = what;
}

void Execution::end_by(std::exception_ptr thrown, const std::string& what) {
  if (done()) return;
  fail_here(ErrorCode::peer_failed, what);
  if (!thrown) untold_.clear();
  thrown_ = std::move(thrown);
  fail(*failure_);
}

void Execution::throw_if_failed() {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (error_) throw Error(*error_);
}

void Execution::drain() {
  waits_.clear();
  goes_directly_ = false;
  if (direct_) direct_->end();
  std::vector<PendingTransfer*> transfers;
  for (StepTransfer& transfer : transfers_) {
    if (transfer.pending()) transfers.push_back(&transfer);
  }
  reclaim_buffers(engine_->transport(), transfers, planned_->operation);
  if (staging_) staging_->end();
}

// The transport's error counts ranks in the world; this makes an error with the numbers of the
// group.
void Execution::fail_in_the_group(const Error& error, const Step& step) {
  if (error.code() == ErrorCode::mismatch) return disagree(step.peer, step.bytes);
  if (error.code() != ErrorCode::peer_failed) return fail_here(error.code(), error.what());
  const Transport& transport = engine_->transport();
  const int peer = group_->world_rank(step.peer);
  miss(transport.peers().failure(peer).value_or(transport.messages().withdrawal(peer)), peer);
}

void Execution::miss(const Peers::Failure& known, int peer) {
  if (!missed_) missed_ = Missed{known, peer};
}

// A rank that fails because another rank has failed may leave, or take its messages back, before
// this rank hears of the first failure. So this rank waits a little for the original cause.
Error Execution::cause_of_missing() {
  Peers& peers = engine_->transport().peers();
  const auto& [known, peer] = *missed_;
  const auto told = group_->broken().empty()
                        ? peers.await_failure_of(group_->context(), group_->world_ranks(), peer)
                        : peers.failure_of(group_->context(), group_->world_ranks());
  if (told) return failed(*told);
  return peer_failed(peers.good(peer) ? known : peers.missed(peer));
}

Error Execution::failed(const Peers::GroupFailure& told) const {
  return Error(told.code, peer_failed(told.failure).what());
}

Error Execution::peer_failed(const Peers::Failure& failure) const {
  return Error(ErrorCode::peer_failed,
               fmt::format("{}{} {}", prefix(), group_->name(failure.rank), failure.did));
}

void Execution::disagree(int peer, std::size_t bytes) {
  fail_here(
      ErrorCode::mismatch,
      fmt::format("expected {} bytes from {}, which sent a different number: the ranks disagree "
                  "about the operation; compare counts, types and the order of calls",
                  bytes, group_->name(group_->world_rank(peer))));
}

std::string Execution::waiting_for() const {
  std::set<std::string> peers;
  const auto add = [&](int peer, const char* what) {
    peers.insert(
        fmt::format("{} on {} to {}", group_->name(peer), engine_->transport().host(peer), what));
  };
  for (const StepTransfer& transfer : transfers_) {
    if (transfer.pending()) add(transfer.peer, transfer.receiving ? "send" : "receive");
  }
  if (steps_left_ == behind_.size() + copies_back_) {
    for (const int peer : behind_) add(peer, "receive");
  }
  if (awaits_device()) {
    peers.insert(
        fmt::format("{} to copy", goes_directly_ ? direct_->device() : staging_->device()));
  }
  for_each_awaited([&](int rank, Step::Kind kind) {
    const int peer = group_->world_rank(rank);
    peers.insert(
        fmt::format("{} on {} to {}", group_->name(peer), engine_->transport().host(peer),
                    kind == Step::Kind::claim ? "read shared memory" : "write to shared memory"));
  });
  return peers.empty() ? "no rank" : fmt::format("{}", fmt::join(peers, ", "));
}

const std::byte* Execution::address(const Address& where) const {
  switch (where.area) {
    case Area::input: return input_ + where.offset;
    case Area::output: return output_ + where.offset;
    case Area::scratch: return scratch() + where.offset;
    case Area::board: return on_board(where);
  }
  return nullptr;
}

std::byte* Execution::on_board(const Address& where) const {
  const BoardPlace place = BoardPlace::of(where);
  return group_->board()->at(place.rank, turn_.first_row + place.row, place.offset);
}

std::byte* Execution::writable(const Address& where) const {
  if (where.area == Area::board) return on_board(where);
  return (where.area == Area::output ? output_ : scratch()) + where.offset;
}

Tag Execution::tag(const Step& step, int sender) const {
  return {.context = group_->context(),
          .sequence = sequence_,
          .sender = static_cast<std::uint32_t>(sender),
          .channel = step.channel,
          .segment = step.segment};
}

std::string Execution::prefix() const {
  return fmt::format("{}: {}: ", group_->name(engine_->transport().rank()), planned_->operation);
}

}  // namespace cuboid::detail
