//! Enums whose values have a one-byte code and a name.

/// A type whose values are one byte in the protocol.
pub trait Code: Sized {
    /// The field's name in error messages.
    const FIELD: &'static str;

    /// The value with this code.
    fn from_code(code: u8) -> Option<Self>;
}

/// A type whose values have names.
pub trait Named: Copy + PartialEq + 'static {
    /// Every value, in order of its code.
    const VALUES: &'static [Self];
    /// Their names, in the same order.
    const NAMES: &'static [&'static str];
}

/// Declares an enum: for each value its code in the protocol and its name in settings and output.
#[macro_export]
macro_rules! code {
    ($(#[$meta:meta])* $name:ident, $field:literal { $($(#[$vmeta:meta])* $variant:ident = $value:literal $text:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
        #[repr(u8)]
        pub enum $name { $($(#[$vmeta])* $variant = $value,)+ }

        impl $name {
            /// Every value, in order of its code.
            pub const ALL: [Self; [$($value),+].len()] = [$(Self::$variant),+];

            /// The byte on the wire.
            #[must_use]
            pub const fn code(self) -> u8 { self as u8 }

            /// The name used in settings and in output.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text,)+ }
            }

            /// The value with this name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == name)
            }
        }

        impl $crate::Named for $name {
            const VALUES: &'static [Self] = &Self::ALL;
            const NAMES: &'static [&'static str] = &[$($text),+];
        }

        impl $crate::Code for $name {
            const FIELD: &'static str = $field;

            fn from_code(code: u8) -> Option<Self> {
                match code { $($value => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}
