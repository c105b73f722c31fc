//! Uniforms that programs of one-pass transforms have in common.

/// Defines the uniforms of a kernel of one-pass transforms: those that such kernels have in common,
/// before its own. `component` is 0 for real and 1 for imaginary parts.
macro_rules! one_pass_uniforms {
    ($(#[$meta:meta])* pub enum $Name:ident { $($own:tt)* } $($more:tt)*) => {
        $crate::kernels::uniform::uniforms! {
        $(#[$meta])*
        pub enum $Name {
            /// Transforms that the program works on, at least 1.
            Transforms,
            /// 1 for the program that makes the locks of the VPM, 0 for all others.
            Opens,
            /// Programs beside the one that made the locks, which takes them back; -1 for the
            /// others. Of a pipeline with several groups of producers, bytes of code to what takes
            /// the last slot back.
            Peers,
            /// Address of the list, behind its head.
            List,
            /// Bytes from one transform of the program to its next.
            Step,
            /// 1.0, or -1.0 for the inverse: what the imaginary parts of the output are multiplied
            /// by.
            Conjugate,
            /// cos (π/16 `sixteenths`).
            Cosine {
                /// 1 to 7.
                sixteenths: u8,
            },
            /// Factor of the real parts of the input.
            FactorRe,
            /// Factor of the imaginary parts of the input.
            FactorIm,
            /// Address of the first point that the program reads.
            Input,
            /// Address of its twiddles.
            Twiddles,
            /// Setup of the first VPM writes.
            WriteSetup,
            /// Setup that reads one column of the program's own.
            Drain,
            /// Setup of the sixteen VPM reads of a part.
            ReadSetup {
                /// Part.
                component: u8,
            },
            /// Setup of the VPM writes of output rows.
            OutputSetup {
                /// Number of the group, of several.
                group: u8,
            },
            /// Setup word with the stride of stores.
            StoreStride,
            /// Setup of a store.
            StoreSetup {
                /// Number of the store.
                index: u8,
            },
            /// Address of that store.
            Store {
                /// Number of the store.
                index: u8,
            },
            $($own)*
        }
        $($more)*
        }
    };
}
pub(in crate::kernels) use one_pass_uniforms;
