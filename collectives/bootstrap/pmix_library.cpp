#include "collectives/bootstrap/pmix_library.hpp"

#include <cuboid/error.hpp>

#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

/// What the library says of its version, e.g. "OpenPMIx 4.2.2", without the builder's address.
std::string pmix_version(const SharedLibrary& library) {
  auto* const version = library.find<const char*()>("PMIx_Get_version");
  if (version == nullptr) return "of an unknown version";
  const std::string_view text(version());
  return std::string(text.substr(0, text.find(',')));
}

}  // namespace

// PMIx must use the program's malloc() and libevent, as if the program were linked with it.
PmixLibrary::PmixLibrary(const std::string& name)
    : library_(name, Symbols::programs,
               "install PMIx 3 or later (Debian's package libpmix2), or put its folder into "
               "LD_LIBRARY_PATH") {
  const auto find = [&](auto*& function, const char* function_name) {
    library_.require(
        function, function_name,
        fmt::format("it is {}, and Cuboid needs PMIx 3 or later", pmix_version(library_)));
  };
  // PMIx 2 lacks this function, which Cuboid does not call, and lays out values in another way.
  int (*since_version_3)() = nullptr;
  find(since_version_3, "PMIx_IOF_pull");
  find(init, "PMIx_Init");
  find(finalise, "PMIx_Finalize");
  find(put, "PMIx_Put");
  find(commit, "PMIx_Commit");
  find(fence, "PMIx_Fence_nb");
  find(get, "PMIx_Get_nb");
  find(text_of, "PMIx_Error_string");
}

}  // namespace cuboid::detail
