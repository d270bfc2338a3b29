#pragma once

#include "base/shared_library.hpp"

#include <optional>
#include <string>

namespace cuboid::detail {

class CudaDriver;

/// NVRTC, the compiler of CUDA's programs for devices, loaded at run time and once per process.
class NvrtcLibrary {
 public:
  /// The library at `path`. Without a path, the newest installed one that the driver can serve.
  /// Throws Error(unsupported), which names the package to install.
  static const NvrtcLibrary& open(const std::optional<std::string>& path, const CudaDriver& driver);

  const std::string& path() const { return file_.path(); }
  /// E.g. "12.4".
  const std::string& version() const { return version_; }

  /// Compiles a program for devices of a compute capability such as "9.0". Returns what the
  /// driver's modules are loaded from. Products and sums are not contracted, so that numbers are
  /// rounded as on the cores. Throws Error(unsupported) with the compiler's log.
  std::string compile(const std::string& source, const std::string& capability) const;

  NvrtcLibrary(const NvrtcLibrary&) = delete;
  NvrtcLibrary& operator=(const NvrtcLibrary&) = delete;

 private:
  explicit NvrtcLibrary(const std::string& path);

  struct NvrtcFunctions {
    using Program = struct NvrtcProgram*;
    int (*version)(int*, int*);
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*);
    int (*destroy)(Program*);
    int (*compile)(Program, int, const char* const*);
    int (*code_size)(Program, std::size_t*);
    int (*code)(Program, char*);
    int (*log_size)(Program, std::size_t*);
    int (*log)(Program, char*);
    const char* (*error_text)(int);
  };

  SharedLibrary file_;
  NvrtcFunctions call_ = {};
  std::string version_;
};

}  // namespace cuboid::detail
