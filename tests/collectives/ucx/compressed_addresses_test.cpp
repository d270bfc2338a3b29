#include "collectives/ucx/compressed_addresses.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace compressed_addresses_test {

using Bytes = CompressedAddresses::Bytes;

Bytes any_bytes(std::size_t size, std::mt19937& random) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

TEST(CompressedAddresses, AreWhatTheyWere) {
  std::mt19937 random(5);
  for (const std::size_t size : {0, 1, 7, 178, 255, 256, 257, 1000, 5000}) {
    const Bytes first = any_bytes(size, random);
    std::vector<Bytes> addresses = {first};
    for (int other = 0; other < 60; ++other) {
      Bytes address = first;
      // Here and there, a whole run, another length, nothing alike.
      for (int change = 0; size > 0 && change < other % 20; ++change)
        address[random() % size] = static_cast<std::byte>(random());
      if (other % 7 == 1) address.resize(size + random() % 600);
      if (other % 7 == 2) address.resize(size - random() % (size + 1));
      if (other % 7 == 3) address = any_bytes(size + 3, random);
      addresses.push_back(address);
    }
    const CompressedAddresses kept(addresses);
    ASSERT_EQ(kept.size(), addresses.size());
    for (std::size_t number = 0; number < addresses.size(); ++number)
      EXPECT_EQ(kept.at(number), addresses[number]) << size << " bytes, number " << number;
  }
}

TEST(CompressedAddresses, OfNobody) {
  EXPECT_EQ(CompressedAddresses({}).size(), 0U);
}

}  // namespace compressed_addresses_test
}  // namespace cuboid::detail
