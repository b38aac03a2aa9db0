// SPDX-License-Identifier: GPL-2.0-or-later
#include "machines/database.h"

namespace memspy::machine {
namespace {

constexpr char k_a64fx[] =
#include "machines/database/a64fx.inc"
    ;
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
constexpr char k_epyc_genoa[] =
#include "machines/database/epyc-genoa.inc"
    ;
constexpr char k_epyc_turin[] =
#include "machines/database/epyc-turin.inc"
    ;
constexpr char k_ft_2000[] =
#include "machines/database/ft-2000.inc"
    ;
constexpr char k_ft_2000_plus[] =
#include "machines/database/ft-2000-plus.inc"
    ;
constexpr char k_ft_2500[] =
#include "machines/database/ft-2500.inc"
    ;
constexpr char k_grace[] =
#include "machines/database/grace.inc"
    ;
constexpr char k_graviton2[] =
#include "machines/database/graviton2.inc"
    ;
constexpr char k_graviton3[] =
#include "machines/database/graviton3.inc"
    ;
constexpr char k_graviton4[] =
#include "machines/database/graviton4.inc"
    ;
constexpr char k_kunpeng_920[] =
#include "machines/database/kunpeng-920.inc"
    ;
constexpr char k_mt_3000[] =
#include "machines/database/mt-3000.inc"
    ;
constexpr char k_pentium_4[] =
#include "machines/database/pentium-4.inc"
    ;
constexpr char k_power9[] =
#include "machines/database/power9.inc"
    ;
constexpr char k_sg2042[] =
#include "machines/database/sg2042.inc"
    ;
constexpr char k_sifive_fu740[] =
#include "machines/database/sifive-fu740.inc"
    ;
constexpr char k_xeon_gnr[] =
#include "machines/database/xeon-gnr.inc"
    ;
constexpr char k_xeon_gold_6148[] =
#include "machines/database/xeon-gold-6148.inc"
    ;
constexpr char k_xeon_ice_lake[] =
#include "machines/database/xeon-ice-lake.inc"
    ;
constexpr char k_xeon_spr[] =
#include "machines/database/xeon-spr.inc"
    ;
constexpr char k_xeon_srf[] =
#include "machines/database/xeon-srf.inc"
    ;
constexpr char k_yongfeng[] =
#include "machines/database/yongfeng.inc"
    ;

}  // namespace

const KnownMachine kKnownMachines[] = {
    {"a64fx", k_a64fx, sizeof k_a64fx - 1},
    {"ampere-altra", k_ampere_altra, sizeof k_ampere_altra - 1},
    {"apple-m1", k_apple_m1, sizeof k_apple_m1 - 1},
    {"cortex-a72", k_cortex_a72, sizeof k_cortex_a72 - 1},
    {"epyc-7763", k_epyc_7763, sizeof k_epyc_7763 - 1},
    {"epyc-genoa", k_epyc_genoa, sizeof k_epyc_genoa - 1},
    {"epyc-turin", k_epyc_turin, sizeof k_epyc_turin - 1},
    {"ft-2000", k_ft_2000, sizeof k_ft_2000 - 1},
    {"ft-2000-plus", k_ft_2000_plus, sizeof k_ft_2000_plus - 1},
    {"ft-2500", k_ft_2500, sizeof k_ft_2500 - 1},
    {"grace", k_grace, sizeof k_grace - 1},
    {"graviton2", k_graviton2, sizeof k_graviton2 - 1},
    {"graviton3", k_graviton3, sizeof k_graviton3 - 1},
    {"graviton4", k_graviton4, sizeof k_graviton4 - 1},
    {"kunpeng-920", k_kunpeng_920, sizeof k_kunpeng_920 - 1},
    {"mt-3000", k_mt_3000, sizeof k_mt_3000 - 1},
    {"pentium-4", k_pentium_4, sizeof k_pentium_4 - 1},
    {"power9", k_power9, sizeof k_power9 - 1},
    {"sg2042", k_sg2042, sizeof k_sg2042 - 1},
    {"sifive-fu740", k_sifive_fu740, sizeof k_sifive_fu740 - 1},
    {"xeon-gnr", k_xeon_gnr, sizeof k_xeon_gnr - 1},
    {"xeon-gold-6148", k_xeon_gold_6148, sizeof k_xeon_gold_6148 - 1},
    {"xeon-ice-lake", k_xeon_ice_lake, sizeof k_xeon_ice_lake - 1},
    {"xeon-spr", k_xeon_spr, sizeof k_xeon_spr - 1},
    {"xeon-srf", k_xeon_srf, sizeof k_xeon_srf - 1},
    {"yongfeng", k_yongfeng, sizeof k_yongfeng - 1},
    {nullptr, nullptr, 0},
};

}  // namespace memspy::machine
