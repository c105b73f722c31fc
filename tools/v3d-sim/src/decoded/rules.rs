//! The rules that an instruction breaks by the units that it uses together.

use super::{Code, Units};
use crate::rule::Rule;

impl Code {
    /// Hazards 16 to 19: units that must not meet in one instruction. Source: guide, "QPU
    /// instruction restrictions"; vc4asm's validator; Broadcom's driver sources.
    pub(super) fn check_units(&self, rules: &mut Vec<Rule>) {
        let uses = |unit| self.units.uses(unit);
        let is_semaphore = uses(Units::SEMAPHORE);
        let unit_writes = self
            .writes()
            .filter(|(_, address, _)| {
                address.is_tmu() || address.is_sfu() || (is_semaphore && address.is_vpm())
            })
            .count();
        let load = uses(Units::LDTMU0.with(Units::LDTMU1));
        let units = unit_writes
            + usize::from(load)
            + usize::from(uses(Units::MUTEX))
            + usize::from(is_semaphore);
        // t, r and b of either TMU: the write takes a uniform itself.
        let coordinate = self
            .writes()
            .any(|(_, address, _)| address.is_tmu() && address.bits() & 3 != 0);
        let setup = uses(Units::READ_SETUP.with(Units::WRITE_SETUP));
        let (read, write) = (uses(Units::VPM_READ), uses(Units::VPM_WRITE));
        let broken = [
            (units > 1, Rule::OneUnitPerInstruction),
            (
                uses(Units::READ_SETUP) && uses(Units::WRITE_SETUP),
                Rule::BothSetups,
            ),
            (coordinate && uses(Units::UNIFORM), Rule::TextureWithUniform),
            (read && setup, Rule::VpmReadWithSetup),
            (write && setup, Rule::VpmWriteWithSetup),
            (load && read, Rule::LdtmuWithVpm),
            (load && write, Rule::LdtmuBesideVpm),
        ];
        rules.extend(
            broken
                .iter()
                .filter(|(is_broken, _)| *is_broken)
                .map(|(_, rule)| *rule),
        );
    }
}
