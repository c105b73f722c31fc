//! Unpack (of an operand) and pack (of a result) modes.
//!
//! The bit `pm` says where they act. With pm = 0 unpack widens the value read through file A's
//! port, and pack narrows the result written to a physical register of file A ([`Pack`]). With
//! pm = 1 unpack widens r4, as floats, and pack turns the mul result into 8-bit colour
//! ([`MulPack`]). Source: Architecture Reference Guide, the pack and unpack tables,
//! some of which are misprinted (py-videocore's appendix has the corrections).

use super::bits::field_values;

field_values! {
    /// The widening of an operand to 32 bits.
    Unpack {
        /// All 32 bits.
        None = 0, "";
        /// Low half: f16 to float, or sign-extended.
        U16a = 1, "16a";
        /// High half.
        U16b = 2, "16b";
        /// Byte 3 in all four bytes.
        U8dr = 3, "8dr";
        /// Byte 0: divided by 255 as float, or zero-extended.
        U8a = 4, "8a";
        /// Byte 1.
        U8b = 5, "8b";
        /// Byte 2.
        U8c = 6, "8c";
        /// Byte 3.
        U8d = 7, "8d";
    }
}

field_values! {
    /// The narrowing of a result on its way into a register of file A (pm = 0).
    ///
    /// Narrow modes leave the other bytes of the register as they are.
    Pack {
        /// All 32 bits.
        None = 0, "";
        /// Low half: float to f16, or low 16 bits.
        P16a = 1, "16a";
        /// High half.
        P16b = 2, "16b";
        /// Low byte to all four bytes.
        P8888 = 3, "8abcd";
        /// Low byte to byte 0.
        P8a = 4, "8a";
        /// Low byte to byte 1.
        P8b = 5, "8b";
        /// Low byte to byte 2.
        P8c = 6, "8c";
        /// Low byte to byte 3.
        P8d = 7, "8d";
        /// All 32 bits, saturated on signed overflow.
        P32s = 8, "32s";
        /// 16a, saturated.
        P16as = 9, "16as";
        /// 16b, saturated.
        P16bs = 10, "16bs";
        /// 8888, saturated to 0..=255.
        P8888s = 11, "8abcds";
        /// 8a, saturated.
        P8as = 12, "8as";
        /// 8b, saturated.
        P8bs = 13, "8bs";
        /// 8c, saturated.
        P8cs = 14, "8cs";
        /// 8d, saturated.
        P8ds = 15, "8ds";
    }
}

field_values! {
    /// The conversion of the mul result, a float 0..=1, to 8-bit colour (pm = 1). Codes 1, 2 and
    /// 8..15 are reserved.
    MulPack {
        /// Unchanged.
        None = 0, "";
        /// To all four bytes.
        P8888 = 3, "8abcd";
        /// To byte 0.
        P8a = 4, "8a";
        /// To byte 1.
        P8b = 5, "8b";
        /// To byte 2.
        P8c = 6, "8c";
        /// To byte 3.
        P8d = 7, "8d";
    }
}
