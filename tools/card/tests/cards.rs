//! Prepared cards, each with one thing wrong: it is named in one sentence, and nothing else is.

use std::fs;
use std::path::{Path, PathBuf};

use card::{Severity, look, report};

const CONFIG: &str = include_str!("../../../boot/sdcard/config.txt");
const CMDLINE: &str = include_str!("../../../boot/sdcard/cmdline.txt");

/// A folder that goes with the test.
struct Card(PathBuf);

impl Drop for Card {
    fn drop(&mut self) {
        // What is left lies in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Card {
    /// A right card.
    fn new(name: &str) -> Self {
        let card =
            Self(std::env::temp_dir().join(format!("qpuscope-card-{}-{name}", std::process::id())));
        fs::create_dir_all(&card.0).expect("a folder for temporary files");
        card.put("bootcode.bin", &[0x55; 52_624]);
        card.put("start.elf", &start_elf("start", "Aug 20 2025"));
        card.put("fixup.dat", &[3; 7_300]);
        card.put("config.txt", CONFIG.as_bytes());
        card.put("cmdline.txt", CMDLINE.as_bytes());
        card.put("kernel.img", &image());
        card
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.0.join(name), bytes).expect("the folder can be written to");
    }

    fn remove(&self, name: &str) {
        fs::remove_file(self.0.join(name)).expect("the file was there");
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.0.join(from), self.0.join(to)).expect("the file was there");
    }

    /// `config.txt` with a line more at its end.
    fn config(&self, line: &str) {
        self.put("config.txt", format!("{CONFIG}{line}\n").as_bytes());
    }
}

/// The part of a start.elf that `look` reads, at the length of one.
fn start_elf(variant: &str, day: &str) -> Vec<u8> {
    let mut bytes = b"\x7fELF\x01\x01\x01".to_vec();
    bytes.resize(3_000_000, 0);
    let said = format!(
        "VC_BUILD_ID_TIME: 19:42:39\0VC_BUILD_ID_VARIANT: {variant}\0VC_BUILD_ID_TIME: {day}\0"
    );
    bytes[2_000_000..2_000_000 + said.len()].copy_from_slice(said.as_bytes());
    bytes
}

/// The part of our image that `look` reads.
fn image() -> Vec<u8> {
    let mut bytes = b"qpuscope: this image is for a Raspberry Pi 1 or Zero (BCM2835)".to_vec();
    bytes.resize(400_000, 0);
    bytes.extend(b": spectrum instrument, FFT on the QPUs of VideoCore IV");
    bytes.extend(env!("CARGO_PKG_VERSION").as_bytes());
    bytes
}

fn wrong(folder: &Path) -> Vec<String> {
    let found = look(folder).expect("the folder can be read");
    let wrong = found
        .iter()
        .filter(|finding| finding.severity == Severity::Wrong);
    wrong
        .map(|finding| format!("{}: {}", finding.place, finding.sentence))
        .collect()
}

/// One finding that is wrong, and in it these words.
fn assert_names(card: &Card, words: &[&str]) {
    let wrong = wrong(&card.0);
    assert_eq!(wrong.len(), 1, "{wrong:#?}");
    for word in words {
        assert!(wrong[0].contains(word), "no {word:?} in {}", wrong[0]);
    }
}

#[test]
fn a_right_card_is_called_right() {
    let card = Card::new("right");
    let found = look(&card.0).expect("the folder can be read");
    let (text, right) = report(&found);
    assert!(right && text.ends_with("This card is right.\n"), "{text}");
    for words in [
        "variant start built Aug 20 2025",
        "qpuscope 0.1.0",
        "start=1",
    ] {
        assert!(text.contains(words), "no {words:?} in {text}");
    }
    // Capitals, Windows line ends, lines for other boards, and no cmdline.txt make no difference.
    card.rename("kernel.img", "KERNEL.IMG");
    card.rename("config.txt", "Config.txt");
    card.remove("cmdline.txt");
    let text = format!("{CONFIG}[pi4]\narm_64bit=1\ndtoverlay=vc4-kms-v3d\n[all]\nenable_uart=1\n")
        .replace('\n', "\r\n");
    card.put("Config.txt", text.as_bytes());
    card.put("kernel8.img", b"another system's");
    assert_eq!(wrong(&card.0), Vec::<String>::new());
}

#[test]
fn each_wrong_file_is_named_in_one_sentence() {
    let card = Card::new("files");
    card.remove("start.elf");
    card.put("start_cd.elf", b"");
    assert_names(
        &card,
        &[
            "start.elf: is missing",
            "start_cd.elf does not do",
            "raspberrypi/firmware/tree/",
        ],
    );
    for (variant, words) in [
        ("start_cd", "no 3D block"),
        ("start_x", "cameras"),
        ("start4", "another board"),
    ] {
        card.put("start.elf", &start_elf(variant, "Dec  8 2025"));
        assert_names(&card, &["start.elf: is variant", "built Dec 8 2025", words]);
    }
    card.put("start.elf", b"\n\n<!DOCTYPE html><html>");
    assert_names(&card, &["start.elf: is a web page", "Download raw file"]);
    card.put("start.elf", &start_elf("start", "Aug 20 2025"));
    card.put("fixup.dat", &[3; 3_200]);
    assert_names(&card, &["fixup.dat: has 3200 bytes", "another variant"]);
    card.remove("fixup.dat");
    assert_names(&card, &["fixup.dat: is missing"]);
    card.put("fixup.dat", &[3; 7_300]);

    card.put("kernel.img", b"\x7fELF\x01\x01\x01");
    assert_names(&card, &["kernel.img: is an ELF file"]);
    card.put("kernel.img", &image()[..200_000]);
    assert_names(&card, &["kernel.img: is cut or damaged (200000 bytes)"]);
    card.put("kernel.img", &[0xE1; 300_000]);
    assert_names(&card, &["kernel.img: is the image of something else"]);
    card.rename("kernel.img", "kernel7.img");
    assert_names(
        &card,
        &["kernel.img: is missing, and kernel7.img is for other boards"],
    );
    card.put("kernel.img.img", &image());
    assert!(
        wrong(&card.0)
            .iter()
            .any(|it| it.contains("rename it to kernel.img"))
    );
}

