// SPDX-License-Identifier: GPL-2.0-or-later
//
// Finds caches and translation buffers from the duration of walks (Saavedra and Smith 1995; Yotov, Pingali
// and Stodghill 2005). It also works for caches indexed by physical addresses, whose pages the system chose
// arbitrarily.
//
// As a walk over consecutive lines grows, the time of a load climbs a staircase with one step for each cache.
// Beyond the first step, a walk over lines at one offset of many pages overflows sets of the first cache.
// Pages are removed from it as long as it still does. The remaining ways + 1 lines are of one set, and from
// these follow
//   ways    one less; without any of its lines the walk fits
//   line    the smallest distance by which half of 2 x ways such lines must move for all to fit
//   way     the next distance by which they come to the same set again; if that is more than a page, pages fall into
//           classes, and a way has a page of each: with k of them, one of k random pages belongs to the class
//   size    ways x way, which must agree with the staircase
// For the second cache, whole pages take the place of lines: caches choose sets by hashes of many bits of the
// address, but two pages compete for all sets or for none. Other pages empty the first cache, once a round,
// or after each few pages if this cache holds what the first one evicts. Where pages that compete there
// compete here, too, none can do that without being of the set; its own pages do, and the ways are told only
// if the cache proves to keep copies of what the first has. By chance the pages that empty the first cache may
// fill another class: a page counts as one of the class only if it fits once the class's own pages are left out.
// Eight pages are walked at a time, so that prefetchers see no row; that may be too many for a set of the TLB, so
// every second search walks four, unless loads are faster so.
//
// For the TLBs one line of each of more and more pages is walked, less the time of as many lines in few pages. An
// edge counts if walks over two lines of each of two thirds as many pages are not slower: they need fewer
// translations and more room in the caches. A second TLB's step is at least as high as the first one's, because a
// miss of it reads a table.
//
// The size of a cache that is not taken apart lies between the most consecutive pages that nearly all hit and
// the fewest that nearly all miss. Whole pages are walked there, a few at a time, so that translations cost
// little.
//
// This requires no knowledge of how an address selects its set. A figure counts only if each of these steps
// gave the same result in both directions; otherwise it is not found. Of 975 random simulated hierarchies both caches
// were found whole in 951; on a virtual machine with two processors both were right in 20 of 20 runs, idle
// or beside two loops.
#pragma once

#include "machine/clock.h"
#include "machine/hierarchy.h"
#include "machine/walk.h"

namespace memspy::machine {

MeasuredHierarchy search(Walker& walker, u64 seed = 1);
// The first two caches may be missed by one search and found by the next, which walks other pages. What two
// searches found must be the same.
MeasuredHierarchy search_again(Walker& walker, const Deadline& deadline, u64 seed = 1);

}  // namespace memspy::machine
