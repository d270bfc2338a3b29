#include "mm/files/file_lines.hpp"

#include <cuboid/error.hpp>

#include <cstring>
#include <span>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {
constexpr std::size_t piece_bytes = 1 << 20;
}  // namespace

FileLines::FileLines(const FileDescriptor& file) : file_(file), buffer_(piece_bytes) {}

std::optional<std::string_view> FileLines::next() {
  std::size_t end = rest_.find('\n');
  if (end == std::string_view::npos && read_more()) end = rest_.find('\n');
  if (end == std::string_view::npos && rest_.empty()) return std::nullopt;
  ++line_number_;
  if (end == std::string_view::npos && !at_end_) {
    throw Error(ErrorCode::parse, fmt::format("a line of more than {} bytes", piece_bytes));
  }
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string FileLines::where() const {
  return fmt::format("{}:{}", file_.path(), line_number_);
}

/// Moves what is left to the buffer's front and fills up behind it.
bool FileLines::read_more() {
  if (at_end_) return false;
  const std::size_t kept = rest_.size();
  if (kept > 0) std::memmove(buffer_.data(), rest_.data(), kept);
  const std::span<char> room = std::span(buffer_).subspan(kept);
  const std::size_t count = file_.read_some_at(std::as_writable_bytes(room), offset_);
  offset_ += count;
  at_end_ = count < room.size();
  rest_ = std::string_view(buffer_.data(), kept + count);
  return count > 0;
}

}  // namespace cuboid::detail
