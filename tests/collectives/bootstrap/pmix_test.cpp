// What a process without a launcher, or with another library, is told. What Cuboid declares of
// PMIx's interface is compared with the header, where there is one.

#include <cuboid/bootstrap.hpp>
#include <cuboid/error.hpp>

#include "collectives/bootstrap/pmix_library.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>

#include <gtest/gtest.h>

#ifdef CUBOID_TEST_PMIX_HEADER
#include <pmix.h>
#endif

namespace cuboid::detail {
namespace pmix_test {

template <class Function>
std::string refusal_of(const Function& function) {
  try {
    function();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    return error.what();
  }
  return "no error";
}

bool says(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos && text.find('\n') == std::string::npos;
}

TEST(Pmix, IsRefusedWithoutALauncher) {
  unsetenv("PMIX_NAMESPACE");
  EXPECT_TRUE(says(refusal_of([] { pmix_bootstrap(); }), "srun --mpi=pmix"));
}

TEST(Pmix, IsRefusedWhereTheLibraryIsMissing) {
  EXPECT_TRUE(says(refusal_of([] { PmixLibrary("libpmix_none.so"); }), "libpmix2"));
}

TEST(Pmix, IsRefusedWhereTheLibraryIsTooOld) {
  const std::string refusal = refusal_of([] { PmixLibrary(CUBOID_TEST_OLD_PMIX); });
  EXPECT_TRUE(says(refusal, "it is PMIx 2.2.5, and Cuboid needs PMIx 3")) << refusal;
  EXPECT_TRUE(says(refusal, "PMIx 3 or later")) << refusal;
}

#ifdef CUBOID_TEST_PMIX_HEADER

TEST(Pmix, IsLaidOutAsTheHeaderSays) {
  static_assert(sizeof(PmixProcess) == sizeof(pmix_proc_t));
  static_assert(offsetof(PmixProcess, rank) == offsetof(pmix_proc_t, rank));
  static_assert(sizeof(PmixBytes) == sizeof(pmix_byte_object_t));
  static_assert(offsetof(PmixBytes, size) == offsetof(pmix_byte_object_t, size));
  static_assert(sizeof(PmixValue) == sizeof(pmix_value_t));
  static_assert(offsetof(PmixValue, bytes) == offsetof(pmix_value_t, data));
  static_assert(sizeof(PmixArgument) == sizeof(pmix_info_t));
  static_assert(offsetof(PmixArgument, flags) == offsetof(pmix_info_t, flags));
  static_assert(offsetof(PmixArgument, value) == offsetof(pmix_info_t, value));
  static_assert(pmix::flag == PMIX_BOOL);
  static_assert(pmix::number == PMIX_UINT32);
  static_assert(pmix::bytes == PMIX_BYTE_OBJECT);
  static_assert(pmix::all_ranks == PMIX_RANK_WILDCARD);
  static_assert(pmix::success == PMIX_SUCCESS);
  static_assert(pmix::timeout == PMIX_ERR_TIMEOUT);
  static_assert(pmix::done_at_once == PMIX_OPERATION_SUCCEEDED);
  static_assert(pmix::global == PMIX_GLOBAL);
  EXPECT_STREQ(pmix::size_of_job, PMIX_JOB_SIZE);
  EXPECT_STREQ(pmix::collect_data, PMIX_COLLECT_DATA);
}

#endif

}  // namespace pmix_test
}  // namespace cuboid::detail
