//! Operators, functions, and the setup words they make.

use super::{same, words};

#[test]
fn expressions_follow_the_tables_of_operators() {
    #[rustfmt::skip]
    let values: &[(&str, i64)] = &[
        ("1 + 2 * 3", 7), ("(1 + 2) * 3", 9), ("-2 ** 2", 4), ("2 ** 10", 1024), ("7 / 2", 3), ("-7 % 3", -1),
        ("1 << 4 + 1", 32), ("1 << 4 | 1", 17), ("6 & 3 == 3", 0), ("5 ^ 3", 6), ("~5 & 0xf", 10), ("!5 + !0", 1),
        ("5 !^ 3", -7), ("1 && 2", 1), ("0 || 0", 0), ("1 ^^ 2", 0), ("1 !^^ 2", 1),
        ("-16 >> 2", -4), ("-1 >>> 60", 15), ("1 <<< 3", 8), ("16 << -2", 4), ("1 >> -3", 8),
        ("0x80000001 ><< 1", 3), ("3 >>< 1", 0x8000_0001), ("1 >>>< 1 >>> 60", 8), ("1 ><<< 65", 2),
        ("3 <=> 4", -1), ("4 <=> 4", 0), ("5 <=> 4", 1), ("M_NAN <=> 1", -0x8000_0000),
        ("1.0 == 1", 1), ("1.0 === 1", 0), ("M_NAN === M_NAN", 1), ("M_NAN == M_NAN", 0), ("2 !== 2", 0),
        ("ra0 == ra0", 1), ("ra0 == ra1", 0), ("ra0 > 5", 1), ("rb0 != -", 1), ("sacq3 > srel3", 1), ("ra0+3 == ra3", 1),
        ("floor 1.7", 1), ("ceil(1.2)", 2), ("abs -5", 5), ("countBits(0xff0f)", 12), ("reverseBits(6, 4)", 6),
        ("reverseBits8(1)", 128), ("ilog2(0)", -1), ("ilog2(4)", 2), ("min(3, 2)", 2), ("max(3, 2.5)", 3),
        ("0b101", 5), ("037", 31), ("isConstant(5)", 1), ("isRegister(r5)", 1), ("isLdPE([0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1])", 1),
        ("isRegfileA(ra5) + isRegfileB(ra5)", 1), ("isRotate(r1 << 2)", 1), ("isSemaphore(sacq0)", 1), ("isReadable(t0s)", 0),
        ("isWritable(elem_num)", 0), ("isSmallImmd(16)", 0), ("isSmallImmd(0.5)", 1),
    ];
    for (text, value) in values {
        let expected = format!(".long {value}");
        same(&format!(".long {text}"), &expected);
    }
    let floats = [
        ("1.5 + 1", 2.5),
        ("7.0 / 2", 3.5),
        ("1.5 << 3", 12.0),
        ("12.0 >> 2", 3.0),
        ("2.0 ** 0.5", 2f64.sqrt()),
        ("sin 0", 0.0),
        ("log(M_E)", 1.0),
        ("exp2 3", 8.0),
        ("log2 8", 3.0),
        ("cos M_PI", -1.0),
        ("erf 0", 0.0),
        ("erfc 0", 1.0),
        ("atan 1 * 4", std::f64::consts::PI),
        ("1E3", 1000.0),
        ("abs -2.5", 2.5),
        ("log10 1000", 3.0),
        ("7.5 % 2", 1.5),
        ("-M_SQRT2", -2f64.sqrt()),
        ("tanh 0 + cosh 0 + sinh 0", 1.0),
    ];
    for (text, value) in floats {
        let word = words(&format!(".double {text}"))[0];
        let error = (f64::from_bits(word) - value).abs();
        assert!(
            error <= 4.0 * f64::EPSILON * value.abs(),
            "{text}: {} and not {value}",
            f64::from_bits(word)
        );
    }
}

#[test]
fn setup_functions_make_the_words_of_published_programs() {
    #[rustfmt::skip]
    let values: &[(&str, u32)] = &[
        // GPU_FFT, asurati's QPU demo, QPULib, py-videocore; see qpu::vpm.
        ("vpm_setup(1, 1, v32(0,0))", 0x0010_1200), ("vpm_setup(16, 1, h32(7))", 0x0000_1a07),
        ("vpm_setup(4, 16, v32(0,15))", 0x0041_020f), ("vpm_setup(2, -16, h32(16, 0))", 0x0023_0a10),
        ("vdw_setup_0(64, 16, dma_h32(0,0))", 0xa010_4000), ("vdw_setup_0(32, 16, dma_h32(32,0))", 0x9010_5000),
        ("vdw_setup_0(1, 16, dma_v32(0,15))", 0x8090_0078), ("vdw_setup_0(128, 128, dma_h32(0,0))", 0x8000_4000),
        ("vdw_setup_1(192)", 0xc000_00c0), ("vdw_setup_1p(0)", 0xc001_0000),
        ("vdr_setup_0(3, 16, 16, vdr_h32(1, 3, 0))", 0x8300_1030), ("vdr_setup_0(64, 16, 16, vdr_h32(1, 3, 0))", 0x8300_1030),
        ("vdr_setup_0(3, 16, 4, vdr_v32(16, 0, 15))", 0x8304_080f), ("vdr_setup_1(128)", 0x9000_0080),
        ("vdr_setup_0(0, 0, 0, vdr_h16p(1, 0, 0, 1))", 0xb000_1000), ("vdr_setup_0(0, 0, 0, vdr_h8p(1, 0, 0, 3))", 0xf000_1000),
        ("h16p(5, 1)", 0x90b), ("h16l(5, 1)", 0xd0b), ("h8p(5, 3)", 0x817), ("h8l(5, 3)", 0xc17), ("h32(5)", 0xa05), ("h32(5, 0)", 0xa05),
        ("v32(16, 3)", 0x213), ("v16p(16, 3, 1)", 0x127), ("v16l(16, 3, 1)", 0x527), ("v8p(16, 3, 2)", 0x04e), ("v8l(16, 3, 2)", 0x44e),
        ("dma_h16p(5, 3, 1)", 0x429b), ("dma_h8p(5, 3, 2)", 0x429e), ("dma_v16p(5, 3, 1)", 0x29b), ("dma_v8p(5, 3, 2)", 0x29e),
    ];
    for (text, value) in values {
        let source = format!("ldi r0, {text}");
        assert_eq!(
            words(&source)[0] as u32,
            *value,
            "{text}: {:#x}",
            words(&source)[0] as u32
        );
    }
}
