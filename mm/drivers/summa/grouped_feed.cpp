#include "mm/drivers/summa/grouped_feed.hpp"

#include <cuboid/error.hpp>

#include "base/copy_bytes.hpp"
#include "mm/matrix/element_types.hpp"
#include "mm/matrix/local_copy.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

int ranks_per_group(const Communicator& line, int groups) {
  if (groups >= 1 && line.size() % groups == 0) return line.size() / groups;
  throw Error(ErrorCode::invalid_argument,
              fmt::format("HSUMMA: {} groups of a line of {} ranks: give a number that divides it",
                          groups, line.size()));
}

}  // namespace

std::vector<PanelSpan> outer_panels(std::span<const PanelRanges> panels, std::int64_t outer_width) {
  std::vector<PanelSpan> outers;
  std::int64_t width = 0;
  for (std::int64_t step = 0; step < std::ssize(panels); ++step) {
    const std::int64_t extent = extent_of(panels[static_cast<std::size_t>(step)]);
    if (outers.empty() || width + extent > outer_width) {
      outers.push_back({step, step});
      width = 0;
    }
    outers.back().last = step + 1;
    width += extent;
  }
  return outers;
}

GroupedLine::GroupedLine(const Communicator& line, int groups)
    : rank_(line.rank()),
      inside_(line.split(line.rank() / ranks_per_group(line, groups), line.rank())),
      between_(line.split(line.rank() % ranks_per_group(line, groups), line.rank())) {}

template <MatrixElement T>
GroupedFeed<T>::GroupedFeed(GroupedLine line, const BlockCyclic<Inner>& inner, std::int64_t vectors,
                            std::span<const PanelRanges> panels, std::span<const PanelSpan> outers)
    : line_(std::move(line)),
      vectors_(vectors),
      outers_(outers.begin(), outers.end()),
      broadcasts_between_(line_.between(), datatype_of<T>()),
      broadcasts_inside_(line_.inside(), datatype_of<T>()) {
  list_pieces(inner, panels, outers);
  if (vectors > 0) plan_broadcasts();
  std::int64_t widest_outer = 0, widest = 0;
  for (const auto& messages : messages_) {
    widest_outer = std::max(widest_outer, messages.back().begin + messages.back().width);
  }
  for (const PanelRanges& panel : panels) widest = std::max(widest, extent_of(panel));
  for (auto& memory : outer_memory_) {
    memory = AlignedArray<T>(vectors * widest_outer, "an outer panel of HSUMMA");
  }
  for (auto& memory : panel_memory_) {
    memory = AlignedArray<T>(vectors * widest, "a panel of HSUMMA");
  }
}

// Each owner's pieces are adjacent in an outer panel, so that they form one message.
template <MatrixElement T>
void GroupedFeed<T>::list_pieces(const BlockCyclic<Inner>& inner,
                                 std::span<const PanelRanges> panels,
                                 std::span<const PanelSpan> outers) {
  for (std::int64_t outer = 0; outer < std::ssize(outers); ++outer) {
    const auto [first, last] = outers[static_cast<std::size_t>(outer)];
    std::vector<PanelMessage> messages;
    for (std::int64_t step = first; step < last; ++step) {
      std::vector<GroupPiece> pieces;
      std::int64_t column = 0;
      for (const PanelPiece& piece : panel_pieces(inner, panels[static_cast<std::size_t>(step)])) {
        auto message = std::ranges::find(messages, piece.owner, &PanelMessage::owner);
        if (message == messages.end()) message = messages.insert(message, {piece.owner, 0});
        const std::int64_t width = piece.range.extent();
        pieces.push_back({piece.owner, piece.local, width, outer,
                          static_cast<std::size_t>(message - messages.begin()), message->width,
                          column, 0});
        message->width += width;
        column += width;
      }
      pieces_.push_back(std::move(pieces));
    }
    std::int64_t begin = 0;
    for (PanelMessage& message : messages) {
      message.begin = std::exchange(begin, begin + message.width);
    }
    for (std::int64_t step = first; step < last; ++step) {
      for (GroupPiece& piece : pieces_[static_cast<std::size_t>(step)]) {
        piece.at_outer += messages[piece.message].begin;
      }
    }
    messages_.push_back(std::move(messages));
  }
}

// Two outer panels and two inner panels are in flight at the same time.
template <MatrixElement T>
void GroupedFeed<T>::plan_broadcasts() {
  std::size_t most_pieces = 0;
  for (const auto& pieces : pieces_) most_pieces = std::max(most_pieces, pieces.size());
  waiting_.reserve(2 * most_pieces);
  const auto count = [&](std::int64_t width) { return static_cast<std::size_t>(width * vectors_); };
  for (std::size_t outer = 0; outer < messages_.size(); ++outer) {
    if (line_.between().size() == 1) break;
    const std::size_t all = messages_[outer].size();
    between_[outer % 2].reserve(all);
    for (std::size_t number = 0; number < all; ++number) {
      PanelMessage& message = messages_[outer][number];
      if (!passes_on(message.owner)) continue;
      message.broadcast = broadcasts_between_.add(
          2 * number + outer % 2, 2 * all, count(message.width), line_.group_of(message.owner));
    }
  }
  for (std::size_t step = 0; step < pieces_.size(); ++step) {
    if (line_.inside().size() == 1) break;
    const std::size_t all = pieces_[step].size();
    inside_[step % 2].reserve(all);
    for (std::size_t number = 0; number < all; ++number) {
      GroupPiece& piece = pieces_[step][number];
      piece.broadcast = broadcasts_inside_.add(2 * number + step % 2, 2 * all, count(piece.width),
                                               line_.place_of(piece.owner));
    }
  }
}

