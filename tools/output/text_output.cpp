#include "tools/output/text_output.hpp"

#include <cuboid/error.hpp>

#include "mm/files/file_descriptor.hpp"
#include "mm/files/replacement_file.hpp"
#include "tools/output/flag_values.hpp"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <span>
#include <system_error>

#include <fmt/format.h>

namespace cuboid::detail::tools {

namespace fs = std::filesystem;

namespace {

bool is_device_or_pipe(const std::string& path) {
  std::error_code error;
  const fs::file_status there = fs::status(path, error);
  return fs::exists(there) && !fs::is_regular_file(there) && !fs::is_directory(there);
}

void write_into(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw_io_error(path, "cannot be written", errno);
}

void replace(const std::string& path, const std::string& text) {
  check_replaceable(path);
  ReplacementFile replacement(path, text.size());
  replacement.file().write_at(std::as_bytes(std::span(text)), 0);
  replacement.commit();
}

/// Results go to a duplicate of standard output; descriptor 1 is redirected to standard error.
void refuse_standard_output(std::string_view flag, const std::string& path) {
  constexpr int most_links = 8;
  std::error_code error;
  fs::path at(path);
  for (int link = 0; link < most_links && !error; ++link) {
    if (at == "/proc/self/fd/1" || at == "/dev/fd/1")
      refuse(fmt::format("{} {}: standard output is reserved for the result: give a file", flag,
                         path));
    at = fs::read_symlink(at, error);
  }
}

/// Adds the flag's name to the errors that `write` throws.
template <class Write>
void naming(std::string_view flag, const Write& write) {
  try {
    write();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", flag, error.what()));
  }
}

}  // namespace

void prepare_text_file(std::string_view flag, const std::string& path) {
  refuse_standard_output(flag, path);
  if (!is_device_or_pipe(path)) naming(flag, [&] { check_replaceable(path); });
}

void write_text_file(std::string_view flag, const std::string& path, const std::string& text) {
  refuse_standard_output(flag, path);
  naming(flag, [&] { is_device_or_pipe(path) ? write_into(path, text) : replace(path, text); });
}

}  // namespace cuboid::detail::tools
