#include "base/shared_library.hpp"

#include <cuboid/error.hpp>

#include <string>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace shared_library_test {

TEST(SharedLibrary, IsLoadedFromWhereItWasAtBuildTime) {
  const std::string here = SharedLibrary("libm.so.6").path();
  EXPECT_EQ(present_library(here), here);
}

TEST(SharedLibrary, IsSearchedForByNameOnAMachineThatHasItElsewhere) {
  EXPECT_EQ(present_library("/where/it/was/built/libm.so.6"), "libm.so.6");
  EXPECT_NO_THROW(SharedLibrary(present_library("/where/it/was/built/libm.so.6")));
  EXPECT_THROW(SharedLibrary("/where/it/was/built/libm.so.6"), Error);
}

/// The text of the error that `call` throws.
template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    return error.what();
  }
  return "";
}

TEST(SharedLibrary, ErrorsEndWithTheRemedy) {
  const std::string missing =
      error_of([] { SharedLibrary("libnowhere.so", Symbols::own, "install it"); });
  EXPECT_NE(missing.find("libnowhere.so"), std::string::npos) << missing;
  EXPECT_TRUE(missing.ends_with("; install it")) << missing;

  const SharedLibrary library("libm.so.6");
  double (*cosine)(double) = nullptr;
  library.require(cosine, "cos", "it is there");
  EXPECT_EQ(cosine(0), 1);
  EXPECT_EQ(error_of([&] { library.require(cosine, "no_such_function", "take another"); }),
            library.path() + " has no no_such_function: take another");
}

TEST(SharedLibrary, LoadsGrowWithALibraryAndNotWithALook) {
  constexpr const char* name = "libresolv.so.2";
  if (SharedLibrary::is_loaded(name)) GTEST_SKIP() << name << " is loaded already";
  const auto before = SharedLibrary::loads();
  EXPECT_FALSE(SharedLibrary::is_loaded(name));
  EXPECT_EQ(SharedLibrary::loads(), before);
  const SharedLibrary library(name);
  EXPECT_TRUE(SharedLibrary::is_loaded(name));
  EXPECT_GT(SharedLibrary::loads(), before);
}

TEST(OncePerProcess, MakesOneObjectOfAName) {
  int made = 0;
  const auto number_of = [&](const std::string& name) -> const int& {
    return once_per_process<const int>(name, [&] { return new int(++made); });
  };
  const int& first = number_of("first");
  EXPECT_EQ(number_of("second"), 2);
  EXPECT_EQ(&number_of("first"), &first);
  EXPECT_EQ(first, 1);
  // A library that cannot be opened can be tried again.
  EXPECT_THROW(once_per_process<const int>(
                   "third", []() -> const int* { throw Error(ErrorCode::unsupported, "none"); }),
               Error);
  EXPECT_EQ(number_of("third"), 3);
}

}  // namespace shared_library_test
}  // namespace cuboid::detail
