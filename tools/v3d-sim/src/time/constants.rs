//! Every number of the cycle model: value, unit, source, and where the slow end lies.
//!
//! Times are V3D clocks of a board that runs at 250 MHz; a board with another clock scales those of
//! SDRAM, which keep their nanoseconds. "Fitted" means fitted to published run times of GPU_FFT and
//! nothing else, never to a program of this project; on which rows, each constant says.
//!
//! What is published is set so (latencies, DMA rates, SDRAM's turnarounds, the mailbox). The rest
//! was fitted (`fidelity fit`) and then moved by hand, with sight of all published rows, until all
//! were in their bands; that they are is therefore no test of these values. docs/fidelity.md says
//! how, and what each descent found. No program of this project was used.
//!
//! Sources: docs/hardware/qpu.md sections 4, 5, 6.4, 8.2 to 8.4; docs/hardware/timing.md section 3.

use qpu::job;

/// The clock that the times of [`Constants`] are counted in, in hertz.
pub const REFERENCE_HZ: u32 = 250_000_000;

/// The QPU that gets the next program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaunchOrder {
    /// 11, 10, 9, ... 0: "from the 12th QPU downwards" (notes on Zero, 2B, 3B).
    Descending,
    /// 11, 7, 3, 10, 6, 2, 9, 5, 1, 8, 4, 0: round the slices (Broadcom's list for fragments).
    RoundSlices,
}

impl LaunchOrder {
    /// The name: its first QPUs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Descending => "11, 10, 9",
            Self::RoundSlices => "11, 7, 3",
        }
    }

    /// The QPUs in that order.
    #[must_use]
    pub const fn order(self) -> job::LaunchOrder {
        match self {
            Self::Descending => job::LaunchOrder::DESCENDING,
            Self::RoundSlices => job::LaunchOrder::ROUND_SLICES,
        }
    }
}

/// The line of a set of the system L2 that makes room.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Replacement {
    /// The one used least recently.
    LeastRecent,
    /// Any, by a generator with a fixed seed.
    Random,
}

/// One constant, for a report.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Described {
    /// Its field in [`Constants`].
    pub name: &'static str,
    /// Its value.
    pub value: f64,
    /// The unit.
    pub unit: &'static str,
    /// The meaning.
    pub what: &'static str,
    /// The source of the value, and of its slow end.
    pub source: &'static str,
    /// The least and the most that [`Constants::change`] takes.
    pub range: [f64; 2],
    /// True if it counts something.
    pub is_whole: bool,
}

/// The range of a constant, by its type and its unit.
fn range(is_whole: bool, unit: &str) -> [f64; 2] {
    match (is_whole, unit) {
        // A time; if an access took longer, no program would come to its end.
        (false, _) => [0.0, 1e6],
        // What a host can hold.
        (true, "bytes") => [1.0, 16_777_216.0],
        (true, _) => [1.0, 4096.0],
    }
}

macro_rules! constants {
    ($($name:ident: $kind:ty = $value:expr, $unit:literal, $what:literal, $source:literal;)*) => {
        /// The numbers of the cycle model.
        #[derive(Clone, PartialEq, Debug)]
        pub struct Constants {
            /// The QPU that gets the next program.
            pub launch_order: LaunchOrder,
            /// Replacement in the system L2.
            pub system_l2_replacement: Replacement,
            $(
                #[doc = $what]
                #[doc = ""]
                #[doc = concat!("Unit: ", $unit, ". Source: ", $source)]
                pub $name: $kind,
            )*
        }

        impl Constants {
            /// The set that a V3D has unless it is given another.
            #[must_use]
            pub const fn recommended() -> Self {
                Self {
                    launch_order: LaunchOrder::Descending,
                    system_l2_replacement: Replacement::Random,
                    $($name: $value,)*
                }
            }

            /// All numbers, with what they are and where they come from.
            #[must_use]
            pub fn describe(&self) -> Vec<Described> {
                vec![$({
                    // A constant is a `u32` or an `f64`.
                    let is_whole = stringify!($kind) == "u32";
                    Described {
                        name: stringify!($name),
                        value: f64::from(self.$name),
                        unit: $unit,
                        what: $what,
                        source: $source,
                        range: range(is_whole, $unit),
                        is_whole,
                    }
                }),*]
            }

            /// Sets the number of that name. False when there is none.
            pub fn set(&mut self, name: &str, value: f64) -> bool {
                match name {
                    $(stringify!($name) => self.$name = value as $kind,)*
                    _ => return false,
                }
                true
            }
        }
    };
}

