#include "collectives/butterflies/part_steps.hpp"

#include "topology/shape/distances.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace cuboid::detail {

namespace {

using Positions = std::vector<int>;  // ascending

// A line as it is seen from its root in one direction.
struct Line : Axis {
  int direction = 1;
  int root = 0;

  // The position on the axis of what is at `position` of this view. The mirror image has other
  // pairs of neighbours (0 1)(2 3)…, so it uses other links. The root of a ring comes to its
  // middle: far from its ends, where classes are uneven.
  int seen(int position) const {
    if (direction < 0)
      position = wraps && extent % 2 == 0 ? (extent - position) % extent : extent - 1 - position;
    return wraps ? (position + root + extent - extent / 2) % extent : position;
  }
};

// The part that each member of a class keeps, and the number of the turn (one sequence of all
// parts) that the member belongs to.
struct Kept {
  std::vector<int> part;
  std::vector<int> turn;
};

// Deals the parts to members in turns that begin with member `first`. Members that are left after
// whole turns get the parts from `rest` on.
Kept in_turns(int members, int parts, bool wraps, int first, int rest) {
  Kept kept;
  const int whole = members / parts;
  for (int member = 0; member < members; ++member) {
    // On a line, members before `first` have the end of a turn.
    const int index = wraps ? (member - first + members) % members : member - first + 2 * parts;
    const int turn = index / parts;
    const int place = index % parts + (wraps && turn == whole ? rest : 0);
    const bool is_turned = parts == 2 && turn % 2 == 1;
    kept.part.push_back(is_turned ? parts - 1 - place : place);
    kept.turn.push_back(turn);
  }
  return kept;
}

bool is_even(const std::vector<int>& kept, int parts) {
  std::vector<int> count(static_cast<std::size_t>(parts), 0);
  for (const int part : kept) ++count[static_cast<std::size_t>(part)];
  const auto [least, most] = std::ranges::minmax(count);
  return least > 0 && most - least <= 1;
}

// The nearest member of a class that keeps a part; −1 if no member does. Of two at equal distance
// it is the member of the same turn, else the one above.
int nearest(const Line& line, const Positions& positions, const Kept& kept, int member, int part) {
  const int members = static_cast<int>(positions.size());
  const auto at = [&](int index) -> std::optional<int> {
    if (line.wraps) return (index + members) % members;
    return index < 0 || index >= members ? std::nullopt : std::optional(index);
  };
  const auto on_side = [&](int side) {
    for (int away = 1; away < members; ++away) {
      const std::optional<int> other = at(member + side * away);
      if (!other || kept.part[static_cast<std::size_t>(*other)] == part) return other;
    }
    return std::optional<int>();
  };
  const auto position = [&](int of) { return positions[static_cast<std::size_t>(of)]; };
  const auto turn = [&](int of) { return kept.turn[static_cast<std::size_t>(of)]; };
  const std::optional<int> below = on_side(-1), above = on_side(+1);
  if (!below && !above) return -1;
  if (!below || !above) return below ? *below : *above;
  const int down = links_along(line, position(member), position(*below));
  const int up = links_along(line, position(member), position(*above));
  const bool goes_up = up < down || (up == down && turn(*below) != turn(member));
  return goes_up ? *above : *below;
}

// How a step divides a class: what each member keeps, and from which member it gets each other
// part, by member · parts + part.
struct Division {
  Kept kept;
  std::vector<int> source;
  std::int64_t distance = 0;  // links that all parts cross, in sum
};

Division divide(const Line& line, const Positions& positions, int parts, Kept kept) {
  Division division{std::move(kept), {}};
  for (int member = 0; member < static_cast<int>(positions.size()); ++member) {
    for (int part = 0; part < parts; ++part) {
      const bool is_own = division.kept.part[static_cast<std::size_t>(member)] == part;
      const int source = is_own ? member : nearest(line, positions, division.kept, member, part);
      division.source.push_back(source);
      if (source < 0) continue;
      division.distance += links_along(line, positions[static_cast<std::size_t>(member)],
                                       positions[static_cast<std::size_t>(source)]);
    }
  }
  return division;
}

// The division whose parts cross the fewest links in sum.
Division best_division(const Line& line, const Positions& positions, int parts) {
  const int members = static_cast<int>(positions.size());
  if (members <= parts) {
    Kept each{{}, std::vector<int>(positions.size(), 0)};
    for (int member = 0; member < members; ++member) each.part.push_back(member);
    return divide(line, positions, parts, std::move(each));
  }
  // After a period turns begin as before. On a whole ring every first member is as good as any
  // other.
  const int period = parts == 2 ? 4 : parts;
  const bool is_whole_ring = line.wraps && members == line.extent;
  std::optional<Division> best;
  for (int first = 0; first < (is_whole_ring ? 1 : std::min(period, members)); ++first) {
    for (int rest = 0; rest + members % parts <= parts; ++rest) {
      Kept kept = in_turns(members, parts, line.wraps, first, rest);
      if (!is_even(kept.part, parts)) continue;
      Division division = divide(line, positions, parts, std::move(kept));
      if (!best || division.distance < best->distance) best = std::move(division);
      if (!line.wraps || members % parts == 0) break;
    }
  }
  return std::move(*best);
}

// Divides classes into `parts` parts. Most classes have the same distances between their positions,
// so divisions are cached by these.
class Divisions {
 public:
  Divisions(const Line& line, int parts) : line_(line), parts_(parts) {}

  const Division& of(const Positions& positions) {
    Positions relative = positions;
    for (int& position : relative) position -= positions.front();
    auto [found, is_new] = known_.try_emplace(std::move(relative));
    if (is_new) found->second = best_division(line_, positions, parts_);
    return found->second;
  }

 private:
  const Line& line_;
  int parts_;
  std::map<Positions, Division> known_;  // by positions relative to the first
};

}  // namespace

std::vector<PartStep> part_steps(const Shape& shape, int axis, int parts, int direction, int root) {
  const Line line{shape.axes()[static_cast<std::size_t>(axis)], direction, root};
  std::vector<Positions> classes(1);
  for (int position = 0; position < line.extent; ++position) classes[0].push_back(position);
  std::vector<PartStep> steps;
  while (classes.front().size() > 1) {
    const int largest = static_cast<int>(classes.front().size());
    const int into = largest <= parts + 1 ? largest : parts;
    PartStep step{axis, into, std::vector<int>(static_cast<std::size_t>(line.extent)),
                  std::vector<int>(static_cast<std::size_t>(line.extent * into))};
    std::vector<Positions> next;
    Divisions divisions(line, into);
    for (const Positions& positions : classes) {
      const Division& division = divisions.of(positions);
      std::vector<Positions> of_part(static_cast<std::size_t>(into));
      for (std::size_t member = 0; member < positions.size(); ++member) {
        const auto own = static_cast<std::size_t>(line.seen(positions[member]));
        step.kept[own] = division.kept.part[member];
        of_part[static_cast<std::size_t>(division.kept.part[member])].push_back(positions[member]);
        for (std::size_t part = 0; part < of_part.size(); ++part) {
          const int source = division.source[member * of_part.size() + part];
          step.source[own * of_part.size() + part] =
              source < 0 ? -1 : line.seen(positions[static_cast<std::size_t>(source)]);
        }
      }
      for (Positions& members : of_part) {
        if (members.empty()) step.in_all_classes = false;
        if (!members.empty()) next.push_back(std::move(members));
      }
    }
    classes = std::move(next);
    std::ranges::stable_sort(classes, std::ranges::greater{}, &Positions::size);
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace cuboid::detail
