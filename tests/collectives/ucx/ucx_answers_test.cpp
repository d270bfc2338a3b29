#include "collectives/ucx/ucx_answers.hpp"

#include <gtest/gtest.h>

namespace cuboid::detail {
namespace ucx_answers_test {

constexpr std::size_t little = 100;
constexpr std::size_t much = 100000;

std::vector<const PendingTransfer*> transfers_of(
    const std::vector<UcxAnswers::HeldMessage>& messages) {
  std::vector<const PendingTransfer*> transfers;
  for (const auto& message : messages) transfers.push_back(message.transfer);
  return transfers;
}
using Transfers = std::vector<const PendingTransfer*>;

TEST(UcxAnswers, AreNotWaitedForWhereTheyAreNotNeeded) {
  UcxAnswers answers({false, true});
  EXPECT_TRUE(answers.may_go(0, much));
  EXPECT_FALSE(answers.may_go(1, much));
}

TEST(UcxAnswers, LittleGoesBeforeThem) {
  UcxAnswers answers({true});
  std::size_t gone = 0;
  while (answers.may_go(0, little)) gone += little;
  EXPECT_GT(gone, 1000U);
  EXPECT_LT(gone, 16000U);
}

TEST(UcxAnswers, MessagesGoInTheirOrderOnceTheyCame) {
  UcxAnswers answers({true, true});
  PendingTransfer first, second, third, elsewhere;
  EXPECT_FALSE(answers.may_go(0, much));
  EXPECT_TRUE(answers.hold({.peer = 0, .transfer = &first}));
  EXPECT_FALSE(answers.may_go(0, little));
  EXPECT_FALSE(answers.hold({.peer = 0, .transfer = &second}));
  EXPECT_TRUE(answers.hold({.peer = 1, .transfer = &elsewhere}));
  EXPECT_FALSE(answers.due());
  answers.answered(0);
  ASSERT_TRUE(answers.due());
  EXPECT_FALSE(answers.may_go(0, little));  // would overtake
  EXPECT_FALSE(answers.hold({.peer = 0, .transfer = &third}));
  EXPECT_EQ(transfers_of(answers.take_due().go), (Transfers{&first, &second, &third}));
  EXPECT_FALSE(answers.due());
  EXPECT_TRUE(answers.may_go(0, much));
  EXPECT_FALSE(answers.may_go(1, little));
}

TEST(UcxAnswers, WhoAsksIsAnsweredAndHasAnswered) {
  UcxAnswers answers({true});
  answers.asked(0);
  ASSERT_TRUE(answers.due());
  EXPECT_EQ(answers.take_due().answers, std::vector<int>{0});
  EXPECT_TRUE(answers.may_go(0, much));
}

TEST(UcxAnswers, MessagesThatAreCancelledOrWhosePeersEndDoNotGo) {
  UcxAnswers answers({true, true});
  PendingTransfer cancelled, stays, lost;
  answers.hold({.peer = 0, .transfer = &cancelled});
  answers.hold({.peer = 0, .transfer = &stays});
  answers.hold({.peer = 1, .transfer = &lost});
  answers.cancel(cancelled);
  answers.ended(1);
  ASSERT_TRUE(answers.due());
  const auto due = answers.take_due();
  EXPECT_EQ(transfers_of(due.cancelled), Transfers{&cancelled});
  EXPECT_EQ(transfers_of(due.lost), Transfers{&lost});
  EXPECT_TRUE(due.go.empty());
  answers.asked(1);  // too late
  EXPECT_FALSE(answers.due());
  answers.answered(0);
  EXPECT_EQ(transfers_of(answers.take_due().go), Transfers{&stays});
}

}  // namespace ucx_answers_test
}  // namespace cuboid::detail
