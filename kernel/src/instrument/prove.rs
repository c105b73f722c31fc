//! Proofs that a host asks for: each plan of the QPUs by name, held to the ARM.

use dsp::Window;
use dsp::spectrum::{Detector, Domain};
use wire::{Envelope, Message, PlanKind, PlanName, Proof, SampleFormat, Verdict};

use super::analyser::Finding;
use super::board::{Board, Stage};
use super::hub::Hub;
use super::refusal::Refusal;
use super::settings::{MAX_N, MIN_N};
use crate::engine::samples::Coding;
use crate::engine::{Candidate, Fft, Manner, QpuHost, Spectra};

/// The plan of that name; a plan of powers is that of a single block.
fn candidate(plan: PlanName) -> Candidate {
    let log2n = u32::from(plan.log2n);
    let manner = match plan.conservative {
        false => Manner::Fastest,
        true => Manner::Conservative,
    };
    let (format, domain) = match plan.kind {
        PlanKind::Transform => return Candidate::Transform { log2n, manner },
        PlanKind::RealF32 => (SampleFormat::F32, Domain::Real),
        PlanKind::ComplexF32 => (SampleFormat::F32, Domain::Complex),
        PlanKind::RealI16 => (SampleFormat::I16, Domain::Real),
        PlanKind::RealI32 => (SampleFormat::I32, Domain::Real),
        PlanKind::ComplexU8 => (SampleFormat::U8, Domain::Complex),
    };
    let points = 1 << log2n;
    Candidate::Power(Spectra {
        log2n,
        coding: Coding::new(format, domain),
        window: Window::Hann,
        hop: points,
        blocks: 1,
        bins: [0, domain.bins(points)],
        detector: Detector::Mean,
        removes_mean: false,
        manner,
        split_for: 0,
    })
}

impl<Q: Fft + QpuHost> Hub<'_, Q> {
    /// Proves a plan and answers with the result. The plans of a stream have proofs of their own.
    pub(super) fn prove(
        &mut self,
        plan: PlanName,
        envelope: Envelope,
        board: &mut impl Board,
    ) -> Result<(), Refusal> {
        self.require_no_upload()?;
        let lengths = MIN_N.ilog2()..=MAX_N.ilog2();
        if !lengths.contains(&u32::from(plan.log2n)) {
            return Err(Refusal::PlanLength);
        }
        let candidate = candidate(plan);
        let mut proof = Proof {
            plan,
            verdict: Verdict::Missing,
            error_ppb: u32::MAX,
            qpu_us: 0,
        };
        if self.analyser.has(&candidate) {
            board.stage(Stage::QpuWait);
            proof.verdict = match self.analyser.find(&candidate) {
                Finding::Proof(found) => {
                    (proof.error_ppb, proof.qpu_us) = (found.error_ppb, found.qpu_us);
                    match found.is_right() {
                        true => Verdict::Right,
                        false => Verdict::Wrong,
                    }
                }
                Finding::Failed(_) | Finding::Check { .. } => Verdict::Failed,
            };
            board.stage(Stage::Idle);
        }
        self.link.outbox.put(envelope, &Message::Proof(proof));
        Ok(())
    }
}
