#include "mm/files/npy_header.hpp"

#include <cuboid/error.hpp>

#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace npy_header_test {

std::vector<std::byte> bytes_of_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> preamble(int version, std::uint32_t length) {
  std::string text = "\x93NUMPY";
  text += static_cast<char>(version);
  text += '\0';
  for (int byte = 0; byte < 4; ++byte) text += static_cast<char>(length >> (8 * byte));
  return bytes_of_text(text);
}

template <class Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::parse) << error.what();
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

std::string refused_header(const std::string& text) {
  return refusal([&] { parse_npy_header(text); });
}

TEST(NpyHeader, ReadsWhatNumpyWrites) {
  EXPECT_EQ(parse_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }   \n"),
            (NpyHeader{stored_as(ElementType::float64), ElementOrder::row_major, 3, 4}));
  EXPECT_EQ(parse_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3L, 4L), }\n"),
            parse_npy_header("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }\n"));
  EXPECT_EQ(parse_npy_header("{'descr': '<c8', 'fortran_order': True, 'shape': (0, 7), }\n"),
            (NpyHeader{stored_as(ElementType::complex64), ElementOrder::column_major, 0, 7}));
}

TEST(NpyHeader, ReadsOtherSpellings) {
  EXPECT_EQ(parse_npy_header("{\"shape\":(1,2),\"descr\":\"<f4\",\"fortran_order\":True}"),
            (NpyHeader{stored_as(ElementType::float32), ElementOrder::column_major, 1, 2}));
}

TEST(NpyHeader, KnowsNumbersOfEveryKind) {
  using Kind = StoredNumbers::Kind;
  const std::pair<const char*, StoredNumbers> cases[] = {
      {"|b1", {Kind::boolean, 1, false}},        {"?", {Kind::boolean, 1, false}},
      {"|i1", {Kind::signed_integer, 1, false}}, {">i2", {Kind::signed_integer, 2, true}},
      {"<i8", {Kind::signed_integer, 8, false}}, {">u4", {Kind::unsigned_integer, 4, true}},
      {"<f2", {Kind::floating, 2, false}},       {">f8", {Kind::floating, 8, true}},
      {"=f4", {Kind::floating, 4, false}},       {"f8", {Kind::floating, 8, false}},
      {">c16", {Kind::complex, 16, true}}};
  for (const auto& [descr, stored] : cases) {
    const std::string text =
        std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (3, 4), }";
    EXPECT_EQ(parse_npy_header(text).stored, stored) << descr;
  }
}

TEST(NpyHeader, WhatIsWrittenReadsBack) {
  for (const ElementType type : {ElementType::float32, ElementType::float64, ElementType::complex64,
                                 ElementType::complex128}) {
    for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
      const NpyHeader header{stored_as(type), order, 123456789012, 9};
      const std::string file = format_npy_header(header);
      EXPECT_EQ(file.size() % 64, 0u);
      const NpyTextRange range =
          npy_text_range(std::as_bytes(std::span(file)).first(npy_preamble_bytes));
      EXPECT_EQ(range.end, file.size());
      EXPECT_EQ(parse_npy_header(std::string_view(file).substr(range.begin)), header);
    }
  }
}

TEST(NpyHeader, KnowsThreeVersions) {
  EXPECT_EQ(npy_text_range(preamble(1, 118)).begin, 10u);
  EXPECT_EQ(npy_text_range(preamble(1, 118)).end, 128u);
  EXPECT_EQ(npy_text_range(preamble(2, 116)).begin, 12u);
  EXPECT_EQ(npy_text_range(preamble(3, 116)).end, 128u);
  EXPECT_NE(refusal([] { npy_text_range(preamble(4, 116)); }).find("version 4"), std::string::npos);
}

TEST(NpyHeader, RefusesLyingAndMissingPreambles) {
  EXPECT_NE(refusal([] { npy_text_range(preamble(2, 0xffffffff)); }).find("4294967295"),
            std::string::npos);
  EXPECT_NE(refusal([] { npy_text_range(bytes_of_text("\x93NUM")); }).find("cut off"),
            std::string::npos);
  refusal([] { npy_text_range(bytes_of_text("not a numpy file at all")); });
}

struct Refused {
  const char* text;
  const char* reason;  // a part of the message
};

TEST(NpyHeader, SaysWhyAndWhatToDo) {
  const Refused cases[] = {
      {"{'descr': '<f16', 'fortran_order': False, 'shape': (3, 4), }", "astype('<f8')"},
      {"{'descr': '>c32', 'fortran_order': False, 'shape': (3, 4), }", "astype('<c16')"},
      {"{'descr': '<U8', 'fortran_order': False, 'shape': (3, 4), }", "\"<U8\""},
      {"{'descr': '<f', 'fortran_order': False, 'shape': (3, 4), }", "\"<f\""},
      {"{'descr': '', 'fortran_order': False, 'shape': (3, 4), }", "not one of"},
      {"{'descr': '<i3', 'fortran_order': False, 'shape': (3, 4), }", "\"<i3\""},
      {"{'descr': '|O', 'fortran_order': False, 'shape': (3, 4), }", "Python objects"},
      {"{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (3, 4), }", "records"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", "1 dimensions"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (), }", "0 dimensions"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 3), }", "reshape"},
      {"{'descr': '<f8', 'fortran_order': 1, 'shape': (3, 4), }", "True or False"},
      {"{'descr': '<f8', 'fortran_order': 'yes', 'shape': (3, 4), }", "True or False"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (-3, 4), }", "sizes"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3.5, 4), }", "expected"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 4), }", "63 bits"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296), }",
       "does not fit"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (1152921504606846976, 1), }",
       "does not fit"},
      {"{'descr': '<f8', 'shape': (3, 4), }", "lacks"},
      {"{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }", "twice"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), 'extra': 1}", "\"extra\""},
      {"{'descr': '<f8, 'fortran_order': False, 'shape': (3, 4), }", "not one of"},
      {"{'descr': '<f8", "a quotation mark is not closed"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), } junk", "follows"},
      {"{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4", "expected"},
      {"", "expected"},
      {"{", "key"},
      {"import os", "expected"},
  };
  for (const Refused& refused : cases) {
    const std::string message = refused_header(refused.text);
    EXPECT_NE(message.find(refused.reason), std::string::npos)
        << refused.text << "\n  gives: " << message;
  }
}

TEST(NpyHeader, AnyMutationIsReadOrRefused) {
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (30, 45), }    \n";
  std::mt19937_64 generator(20240611);
  const std::string letters = "{}(),:'\"TrueFals<>f8c16-0123456789 \n\t\\\x01\xff";
  for (int round = 0; round < 50000; ++round) {
    std::string text = good;
    const std::uint64_t mutations = 1 + generator() % 4;
    for (std::uint64_t k = 0; k < mutations && !text.empty(); ++k) {
      const std::size_t at = generator() % text.size();
      const char letter = letters[generator() % letters.size()];
      switch (generator() % 4) {
        case 0: text[at] = letter; break;
        case 1: text.erase(at, 1 + generator() % 5); break;
        case 2: text.insert(at, 1, letter); break;
        default: text.resize(at); break;
      }
    }
    try {
      const NpyHeader header = parse_npy_header(text);
      EXPECT_GE(header.rows, 0);
      EXPECT_GE(header.columns, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::parse);
    }
  }
}

}  // namespace npy_header_test
}  // namespace cuboid::detail
