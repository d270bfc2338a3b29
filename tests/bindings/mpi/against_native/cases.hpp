#pragma once

#include "compare.hpp"

struct Type {
  std::string name;
  MPI_Datatype type;
};

struct Operation {
  std::string name;
  MPI_Op op;
};

/// Collectives that move elements, of equal counts and of counts by rank.
void moves(const Group& g, const Type& t, int count, Form form, unsigned seed);
void moves_v(const Group& g, const Type& t, int count, Form form, unsigned seed);

/// Collectives that combine elements.
void reductions(const Group& g, const Type& t, const Operation& o, int count, Form form,
                unsigned seed);

/// All of these, in all forms, on one communicator.
void test_group(const Group& g, bool thorough);

/// Requests of all kinds in one list, completed in all ways, while messages are under way.
void mixed_requests(const Group& g);

/// More at once than Cuboid has numbers for, none of which can end before a message has come that
/// is sent after all have been started.
void many_at_once(const Group& g);

/// Root 0 has something under way by rendezvous that its peer takes before it joins the collective.
void long_message_before(const Group& g);

/// Collectives between two groups, which are handed on.
void inter_communicator();

/// Communicators by the hundred, their handles used again.
void come_and_go();

/// The caller's errors are told as MPI tells them, and what comes after works.
void errors();
