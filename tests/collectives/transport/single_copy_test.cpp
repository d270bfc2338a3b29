#include "collectives/transport/single_copy.hpp"

#include "collectives/transport/transport.hpp"

#include <array>
#include <numeric>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace cuboid::detail {
namespace {

std::vector<int> counting(std::size_t count) {
  std::vector<int> values(count);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

Offer aged(Offer offer) {
  offer.made -= 2 * offer_stands;
  return offer;
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
    OfferBook book;
    PendingTransfer transfer;
    const std::vector<int> data = counting(count);
    std::vector<int> copy(count);
    const Offer offer = book.open(transfer, data.data(), count * sizeof(int));
    EXPECT_EQ(book.standing(), std::vector<PendingTransfer*>{&transfer});
    EXPECT_EQ(read_offer(getpid(), offer, copy.data()), ReadResult::complete);
    EXPECT_EQ(copy, data);
    EXPECT_EQ(read_offer(getpid(), aged(offer), copy.data()), ReadResult::complete);
    EXPECT_EQ(book.taken(offer.slot, offer.ticket), &transfer);
    EXPECT_TRUE(book.standing().empty());
  }
}

TEST(SingleCopy, ALateReaderNoticesThatAnOfferWasWithdrawn) {
  OfferBook book;
  PendingTransfer transfer;
  const std::vector<int> data = counting(10);
  std::array<int, 10> copy{};
  const Offer offer = book.open(transfer, data.data(), sizeof copy);
  book.withdraw(offer.slot);
  EXPECT_EQ(read_offer(getpid(), aged(offer), copy.data()), ReadResult::withdrawn);
  EXPECT_EQ(book.taken(offer.slot, offer.ticket), nullptr);
}

TEST(SingleCopy, ASlotUsedAgainIsAnotherOffer) {
  OfferBook book;
  PendingTransfer first;
  PendingTransfer second;
  const int data = 7;
  int copy = 0;
  const Offer before = book.open(first, &data, sizeof data);
  book.withdraw(before.slot);
  const Offer after = book.open(second, &data, sizeof data);
  EXPECT_EQ(before.slot, after.slot);
  EXPECT_EQ(book.taken(before.slot, before.ticket), nullptr);
  EXPECT_EQ(read_offer(getpid(), aged(before), &copy), ReadResult::withdrawn);
  EXPECT_EQ(book.taken(after.slot, after.ticket), &second);
}

TEST(SingleCopy, AReaderWithoutAccessFails) {
  OfferBook book;
  PendingTransfer transfer;
  int copy = 0;
  Offer offer = book.open(transfer, &copy, sizeof copy);
  offer.data = 8;
  EXPECT_EQ(read_offer(getpid(), offer, &copy), ReadResult::failed);
}

}  // namespace
}  // namespace cuboid::detail
