//! Rules of the blocks that a program can break without a visible effect here.
//!
//! Each stands for something that documents ask for, or that careful programs do, and of which no
//! document says what a board does otherwise. Some programs leave it out and work, so a run goes
//! on: the first time that a rule is broken after a reset becomes a message. What is certain to go
//! wrong is a fault, or a wrong result, instead.

/// A rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockRule {
    /// A DMA channel that is used has its bit in ENABLE.
    DmaEnable,
    /// A DMA channel is reset before its first control block.
    DmaReset,
    /// A reset of a DMA channel is waited for.
    DmaResetWait,
    /// PCM's FIFO is cleared before reception.
    PcmClear,
    /// The clear is waited for.
    PcmClearWait,
    /// The FIFO's memory is awake before reception.
    PcmStandby,
    /// PCM's request and panic levels leave room.
    PcmLevels,
    /// SMI's FIFO is cleared before reads.
    SmiClear,
    /// SMI's request and panic levels leave room.
    SmiLevels,
    /// SMI has its data pins only while it reads.
    SmiDrive,
    /// SMI does not have to wait for its FIFO.
    SmiPause,
    /// A pull is set in the order and with the times of the manual.
    GpioPull,
}

/// The words of a rule.
struct RuleText {
    name: &'static str,
    /// What was done.
    broken: &'static str,
    remedy: &'static str,
    source: &'static str,
}

impl BlockRule {
    const fn text(self) -> RuleText {
        match self {
            Self::DmaEnable => RuleText {
                name: "dma-enable",
                broken: "a DMA channel was used before the program has set its bit in ENABLE; what the boot firmware leaves there is not known",
                remedy: "set the bit before the first access to the channel",
                source: "Circle dmachannel.cpp, iosoft rpi_dma_utils.c",
            },
            Self::DmaReset => RuleText {
                name: "dma-reset",
                broken: "a DMA channel was given a control block and has not been reset since boot; its last user may have left anything",
                remedy: "write RESET to CS before the first control block",
                source: "Circle dmachannel.cpp, iosoft rpi_dma_utils.c, librpitx dma.cpp",
            },
            Self::DmaResetWait => RuleText {
                name: "dma-reset-wait",
                broken: "a DMA channel was written to after RESET, and nobody has looked if the reset has ended",
                remedy: "read CS until RESET is 0, or wait 100 us",
                source: "Circle dmachannel.cpp; librpitx dma.cpp for the time",
            },
            Self::PcmClear => RuleText {
                name: "pcm-clear",
                broken: "PCM's RXON was set and its FIFO was not cleared since EN, or has words; they come first, and an odd number swaps left and right",
                remedy: "write RXCLR before RXON",
                source: "BCM2835 ARM Peripherals, section 8.6.3",
            },
            Self::PcmClearWait => RuleText {
                name: "pcm-clear-wait",
                broken: "PCM's RXON was set less than two bit clocks after RXCLR",
                remedy: "wait for two bit clocks: write SYNC and poll it",
                source: "BCM2835 ARM Peripherals, section 8.6.3",
            },
            Self::PcmStandby => RuleText {
                name: "pcm-standby",
                broken: "PCM's RXON was set less than four bit clocks after STBY",
                remedy: "set STBY four bit clocks before",
                source: "BCM2835 ARM Peripherals, section 8.8, CS_A",
            },
            Self::PcmLevels => RuleText {
                name: "pcm-levels",
                broken: "PCM's RX_PANIC is not above its RX request level and below the FIFO's 64 words: DMA never hurries, or always",
                remedy: "keep the order of the reset values, 0x20 and 0x30",
                source: "BCM2835 ARM Peripherals, section 8.8, DREQ_A; Linux bcm2835-i2s.c",
            },
            Self::SmiClear => RuleText {
                name: "smi-clear",
                broken: "SMI was started and its FIFO was not cleared since ENABLE, or has words, which come first",
                remedy: "write CLEAR between ENABLE and START",
                source: "Linux bcm2835_smi.c, smi_init_programmed_read",
            },
            Self::SmiLevels => RuleText {
                name: "smi-levels",
                broken: "SMI's PANICR is not above its REQR, or REQR is 0 or more than the FIFO holds; what DMA does then is not documented",
                remedy: "ask for DMA at a few words, and for panic at more",
                source: "Linux bcm2835_smi.c (0x01 and 0x20), iosoft rpi_smi_adc_test.c",
            },
            Self::SmiDrive => RuleText {
                name: "smi-drive",
                broken: "SMI has data pins on which a part drives, and no read is under way: between reads SMI drives them low",
                remedy: "give SMI its data pins after START, and take them away before the reads end",
                source: "librerpi docs/smi.txt; iosoft rpi_smi_adc_test.c",
            },
            Self::SmiPause => RuleText {
                name: "smi-pause",
                broken: "SMI's reads waited for a full FIFO, and it drove its data pins low against the part meanwhile",
                remedy: "empty the FIFO in time, and put resistors into the data wires",
                source: "librerpi docs/smi.txt",
            },
            Self::GpioPull => RuleText {
                name: "gpio-pull",
                broken: "GPPUDCLK was changed less than 150 cycles of 250 MHz after the step before it, so pins keep their pulls",
                remedy: "wait a microsecond after GPPUD, and another one while GPPUDCLK is set",
                source: "BCM2835 ARM Peripherals, section 6.1, GPPUDCLK; Linux pinctrl-bcm2835.c for the clock",
            },
        }
    }
}

/// The rules that were broken since reset.
#[derive(Default)]
pub struct BrokenRules {
    reported: u32,
    new: Vec<BlockRule>,
}

impl BrokenRules {
    /// A rule was broken.
    pub fn note(&mut self, rule: BlockRule) {
        let bit = 1 << rule as u32;
        if self.reported & bit == 0 {
            self.reported |= bit;
            self.new.push(rule);
        }
    }

    /// A rule was broken if `is_broken`.
    pub fn note_if(&mut self, rule: BlockRule, is_broken: bool) {
        if is_broken {
            self.note(rule);
        }
    }

    /// Messages about those that were broken for the first time since the last call.
    pub fn take_messages(&mut self) -> impl Iterator<Item = String> {
        self.new.drain(..).map(|rule| {
            let RuleText {
                name,
                broken,
                remedy,
                source,
            } = rule.text();
            format!("{name}: {broken}; {remedy} ({source})")
        })
    }
}
