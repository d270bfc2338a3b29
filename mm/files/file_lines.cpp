#include "mm/files/file_lines.hpp"

#include <cuboid/error.hpp>

#include <cstring>
#include <span>

#include <fmt/format.h>

namespace cuboid::detail {

namespace {
constexpr std::size_t piece_bytes = 1 << 20;
}  // namespace

FileLines::FileLines(const FileDescriptor& file) : file_(file), buffer_(piece_bytes) {
  const std::size_t count =
      file.read_some_at(std::as_writable_bytes(std::span(buffer_).first(2)), 0);
  if (is_gzip({buffer_.data(), count})) gzip_.emplace(file);
}

std::uint64_t FileLines::most_bytes() const {
  return file_.size() * (gzip_ ? most_compression : 1);
}

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

/// Moves the rest of the text to the buffer's front and fills the buffer behind it.
bool FileLines::read_more() {
  if (at_end_) return false;
  const std::size_t kept = rest_.size();
  if (kept > 0) std::memmove(buffer_.data(), rest_.data(), kept);
  const auto room = std::as_writable_bytes(std::span(buffer_).subspan(kept));
  const std::size_t count = gzip_ ? gzip_->read(room) : file_.read_some_at(room, offset_);
  offset_ += count;
  at_end_ = count < room.size();
  rest_ = std::string_view(buffer_.data(), kept + count);
  return count > 0;
}

}  // namespace cuboid::detail
