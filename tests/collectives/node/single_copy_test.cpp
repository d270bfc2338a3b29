#include "collectives/node/single_copy.hpp"

#include "collectives/transport/transport.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cuboid::detail {
namespace single_copy_test {

std::vector<int> counting(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

RequestToSend aged(RequestToSend request) {
  request.made -= 2 * request_stands;
  return request;
}

TEST(SingleCopy, FindsOutWhetherMemoryCanBeRead) {
  const MemoryBeacon beacon;
  EXPECT_TRUE(can_read(beacon.probe()));
  MemoryProbe other = beacon.probe();
  ++other.secret;
  EXPECT_FALSE(can_read(other));
  MemoryProbe nowhere = beacon.probe();
  nowhere.address = 8;
  EXPECT_FALSE(can_read(nowhere));
}

TEST(SingleCopy, ReadsWhatIsOffered) {
  for (const std::size_t count : {1u, 1000u, 100000u}) {
    SendRequests book;
    PendingTransfer transfer;
    const std::vector<int> data = counting(count);
    std::vector<int> copy(count);
    const RequestToSend request = book.open(transfer, data.data(), count * sizeof(int));
    EXPECT_EQ(book.standing(), std::vector<PendingTransfer*>{&transfer});
    EXPECT_EQ(read_requested(getpid(), request, copy.data()), ReadResult::complete);
    EXPECT_EQ(copy, data);
    EXPECT_EQ(read_requested(getpid(), aged(request), copy.data()), ReadResult::complete);
    EXPECT_EQ(book.acknowledge(request.slot, request.ticket), &transfer);
    EXPECT_TRUE(book.standing().empty());
  }
}

// The system copies slowly there, so the data takes another way.
TEST(SingleCopy, ReadsToAddressesJustBeyondTheSourceApartFromPages) {
  constexpr std::size_t page = 4096;
  for (const std::size_t bytes : {2048U, 5000U, 32768U, 32769U, 200000U}) {
    SendRequests book;
    PendingTransfer transfer;
    std::vector<unsigned char> data(bytes);
    std::iota(data.begin(), data.end(), static_cast<unsigned char>(1));
    const RequestToSend request = book.open(transfer, data.data(), bytes);
    for (const std::size_t beyond : {1U, 16U, 31U}) {
      std::vector<unsigned char> copy(bytes + 2 * page, 0);
      const auto apart = reinterpret_cast<std::uintptr_t>(data.data()) -
                         reinterpret_cast<std::uintptr_t>(copy.data());
      const std::size_t at = apart % page + beyond;
      EXPECT_EQ(read_requested(getpid(), request, copy.data() + at), ReadResult::complete);
      std::vector<unsigned char> wanted(copy.size(), 0);
      std::ranges::copy(data, wanted.begin() + static_cast<std::ptrdiff_t>(at));
      EXPECT_EQ(copy, wanted) << bytes << " bytes, " << beyond << " beyond";
    }
  }
}

TEST(SingleCopy, ALateReaderNoticesThatAnOfferWasWithdrawn) {
  SendRequests book;
  PendingTransfer transfer;
  const std::vector<int> data = counting(10);
  std::array<int, 10> copy{};
  const RequestToSend request = book.open(transfer, data.data(), sizeof copy);
  book.withdraw(request.slot);
  EXPECT_EQ(read_requested(getpid(), aged(request), copy.data()), ReadResult::withdrawn);
  EXPECT_EQ(book.acknowledge(request.slot, request.ticket), nullptr);
}

TEST(SingleCopy, ASlotUsedAgainIsAnotherOffer) {
  SendRequests book;
  PendingTransfer first;
  PendingTransfer second;
  const int data = 7;
  int copy = 0;
  const RequestToSend before = book.open(first, &data, sizeof data);
  book.withdraw(before.slot);
  const RequestToSend after = book.open(second, &data, sizeof data);
  EXPECT_EQ(before.slot, after.slot);
  EXPECT_EQ(book.acknowledge(before.slot, before.ticket), nullptr);
  EXPECT_EQ(read_requested(getpid(), aged(before), &copy), ReadResult::withdrawn);
  EXPECT_EQ(book.acknowledge(after.slot, after.ticket), &second);
}

TEST(SingleCopy, AReaderWithoutAccessFails) {
  SendRequests book;
  PendingTransfer transfer;
  int copy = 0;
  RequestToSend request = book.open(transfer, &copy, sizeof copy);
  request.data = 8;
  EXPECT_EQ(read_requested(getpid(), request, &copy), ReadResult::failed);
}

}  // namespace single_copy_test
}  // namespace cuboid::detail
