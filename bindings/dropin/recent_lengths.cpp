#include "bindings/dropin/recent_lengths.hpp"

#include <algorithm>
#include <bit>

namespace cuboid::detail::drop_in {

bool RecentLengths::add(std::size_t bytes) {
  lengths_[calls_ % remembered] = static_cast<std::int64_t>(bytes);
  ++calls_;
  if (calls_ < remembered) return false;
  return calls_ < longest_interval ? std::has_single_bit(calls_) : calls_ % longest_interval == 0;
}

void RecentLengths::agree(std::span<const std::int64_t, remembered> greatest) {
  const auto [shortest, longest] = std::ranges::minmax(greatest);
  expected_ = longest <= 2 * shortest ? static_cast<std::size_t>(longest) : 0;
}

}  // namespace cuboid::detail::drop_in
