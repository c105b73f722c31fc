//! Operations of the ALUs: which source is unpacked, and the one rotation that all share.

use super::super::constant;
use super::super::diagnostic::Fault;
use super::super::register::{Place, Register};
use super::super::suffix::Packing;
use super::operand::{Target, can_unpack};
use super::{Line, Operand};
use crate::fit::{Op, OpCode, Src};
use crate::isa::{Rotation, Unpack};

impl Line<'_> {
    /// The source that an `.unpack` on the operation means.
    fn unpacked(&self, code: OpCode, operands: &[Operand]) -> Result<Vec<Option<Packing>>, Fault> {
        let Some(packing) = self.modifiers.unpack else {
            return Ok(vec![None; operands.len()]);
        };
        let is = |operand: &Operand, r4: bool| {
            let unpacks = |register: Register| {
                can_unpack(register) && (register.place == Place::Accumulator(4)) == r4
            };
            operand.register().is_some_and(unpacks)
        };
        let [in_a, in_r4] = [false, true].map(|r4| operands.iter().any(|operand| is(operand, r4)));
        let r4 = match (in_a, in_r4) {
            (true, true) if packing.float == Some(false) => false,
            // ra unpacks as floats for operations on floats only, r4 always.
            (true, true) if packing.float == Some(true) && !code.takes_floats() => true,
            (true, true) => {
                return Err(
                    Fault::new("unpack", self.span, "both ra and r4 could be unpacked")
                        .help("put the mode behind the operand"),
                );
            }
            (false, false) => {
                return Err(
                    Fault::new("unpack", self.span, "no operand can be unpacked")
                        .help("only ra0..ra31 and r4 can"),
                );
            }
            (_, in_r4) => in_r4,
        };
        Ok(operands
            .iter()
            .map(|operand| is(operand, r4).then_some(packing))
            .collect())
    }

    pub(super) fn alu(
        &self,
        code: OpCode,
        target: Target,
        operands: &[Operand],
    ) -> Result<Vec<Op>, Fault> {
        self.agrees_with_pack(code, &target)?;
        let unpack = self.unpacked(code, operands)?;
        let mut sources = Vec::new();
        let mut rotation = target.rotation;
        for (operand, unpack) in operands.iter().zip(unpack) {
            let (source, own) = self.source(operand, unpack)?;
            if let Some(register) = operand.register()
                && let Some(packing) = register.packing.or(unpack)
            {
                self.agrees_with_unpack(code, register, packing, operand.span)?;
            }
            // Outside r0..r3 only a rotation's low two bits count.
            let narrow = !source.rotates();
            let own = match (rotation, own) {
                (Some(Rotation::By(one)), Some(Rotation::By(two)))
                    if narrow && one % 4 == two % 4 =>
                {
                    rotation
                }
                (_, own) => own,
            };
            if let (Some(one), Some(two)) = (rotation, own)
                && one != two
            {
                return Err(Fault::new(
                    "rotation",
                    operand.span,
                    "an instruction has one rotation, and two are asked for",
                ));
            }
            rotation = rotation.or(own);
            sources.push(source);
        }
        if let [one, two] = sources.as_mut_slice()
            && one.from == two.from
            && one.unpack != two.unpack
        {
            // One read, one mode: what is said of one operand holds for the other.
            match (one.unpack, two.unpack) {
                (Unpack::None, mode) => one.unpack = mode,
                (mode, Unpack::None) => two.unpack = mode,
                _ => (),
            }
        }
        let (Some(a), Some(b)) = (sources.first(), sources.last()) else {
            return Err(self.wrong_count("sources"));
        };
        Ok(constant::equivalents(
            self.op(code, target, *a, *b, rotation),
        ))
    }

    pub(super) fn op(
        &self,
        code: OpCode,
        target: Target,
        a: Src,
        b: Src,
        rotate: Option<Rotation>,
    ) -> Op {
        Op {
            code,
            dst: target.dst,
            a,
            b,
            cond: target.cond,
            setf: target.setf,
            rotate,
            pack_mul: target.pack_mul,
        }
    }
}
