#include <cuboid/collectives.hpp>
#include <cuboid/communicator.hpp>
#include <cuboid/error.hpp>
#include <cuboid/reduction.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace reduction_test {

using Kind = Reduction::Kind;

constexpr Kind all_kinds[] = {
    Kind::sum,        Kind::product,     Kind::minimum,     Kind::maximum,    Kind::logical_and,
    Kind::logical_or, Kind::logical_xor, Kind::bitwise_and, Kind::bitwise_or, Kind::bitwise_xor};

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

bool is_bitwise(Kind kind) {
  return kind == Kind::bitwise_and || kind == Kind::bitwise_or || kind == Kind::bitwise_xor;
}

template <class T>
bool should_be_defined(Kind kind) {
  if (kind == Kind::sum || kind == Kind::product) return true;
  if (is_complex<T>) return false;
  return std::is_integral_v<T> || !is_bitwise(kind);
}

// What the operation means, element by element. Integers in 64 bits, cut back to T.
template <class T>
T reference(Kind kind, T left, T right) {
  if constexpr (is_complex<T>) {
    if (kind == Kind::sum) return {left.real() + right.real(), left.imag() + right.imag()};
    return {left.real() * right.real() - left.imag() * right.imag(),
            left.real() * right.imag() + left.imag() * right.real()};
  } else {
    switch (kind) {
      case Kind::minimum: return std::min(left, right);
      case Kind::maximum: return std::max(left, right);
      case Kind::logical_and: return static_cast<T>(left != 0 ? right != 0 : 0);
      case Kind::logical_or: return static_cast<T>(left != 0 ? 1 : right != 0);
      case Kind::logical_xor:
        return static_cast<T>((left != 0 ? 1 : 0) + (right != 0 ? 1 : 0) == 1);
      default: break;
    }
    if constexpr (std::is_floating_point_v<T>) {
      return kind == Kind::sum ? left + right : left * right;
    } else {
      const auto a = static_cast<std::uint64_t>(left);
      const auto b = static_cast<std::uint64_t>(right);
      switch (kind) {
        case Kind::sum: return static_cast<T>(a + b);
        case Kind::product: return static_cast<T>(a * b);
        case Kind::bitwise_and: return static_cast<T>(a & b);
        case Kind::bitwise_or: return static_cast<T>(a | b);
        default: return static_cast<T>(a ^ b);
      }
    }
  }
}

// Pairs of operands: small ones, and for integers the ends of the range, where sums and products
// wrap.
template <class T>
struct Operands {
  std::vector<T> left;
  std::vector<T> right;

  Operands() {
    std::vector<T> values;
    if constexpr (is_complex<T>) {
      for (const int real : {-3, 0, 1, 7}) {
        for (const int imaginary : {-2, 0, 5})
          values.push_back({static_cast<typename T::value_type>(real),
                            static_cast<typename T::value_type>(imaginary)});
      }
    } else {
      for (const int value : {0, 1, 2, 3, 5, 100}) values.push_back(static_cast<T>(value));
      if constexpr (std::is_signed_v<T>) {
        for (const int value : {-1, -2, -100}) values.push_back(static_cast<T>(value));
      }
      if constexpr (std::is_integral_v<T>) {
        using Limits = std::numeric_limits<T>;
        values.insert(values.end(), {Limits::min(), Limits::max(), Limits::max() / 2});
      }
    }
    for (const T& a : values) {
      for (const T& b : values) {
        left.push_back(a);
        right.push_back(b);
      }
    }
  }
};

template <class T>
class ReductionOf : public testing::Test {};
using Numbers = testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t, float, double,
                               std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(ReductionOf, Numbers);

TYPED_TEST(ReductionOf, EqualsTheScalarReference) {
  const Operands<TypeParam> operands;
  const std::size_t count = operands.left.size();
  for (const Kind kind : all_kinds) {
    if (!should_be_defined<TypeParam>(kind)) continue;
    const CombineFunction combine = Reduction(kind).combine_for(datatype_of<TypeParam>());
    std::vector<TypeParam> result(count + 1, TypeParam(77));
    combine(operands.left.data(), operands.right.data(), result.data(), count);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(result[i], reference(kind, operands.left[i], operands.right[i]))
          << to_string(kind) << " of " << +operands.left[i] << " and " << +operands.right[i];
    }
    EXPECT_EQ(result[count], TypeParam(77)) << to_string(kind) << " wrote too much";
  }
}

