#include <cuboid/error.hpp>

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace error_test {

constexpr ErrorCode all_codes[] = {
    ErrorCode::invalid_argument, ErrorCode::mismatch, ErrorCode::timeout, ErrorCode::peer_failed,
    ErrorCode::out_of_memory,    ErrorCode::io,       ErrorCode::parse,   ErrorCode::unsupported,
    ErrorCode::internal,
};

TEST(Error, CarriesCodeAndMessage) {
  for (const ErrorCode code : all_codes) {
    const Error error(code, "what happened");
    EXPECT_EQ(error.code(), code);
    EXPECT_STREQ(error.what(), "what happened");
  }
}

TEST(Error, IsAStandardException) {
  EXPECT_THROW(throw Error(ErrorCode::io, "disk"), std::runtime_error);
}

TEST(Error, EveryCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const ErrorCode code : all_codes) names.insert(to_string(code));
  EXPECT_EQ(names.size(), std::size(all_codes));
  EXPECT_EQ(names.count("unknown"), 0U);
  EXPECT_EQ(to_string(ErrorCode::peer_failed), "peer failed");
}

TEST(Error, UnknownCodesAreSaidToBeSo) {
  EXPECT_EQ(to_string(static_cast<ErrorCode>(99)), "unknown");
}

}  // namespace error_test
}  // namespace cuboid::detail
