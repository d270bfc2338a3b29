#include "collectives/bootstrap/pmix_library.hpp"

#include <cuboid/error.hpp>

#include <string_view>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {

SharedLibrary load_pmix(const std::string& name) {
  try {
    // PMIx must use the program's malloc() and libevent, as if the program were linked with it.
    return SharedLibrary(name, Symbols::programs);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("{}; install PMIx 3 or later (Debian's package libpmix2), or put its "
                            "folder into LD_LIBRARY_PATH",
                            error.what()));
  }
}

/// What the library says of its version, e.g. "OpenPMIx 4.2.2", without the builder's address.
std::string pmix_version(const SharedLibrary& library) {
  auto* const version = library.find<const char*()>("PMIx_Get_version");
  if (version == nullptr) return "of an unknown version";
  const std::string_view text(version());
  return std::string(text.substr(0, text.find(',')));
}

template <class Function>
void find_in_pmix(const SharedLibrary& library, const char* name, Function*& function) {
  function = library.find<Function>(name);
  if (function != nullptr) return;
  throw Error(ErrorCode::unsupported, fmt::format("{} ({}) has no {}: Cuboid needs PMIx 3 or later",
                                                  library.path(), pmix_version(library), name));
}

}  // namespace

PmixLibrary::PmixLibrary(const std::string& name) : library_(load_pmix(name)) {
  // PMIx 2 lacks this function, which Cuboid does not call, and lays out values in another way.
  int (*since_version_3)() = nullptr;
  find_in_pmix(library_, "PMIx_IOF_pull", since_version_3);
  find_in_pmix(library_, "PMIx_Init", init);
  find_in_pmix(library_, "PMIx_Finalize", finalise);
  find_in_pmix(library_, "PMIx_Put", put);
  find_in_pmix(library_, "PMIx_Commit", commit);
  find_in_pmix(library_, "PMIx_Fence_nb", fence);
  find_in_pmix(library_, "PMIx_Get_nb", get);
  find_in_pmix(library_, "PMIx_Error_string", text_of);
}

}  // namespace cuboid::detail
