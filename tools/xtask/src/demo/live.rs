//! `cargo xtask demo --live`: a parallel ADC at 20 MS/s on the virtual Pi, with every sample in a
//! transform, above the same signal as a viewer shows it that transforms one block a picture line.
//!
//! The signal is synthetic: two tones, noise, and bursts that are shorter than a block, one in each
//! 100 ms at a place that a fixed seed chooses.

use crate::firmware;
use anyhow::{Context, Result, ensure};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// The part and what it plays.
const PART: &str = "parallel,tone=2.1e6:-20,tone=4.7e6:-40,noise=-60,burst=7e6:-30:600:2000000";
/// Settings of both runs.
const SETTINGS: &str = "input=smi rate=20M n=1024 window=hann overlap=50% out=u8";
/// The greatest of each bin over 2048 blocks, which are 52 ms without a gap.
const EVERY_SAMPLE: &str = "avg=2048 detector=max";
/// One block a record, as many records as the line takes.
const SAMPLED: &str = "avg=1 mode=snapshot";
/// The scale of both pictures, in dBFS.
const LEVELS: &str = "-70..-20";
/// Records of each: about a second.
const RECORDS: &str = "20";

/// Draws both, one above the other, into `live.png`.
pub fn run(qpuscope: &Path, image: &firmware::Image, out: &Path) -> Result<ExitCode> {
    std::fs::create_dir_all(out)
        .with_context(|| format!("cannot make the folder {}", out.display()))?;
    let mut halves = vec![];
    for (name, title, settings) in [
        (
            "every-sample",
            "Every sample is in a transform",
            EVERY_SAMPLE,
        ),
        ("sampled", "One block a line, as viewers do", SAMPLED),
    ] {
        let folder = out.join(format!("live-{name}"));
        let mut command = Command::new(qpuscope);
        command.args(arguments(image, title, settings, &folder));
        let status = super::run_shown(&mut command)?;
        // Its own messages have said why.
        ensure!(status.success(), "qpuscope read ended with {status}");
        halves.push(read(&folder.join("waterfall.png"))?);
        std::fs::remove_dir_all(&folder)?;
    }
    let path = out.join("live.png");
    write(&path, &stacked(&halves)?)?;
    println!("{}", path.display());
    eprintln!(
        "synthetic signal: 600 samples of 7 MHz at -30 dBFS, once in each 100 ms.\n\
         above: every sample of 20 MS/s is in a transform, and each burst shows.\n\
         below: one block of 1024 samples for each line of the picture, which misses them."
    );
    Ok(ExitCode::SUCCESS)
}

fn arguments(image: &firmware::Image, title: &str, settings: &str, folder: &Path) -> Vec<String> {
    let port = format!("sim:{}", image.img.display());
    let settings = format!("{SETTINGS} {settings}");
    let folder = folder.display().to_string();
    let words = [
        "read", "--quiet", &port, "--part", PART, "--set", &settings, "--count", RECORDS,
        "--strict", "--format", "png", "--title", title, "--levels", LEVELS, "--out", &folder,
    ];
    words.map(String::from).to_vec()
}

/// A picture of eight bits a colour.
struct Picture {
    width: u32,
    height: u32,
    colour: png::ColorType,
    rows: Vec<u8>,
}

fn read(path: &Path) -> Result<Picture> {
    let file = std::fs::File::open(path)
        .with_context(|| format!("qpuscope read wrote no {}", path.display()))?;
    let mut reader = png::Decoder::new(BufReader::new(file)).read_info()?;
    let mut rows = vec![0; reader.output_buffer_size()];
    let frame = reader.next_frame(&mut rows)?;
    rows.truncate(frame.buffer_size());
    ensure!(
        frame.bit_depth == png::BitDepth::Eight,
        "an unusual picture"
    );
    Ok(Picture {
        width: frame.width,
        height: frame.height,
        colour: frame.color_type,
        rows,
    })
}

/// Pictures of one width and kind, the first at the top.
fn stacked(pictures: &[Picture]) -> Result<Picture> {
    let first = pictures.first().context("no picture")?;
    let is_alike =
        |picture: &Picture| (picture.width, picture.colour) == (first.width, first.colour);
    ensure!(pictures.iter().all(is_alike), "the pictures differ in kind");
    Ok(Picture {
        width: first.width,
        height: pictures.iter().map(|picture| picture.height).sum(),
        colour: first.colour,
        rows: pictures
            .iter()
            .flat_map(|picture| &picture.rows)
            .copied()
            .collect(),
    })
}

fn write(path: &PathBuf, picture: &Picture) -> Result<()> {
    let file = std::fs::File::create(path)
        .with_context(|| format!("cannot write {}; check the folder", path.display()))?;
    let mut encoder = png::Encoder::new(BufWriter::new(file), picture.width, picture.height);
    encoder.set_color(picture.colour);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Best);
    encoder.write_header()?.write_image_data(&picture.rows)?;
    Ok(())
}

#[cfg(test)]
mod test {
    use super::*;

    fn picture(height: u32, value: u8) -> Picture {
        Picture {
            width: 2,
            height,
            colour: png::ColorType::Rgb,
            rows: vec![value; 6 * height as usize],
        }
    }

    #[test]
    fn pictures_are_stacked_in_their_order() {
        let both = stacked(&[picture(1, 7), picture(2, 9)]).unwrap();
        assert_eq!((both.width, both.height), (2, 3));
        assert_eq!(both.rows, [[7; 6], [9; 6], [9; 6]].concat());
        let wide = Picture {
            width: 3,
            ..picture(1, 0)
        };
        assert!(stacked(&[picture(1, 0), wide]).is_err());
    }
}
