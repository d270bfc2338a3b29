// Well-formed input of every reader, damaged in many ways from a fixed seed: it is read or refused,
// and nothing crashes. For longer hunts there is a libFuzzer target per reader (libfuzzer.cpp).

#include "tests/fuzz/readers.hpp"

#include <random>

#include <gtest/gtest.h>

namespace cuboid::detail::fuzz {
namespace readers_test {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t end) {
  return end == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
}

std::string damaged(std::string text, const std::string& other, Random& random) {
  static const std::string awkward[] = {
      "-1", "0", "99999999999999999999", "1e999", "nan", "\xff", "[", "]}", "\n\n", "-", "%", "x"};
  const std::size_t hits = 1 + below(random, 5);
  for (std::size_t hit = 0; hit < hits; ++hit) {
    const std::size_t at = below(random, text.size());
    const std::size_t length = below(random, 30);
    switch (below(random, 8)) {
      case 0: text.insert(at, 1, static_cast<char>(below(random, 256))); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(below(random, text.size()), length)); break;
      case 3: text.resize(at); break;
      case 4: text.insert(at, awkward[below(random, std::size(awkward))]); break;
      case 5: text.replace(at, length, other.substr(below(random, other.size()), length)); break;
      case 6: text.insert(at, length * 50, static_cast<char>(below(random, 256))); break;
      default:
        if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
    }
  }
  return text;
}

class Fuzz : public testing::TestWithParam<Reader> {};

TEST_P(Fuzz, IsReadOrRefused) {
  const Reader& reader = GetParam();
  for (const std::string& seed : reader.seeds) EXPECT_NO_THROW(reader.read(seed)) << seed;
  try_to_read(reader, "");
  Random random(7);
  for (int i = 0; i < reader.tries; ++i) {
    const std::string& seed = reader.seeds[below(random, reader.seeds.size())];
    const std::string& other = reader.seeds[below(random, reader.seeds.size())];
    try_to_read(reader, damaged(seed, other, random));
  }
}
INSTANTIATE_TEST_SUITE_P(Readers, Fuzz, testing::ValuesIn(readers()));

}  // namespace readers_test
}  // namespace cuboid::detail::fuzz
