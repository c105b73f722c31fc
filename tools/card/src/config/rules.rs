//! The rules of `config.txt`: each kind of line with what is wrong with it and what to do.

use super::{Applies, Line};
use crate::finding::{Finding, Severity};
use crate::folder::Folder;

/// Least GPU memory in MiB that loads the full start.elf, and the default.
const LEAST_GPU_MEM: u32 = 32;
const DEFAULT_GPU_MEM: u32 = 64;
/// The most that leaves 128 MiB to the ARM of a board with 256.
const MOST_GPU_MEM: u32 = 128;

/// Settings that are nothing to the firmware, or with the values that no rule is against.
const KNOWN: &str = "\
    disable_splash boot_delay boot_delay_ms force_turbo enable_uart avoid_warnings \
    avoid_safe_mode dtparam hdmi_force_hotplug hdmi_group hdmi_mode hdmi_drive hdmi_blanking \
    hdmi_safe hdmi_cvt hdmi_ignore_edid hdmi_ignore_hotplug hdmi_enable_4kp60 hdmi_boost \
    config_hdmi_boost hdmi_pixel_encoding disable_overscan overscan_left overscan_right \
    overscan_top overscan_bottom overscan_scale framebuffer_width framebuffer_height \
    framebuffer_depth framebuffer_ignore_alpha max_framebuffers sdtv_mode sdtv_aspect \
    enable_tvout display_rotate display_hdmi_rotate lcd_rotate ignore_lcd display_auto_detect \
    camera_auto_detect disable_camera_led disable_fw_kms_setup disable_poe_fan bootcode_delay \
    arm_boost initial_turbo temp_limit temp_soft_limit audio_pwm_mode disable_audio_dither \
    otg_mode usb_max_current_enable program_usb_boot_mode program_gpio_bootmode total_mem \
    uart_2ndstage dtdebug device_tree_address device_tree_end dtoverlay hdmi_edid_file test_mode \
    start_debug_uart max_usb_current sdram_schmoo decode_mpg2 decode_wvc1 start_x start_debug \
    start_cd start_file fixup_file disable_l2cache kernel_address kernel_old \
    disable_commandline_tags arm_64bit armstub os_prefix device_tree enable_jtag_gpio gpio \
    init_uart_clock kernel cmdline core_freq auto_initramfs";

/// Settings of clocks and voltages beside those of the shipped file.
const OVERCLOCKING: &str = "\
    arm_freq arm_freq_min gpu_freq gpu_freq_min v3d_freq v3d_freq_min core_freq_min h264_freq \
    isp_freq sdram_freq sdram_freq_min over_voltage over_voltage_min over_voltage_sdram \
    over_voltage_sdram_c over_voltage_sdram_i over_voltage_sdram_p";

/// Looks at settings.
pub fn look(lines: &[Line], folder: &Folder) -> Vec<Finding> {
    let applying = || lines.iter().filter(|line| line.applies != Applies::No);
    let mut found: Vec<Finding> = applying()
        .filter_map(|line| judge(line, folder).map(|it| at(line, it)))
        .collect();
    found.extend(twice(lines));
    found.extend(filtered(lines));
    if applying().all(|line| line.key != "device_tree")
        && folder.names().any(|name| name.ends_with(".dtb"))
    {
        found.push(Finding::wrong(
            super::NAME,
            "a device tree is on the card and would be loaded; add a line `device_tree=`, with nothing behind it",
        ));
    }
    found
}

/// A severity and a sentence about a line, as a finding; milder where the line may not count.
fn at(line: &Line, (severity, sentence): (Severity, String)) -> Finding {
    let condition = match line.applies {
        Applies::Perhaps => format!(" (it stands under {})", line.section),
        _ => String::new(),
    };
    let sentence = format!("{}: {sentence}{condition}", line.text);
    Finding::new(severity, line.place(), sentence)
}

/// A severity and a sentence, for a line that a rule is against.
type Judgement = Option<(Severity, String)>;

fn wrong(sentence: impl Into<String>) -> Judgement {
    Some((Severity::Wrong, sentence.into()))
}

fn note(sentence: impl Into<String>) -> Judgement {
    Some((Severity::Note, sentence.into()))
}

