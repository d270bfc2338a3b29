#include "mm/matrix/stored_numbers.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace stored_numbers_test {

using Kind = StoredNumbers::Kind;

/// Stores values as a file has them and converts them to T.
template <class T, class Stored>
std::vector<T> converted(const std::vector<Stored>& values, StoredNumbers stored) {
  std::vector<T> elements(values.size());
  const auto bytes = std::as_writable_bytes(std::span(elements));
  const auto raw = bytes.last(values.size() * sizeof(Stored));
  std::memcpy(raw.data(), values.data(), raw.size());
  if (stored.swapped) {
    for (std::size_t at = 0; at < raw.size(); at += sizeof(Stored))
      std::ranges::reverse(raw.subspan(at, sizeof(Stored)));
  }
  convert_in_place(stored, bytes);
  return elements;
}

template <class T, class Stored>
void expect_converted(Kind kind, const std::vector<Stored>& values) {
  for (const bool swapped : {false, true}) {
    const auto elements = converted<T>(values, {kind, sizeof(Stored), swapped});
    for (std::size_t k = 0; k < values.size(); ++k)
      EXPECT_EQ(elements[k], static_cast<T>(values[k])) << k << (swapped ? " swapped" : "");
  }
}

TEST(StoredNumbers, OfEveryKindAndByteOrderAreConverted) {
  expect_converted<float>(Kind::signed_integer, std::vector<std::int8_t>{-128, -1, 0, 127, 5});
  expect_converted<float>(Kind::unsigned_integer, std::vector<std::uint8_t>{0, 255, 7});
  expect_converted<float>(Kind::signed_integer, std::vector<std::int16_t>{-32768, 32767, 1, 256});
  expect_converted<float>(Kind::unsigned_integer, std::vector<std::uint16_t>{65535, 1, 256});
  expect_converted<double>(Kind::signed_integer, std::vector<std::int32_t>{INT32_MIN, 1, 1 << 30});
  expect_converted<double>(Kind::unsigned_integer, std::vector<std::uint32_t>{UINT32_MAX, 1, 3});
  expect_converted<double>(Kind::signed_integer,
                           std::vector<std::int64_t>{INT64_MIN, -1, 1LL << 53, 3LL << 60});
  expect_converted<double>(Kind::unsigned_integer, std::vector<std::uint64_t>{1ULL << 63, 1, 0});
  expect_converted<float>(Kind::floating, std::vector<float>{1.5F, -2.25F, 1e-40F});
  expect_converted<double>(Kind::floating, std::vector<double>{1.5, -2.25, 1e-320});
  const std::vector<std::uint8_t> truths = {0, 1, 2, 255};
  EXPECT_EQ((converted<float>(truths, {Kind::boolean, 1, false})),
            (std::vector<float>{0, 1, 1, 1}));
}

TEST(StoredNumbers, OfComplexKindKeepTheirPartsInOrder) {
  const std::vector<double> parts = {1, 2, 3, 4};
  std::vector<std::byte> bytes(4 * sizeof(double));
  std::memcpy(bytes.data(), parts.data(), bytes.size());
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(double))
    std::ranges::reverse(std::span(bytes).subspan(at, sizeof(double)));
  convert_in_place({Kind::complex, 16, true}, bytes);
  EXPECT_EQ(std::memcmp(bytes.data(), parts.data(), bytes.size()), 0);
}

TEST(StoredNumbers, OfSixteenBitsAreThoseOfIeee754) {
  const std::vector<std::uint16_t> halves = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0400,
                                             0x0001, 0x83ff, 0x3555, 0x7c00, 0xfc00, 0x7e00};
  const std::vector<float> values = {0,
                                     -0.0F,
                                     1,
                                     -2,
                                     65504,
                                     std::ldexp(1.0F, -14),
                                     std::ldexp(1.0F, -24),
                                     -std::ldexp(1023.0F, -24),
                                     std::ldexp(1365.0F, -12),
                                     std::numeric_limits<float>::infinity(),
                                     -std::numeric_limits<float>::infinity()};
  const auto elements = converted<float>(halves, {Kind::floating, 2, false});
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(elements[k], values[k]) << k;
    EXPECT_EQ(std::signbit(elements[k]), std::signbit(values[k])) << k;
  }
  EXPECT_TRUE(std::isnan(elements.back()));
}

TEST(StoredNumbers, IntegersWithoutAnExactValueAreRefused) {
  for (const std::int64_t value : {(INT64_C(1) << 53) + 1, INT64_MAX, -(INT64_C(1) << 60) - 1}) {
    try {
      converted<double>(std::vector<std::int64_t>{0, value}, {Kind::signed_integer, 8, false});
      ADD_FAILURE() << value << " was converted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::parse);
      EXPECT_NE(std::string(error.what()).find(std::to_string(value)), std::string::npos);
    }
  }
}

TEST(StoredNumbers, HaveAnElementTypeOrNone) {
  EXPECT_EQ(element_type_for({Kind::signed_integer, 8, false}), ElementType::float64);
  EXPECT_EQ(element_type_for({Kind::floating, 16, false}), std::nullopt);
  EXPECT_EQ(element_type_for({Kind::signed_integer, 3, false}), std::nullopt);
  EXPECT_EQ(element_type_for({Kind::complex, 32, false}), std::nullopt);
  for (const ElementType type : {ElementType::float32, ElementType::float64, ElementType::complex64,
                                 ElementType::complex128})
    EXPECT_EQ(element_type_for(stored_as(type)), type);
}

}  // namespace stored_numbers_test
}  // namespace cuboid::detail
