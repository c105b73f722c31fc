//! Consumers of pipelines: rows of the VPM into registers.

use crate::fft::kernels::pipeline::roles::consumer::Consumer;
use crate::fft::kernels::pipeline::uniforms::Word;
use crate::generate::codelet::op_list::{Wish, positive};
use crate::generate::codelet::radix16::file_of;
use crate::generate::schedule::{Destination, Source};

/// Rows of the VPM into the registers of points. Even lanes have Z from here on.
pub fn read(consumer: &mut Consumer) {
    for n in 0..16 {
        let ops = &mut *consumer.ops;
        if n % 8 == 0 {
            let component = (n / 8) as u8;
            let setup = Word::ReadSetup { component };
            ops.copy(Source::Uniform(setup), Destination::ReadSetup);
        }
        let point = [0; 2].map(|_| positive(ops.take(Wish::File(file_of(n)))));
        for value in point {
            ops.copy(Source::Vpm, value.place);
        }
        consumer.points[n] = Some(point);
    }
    consumer.ops.set_lane_flags(1);
}
