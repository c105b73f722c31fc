//! Texture lookups as a QPU asks for them: coordinates, and the uniforms that go with them.
//!
//! A configuration word is taken when the coordinate is written and never waited for: how the chip
//! holds up a write whose uniform is not there yet is not published, and no published figure has a
//! texture lookup in it. Time knows the lookup itself.

use super::Qpu;
use crate::alu::Lanes;
use crate::event::FaultKind;
use crate::memory::Memory;
use crate::rule::Rule;
use crate::shared::Shared;
use qpu::isa::{Waddr, waddr};

impl Qpu {
    /// Writes t, r or b.
    pub(super) fn write_coordinate(
        &mut self,
        address: Waddr,
        value: &Lanes,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        if self.hazards.index < 2 {
            self.warn(Rule::TmuWriteTooEarly, shared, String::new);
        }
        self.hazards.tmu_written = true;
        let addressed = u8::from(address.bits() >= waddr::TMU1_S.bits());
        let unit = usize::from(self.tmus.unit(self.number, addressed));
        let config = self.pop_uniform(shared, memory)?;
        let pending = &mut self.tmus.pending[unit];
        pending.take(config);
        // t, r and b follow s.
        let place = usize::from(address.bits() & 3) - 1;
        pending.coordinates[place] = Some(*value);
        Ok(())
    }

    /// Writes s after other coordinates: the lookup starts.
    pub(super) fn look_up_texels(
        &mut self,
        unit: u8,
        s: &Lanes,
        shared: &mut Shared,
        memory: &mut impl Memory,
    ) -> Result<(), FaultKind> {
        // The word alone says it for t, r and b; for s it depends on what was written before.
        if self.hazards.uniform_read == self.hazards.index {
            self.warn(Rule::TextureWithUniform, shared, String::new);
        }
        let config = self.pop_uniform(shared, memory)?;
        let pending = &mut self.tmus.pending[usize::from(unit)];
        pending.take(config);
        let texels = pending.texels(s).map_err(FaultKind::Texture)?;
        self.tmus.request_texels(unit, &texels, self.at(), memory)?;
        // The border needs no memory; lanes that have it count as where another one is.
        if let Some(some) = texels.iter().find_map(|texel| texel.ok()) {
            let addresses = texels.map(|texel| texel.unwrap_or(some));
            self.looked_up(unit, &addresses, shared);
            return Ok(());
        }
        shared.totals.tmu_requests += 1;
        if let Some(time) = &mut shared.time {
            time.looked_up(usize::from(self.number), unit, &[0; 16], shared.now);
        }
        Ok(())
    }
}
