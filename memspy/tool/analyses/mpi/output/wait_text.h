// SPDX-License-Identifier: GPL-2.0-or-later
//
// A rank's wait in words: "for rank 1 (tag 0 of MPI_COMM_WORLD)".
#pragma once

#include "analyses/mpi/rank_waits.h"
#include "rt/text.h"

namespace memspy::mpi {

// `behind` of the ranks that it waits for are those that are named; the ranks of `cycle` wait for each other.
void add_wait(rt::Text& text, const Communication& all, const RankWait& wait, const rt::Vector<i32>& behind,
              const LeftMessage& left, const rt::Vector<i32>& cycle);
// The first place of a stack that has a line, "main.c:20"; "" if there is none. Of a call the innermost frame is the
// wrapper's.
enum class Innermost : u8 { IsWrapper, IsProgram };
void write_place(ContextId context, char* text, usize bytes, Innermost frame = Innermost::IsWrapper);
// "MPI_Send (main.c:20)".
TypeMatching::CallLabel label_of(u32 call, ContextId context);

}  // namespace memspy::mpi
