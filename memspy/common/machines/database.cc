// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/database.h"

namespace memspy::machine {
namespace {

constexpr char k_ampere_altra[] =
#include "machines/database/ampere-altra.inc"
    ;
constexpr char k_apple_m1[] =
#include "machines/database/apple-m1.inc"
    ;
constexpr char k_cortex_a72[] =
#include "machines/database/cortex-a72.inc"
    ;
constexpr char k_epyc_7763[] =
#include "machines/database/epyc-7763.inc"
    ;
constexpr char k_ft_2000[] =
#include "machines/database/ft-2000.inc"
    ;
constexpr char k_ft_2500[] =
#include "machines/database/ft-2500.inc"
    ;
constexpr char k_graviton2[] =
#include "machines/database/graviton2.inc"
    ;
constexpr char k_mt_3000[] =
#include "machines/database/mt-3000.inc"
    ;
constexpr char k_pentium_4[] =
#include "machines/database/pentium-4.inc"
    ;
constexpr char k_xeon_gold_6148[] =
#include "machines/database/xeon-gold-6148.inc"
    ;

}  // namespace

const KnownMachine kKnownMachines[] = {
    {"ampere-altra", k_ampere_altra, sizeof k_ampere_altra - 1},
    {"apple-m1", k_apple_m1, sizeof k_apple_m1 - 1},
    {"cortex-a72", k_cortex_a72, sizeof k_cortex_a72 - 1},
    {"epyc-7763", k_epyc_7763, sizeof k_epyc_7763 - 1},
    {"ft-2000", k_ft_2000, sizeof k_ft_2000 - 1},
    {"ft-2500", k_ft_2500, sizeof k_ft_2500 - 1},
    {"graviton2", k_graviton2, sizeof k_graviton2 - 1},
    {"mt-3000", k_mt_3000, sizeof k_mt_3000 - 1},
    {"pentium-4", k_pentium_4, sizeof k_pentium_4 - 1},
    {"xeon-gold-6148", k_xeon_gold_6148, sizeof k_xeon_gold_6148 - 1},
    {nullptr, nullptr, 0},
};

}  // namespace memspy::machine