#[test]
fn a_card_whose_files_lie_in_a_folder_of_it_is_reported() {
    let card = Card::new("folder");
    fs::create_dir_all(card.0.join("qpuscope")).expect("a folder");
    card.rename("kernel.img", "qpuscope/kernel.img");
    let wrong = wrong(&card.0);
    assert!(wrong[0].contains("move those in qpuscope up"), "{wrong:?}");
}

#[test]
fn each_harmful_line_of_config_txt_is_named_in_one_sentence() {
    let card = Card::new("config");
    card.put("start_x.elf", b"");
    for (line, words) in [
        ("start_x=1", "starts another start.elf"),
        ("start_file=start_x.elf", "another file than start.elf"),
        ("fixup_file=fixup_x.dat", "another file than fixup.dat"),
        ("disable_l2cache=1", "cache off"),
        ("kernel_address=0x80000", "another address than 0x8000"),
        ("kernel_old=1", "address 0"),
        ("dtoverlay=vc4-kms-v3d", "keeps the QPUs for a driver"),
        ("initramfs initrd.img followkernel", "another system's file"),
        ("gpu_mem=16", "cut-down start_cd.elf"),
        ("gpu_mem_512=24", "too little for start.elf"),
        ("init_uart_clock=3000000", "48 MHz"),
        ("arm_64bit=1", "64-bit processor"),
        ("kernel=kernel7.img", "there is no file kernel7.img"),
        (
            "disable_commandline_tags=1",
            "keeps the settings in cmdline.txt",
        ),
        ("gpio=10-20=op", "GPIO 14 or 15"),
        ("rubbish", "no key=value"),
        ("dtparam=über", "not ASCII"),
    ] {
        card.config(line);
        let wrong = wrong(&card.0);
        // A second gpu_mem, kernel or arm_64bit is a finding of its own.
        let (twice, others): (Vec<_>, Vec<_>) =
            wrong.iter().partition(|it| it.contains("is the second"));
        assert!(twice.len() <= 1 && others.len() == 1, "{line}: {wrong:#?}");
        assert!(others[0].contains(words), "{line}: {wrong:#?}");
        let number = CONFIG.lines().count() + 1;
        assert!(
            others[0].starts_with(&format!("config.txt:{number}: ")),
            "{line}: {wrong:#?}"
        );
    }
    for harmless in [
        "start_x=0",
        "kernel_address=0x8000",
        "gpu_mem_1024=128",
        "[pi4]\nkernel_old=1",
        "gpio=17=op,dh",
    ] {
        card.config(harmless);
        assert_eq!(wrong(&card.0), Vec::<String>::new(), "{harmless}");
    }
    card.config("gpumem=64");
    let (text, right) = report(&look(&card.0).expect("the folder can be read"));
    assert!(
        right && text.contains("gpumem=64: is a setting that this tool does not know"),
        "{text}"
    );
}

#[test]
fn lines_that_do_not_count_and_lines_that_stand_twice_are_named() {
    let card = Card::new("filters");
    card.config("gpu_mem=128");
    assert_names(
        &card,
        &["gpu_mem=128 is the second gpu_mem", "the last one counts"],
    );
    let hidden = CONFIG.replace("device_tree=", "[pi4]\ndevice_tree=\n[all]");
    card.put("config.txt", hidden.as_bytes());
    assert_names(
        &card,
        &["device_tree= stands under [pi4]", "put [all] before it"],
    );
    card.put("config.txt", b"enable_uart=1\n");
    assert_eq!(wrong(&card.0), Vec::<String>::new(), "defaults will do");
    card.put("bcm2708-rpi-zero-w.dtb", b"");
    assert_names(&card, &["a device tree is on the card", "`device_tree=`"]);
    let utf16: Vec<u8> = "\u{feff}gpu_mem=64"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    card.put("config.txt", &utf16);
    assert_names(&card, &["config.txt: is saved as UTF-16"]);
}

#[test]
fn each_mistake_in_cmdline_txt_is_named_in_one_sentence() {
    let card = Card::new("cmdline");
    for (text, words) in [
        ("start=1\r\nn=4096\r\n", "more than one line"),
        (
            "console=serial0,115200 root=/dev/mmcblk0p2",
            "another system",
        ),
        ("n=4096 windows=hann", "windows=hann: no such setting"),
        ("start", "start: no such setting"),
        ("window=h\u{e4}nn", "not ASCII"),
    ] {
        card.put("cmdline.txt", text.as_bytes());
        assert_names(&card, &["cmdline.txt: ", words]);
    }
    card.put(
        "cmdline.txt",
        b"\r\nn=4096 out=text qputest=10 vc_mem.mem_base=0x1ec00000 \r\n",
    );
    assert_eq!(wrong(&card.0), Vec::<String>::new());
}

#[test]
fn looking_changes_nothing_and_needs_a_folder() {
    let card = Card::new("unchanged");
    let before = fs::read_dir(&card.0).expect("a folder").count();
    look(&card.0).expect("the folder can be read");
    assert_eq!(fs::read_dir(&card.0).expect("a folder").count(), before);
    assert!(look(&card.0.join("absent")).is_err());
    assert!(!card.0.join("absent").exists());
}