template <MatrixElement T>
void GroupedFeed<T>::start_between(std::int64_t outer, const TallOperand<T>& operand) {
  if (vectors_ == 0) return;
  // A rank that forwarded the last panel in this memory may still be sending it.
  auto& arrivals = between_[static_cast<std::size_t>(outer % 2)];
  for (PanelArrival& arrival : arrivals) arrival.broadcast.wait();
  arrivals.clear();
  const auto [first, last] = outers_[static_cast<std::size_t>(outer)];
  for (std::int64_t step = first; step < last; ++step) {
    for (const GroupPiece& piece : pieces_[static_cast<std::size_t>(step)]) {
      if (piece.owner != line_.rank()) continue;
      copy(operand.packing_op, operand.local_block(piece.local, piece.width),
           LocalView<T>{outer_column(outer, piece.at_outer), vectors_, piece.width, vectors_});
    }
  }
  if (line_.between().size() == 1) return;
  const auto& messages = messages_[static_cast<std::size_t>(outer)];
  for (std::size_t number = 0; number < messages.size(); ++number) {
    const PanelMessage& message = messages[number];
    if (!passes_on(message.owner)) continue;
    arrivals.push_back(
        {number, broadcasts_between_.start(message.broadcast, outer_column(outer, message.begin))});
  }
}

template <MatrixElement T>
void GroupedFeed<T>::start_inside(std::int64_t step) {
  if (vectors_ == 0) return;
  for (std::size_t piece = 0; piece < pieces_[static_cast<std::size_t>(step)].size(); ++piece) {
    waiting_.push_back({step, piece});
  }
  advance();
}

/// The broadcast, in flight or finished, that brings a piece to this rank from another group;
/// nullptr if there is none.
template <MatrixElement T>
Request* GroupedFeed<T>::arrival(const GroupPiece& piece) {
  auto& arrivals = between_[static_cast<std::size_t>(piece.outer % 2)];
  const auto found = std::ranges::find(arrivals, piece.message, &PanelArrival::message);
  return passes_on(piece.owner) && found != arrivals.end() ? &found->broadcast : nullptr;
}

template <MatrixElement T>
void GroupedFeed<T>::advance() {
  // With CUBOID_CHECK, a start compares the calls of all ranks and so waits for them. Then starts
  // happen only at points that all ranks reach in the same order.
  if (line_.inside().environment().compares_calls()) return;
  for (; !waiting_.empty(); waiting_.erase(waiting_.begin())) {
    const auto [step, number] = waiting_.front();
    const GroupPiece& piece = pieces_[static_cast<std::size_t>(step)][number];
    Request* const between = arrival(piece);
    if (between != nullptr && !between->test()) return;
    send_inside(step, piece);
  }
}

template <MatrixElement T>
void GroupedFeed<T>::send_inside(std::int64_t step, const GroupPiece& piece) {
  T* const columns = panel_column(step, piece.at_panel);
  if (passes_on(piece.owner))
    copy_bytes(columns, outer_column(piece.outer, piece.at_outer),
               static_cast<std::size_t>(piece.width * vectors_) * sizeof(T));
  if (line_.inside().size() == 1) return;
  inside_[static_cast<std::size_t>(step % 2)].push_back(
      broadcasts_inside_.start(piece.broadcast, columns));
}

template <MatrixElement T>
bool GroupedFeed<T>::progress() {
  advance();
  bool in_flight = !waiting_.empty();
  for (auto& arrivals : between_) {
    std::erase_if(arrivals, [](PanelArrival& arrival) { return arrival.broadcast.test(); });
    in_flight = in_flight || !arrivals.empty();
  }
  for (auto& broadcasts : inside_) {
    std::erase_if(broadcasts, [](Request& broadcast) { return broadcast.test(); });
    in_flight = in_flight || !broadcasts.empty();
  }
  return in_flight;
}

template <MatrixElement T>
Panel<T> GroupedFeed<T>::finish(std::int64_t step, const TallOperand<T>& operand) {
  while (!waiting_.empty() && waiting_.front().step <= step) {
    const auto [waiting_step, number] = waiting_.front();
    Request* const between = arrival(pieces_[static_cast<std::size_t>(waiting_step)][number]);
    if (between != nullptr) between->wait();
    send_inside(waiting_step, pieces_[static_cast<std::size_t>(waiting_step)][number]);
    waiting_.erase(waiting_.begin());
  }
  auto& broadcasts = inside_[static_cast<std::size_t>(step % 2)];
  for (Request& broadcast : broadcasts) broadcast.wait();
  broadcasts.clear();
  return {panel_column(step, 0), std::max<std::int64_t>(vectors_, 1), operand.panel_op};
}

CUBOID_CLASS_FOR_ELEMENT_TYPES(GroupedFeed);

}  // namespace cuboid::detail