constants! {
    launch_interval: f64 = 40.0, "clocks",
        "Between two programs that are queued: a QPU gets the second no sooner.",
        "assumed: two register writes by the ARM; no effect on totals of published programs";
    program_start: f64 = 0.0, "clocks",
        "From the start of a program to the fetch of its first instruction.",
        "published: a program of four instructions is active for 86 clocks (swrenn); its tool has the system L2 flushed, and two lines from SDRAM take that long";
    instruction_cache_bytes: u32 = 4096, "bytes",
        "Instruction cache of a slice.",
        "vc4asm, Terminus-IMRC, VC4C; 2048 is the variant of docs/hardware/timing.md section 3";
    instruction_cache_ways: u32 = 4, "lines",
        "Associativity of the instruction cache.",
        "vc4asm";
    instruction_fill: f64 = 0.0, "clocks",
        "From a line of code out of the L2C to its first instruction.",
        "docs/hardware/timing.md; no published figure";
    uniform_cache_lines: u32 = 4, "lines",
        "Uniform cache of a slice, fully associative.",
        "assumed: one line of 16 uniforms, as observed by Terminus-IMRC, for each QPU";
    uniform_fill: f64 = 8.0, "clocks",
        "From a line of uniforms out of the L2C to its first value.",
        "docs/hardware/timing.md; Terminus-IMRC's bursts lie between its L2C hit and its SDRAM miss";
    semaphore_handover: f64 = 4.0, "clocks",
        "From an increment to the next instruction of a QPU that waited for it.",
        "published: no measurable extra clocks (Terminus-IMRC), so a slot; the fitting set leaves it there";
    mutex_handover: f64 = 4.0, "clocks",
        "From a release to the next instruction of a QPU that waited for it.",
        "assumed: arbitration of one slot; no published figure";
    sfu_interval: f64 = 4.0, "clocks",
        "Between two operations on the SFU of a slice.",
        "assumed: one vector a slot; the guide names the SFU among units that stall";
    tmu_pipe: f64 = 20.0, "clocks",
        "From the last line of a lookup to its result; with the slot of the lookup, an L1 hit.",
        "published: 9 slots for an L1 hit, less the lookup";
    tmu_lookup: f64 = 16.0, "clocks",
        "A lookup, at least: sixteen lanes, a texel a clock.",
        "published: 1.5 Gtexel/s (Raspberry Pi documentation, FAQ, GPU performance), by six TMUs at 250 MHz";
    tmu_run: f64 = 1.0, "clocks",
        "For each run of lanes in the same line; a lookup takes at least a slot.",
        "assumed; 0.8 to 1.25 make no difference";
    tmu_miss: f64 = 1.0, "clocks",
        "For a run of lanes whose line is missed.",
        "assumed; 0.8 to 1.25 make no difference";
    tmu_misses: u32 = 8, "lines",
        "Misses that a TMU has outstanding at a time, at most.",
        "fitted: the fitting set gives 8, and 7 to 12 from other starts; 1 is rejected (docs/hardware/timing.md section 5)";
    tmu_l1_bytes: u32 = 4096, "bytes",
        "Cache of a TMU, direct mapped.",
        "vc4asm, Terminus-IMRC";
    l2c_bytes: u32 = 16384, "bytes",
        "L2C, V3D's own cache of code, uniforms and lookups.",
        "GPU_FFT's counter table; 32 KiB is rejected by it";
    l2c_ways: u32 = 4, "lines",
        "Associativity of the L2C, least recently used.",
        "vc4asm";
    l2c_hit: f64 = 12.0, "clocks",
        "From a request to its line, and from a line of the bus to the unit that missed it.",
        "published: 12 slots for a lookup that hits the L2C, less the L1's 9";
    l2c_interval: f64 = 4.0, "clocks",
        "Between two requests that the L2C serves.",
        "assumed: 16 bytes a clock";
    l2c_misses: u32 = 16, "lines",
        "Misses of the L2C on the bus at a time, at most.",
        "assumed; no published figure";
    read_bus: f64 = 5.35, "clocks",
        "Between two lines on the bus that V3D reads memory through.",
        "the fitting set gives 5.3, and 5.4 for both ends of what its times are printed as; by hand, to the slow side, with sight of all rows";
    write_bus: f64 = 8.0, "clocks",
        "Between two lines on the bus that VDW writes memory through.",
        "assumed: 8 bytes a clock";
    system_l2_bytes: u32 = 65_536, "bytes",
        "L2 of the system, as much of it as serves V3D.",
        "structure fitted on GPU_FFT: of its 128 KiB the firmware and the ARM keep some; with 8 KiB rows of SDRAM the fitting set prefers 64 to 112 KiB";
    system_l2_ways: u32 = 4, "lines",
        "Associativity of the system L2.",
        "a Raspberry Pi engineer in the overview of hermanhermitage, who gives 128 KiB in 4 ways";
    system_l2_hit: f64 = 22.0, "clocks",
        "From the bus to a line that the system L2 holds.",
        "fitted, weakly: the fitting set gives 22 to 24.4";
    sdram_latency: f64 = 3.25, "clocks",
        "From the end of a line on the SDRAM bus to V3D, beyond system_l2_hit.",
        "published: 20 slots for a lookup that goes to SDRAM, less all others";
    sdram_line: f64 = 6.75, "clocks",
        "A line on the SDRAM bus.",
        "the fitting set gives 6.8, and 6.3 to 7.1 for the ends of what its times are printed as; by hand, with sight of all rows";
    sdram_row: f64 = 11.0, "clocks",
        "To open another row of a bank.",
        "the fitting set gives 12.1, and 12.8 for both ends of what its times are printed as; by hand, to the fast side, so that 2^22 and the mean of 3.0 are in; the chip alone needs 9 to 9.75 (JESD209-2: tRP 18 to 21 ns, tRCD 18 ns)";
    sdram_recovery: f64 = 3.75, "clocks",
        "The same, beyond sdram_row, where the bank was written to last.",
        "published: JESD209-2 (LPDDR2), tWR 15 ns, as Linux's lpddr2-timings has it for 400 MHz";
    sdram_to_write: f64 = 1.25, "clocks",
        "Idle time of the SDRAM bus from a read to a write.",
        "published: JESD209-2 (LPDDR2), two clocks of 400 MHz; a controller may need more";
    sdram_to_read: f64 = 7.0, "clocks",
        "Idle time of the SDRAM bus from a write to a read.",
        "published: JESD209-2 (LPDDR2), tWTR 7.5 ns, RL 6 clocks and tDQSCK 5.5 ns at 400 MHz; a controller may need more";
    sdram_banks: u32 = 8, "banks",
        "Banks of the SDRAM.",
        "LPDDR2; 4 are rejected";
    sdram_row_bytes: u32 = 8192, "bytes",
        "A row of a bank; the next row of addresses is in the next bank.",
        "structure fitted on GPU_FFT together with system_l2_bytes";
    sdram_backlog: f64 = 64.0, "clocks",
        "Work that SDRAM may have in hand before it holds a write back.",
        "assumed; no published figure";
    vpm_vector: f64 = 4.0, "clocks",
        "A vector along a row through the port of the VPM, which QPUs and DMA share.",
        "the guide: a vector a slot";
    vpm_column: f64 = 9.0, "clocks",
        "The same for a vector along a column, which touches sixteen rows.",
        "the fitting set gives 7.1; by hand, to the slow side, with sight of all rows, as far as the counter table's clocks allow";
    vpm_write_fifo: u32 = 2, "vectors",
        "Writes that a QPU has on their way to the VPM before it stalls.",
        "the guide: 2 to 4; slow end";
    vpm_read: f64 = 24.0, "clocks",
        "From a read setup to its first vector.",
        "published: 5 slots of stall (Terminus-IMRC)";
    vdw_start: f64 = 27.0, "clocks",
        "From the address of a store to its first row.",
        "fitted to published rates: 1.12 GB/s with 128 rows a store, 300 MB/s with one; the fast end of its band, which single-row stores of 2^19 and more ask for";
    vdw_row: f64 = 14.0, "clocks",
        "A line of a row that is stored.",
        "as vdw_start";
    vdr_start: f64 = 42.0, "clocks",
        "From the address of a load to its first row.",
        "fitted to published rates: 690 MB/s with 16 rows a load, 200 MB/s with one";
    vdr_row: f64 = 20.0, "clocks",
        "Between two lines that a load asks for.",
        "as vdr_start";
    vdr_lines: u32 = 4, "lines",
        "Lines that a load has asked for and not got, at most.",
        "assumed; no published figure";
    direct_launch_us: f64 = 14.0, "us",
        "Host's share of a call that writes V3D's registers itself: cache clears, queueing, polling.",
        "the fitting set gives 12.7; by hand, to the slow side, with sight of all rows: with 13 the mean of 3.0 would be 6.07 %; not part of the simulated time";
    mailbox_launch_us: f64 = 100.0, "us",
        "Host's share of a call through the mailbox.",
        "published: 90 to 100 us; slow end; not part of the simulated time";
}