TYPED_TEST(ReductionOf, ResultMayBeEitherOperand) {
  const Operands<TypeParam> operands;
  const std::size_t count = operands.left.size();
  for (const Kind kind : all_kinds) {
    if (!should_be_defined<TypeParam>(kind)) continue;
    const CombineFunction combine = Reduction(kind).combine_for(datatype_of<TypeParam>());
    std::vector<TypeParam> apart(count);
    combine(operands.left.data(), operands.right.data(), apart.data(), count);
    std::vector<TypeParam> into_left = operands.left;
    combine(into_left.data(), operands.right.data(), into_left.data(), count);
    EXPECT_EQ(into_left, apart) << to_string(kind);
    std::vector<TypeParam> into_right = operands.right;
    combine(operands.left.data(), into_right.data(), into_right.data(), count);
    EXPECT_EQ(into_right, apart) << to_string(kind);
  }
}

TYPED_TEST(ReductionOf, NothingIsTouchedForNoElements) {
  for (const Kind kind : all_kinds) {
    if (!should_be_defined<TypeParam>(kind)) continue;
    Reduction(kind).combine_for(datatype_of<TypeParam>())(nullptr, nullptr, nullptr, 0);
  }
}

TYPED_TEST(ReductionOf, UndefinedOnesAreRefused) {
  for (const Kind kind : all_kinds) {
    const Reduction reduction(kind);
    EXPECT_EQ(reduction.defined_for(datatype_of<TypeParam>()), should_be_defined<TypeParam>(kind));
    if (should_be_defined<TypeParam>(kind)) continue;
    try {
      reduction.combine_for(datatype_of<TypeParam>());
      ADD_FAILURE() << to_string(kind) << " was accepted";
    } catch (const Error& error) {
      const std::string message = error.what();
      EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
      EXPECT_NE(message.find(to_string(kind)), std::string::npos) << message;
      EXPECT_NE(message.find(to_string(datatype_of<TypeParam>())), std::string::npos) << message;
    }
  }
}

TEST(Reduction, NothingBuiltInIsDefinedForBytesAndUsersTypes) {
  for (const Kind kind : all_kinds) {
    for (const Datatype type : {Datatype(Datatype::Kind::byte), Datatype::user(24)}) {
      EXPECT_FALSE(Reduction(kind).defined_for(type));
      EXPECT_THROW(Reduction(kind).combine_for(type), Error);
    }
  }
}

template <class T>
T combined(Kind kind, T left, T right) {
  T result{};
  Reduction(kind).combine_for(datatype_of<T>())(&left, &right, &result, 1);
  return result;
}

template <class T>
void expect_ieee_sense() {
  constexpr T infinity = std::numeric_limits<T>::infinity();
  constexpr T nan = std::numeric_limits<T>::quiet_NaN();
  EXPECT_EQ(combined<T>(Kind::sum, infinity, 1), infinity);
  EXPECT_TRUE(std::isnan(combined<T>(Kind::sum, infinity, -infinity)));
  EXPECT_TRUE(std::isnan(combined<T>(Kind::sum, nan, 1)));
  EXPECT_TRUE(std::isnan(combined<T>(Kind::product, 0, infinity)));
  EXPECT_EQ(combined<T>(Kind::minimum, -infinity, 1), -infinity);
  EXPECT_EQ(combined<T>(Kind::maximum, 1, infinity), infinity);
  EXPECT_EQ(combined<T>(Kind::logical_and, nan, 1), 1);  // anything but 0 is true
  EXPECT_EQ(combined<T>(Kind::logical_or, 0, T{-0.0}), 0);
  // Which of the two comes of a minimum with NaN depends on the order, but nothing else does.
  EXPECT_TRUE(std::isnan(combined<T>(Kind::minimum, nan, 1)));
  EXPECT_EQ(combined<T>(Kind::minimum, 1, nan), 1);
}

