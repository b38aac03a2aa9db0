// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which accesses of a superblock are at addresses that come from memory: a[index[i]], p->next, rows[i][j]. What the
// stack holds does not count: there is what another compiler keeps in registers.
#pragma once

#include "instrument/core/access.h"

namespace memspy::instrument {

class LoadedAddresses {
public:
    explicit LoadedAddresses(const IRSB* block);
    // Whether the access of the statement is one.
    bool at(int statement) const { return found_[static_cast<usize>(statement)] != 0; }

private:
    bool is_loaded(const IRExpr* value) const;
    bool computes_from_loaded(const IRExpr* data) const;

    rt::Vector<u8> of_temp_, of_register_, found_;
};

}  // namespace memspy::instrument