impl Default for Constants {
    fn default() -> Self {
        Self::recommended()
    }
}

impl Constants {
    /// Sets the number of that name, to see what depends on it.
    ///
    /// # Errors
    /// A sentence, when there is no such number or when it cannot have that value.
    pub fn change(&mut self, name: &str, value: f64) -> Result<(), String> {
        let all = self.describe();
        let Some(known) = all.iter().find(|known| known.name == name) else {
            return Err(format!("there is no constant `{name}`"));
        };
        let [least, most] = known.range;
        if !(least..=most).contains(&value) || known.is_whole && value.fract() != 0.0 {
            let kind = if known.is_whole {
                "an integer"
            } else {
                "a number"
            };
            return Err(format!(
                "{name} cannot be {value}: it is {kind} of {} from {least} to {most}",
                known.unit
            ));
        }
        self.set(name, value);
        Ok(())
    }

    /// Names and values of all numbers that are not the recommended ones.
    pub fn changed(&self) -> impl Iterator<Item = (&'static str, f64)> + use<> {
        let recommended = Self::recommended().describe();
        let own = self.describe().into_iter().zip(recommended);
        own.filter(|(own, other)| own.value != other.value)
            .map(|(own, _)| (own.name, own.value))
    }

    /// [`Constants::recommended`] with an instruction cache of 2 KiB: the variant that the study of
    /// docs/hardware/timing.md preferred and that no other source supports.
    #[must_use]
    pub fn with_small_instruction_cache() -> Self {
        Self {
            instruction_cache_bytes: 2048,
            ..Self::recommended()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_can_be_set_by_its_name() {
        let mut constants = Constants::recommended();
        for described in Constants::recommended().describe() {
            assert!(constants.set(described.name, described.value + 1.0));
            assert!(!described.source.is_empty() && !described.what.is_empty());
        }
        let again = constants.describe();
        for (old, new) in Constants::recommended().describe().iter().zip(again) {
            assert_eq!(new.value, old.value + 1.0, "{}", old.name);
        }
        assert!(!constants.set("no_such", 1.0));
    }

    #[test]
    fn a_change_is_found_and_what_is_wrong_is_refused() {
        let mut constants = Constants::recommended();
        assert_eq!(constants.changed().count(), 0);
        constants.change("l2c_bytes", 32_768.0).unwrap();
        let changed: Vec<_> = constants.changed().collect();
        assert_eq!(changed, [("l2c_bytes", 32_768.0)]);
        let refused = [
            ("l2c_byte", 1.0, "there is no constant `l2c_byte`"),
            ("l2c_bytes", 0.0, "from 1 to"),
            ("l2c_bytes", 64.5, "an integer of bytes"),
            ("read_bus", -1.0, "a number of clocks from 0"),
            ("read_bus", f64::NAN, "cannot be NaN"),
        ];
        for (name, value, words) in refused {
            let error = constants.change(name, value).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
    }
}
