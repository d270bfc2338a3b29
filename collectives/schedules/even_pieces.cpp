#include "collectives/schedules/even_pieces.hpp"

#include <optional>
#include <span>
#include <utility>

namespace cuboid::detail {

namespace {

struct Item {
  Step step;
  std::size_t pieces = 1;
  std::size_t bytes = 0;  // of all pieces
};

std::ptrdiff_t between(const Address& first, const Address& second) {
  return static_cast<std::ptrdiff_t>(second.offset) - static_cast<std::ptrdiff_t>(first.offset);
}

// The distance from the first step to the second, if they differ only in their addresses.
std::optional<Repetition> distance(const Step& first, const Step& second) {
  const bool alike =
      first.kind == second.kind && first.bytes == second.bytes &&
      first.repetition == second.repetition && first.source.area == second.source.area &&
      first.right.area == second.right.area && first.destination.area == second.destination.area;
  if (!alike) return std::nullopt;
  return Repetition{.of = first.repetition,
                    .source = between(first.source, second.source),
                    .right = between(first.right, second.right),
                    .destination = between(first.destination, second.destination)};
}

// True if the second piece begins where the first ends.
bool continues(const Step& first, const Step& second) {
  const bool right_too =
      first.kind != Step::Kind::combine || second.right == first.right + first.bytes;
  return first.kind == second.kind && second.source == first.source + first.bytes && right_too &&
         second.destination == first.destination + first.bytes;
}

std::vector<Item> joined(const std::vector<Step>& pieces, std::size_t most_bytes) {
  std::vector<Item> items;
  for (const Step& piece : pieces) {
    if (!items.empty() && continues(items.back().step, piece) &&
        items.back().bytes + piece.bytes <= most_bytes) {
      items.back().step.bytes = items.back().bytes += piece.bytes;
      ++items.back().pieces;
    } else {
      items.push_back({piece, 1, piece.bytes});
    }
  }
  return items;
}

// The number of items, from the first on, at equal distances.
std::size_t even(std::span<const Item> items, std::size_t most_bytes) {
  if (items.size() < 2) return items.size();
  const auto first = distance(items[0].step, items[1].step);
  if (!first) return 1;
  std::size_t count = 1;
  while (count < items.size() && (count + 1) * items[0].bytes <= most_bytes &&
         distance(items[count - 1].step, items[count].step) == first)
    ++count;
  return count;
}

// Any two equal steps have a distance; only a third one shows that they are a repetition.
constexpr std::size_t fewest = 3;

std::vector<Item> repeated(std::span<const Item> items, std::size_t most_bytes,
                           ScheduleBuilder& builder) {
  std::vector<Item> fewer;
  while (!items.empty()) {
    const std::size_t count = even(items, most_bytes);
    Item item = items.front();
    if (count < fewest) {
      items = items.subspan(1);
    } else {
      Repetition repetition = *distance(items[0].step, items[1].step);
      repetition.times = static_cast<std::uint32_t>(count);
      item.step.repetition = builder.number_of(repetition);
      item.pieces *= count;
      item.bytes *= count;
      items = items.subspan(count);
    }
    fewer.push_back(item);
  }
  return fewer;
}

}  // namespace

std::vector<EvenStep> put_together(const std::vector<Step>& pieces, std::size_t most_bytes,
                                   ScheduleBuilder& builder) {
  std::vector<Item> items = joined(pieces, most_bytes);
  for (std::size_t before = items.size() + 1; items.size() < before;) {
    before = items.size();
    items = repeated(items, most_bytes, builder);
  }
  std::vector<EvenStep> steps;
  steps.reserve(items.size());
  for (const Item& item : items) steps.push_back({item.step, item.pieces});
  return steps;
}

}  // namespace cuboid::detail
