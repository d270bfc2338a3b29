#include "mm/files/gzip_reader.hpp"

#include <cuboid/error.hpp>

#include <fmt/format.h>
#include <zlib.h>

namespace cuboid::detail {

namespace {

constexpr std::size_t compressed_piece_bytes = 256 << 10;
constexpr int gzip_and_largest_window = 16 + MAX_WBITS;

}  // namespace

struct GzipReader::Stream {
  z_stream zlib{};
};

GzipReader::GzipReader(const FileDescriptor& file)
    : file_(file), stream_(std::make_unique<Stream>()), compressed_(compressed_piece_bytes) {
  if (inflateInit2(&stream_->zlib, gzip_and_largest_window) != Z_OK)
    throw Error(ErrorCode::out_of_memory, file.path() + ": no memory to decompress it");
}

GzipReader::~GzipReader() {
  inflateEnd(&stream_->zlib);
}

bool GzipReader::refill() {
  const std::size_t count = file_.read_some_at(compressed_, offset_);
  offset_ += count;
  stream_->zlib.next_in = reinterpret_cast<Bytef*>(compressed_.data());
  stream_->zlib.avail_in = static_cast<uInt>(count);
  return count > 0;
}

std::size_t GzipReader::read(std::span<std::byte> bytes) {
  z_stream& zlib = stream_->zlib;
  zlib.next_out = reinterpret_cast<Bytef*>(bytes.data());
  zlib.avail_out = static_cast<uInt>(bytes.size());
  while (zlib.avail_out > 0) {
    if (zlib.avail_in == 0 && !refill()) {
      if (within_member_) throw Error(ErrorCode::parse, "truncated: gzip's data end early");
      break;
    }
    if (!within_member_) {
      inflateReset(&zlib);
      within_member_ = true;
    }
    const int state = inflate(&zlib, Z_NO_FLUSH);
    if (state == Z_STREAM_END) {
      within_member_ = false;
    } else if (state != Z_OK && state != Z_BUF_ERROR) {
      throw Error(ErrorCode::parse,
                  fmt::format("gzip's data are damaged: {}",
                              zlib.msg == nullptr ? "zlib gives no reason" : zlib.msg));
    }
  }
  return bytes.size() - zlib.avail_out;
}

}  // namespace cuboid::detail
