#include "collectives/schedules/compile.hpp"
#include "collectives/types/tag.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace cuboid::detail {

namespace {

// A ring of scratch memory: one piece per segment that may be in flight.
class ScratchRing {
 public:
  ScratchRing(ScheduleBuilder& builder, std::size_t pieces, std::size_t bytes) {
    for (std::size_t piece = 0; piece < pieces; ++piece) pieces_.push_back(builder.scratch(bytes));
  }
  Address at(std::size_t segment) const { return pieces_[segment % pieces_.size()]; }

 private:
  std::vector<Address> pieces_;
};

struct Child {
  int rank;
  std::size_t bundle;     // segments per message
  Address bundle_source;  // where the bundle begins that is being prepared
  StepId last_combined;
  std::vector<StepId> waiting;  // the steps after which the segments of the next bundle are ready
  InFlight received;
  InFlight combined;
  InFlight sent;
  std::optional<ScratchRing> landing;  // where its contributions arrive
};

// One rank's part in one tree.
class Branch {
 public:
  Branch(ScheduleBuilder& builder, Flow flow, const TreePart& tree, const Conditions& conditions,
         const Placing& placing, int rank, const Pipelining& pipelining)
      : builder_(builder),
        flow_(flow),
        tree_(tree),
        rank_(rank),
        cut_(tree.slice, pipelining),
        from_parent_(cut_.window()),
        to_parent_(cut_.window()),
        done_with_own_(cut_.window()) {
    const auto block = static_cast<std::size_t>(tree.block);
    const std::size_t offset = tree.slice.offset - conditions.blocks[block].slice.offset;
    if (placing.before[block]) before_ = *placing.before[block] + offset;
    if (placing.after[block]) after_ = *placing.after[block] + offset;
    const auto& [parent, children] = tree.neighbours;
    parent_ = parent;
    if (tree.from_node) parent_bundle_ = cut_.bundle();
    children_.reserve(children.size());
    for (std::size_t child = 0; child < children.size(); ++child) {
      const bool local = child + tree.local_fanout >= children.size();
      children_.push_back({children[child],
                           local ? cut_.bundle() : 1,
                           {},
                           ScheduleBuilder::none,
                           {},
                           InFlight(cut_.window()),
                           InFlight(cut_.window()),
                           InFlight(cut_.window()),
                           {}});
    }
    if (segments() == 0) return;
    if (flow_ != Flow::multicast) {
      for (Child& child : children_)
        child.landing.emplace(builder_, cut_.window(), cut_.message_bytes(0, child.bundle));
    }
    const bool combines_on_the_way = flow_ == Flow::combine && parent_ && !children_.empty();
    const bool forwards_only = flow_ == Flow::multicast && parent_ && !after_;
    if (combines_on_the_way || forwards_only)
      own_scratch_.emplace(builder_, cut_.window(), cut_.segment_bytes());
  }

  std::size_t segments() const { return cut_.segments(); }

  void add_segment(std::size_t segment) {
    const bool inwards = flow_ != Flow::multicast;
    const bool outwards = flow_ != Flow::combine;
    const StepId combined = inwards ? combine_inwards(segment) : ScheduleBuilder::none;
    if (outwards) multicast_outwards(segment, combined);
  }

 private:
  // The message that carries the bundle of a segment.
  Step message(Step::Kind kind, int peer, std::size_t segment, std::size_t bundle = 1) const {
    const std::size_t number = segment / bundle;
    Step step{.kind = kind, .peer = peer};
    step.bytes = cut_.message_bytes(segment, bundle);
    step.channel = tree_.channel;
    step.segment = static_cast<std::uint16_t>(number % Tag::max_segments_in_flight);
    return step;
  }

  // Where this rank's partial result of a segment lies once all contributions are combined.
  Address own(std::size_t segment) const {
    return own_scratch_ ? own_scratch_->at(segment) : *after_ + segment * cut_.segment_bytes();
  }

  // Combines the children's contributions with this rank's and hands the result to the parent.
  // Returns the step after which this rank's copy may be overwritten (or, at the root, multicast).
  StepId combine_inwards(std::size_t segment) {
    Address partial = *before_ + segment * cut_.segment_bytes();
    StepId ready = ScheduleBuilder::none;
    for (Child& child : children_) {
      const std::size_t number = segment / child.bundle;
      if (cut_.begins(segment, child.bundle)) {
        Step receive = message(Step::Kind::receive, child.rank, segment, child.bundle);
        receive.destination = child.landing->at(number);
        child.received.push(number, builder_.add(receive, {child.received.oldest(number),
                                                           child.combined.oldest(number)}));
      }
      const Address theirs =
          child.landing->at(number) + segment % child.bundle * cut_.segment_bytes();
      Step combine{.kind = Step::Kind::combine, .bytes = cut_.bytes(segment)};
      combine.source = child.rank < rank_ ? theirs : partial;
      combine.right = child.rank < rank_ ? partial : theirs;
      combine.destination = own(segment);
      // Segments are combined one after another, so the last of a bundle stands for the bundle.
      const StepId before =
          cut_.begins(segment, child.bundle) ? ScheduleBuilder::none : child.last_combined;
      ready = builder_.add(
          combine, {child.received.oldest(number), ready, before, done_with_own_.oldest(segment)});
      child.last_combined = ready;
      if (cut_.ends(segment, child.bundle)) child.combined.push(number, ready);
      partial = combine.destination;
    }
    if (!parent_) {
      if (partial == own(segment)) return ready;
      return builder_.add({.kind = Step::Kind::copy,
                           .bytes = cut_.bytes(segment),
                           .source = partial,
                           .destination = own(segment)},
                          {ready});
    }
    if (parent_bundle_ > 1) return send_bundle_inwards(segment);
    Step send = message(Step::Kind::send, *parent_, segment);
    send.source = partial;
    const StepId sent = builder_.add(send, {ready, to_parent_.oldest(segment)});
    to_parent_.push(segment, sent);
    if (own_scratch_) done_with_own_.push(segment, sent);
    return sent;
  }

