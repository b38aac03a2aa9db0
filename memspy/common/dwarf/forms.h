// SPDX-License-Identifier: GPL-2.0-or-later
//
// Forms of attributes: DW_FORM_*, without the first part of their names.
#pragma once

#include <initializer_list>

#include "rt/base.h"

namespace memspy::dwarf {

enum Form : u16 {
    kAddr = 0x01,
    kBlock2 = 0x03,
    kBlock4 = 0x04,
    kData2 = 0x05,
    kData4 = 0x06,
    kData8 = 0x07,
    kString = 0x08,
    kBlock = 0x09,
    kBlock1 = 0x0a,
    kData1 = 0x0b,
    kFlag = 0x0c,
    kSdata = 0x0d,
    kStrp = 0x0e,
    kUdata = 0x0f,
    kRefAddr = 0x10,
    kRef1 = 0x11,
    kRef2 = 0x12,
    kRef4 = 0x13,
    kRef8 = 0x14,
    kRefUdata = 0x15,
    kIndirect = 0x16,
    kSecOffset = 0x17,
    kExprloc = 0x18,
    kFlagPresent = 0x19,
    kStrx = 0x1a,
    kAddrx = 0x1b,
    kRefSup4 = 0x1c,
    kStrpSup = 0x1d,
    kData16 = 0x1e,
    kLineStrp = 0x1f,
    kRefSig8 = 0x20,
    kImplicitConst = 0x21,
    kLoclistx = 0x22,
    kRnglistx = 0x23,
    kRefSup8 = 0x24,
    kStrx1 = 0x25,
    kStrx2 = 0x26,
    kStrx3 = 0x27,
    kStrx4 = 0x28,
    kAddrx1 = 0x29,
    kAddrx2 = 0x2a,
    kAddrx3 = 0x2b,
    kAddrx4 = 0x2c,
    kGnuRefAlt = 0x1f20,
    kGnuStrpAlt = 0x1f21
};

inline bool is_one_of(u16 form, std::initializer_list<u16> forms) {
    for (const u16 one : forms)
        if (form == one) return true;
    return false;
}

}  // namespace memspy::dwarf
