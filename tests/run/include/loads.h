// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loads that are known to the last one: each of just its type's size, from the place that the program names.
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "workers.h"

// Keeps a sum alive without another load of the watched data.
#define USE(sum) NEED(sum)
