#include "collectives/schedules/even_pieces.hpp"

#include <algorithm>
#include <utility>

namespace cuboid::detail {

namespace {

// Any two equal steps have a distance; only a third one shows that they are a repetition.
constexpr std::uint32_t fewest = 3;

std::ptrdiff_t between(const Address& first, const Address& second) {
  return static_cast<std::ptrdiff_t>(second.offset - first.offset);
}

// True if the steps differ only in their addresses.
bool alike(const Step& first, const Step& second) {
  return first.bytes == second.bytes && first.kind == second.kind &&
         first.repetition == second.repetition && first.source.area == second.source.area &&
         first.right.area == second.right.area && first.destination.area == second.destination.area;
}

Repetition distance_of(const Step& first, const Step& second) {
  return {.of = first.repetition,
          .source = between(first.source, second.source),
          .right = between(first.right, second.right),
          .destination = between(first.destination, second.destination)};
}

// A step that is `times` distances further on.
Step moved(Step step, const Repetition& distance, std::size_t times) {
  const auto far = static_cast<std::ptrdiff_t>(times);
  step.source = step.source + far * distance.source;
  step.right = step.right + far * distance.right;
  step.destination = step.destination + far * distance.destination;
  return step;
}

// True if the second piece begins where the first ends.
bool continues(const Step& first, const Step& second) {
  const bool right_too =
      first.kind != Step::Kind::combine || second.right == first.right + first.bytes;
  return first.kind == second.kind && second.source == first.source + first.bytes && right_too &&
         second.destination == first.destination + first.bytes;
}

}  // namespace

void EvenSteps::add(const Step& piece, std::size_t first, std::size_t end) {
  if (joined_ && continues(joined_->even.step, piece) &&
      joined_->bytes + piece.bytes <= most_bytes_) {
    joined_->even.step.bytes = joined_->bytes += piece.bytes;
    joined_->even.end = end;
    return;
  }
  hand_on_joined();
  joined_ = {{piece, first, end}, piece.bytes};
}

void EvenSteps::add_even(const Step& piece, const Repetition& distance, std::size_t first,
                         std::size_t each) {
  const std::size_t most =
      std::max<std::size_t>(most_bytes_ / std::max<std::size_t>(piece.bytes, 1), 1);
  for (std::size_t done = 0; done < distance.times;) {
    const std::size_t times = std::min(most, distance.times - done);
    Step step = moved(piece, distance, done);
    const std::size_t begin = first + done * each;
    done += times;
    if (times == 1) {
      add(step, begin, begin + each);
      continue;
    }
    hand_on_joined();
    Repetition repetition = distance;
    repetition.times = static_cast<std::uint32_t>(times);
    step.repetition = builder_.number_of(repetition);
    add(0, {{step, begin, begin + times * each}, times * piece.bytes});
  }
}

std::vector<EvenStep> EvenSteps::take() && {
  hand_on_joined();
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    while (levels_[level].times > 0) settle(level);
  }
  return std::move(steps_);
}

void EvenSteps::hand_on_joined() {
  if (joined_) add(0, *std::exchange(joined_, std::nullopt));
}

// True if the item is as far from the last one as that is from the one before it.
bool EvenSteps::joins(const Level& level, const Item& item, Repetition& distance) const {
  if (!alike(level.item.even.step, item.even.step) ||
      (level.times + 1) * level.item.bytes > most_bytes_)
    return false;
  if (level.times == 1) distance = distance_of(level.item.even.step, item.even.step);
  const Step next = moved(level.item.even.step, distance, level.times);
  return next.source == item.even.step.source && next.right == item.even.step.right &&
         next.destination == item.even.step.destination;
}

void EvenSteps::add(std::size_t number, const Item& item) {
  while (levels_[number].times > 0 && !joins(levels_[number], item, levels_[number].distance))
    settle(number);
  Level& level = levels_[number];
  if (level.times == 0) level.item = item;
  ++level.times;
  level.last_first = item.even.first;
  level.last_end = item.even.end;
}

// Hands the repetition on to the next level or, of too few items, the first of them.
void EvenSteps::settle(std::size_t number) {
  Level& level = levels_[number];
  Item item = level.item;
  if (level.times >= fewest) {
    Repetition repetition = level.distance;
    repetition.times = level.times;
    item.even.step.repetition = builder_.number_of(repetition);
    item.even.end = level.last_end;
    item.bytes *= level.times;
    level.times = 0;
    if (number + 1 == levels_.size()) levels_.emplace_back();
    return add(number + 1, item);
  }
  if (--level.times > 0) {
    level.item.even = {moved(item.even.step, level.distance, 1), level.last_first, level.last_end};
  }
  if (number + 1 < levels_.size()) return add(number + 1, item);
  steps_.push_back(item.even);
}

}  // namespace cuboid::detail