TEST(Reduction, InfinitiesAndNaN) {
  expect_ieee_sense<float>();
  expect_ieee_sense<double>();
}

TEST(Reduction, UsersOperation) {
  struct Vector {
    double x, y;
  };
  const auto add = [](const void* left, const void* right, void* result, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const Vector& a = static_cast<const Vector*>(left)[i];
      const Vector& b = static_cast<const Vector*>(right)[i];
      static_cast<Vector*>(result)[i] = {a.x + b.x, a.y - b.y};
    }
  };
  const Reduction reduction = Reduction::user(add, Commutative::no);
  EXPECT_FALSE(reduction.commutative());
  EXPECT_TRUE(Reduction::user(add, Commutative::yes).commutative());
  EXPECT_TRUE(reduction.defined_for(datatype_of<Vector>()));
  const Vector left{1, 2};
  const Vector right{3, 5};
  Vector result{};
  reduction.combine_for(datatype_of<Vector>())(&left, &right, &result, 1);
  EXPECT_EQ(result.x, 4);
  EXPECT_EQ(result.y, -3);
}

TEST(Reduction, EqualWhereOnePlanServesBoth) {
  const auto nothing = [](const void*, const void*, void*, std::size_t) {};
  const Reduction mine = Reduction::user(nothing, Commutative::yes);
  EXPECT_EQ(mine, Reduction(mine));
  EXPECT_FALSE(mine == Reduction::user(nothing, Commutative::yes));  // functions cannot be compared
  EXPECT_EQ(Reduction(Kind::sum), Reduction(Kind::sum));
  EXPECT_FALSE(Reduction(Kind::sum) == Reduction(Kind::product));
}

TEST(Datatype, OfEveryNumberAndOthers) {
  EXPECT_EQ(to_string(datatype_of<std::byte>()), "byte");
  EXPECT_EQ(to_string(datatype_of<char>()), "int8");
  EXPECT_EQ(to_string(datatype_of<std::uint16_t>()), "uint16");
  EXPECT_EQ(to_string(datatype_of<long>()), "int64");
  EXPECT_EQ(to_string(datatype_of<float>()), "float32");
  EXPECT_EQ(to_string(datatype_of<std::complex<double>>()), "complex128");
  struct Odd {
    char bytes[3];
  };
  EXPECT_EQ(datatype_of<Odd>(), Datatype::user(3));
  EXPECT_EQ(datatype_of<bool>(), Datatype::user(1));
  EXPECT_EQ(to_string(datatype_of<Odd>()), "user(3 bytes)");
  EXPECT_EQ(datatype_of<std::complex<float>>().bytes(), 8U);
}

// As compilers demand where they use vector registers.
TEST(Reduction, UsersElementsLieAlignedAsTheyMust) {
  struct alignas(64) Line {
    double values[8];
  };
  std::atomic<int> misaligned = 0;
  const auto add = [&](const void* left, const void* right, void* result, std::size_t count) {
    for (const void* const one : {left, right, static_cast<const void*>(result)})
      misaligned += reinterpret_cast<std::uintptr_t>(one) % alignof(Line) == 0 ? 0 : 1;
    for (std::size_t i = 0; i < count; ++i)
      static_cast<Line*>(result)[i].values[0] = static_cast<const Line*>(left)[i].values[0] +
                                                static_cast<const Line*>(right)[i].values[0];
  };
  run_ranks(3, [&](Communicator& c) {
    for (const std::size_t count : {1, 10, 10000}) {
      std::vector<Line> lines(count, Line{{1}}), sums(count);
      allreduce(c, std::span<const Line>(lines), std::span(sums),
                Reduction::user(add, Commutative::yes));
      EXPECT_EQ(sums.back().values[0], 3);
    }
  });
  EXPECT_EQ(misaligned, 0);
}

}  // namespace reduction_test
}  // namespace cuboid::detail
