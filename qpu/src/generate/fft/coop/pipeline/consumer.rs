//! Consumers of pipelines: rows of the VPM into registers.

use crate::fft::words::Word;
use crate::generate::fft::coop::roles::consumer::Consumer;
use crate::generate::fft::dft16::file_of;
use crate::generate::fft::draft::{Wish, positive};
use crate::generate::schedule::{Destination, Source};

/// Rows of the VPM into the registers of points. Even lanes have Z from here on.
pub fn read(consumer: &mut Consumer) {
    for n in 0..16 {
        let draft = &mut *consumer.draft;
        if n % 8 == 0 {
            let component = (n / 8) as u8;
            let setup = Word::ReadSetup { component };
            draft.copy(Source::Uniform(setup), Destination::ReadSetup);
        }
        let point = [0; 2].map(|_| positive(draft.take(Wish::File(file_of(n)))));
        for value in point {
            draft.copy(Source::Vpm, Destination::Place(value.place));
        }
        consumer.points[n] = Some(point);
    }
    consumer.tell_lanes();
}
