#include "collectives/node/shared_segment.hpp"

#include <cuboid/error.hpp>

#include "base/process_limits.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

namespace cuboid::detail {

namespace {

/// The length of a mapping for this many bytes. A mapping cannot be empty.
std::size_t length(std::size_t bytes) {
  return std::max<std::size_t>(bytes, 1);
}

std::byte* map_descriptor(int descriptor, std::size_t bytes) {
  void* const memory =
      mmap(nullptr, length(bytes), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<std::byte*>(memory);
}

}  // namespace

SharedSegment::SharedSegment(std::size_t bytes)
    : descriptor_(memfd_create("cuboid-window", MFD_CLOEXEC)) {
  std::byte* memory = nullptr;
  if (!may_make_file_of(length(bytes))) {
    errno = EFBIG;
  } else if (descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(length(bytes))) == 0) {
    memory = map_descriptor(descriptor_, bytes);
  }
  if (memory == nullptr) {
    const int problem = errno;
    if (descriptor_ >= 0) ::close(descriptor_);
    throw Error(ErrorCode::out_of_memory, std::strerror(problem));
  }
  bytes_ = {memory, bytes};
}

std::optional<SharedSegment> SharedSegment::map(const SegmentAddress& place, std::size_t bytes) {
  const std::string path = fmt::format("/proc/{}/fd/{}", place.process, place.descriptor);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::byte* const memory = map_descriptor(descriptor, bytes);
  ::close(descriptor);
  if (memory == nullptr) return std::nullopt;
  SharedSegment segment;
  segment.bytes_ = {memory, bytes};
  return segment;
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), bytes_(std::exchange(other.bytes_, {})) {}

SharedSegment& SharedSegment::operator=(SharedSegment&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedSegment::~SharedSegment() {
  if (bytes_.data() != nullptr) munmap(bytes_.data(), length(bytes_.size()));
  close();
}

void SharedSegment::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

SharedSegment::SegmentAddress SharedSegment::place() const {
  return {.process = getpid(), .descriptor = descriptor_};
}

}  // namespace cuboid::detail