/// Judges a line by itself.
fn judge(line: &Line, folder: &Folder) -> Judgement {
    let Line { value, .. } = *line;
    let is_on = !matches!(value, "" | "0");
    match line.key.as_str() {
        "gpu_mem" | "gpu_mem_256" | "gpu_mem_512" | "gpu_mem_1024" => gpu_mem(&line.key, value),
        "start_x" | "start_debug" | "start_cd" if is_on => {
            wrong("starts another start.elf than the one that was looked at; remove the line")
        }
        "start_file" if !value.eq_ignore_ascii_case("start.elf") => {
            wrong("starts another file than start.elf; remove the line, and fixup_file with it")
        }
        "fixup_file" if !value.eq_ignore_ascii_case("fixup.dat") => wrong(
            "takes another file than fixup.dat, so that the ARM may be left 128 MB; remove the line",
        ),
        "disable_l2cache" if is_on => wrong(
            "switches the cache off through which the ARM and the QPUs see the same memory; remove the line",
        ),
        "kernel_address"
            if !matches!(
                value.to_lowercase().as_str(),
                "0x8000" | "32768" | "0x00008000"
            ) =>
        {
            wrong("loads kernel.img to another address than 0x8000, where it runs; remove the line")
        }
        "kernel_old" if is_on => {
            wrong("loads kernel.img to address 0, and it runs at 0x8000; remove the line")
        }
        "disable_commandline_tags" if is_on => wrong(
            "keeps the settings in cmdline.txt from the firmware; write disable_commandline_tags=0",
        ),
        "arm_64bit" if is_on => {
            wrong("asks for a 64-bit processor, which these boards do not have; write arm_64bit=0")
        }
        "initramfs" | "ramfsfile" | "ramfsaddr" => {
            wrong("loads another system's file into memory that the firmware uses; remove the line")
        }
        "auto_initramfs" if is_on && folder.names().any(|name| name.starts_with("initramfs")) => {
            wrong(
                "loads another system's initramfs from this card into memory that the firmware uses; remove the line",
            )
        }
        "armstub" if !value.is_empty() => {
            wrong("starts another program before kernel.img; remove the line")
        }
        "os_prefix" if !value.is_empty() => {
            wrong("looks for kernel.img under another name; remove the line")
        }
        "device_tree" if !value.is_empty() => wrong(
            "loads a device tree, which the firmware has no use for; write `device_tree=`, with nothing behind it",
        ),
        "dtoverlay" if value.starts_with("vc4-") => wrong(
            "keeps the QPUs for a driver of Linux, and the firmware finds none; remove the line",
        ),
        "enable_jtag_gpio" if is_on => {
            note("gives pins to a debugger; those of the serial line stay free")
        }
        "gpio" if names_uart_pin(value) => {
            wrong("sets GPIO 14 or 15, which are the serial line; remove these two")
        }
        "init_uart_clock" if value != "48000000" => wrong(
            "sets another clock for the serial line than 48 MHz; write init_uart_clock=48000000, or remove the line",
        ),
        "uart_2ndstage" if is_on => {
            note("makes start.elf talk on the serial line, too; its text comes before the banner")
        }
        // Of kernel.img itself the look at the image speaks.
        "kernel" if !matches!(value, "" | "kernel.img") && !folder.has(value) => wrong(format!(
            "there is no file {value} on the card; write kernel=kernel.img"
        )),
        "cmdline" if !value.is_empty() && !folder.has(value) => note(format!(
            "there is no file {value} on the card, so qpuscope takes its defaults"
        )),
        "include" => note(
            "the lines of that file count as well, and were not looked at; put them into this one",
        ),
        "core_freq" if value != "250" => note(
            "is not what times were modelled with; write core_freq=250, or test the QPUs with qputest=100 in cmdline.txt",
        ),
        key if has_word(OVERCLOCKING, key) => {
            note("changes a clock or a voltage; test the QPUs with qputest=100 in cmdline.txt")
        }
        key if has_word(KNOWN, key) => None,
        _ if !line.text.contains('=') => {
            wrong("is no key=value, no [section] and no # comment; remove it")
        }
        _ => note(
            "is a setting that this tool does not know; if it is a typing error, the boot firmware passes over it",
        ),
    }
}

