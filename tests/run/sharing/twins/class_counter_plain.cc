// SPDX-License-Identifier: GPL-2.0-or-later
// The same without optimisation: the value that is got lies in the frame, used or not.
// EXPECT: TrueSharing metrics 'add to metrics.*hits_: where the value' plain
#include "class_counter.cc"