  // A leaf has its contribution from the start.
  StepId send_bundle_inwards(std::size_t segment) {
    const std::size_t number = segment / parent_bundle_;
    if (!cut_.begins(segment, parent_bundle_)) return to_parent_.oldest(number);
    Step send = message(Step::Kind::send, *parent_, segment, parent_bundle_);
    send.source = *before_ + segment * cut_.segment_bytes();
    const StepId sent = builder_.add(send, {to_parent_.oldest(number)});
    to_parent_.push(number, sent);
    return sent;
  }

  // Takes the segment from the parent (or, at the root, from where it is) and passes it to the
  // children.
  void multicast_outwards(std::size_t segment, StepId own_is_free) {
    Address source;
    StepId ready = own_is_free;
    if (parent_) {
      if (parent_bundle_ > 1) return receive_bundle_outwards(segment, own_is_free);
      Step receive = message(Step::Kind::receive, *parent_, segment);
      receive.destination = source = own(segment);
      ready = builder_.add(receive, {own_is_free, from_parent_.oldest(segment)});
      if (own_scratch_) {
        for (const Child& child : children_) builder_.depend(ready, child.sent.oldest(segment));
      }
      from_parent_.push(segment, ready);
    } else {
      source = (flow_ == Flow::multicast ? *before_ : *after_) + segment * cut_.segment_bytes();
      const Address wanted = after_ ? *after_ + segment * cut_.segment_bytes() : source;
      if (wanted != source) {
        builder_.add({.kind = Step::Kind::copy,
                      .bytes = cut_.bytes(segment),
                      .source = source,
                      .destination = wanted},
                     {});
      }
    }
    for (Child& child : children_) send_outwards(child, segment, source, ready);
  }

  void send_outwards(Child& child, std::size_t segment, Address source, StepId ready) {
    if (cut_.begins(segment, child.bundle)) child.bundle_source = source;
    child.waiting.push_back(ready);
    if (!cut_.ends(segment, child.bundle)) return;
    const std::size_t number = segment / child.bundle;
    Step send = message(Step::Kind::send, child.rank, segment, child.bundle);
    send.source = child.bundle_source;
    const StepId sent = builder_.add(send, {child.sent.oldest(number)});
    for (const StepId made_ready : child.waiting) builder_.depend(sent, made_ready);
    child.waiting.clear();
    child.sent.push(number, sent);
  }

  // The copy of a leaf is free once the bundle with which it was sent has left.
  void receive_bundle_outwards(std::size_t segment, StepId own_is_free) {
    if (!cut_.begins(segment, parent_bundle_)) return;
    const std::size_t number = segment / parent_bundle_;
    Step receive = message(Step::Kind::receive, *parent_, segment, parent_bundle_);
    receive.destination = own(segment);
    from_parent_.push(number, builder_.add(receive, {own_is_free, from_parent_.oldest(number)}));
  }

  ScheduleBuilder& builder_;
  Flow flow_;
  const TreePart& tree_;
  int rank_;
  Segmentation cut_;
  std::optional<int> parent_;
  std::size_t parent_bundle_ = 1;
  std::vector<Child> children_;
  std::optional<Address> before_;
  std::optional<Address> after_;
  std::optional<ScratchRing> own_scratch_;
  InFlight from_parent_;
  InFlight to_parent_;
  InFlight done_with_own_;
};

}  // namespace

Schedule compile(const ForestPart& part, const Conditions& conditions, const Placing& placing,
                 int rank, const Pipelining& pipelining) {
  ScheduleBuilder builder;
  std::vector<Branch> unfinished;
  std::size_t most_segments = 0;
  for (const TreePart& tree : part.trees) {
    Branch branch(builder, part.flow, tree, conditions, placing, rank, pipelining);
    if (branch.segments() > 0) branch.add_segment(0);
    most_segments = std::max(most_segments, branch.segments());
    if (branch.segments() > 1) unfinished.push_back(std::move(branch));
  }
  builder.reserve_times(most_segments);
  for (std::size_t turn = 1; turn < most_segments; ++turn) {
    for (Branch& branch : unfinished) {
      const auto segment = segment_in_turn(turn, most_segments, branch.segments());
      if (segment) branch.add_segment(*segment);
    }
  }
  Schedule schedule = std::move(builder).finish();
  schedule.sends_at_a_time = pipelining.sends_at_a_time;
  return schedule;
}

}  // namespace cuboid::detail