/// True if `key` is one of the words.
fn has_word(words: &str, key: &str) -> bool {
    words.split(' ').any(|word| word == key)
}

fn gpu_mem(key: &str, value: &str) -> Judgement {
    let Ok(mib) = value.parse::<u32>() else {
        return wrong(format!("is no number; write gpu_mem={DEFAULT_GPU_MEM}"));
    };
    let boards = key
        .strip_prefix("gpu_mem_")
        .map_or(String::new(), |size| format!(" on boards with {size} MB"));
    if mib < LEAST_GPU_MEM {
        let what = match mib {
            ..=16 => "selects the cut-down start_cd.elf, which has no 3D block and so no QPUs",
            _ => "is too little for start.elf, which then may not start",
        };
        return wrong(format!("{what}{boards}; write {key}={DEFAULT_GPU_MEM}"));
    }
    if mib < DEFAULT_GPU_MEM {
        return note(format!(
            "is the least that some start.elf take{boards}; gpu_mem={DEFAULT_GPU_MEM} is the default and safer"
        ));
    }
    (mib > MOST_GPU_MEM).then(|| {
        let sentence = format!("leaves less than 128 MiB to the ARM of a board with 256 MB; write {key}={DEFAULT_GPU_MEM}");
        // Boards with more have them.
        let severity = if key == "gpu_mem" || key == "gpu_mem_256" { Severity::Wrong } else { Severity::Note };
        (severity, sentence)
    })
}

/// True if a list of pins such as `14,15=a0` or `10-20=op` has one of the serial line's.
fn names_uart_pin(value: &str) -> bool {
    let pins = value.split('=').next().unwrap_or("");
    pins.split(',').any(|part| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.trim().parse::<u32>(), last.trim().parse::<u32>()) {
            (Ok(first), Ok(last)) => (first..=last).any(|pin| pin == 14 || pin == 15),
            _ => false,
        }
    })
}

/// Settings that stand there more than once, of which the last counts.
fn twice(lines: &[Line]) -> Vec<Finding> {
    let mut found = Vec::new();
    for key in ["gpu_mem", "kernel", "device_tree", "arm_64bit"] {
        let of_key: Vec<_> = lines
            .iter()
            .filter(|line| line.key == key && line.applies == Applies::Yes)
            .collect();
        if let [.., before, last] = of_key.as_slice()
            && before.value != last.value
        {
            found.push(Finding::wrong(
                last.place(),
                format!(
                    "{} is the second {key}; line {} says {}, and the last one counts; keep one of them",
                    last.text, before.number, before.text
                ),
            ));
        }
    }
    found
}

/// Settings of the shipped file that stand under a filter, so that they do not count on every
/// board.
fn filtered(lines: &[Line]) -> Vec<Finding> {
    let shipped = [
        "gpu_mem",
        "kernel",
        "arm_64bit",
        "device_tree",
        "init_uart_clock",
        "disable_commandline_tags",
        "core_freq",
    ];
    let counts = |key: &str| {
        lines
            .iter()
            .any(|line| line.key == key && line.applies == Applies::Yes)
    };
    let hidden = lines
        .iter()
        .filter(|line| line.applies != Applies::Yes && shipped.contains(&line.key.as_str()));
    // What another board's section says of itself is no business of this one.
    let for_us = hidden.filter(|line| !counts(&line.key) && is_shipped(line));
    for_us
        .map(|line| {
            Finding::wrong(
                line.place(),
                format!("{} stands under {}, so it does not count on every Pi 1 and Zero; put [all] before it", line.text, line.section),
            )
        })
        .collect()
}

/// True if the line is one of the shipped file, or would be with another value of `gpu_mem`.
fn is_shipped(line: &Line) -> bool {
    let shipped = include_str!("../../../../boot/sdcard/config.txt");
    line.key == "gpu_mem" || shipped.lines().any(|ours| ours.trim() == line.text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pins_are_lists_and_ranges() {
        for (value, named) in [
            ("14=op", true),
            ("2,15=a0", true),
            ("10-20=ip", true),
            ("16-20=op,dh", false),
            ("", false),
        ] {
            assert_eq!(names_uart_pin(value), named, "{value}");
        }
    }
}
