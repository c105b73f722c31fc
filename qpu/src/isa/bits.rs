//! Bit fields of a word, and the shape of every table that names their values.

/// Bits `high..=low` of `word`, as the manual writes `high:low`.
pub(super) const fn field(word: u64, high: u32, low: u32) -> u8 {
    (word >> low & ((1 << (high - low + 1)) - 1)) as u8
}

/// `value` at bits `high..=low`; what does not fit is cut off.
pub(super) const fn place(value: u64, high: u32, low: u32) -> u64 {
    (value & ((1 << (high - low + 1)) - 1)) << low
}

/// Defines an enum over the values of one field, with the value and the assembler's name of each.
macro_rules! field_values {
    ($(#[$meta:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $bits:literal, $text:literal;)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum $name { $($(#[$doc])* $variant = $bits,)+ }

        impl $name {
            /// Every defined value, in the order of its bits.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)+];

            /// The value with these bits; `None` when no source defines them.
            #[must_use]
            pub const fn from_bits(bits: u8) -> Option<Self> {
                match bits {
                    $($bits => Some(Self::$variant),)+
                    _ => None,
                }
            }

            /// The bits of the field.
            #[must_use]
            pub const fn bits(self) -> u8 {
                self as u8
            }

            /// The name in assembly text.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)+
                }
            }
        }
    };
}

/// Defines what any newtype over a six-bit field offers.
macro_rules! six_bits {
    ($name:ident) => {
        impl $name {
            /// The value with these bits, 0..=63.
            #[must_use]
            pub const fn from_bits(bits: u8) -> Option<Self> {
                if bits < 64 { Some(Self(bits)) } else { None }
            }

            pub(super) const fn from_low_bits(bits: u8) -> Self {
                Self(bits & 63)
            }

            /// The six bits of the field.
            #[must_use]
            pub const fn bits(self) -> u8 {
                self.0
            }
        }
    };
}

pub(super) use {field_values, six_bits};
