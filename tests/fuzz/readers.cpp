#include "tests/fuzz/readers.hpp"

#include <cuboid/discovery.hpp>
#include <cuboid/error.hpp>
#include <cuboid/shape.hpp>

#include "collectives/selection/algorithm_rules.hpp"
#include "mm/files/hdf5_dataset.hpp"
#include "mm/files/matrix_market.hpp"
#include "mm/files/npy_header.hpp"
#include "models/messages/parameters_file.hpp"
#include "tests/topology/sources/topology_files.hpp"
#include "topology/discovery/discover_from.hpp"
#include "topology/shape/rate.hpp"
#include "topology/slurm/hostlist.hpp"
#include "topology/sources/coordinate_source.hpp"

#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include <unistd.h>

#ifdef CUBOID_HDF5_LIBRARY
#include "tests/mm/files/text_attribute.hpp"
#endif

namespace cuboid::detail::fuzz {

namespace {

void read_npy(const std::string& bytes) {
  const auto file = std::as_bytes(std::span(bytes));
  if (!is_npy(file) || file.size() < npy_preamble_bytes) return;
  const auto [begin, end] = npy_text_range(file.first(npy_preamble_bytes));
  if (end > bytes.size()) return;  // files that end sooner are refused before
  parse_npy_header(std::string_view(bytes).substr(begin, end - begin));
}

/// As read_matrix() does, line by line.
void read_matrix_market(const std::string& text) {
  TextFile file{"fuzz", text};
  LineReader lines(file);
  MatrixMarketHeaderParser parser;
  for (bool whole = false; !whole;) {
    const auto line = lines.next();
    if (!line) return;
    whole = parser.take(*line);
  }
  const MatrixMarketHeader& header = parser.header();
  while (auto line = lines.next()) {
    if (is_matrix_market_filler(*line)) continue;
    MatrixMarketPlace place;
    if (header.format == MatrixMarketHeader::Format::coordinate) place = take_place(header, *line);
    parse_value<std::complex<double>>(header, place, *line);
  }
}

std::string npy(std::string_view dictionary) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(dictionary.size());
  bytes += '\0';
  return bytes + std::string(dictionary);
}

#ifdef CUBOID_HDF5_LIBRARY
/// A file that goes with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes) {
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0) std::abort();
    close(descriptor);
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~TemporaryFile() { std::remove(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/cuboid-fuzz-XXXXXX";
};

/// An HDF5 file whose dataset /A has an attribute of text.
std::string hdf5_with_text() {
  const TemporaryFile file("");
  create_hdf5_file(file.path());
  create_hdf5_dataset(file.path(), "/A", {ElementType::float64, 2, 2});
  if (!add_text(file.path(), "/A", "units", "metres per second")) std::abort();
  std::ifstream stream(file.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

const std::string& good_hdf5() {
  static const std::string file = hdf5_with_text();
  return file;
}

/// Changes that leave the file as it is, at 16 places from `first` on: two bytes for the place, one
/// for what is put there.
std::string changes_of_hdf5(std::size_t first, std::size_t stride) {
  std::string changes;
  for (std::size_t place = first; place < first + 16 * stride; place += stride) {
    changes += static_cast<char>(place & 0xff);
    changes += static_cast<char>(place >> 8);
    changes += good_hdf5()[place];
  }
  return changes;
}

/// Replaces a dataset as write_matrix() does, in a file with such changes: damage that moves what
/// comes after it would nearly always be refused at once.
void write_hdf5(const std::string& changes) {
  std::string bytes = good_hdf5();
  for (std::size_t at = 0; at + 2 < changes.size(); at += 3) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(changes[at + k]); };
    bytes[(byte(0) + std::size_t{256} * byte(1)) % bytes.size()] = changes[at + 2];
  }
  const TemporaryFile file(bytes);
  check_hdf5_writable(file.path(), "/A");
  create_hdf5_dataset(file.path(), "/A", {ElementType::float64, 5, 3});
}
#endif

Parameters some_parameters() {
  Parameters parameters;
  parameters.within_node = MeasuredMessages::of({1e-6, 1e-10});
  return parameters;
}

}  // namespace

const std::vector<Reader>& readers() {
  static const std::vector<Reader> all = {
      {"npy",
       read_npy,
       {npy("{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }\n"),
        npy("{'descr': '>i2', 'fortran_order': False, 'shape': (700000, 1)}\n")}},
      {"matrix_market",
       read_matrix_market,
       {"%%MatrixMarket matrix coordinate real symmetric\n% a comment\n3 3 2\n1 1 2.5\n3 1 -1e3\n",
        "%%MatrixMarket matrix array complex general\n2 2\n1 0\n2 -1\n3 1e-300\n4 .5\n",
        "%%MatrixMarket matrix coordinate unsigned-integer general\n2 2 1\n1 2 "
        "18446744073709549568\n",
        "%%MatrixMarket matrix array real general\n1 1\n-1.25D+03\n",
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2\n"}},
      {"topology",
       [](const std::string& text) {
         describe_file({"fuzz", text});
       },
       {test::json_network, test::infiniband_fabric, test::infiniband_ring(4), test::slurm_tree,
        test::slurm_blocks, test::slurm_fat_tree, test::scontrol_tree, test::scontrol_blocks,
        test::slurm_yaml}},
      {"parameters",
       [](const std::string& text) {
         parse_parameters({"fuzz", text});
       },
       {to_json(some_parameters())}},
      {"shape",
       [](const std::string& text) { parse_shape(text); },
       {"torus:4x4x4", "torus:4x3,mesh:2", "hypercube:5", "ring:8"}},
      {"coordinate",
       [](const std::string& text) { parse_coordinate(text, "fuzz"); },
       {"2,0,1", "17"}},
      {"hostlist",
       [](const std::string& text) { expand_hostlist(text, 1000); },
       {"a,n[1-3],r[0-1]c[08-10]", "node[001-100]"}},
      {"rules",
       [](const std::string& text) { AlgorithmRules::parse(text, "fuzz"); },
       {"broadcast:1M-:rectangular", "allreduce:-4K:recursive_doubling,allreduce:ring"}},
      {"rate", [](const std::string& text) { parse_rate(text); }, {"100mbit", "2.5gbit"}},
#ifdef CUBOID_HDF5_LIBRARY
      // As output. Where it hangs, a child process is ended after some seconds.
      {"hdf5",
       write_hdf5,
       {changes_of_hdf5(0, good_hdf5().size() / 16), changes_of_hdf5(good_hdf5().find("GCOL"), 3)},
       150},
#endif
  };
  return all;
}

void try_to_read(const Reader& reader, const std::string& bytes) {
  const auto fail = [&](const std::string& what) {
    std::fprintf(stderr, "reader %s: %s, of these %zu bytes:\n", reader.name, what.c_str(),
                 bytes.size());
    std::fwrite(bytes.data(), 1, bytes.size(), stderr);
    std::abort();
  };
  try {
    reader.read(bytes);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::internal) fail(error.what());
    if (std::string_view(error.what()).find('\n') != std::string_view::npos)
      fail("an error of several lines");
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

}  // namespace cuboid::detail::fuzz
