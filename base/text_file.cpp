#include "base/text_file.hpp"

#include <cuboid/error.hpp>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

constexpr std::chrono::seconds pipe_patience{10};

bool is_space(char c) {
  return c == ' ' || c == '\t';
}

[[noreturn]] void cannot_read(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::io, fmt::format("cannot read {}: {}", path, reason));
}

}  // namespace

TextFile read_text_file(const std::string& path) {
  // Does not wait until the other end of a pipe is opened.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) cannot_read(path, std::strerror(errno));
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> owner(fdopen(descriptor, "rb"),
                                                                 &std::fclose);
  struct stat status {};
  if (fstat(descriptor, &status) != 0) cannot_read(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) cannot_read(path, "it is a directory");
  const bool is_pipe = S_ISFIFO(status.st_mode);
  if (!S_ISREG(status.st_mode) && !is_pipe) cannot_read(path, "it is neither a file nor a pipe");

  // Reads in pieces, not by the file's size: pipes and files in /proc do not know their size.
  TextFile file{path, {}, {}};
  std::string piece(std::size_t{1} << 16, '\0');
  const auto patience = std::chrono::steady_clock::now() + pipe_patience;
  for (;;) {
    const ssize_t count = ::read(descriptor, piece.data(), piece.size());
    const bool nobody_has_written = count == 0 && file.text.empty();
    if (is_pipe && ((count < 0 && errno == EAGAIN) || nobody_has_written)) {
      if (std::chrono::steady_clock::now() > patience)
        cannot_read(path, "nothing came through this pipe for 10 s");
      constexpr std::chrono::milliseconds between_looks{10};
      std::this_thread::sleep_for(between_looks);
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) cannot_read(path, std::strerror(errno));
    if (count == 0) return file;
    file.text.append(piece, 0, static_cast<std::size_t>(count));
    if (file.text.size() > largest_topology_file) {
      throw Error(ErrorCode::parse, fmt::format("{}: larger than {} MiB; is this a topology file?",
                                                path, largest_topology_file >> 20));
    }
  }
}

void fail_at(const TextFile& file, int line, std::string_view reason) {
  throw Error(ErrorCode::parse, fmt::format("{}:{}: {}", file.name, line, reason));
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 40;
  std::string beginning(text.substr(0, longest));
  std::ranges::replace_if(
      beginning, [](unsigned char c) { return std::isprint(c) == 0; }, '?');
  return fmt::format("\"{}{}\"", beginning, text.size() > longest ? "..." : "");
}

std::optional<std::string_view> LineReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  std::string_view line = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  ++number_;
  return line;
}

void Cursor::skip_spaces() {
  while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
}

bool Cursor::take(std::string_view token) {
  if (!rest_.starts_with(token)) return false;
  rest_.remove_prefix(token.size());
  return true;
}

std::optional<int> Cursor::take_number() {
  int number = 0;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
  if (error != std::errc{} || number < 0) return std::nullopt;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return number;
}

std::optional<std::string_view> Cursor::take_until(std::string_view end) {
  const std::size_t position = rest_.find(end);
  if (position == std::string_view::npos) return std::nullopt;
  const std::string_view taken = rest_.substr(0, position);
  rest_.remove_prefix(position + end.size());
  return taken;
}

std::string_view Cursor::take_word() {
  const auto* end = std::ranges::find_if(rest_, is_space);
  const std::string_view word = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
  rest_.remove_prefix(word.size());
  return word;
}

}  // namespace cuboid::detail
