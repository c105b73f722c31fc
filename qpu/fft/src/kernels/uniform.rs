//! Uniforms as the planner sees them: words that only the kernel whose programs read them can
//! interpret.
//!
//! A kernel has an enum of what its programs read, written with [`uniforms!`]. In the lists of a
//! [`Program`](super::program::Program) a uniform is a [`UniformId`]: the number of the variant,
//! then its fields.

/// A uniform of a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct UniformId(pub u32);

/// A word that is packed or unpacked, from the lowest bit.
#[derive(Default)]
pub struct Bits {
    word: u32,
    used: u32,
}

impl Bits {
    /// Bits of the number of a variant.
    pub const TAG: u32 = 5;

    /// Puts `value` above what is there.
    ///
    /// # Panics
    /// When it does not fit. Words are packed where programs are generated, so no plan meets this.
    pub fn push(&mut self, value: u32, bits: u32) {
        assert!(
            value >> bits == 0 && self.used + bits <= u32::BITS,
            "a uniform has too many fields"
        );
        self.word |= value << self.used;
        self.used += bits;
    }

    /// Takes the lowest bits.
    pub fn pull(&mut self, bits: u32) -> u32 {
        let value = self.word & ((1 << bits) - 1);
        self.word >>= bits;
        value
    }
}

/// A value that can be a field of a uniform.
pub trait Pack: Copy {
    /// Appends it to the bits of a word.
    fn pack(self, to: &mut Bits);

    /// Takes it from them.
    fn unpack(from: &mut Bits) -> Self;

    /// The word that holds it alone.
    fn id(self) -> UniformId {
        let mut bits = Bits::default();
        self.pack(&mut bits);
        UniformId(bits.word)
    }

    /// The value of a word that holds it alone.
    fn of(id: UniformId) -> Self {
        Self::unpack(&mut Bits {
            word: id.0,
            used: 0,
        })
    }
}

/// Up to 127.
impl Pack for u8 {
    fn pack(self, to: &mut Bits) {
        to.push(self.into(), 7);
    }

    fn unpack(from: &mut Bits) -> Self {
        from.pull(7) as Self
    }
}

impl Pack for bool {
    fn pack(self, to: &mut Bits) {
        to.push(self.into(), 1);
    }

    fn unpack(from: &mut Bits) -> Self {
        from.pull(1) != 0
    }
}

/// A distance in bytes, less than 2^23 forwards or backwards, modulo 2^32.
impl Pack for u32 {
    fn pack(self, to: &mut Bits) {
        let low = self & 0xff_ffff;
        assert_eq!(
            ((low << 8) as i32 >> 8) as Self,
            self,
            "a distance is too long"
        );
        to.push(low, 24);
    }

    fn unpack(from: &mut Bits) -> Self {
        ((from.pull(24) << 8) as i32 >> 8) as Self
    }
}

/// The first of its tokens: the name of a variant's value, in a repetition over its type.
macro_rules! first {
    ($first:ident $($rest:tt)*) => {
        $first
    };
}
pub(super) use first;

/// Defines enums of uniforms, and how they are packed.
macro_rules! uniforms {
    ($($(#[$meta:meta])* pub enum $Name:ident {
        $($(#[$doc:meta])* $Variant:ident $(($inner:ty))? $({
            $($(#[$field_doc:meta])* $field:ident: $ty:ty),* $(,)?
        })?,)*
    })*) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
        pub enum $Name {
            $($(#[$doc])* $Variant $(($inner))? $({ $($(#[$field_doc])* $field: $ty,)* })?,)*
        }

        const _: () = {
            use $crate::kernels::uniform::{Bits, Pack};

            enum Tag {
                $($Variant,)*
            }

            impl Pack for $Name {
                fn pack(self, to: &mut Bits) {
                    match self {
                        $(Self::$Variant $(($crate::kernels::uniform::first!(value $inner)))? $({ $($field,)* })? => {
                            to.push(Tag::$Variant as u32, Bits::TAG);
                            $(<$inner>::pack(value, to);)?
                            $($($field.pack(to);)*)?
                        })*
                    }
                }

                fn unpack(from: &mut Bits) -> Self {
                    let tag = from.pull(Bits::TAG);
                    $(if tag == Tag::$Variant as u32 {
                        return Self::$Variant $((<$inner>::unpack(from)))? $({
                            $($field: <$ty>::unpack(from),)*
                        })?;
                    })*
                    unreachable!("lists hold uniforms of their kernel only")
                }
            }
        };
    )*};
}
pub(super) use uniforms;
