#include "mm/drivers/cannon/block_exchange.hpp"

#include <cuboid/point_to_point.hpp>

#include "base/copy_bytes.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace cuboid::detail {

SentBlocks::SentBlocks(const Communicator& communicator, std::size_t bytes,
                       const std::vector<BlockStage>& stages)
    : memory_(static_cast<std::int64_t>(bytes), "block buffers") {
  std::size_t most = 0;
  const auto span = [&](const BlockMessage& message) {
    return std::span(memory() + message.here, message.bytes);
  };
  for (const BlockStage& blocks : stages) {
    Stage stage;
    for (const BlockMessage& message : blocks.receives) {
      stage.plans.push_back(
          plan_receive(communicator, span(message), message.peer, message.number));
    }
    for (const BlockMessage& message : blocks.sends) {
      if (message.peer == communicator.rank()) {
        stage.copies.push_back(message);
      } else {
        stage.plans.push_back(plan_send(communicator, span(message), message.peer, message.number));
      }
    }
    most = std::max(most, stage.plans.size());
    stages_.push_back(std::move(stage));
  }
  requests_.reserve(most);
}

void SentBlocks::start(std::size_t stage) {
  for (CollectivePlan& plan : stages_[stage].plans) requests_.push_back(plan.start());
  for (const BlockMessage& copy : stages_[stage].copies) {
    copy_bytes(memory() + copy.there, memory() + copy.here, copy.bytes);
  }
}

bool SentBlocks::progress() {
  bool travelling = false;
  for (Request& request : requests_) travelling |= !request.test();
  return travelling;
}

void SentBlocks::finish() {
  for (Request& request : requests_) request.wait();
  requests_.clear();
}

PutBlocks::PutBlocks(const Communicator& communicator, std::size_t bytes,
                     std::vector<BlockStage> stages)
    : window_(communicator, bytes), stages_(std::move(stages)) {
  const auto add_peers = [&](const BlockStage& stage, std::set<int>& peers) {
    for (const BlockMessage& message : stage.sends) peers.insert(message.peer);
    for (const BlockMessage& message : stage.receives) peers.insert(message.peer);
    peers.erase(communicator.rank());
  };
  std::size_t most = 0;
  for (std::size_t meeting = 0; meeting <= stages_.size(); ++meeting) {
    std::set<int> peers;
    if (meeting > 0) add_peers(stages_[meeting - 1], peers);
    if (meeting < stages_.size()) add_peers(stages_[meeting], peers);
    std::vector<CollectivePlan> notices;
    for (const int peer : peers) {
      notices.push_back(plan_exchange(communicator, ConstBuffer(), peer, Buffer(), peer));
    }
    most = std::max(most, notices.size());
    meetings_.push_back(std::move(notices));
  }
  requests_.reserve(most);
}

void PutBlocks::start(std::size_t stage) {
  stage_ = stage;
  for (const BlockMessage& message : stages_[stage].sends) {
    window_.put(std::span(memory() + message.here, message.bytes), message.peer, message.there);
  }
  in_flight_ = !stages_[stage].sends.empty();
}

bool PutBlocks::progress() {
  if (in_flight_) in_flight_ = !window_.test();
  return in_flight_;
}

void PutBlocks::finish() {
  if (in_flight_) window_.flush();
  in_flight_ = false;
  meet(stage_ + 1);
}

void PutBlocks::meet(std::size_t meeting) {
  for (CollectivePlan& notice : meetings_[meeting]) requests_.push_back(notice.start());
  for (Request& request : requests_) request.wait();
  requests_.clear();
}

}  // namespace cuboid::detail
