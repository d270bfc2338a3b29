#include "collectives/ucx/compressed_addresses.hpp"

#include <cuboid/error.hpp>

#include <algorithm>

namespace cuboid::detail {

namespace {

// The largest skip or length of a run.
constexpr std::size_t most_in_a_byte = 255;

// This many equal bytes cost no more within a run than between two runs.
constexpr std::size_t worth_skipping = 3;

std::size_t number_at(const CompressedAddresses::Bytes& bytes, std::size_t place) {
  return std::to_integer<std::size_t>(bytes[place]);
}

}  // namespace

CompressedAddresses::CompressedAddresses(const std::vector<Bytes>& addresses) {
  if (addresses.empty()) return;
  first_ = addresses.front();
  begins_.reserve(addresses.size());
  for (const Bytes& address : addresses) {
    if (address.size() >= 1 << 16)
      throw Error(ErrorCode::internal, "a worker's address is longer than any of UCX's");
    begins_.push_back(static_cast<std::uint32_t>(differences_.size()));
    add(address);
  }
  differences_.shrink_to_fit();
}

void CompressedAddresses::add(const Bytes& address) {
  const auto differs = [&](std::size_t place) {
    return place < address.size() && (place >= first_.size() || address[place] != first_[place]);
  };
  // True if from this place on nothing differs for a while, or the address ends.
  const auto run_ends = [&](std::size_t place) {
    for (std::size_t next = place; next < place + worth_skipping; ++next) {
      if (differs(next)) return false;
    }
    return true;
  };
  const auto append = [&](std::size_t number) {
    differences_.push_back(static_cast<std::byte>(number));
  };
  append(address.size() & most_in_a_byte);
  append(address.size() >> 8);
  std::size_t place = 0;
  while (place < address.size()) {
    std::size_t first = place;
    while (first < address.size() && !differs(first) && first - place < most_in_a_byte) ++first;
    if (first == address.size()) return;
    std::size_t end = first;
    while (end < address.size() && !run_ends(end) && end - first < most_in_a_byte) ++end;
    append(first - place);
    append(end - first);
    differences_.insert(differences_.end(), address.begin() + static_cast<std::ptrdiff_t>(first),
                        address.begin() + static_cast<std::ptrdiff_t>(end));
    place = end;
  }
}

CompressedAddresses::Bytes CompressedAddresses::at(std::size_t number) const {
  std::size_t read = begins_[number];
  const std::size_t end = number + 1 < begins_.size() ? begins_[number + 1] : differences_.size();
  Bytes address = first_;
  address.resize(number_at(differences_, read) + (number_at(differences_, read + 1) << 8));
  read += 2;
  std::size_t place = 0;
  while (read < end) {
    place += number_at(differences_, read);
    const std::size_t length = number_at(differences_, read + 1);
    std::copy_n(differences_.begin() + static_cast<std::ptrdiff_t>(read + 2), length,
                address.begin() + static_cast<std::ptrdiff_t>(place));
    place += length;
    read += 2 + length;
  }
  return address;
}

}  // namespace cuboid::detail
