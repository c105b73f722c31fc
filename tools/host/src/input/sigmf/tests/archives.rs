//! Archives, sums over samples, and lists of recordings.

use super::*;

/// An entry of an archive.
struct File<'a> {
    name: &'a str,
    bytes: &'a [u8],
    kind: tar::EntryType,
    extension: Option<(&'a str, &'a str)>,
}

const fn file<'a>(name: &'a str, bytes: &'a [u8]) -> File<'a> {
    File {
        name,
        bytes,
        kind: tar::EntryType::Regular,
        extension: None,
    }
}

/// An archive of files, with a folder in front as `sigmf` makes it.
fn archive(files: &[&File]) -> Vec<u8> {
    let mut archive = tar::Builder::new(vec![]);
    for file in files {
        if let Some((key, value)) = file.extension {
            let extension = [(key, value.as_bytes())];
            archive
                .append_pax_extensions(extension)
                .expect("an extension");
        }
        let mut header = match file.kind {
            tar::EntryType::GNUSparse => tar::Header::new_gnu(),
            _ => tar::Header::new_ustar(),
        };
        if let Some(header) = header.as_gnu_mut() {
            header.set_real_size(file.bytes.len() as u64);
        }
        header.set_size(file.bytes.len() as u64);
        header.set_mode(0o644);
        header.set_entry_type(file.kind);
        archive
            .append_data(&mut header, format!("a/{}", file.name), file.bytes)
            .expect("an entry");
    }
    archive.into_inner().expect("an archive")
}

fn read(bytes: Vec<u8>) -> Result<Recording> {
    read_bytes("a.sigmf", bytes, &Reading::default())
}

#[test]
fn an_archive_is_read_where_it_lies() {
    let (text, data) = (meta(""), data());
    let [meta, data, other] = &[
        file("a.sigmf-meta", text.as_bytes()),
        file("a.sigmf-data", &data),
        file("readme.md", b"text"),
    ];
    check(&read(archive(&[meta, data])).expect("an archive"));
    check(&read(archive(&[other, data, meta])).expect("an archive"));
    for (bytes, wanted) in [
        (archive(&[meta]), "holds no samples"),
        (archive(&[data]), "holds no description"),
        (archive(&[meta, data, meta]), "several recordings"),
        (
            b"no archive at all".repeat(40),
            "cannot be read as a tar file",
        ),
        (archive(&[meta, data])[..1550].to_vec(), "is cut"),
    ] {
        let failure = read(bytes).expect_err(wanted);
        assert!(failure.message.contains(wanted), "{failure}");
        assert!(failure.message.contains("a SigMF archive is"), "{failure}");
    }
}

#[test]
fn entries_that_are_not_the_bytes_of_a_file_are_refused() {
    let (text, data) = (meta(""), data());
    let meta = file("a.sigmf-meta", text.as_bytes());
    let extended = |key| File {
        extension: Some((key, "1")),
        ..file("a.sigmf-data", &data)
    };
    let kind = |kind| File {
        kind,
        ..file("a.sigmf-data", &[])
    };
    for (entry, wanted) in [
        (extended("GNU.sparse.major"), "a sparse file"),
        (extended("GNU.sparse.map"), "a sparse file"),
        (extended("SCHILY.realsize"), "a sparse file"),
        (extended("SUN.holesdata"), "a sparse file"),
        (kind(tar::EntryType::GNUSparse), "a sparse file"),
        (kind(tar::EntryType::Symlink), "as a link"),
        (kind(tar::EntryType::Link), "as a link"),
        (kind(tar::EntryType::Fifo), "something else than a file"),
    ] {
        let failure = read(archive(&[&meta, &entry])).expect_err(wanted);
        assert!(failure.message.contains(wanted), "{failure}");
        assert!(failure.message.contains("`tar -xf`"), "{failure}");
    }
    let harmless = extended("comment");
    check(&read(archive(&[&meta, &harmless])).expect("an archive"));
    let text = File {
        extension: Some(("GNU.sparse.size", "1")),
        ..file("a.sigmf-meta", text.as_bytes())
    };
    let samples = file("a.sigmf-data", &data);
    let failure = read(archive(&[&text, &samples])).expect_err("a sparse description");
    assert!(
        failure.message.contains("a.sigmf-meta with its holes"),
        "{failure}"
    );
}

#[test]
fn samples_have_the_sum_that_their_description_states() {
    use sha2::Digest as _;
    let data = data();
    let sum = data_encoding::HEXLOWER.encode(&sha2::Sha512::digest(&data));
    let with = |sum: &str| meta(&format!("\"core:sha512\": \"{sum}\","));
    let pair = |text: &str| read_memory(text.as_bytes(), data.clone(), &Reading::default());
    let packed = |text: &str| {
        let files = [
            file("a.sigmf-data", &data),
            file("a.sigmf-meta", text.as_bytes()),
        ];
        read(archive(&[&files[0], &files[1]]))
    };
    for text in [with(&sum), with(&sum.to_ascii_uppercase())] {
        check(&pair(&text).expect("a pair"));
        check(&packed(&text).expect("an archive"));
    }
    let other = sum.replace(['0', '1'], "2");
    for failure in [pair(&with(&other)), packed(&with(&other))] {
        let failure = failure.expect_err("another sum");
        assert!(
            failure.message.contains("copy the recording again"),
            "{failure}"
        );
    }
    // A part of a sum, and no text, are no reason to refuse samples.
    let notes = pair(&with(&sum[1..])).expect("a pair").notes;
    assert!(
        notes.iter().any(|note| note.contains("not compared")),
        "{notes:?}"
    );
    let notes = pair(&meta("\"core:sha512\": 5,")).expect("a pair").notes;
    assert!(
        notes.iter().any(|note| note.contains("`5` is no text")),
        "{notes:?}"
    );
}

#[test]
fn a_list_of_recordings_is_named_with_what_it_lists() {
    let list = r#"{"collection": {"core:streams": [{"name": "a"}, {"name": "b"}, 5]}}"#;
    for name in ["a.sigmf-collection", "a.sigmf"] {
        let bytes = match name {
            "a.sigmf" => archive(&[
                &file("a.sigmf-meta", list.as_bytes()),
                &file("a.sigmf-data", &data()),
            ]),
            _ => list.into(),
        };
        let failure = read_bytes(name, bytes, &Reading::default()).expect_err("a list");
        let wanted = "a list of recordings (`a`, `b`); choose the .sigmf-meta of one";
        assert!(failure.message.ends_with(wanted), "{failure}");
    }
    for text in ["", "[]", "{\"collection\": 5", "\u{1}"] {
        let bytes = format!("{text} ").into_bytes();
        let failure = read_bytes("a.sigmf-collection", bytes, &Reading::default());
        let failure = failure.expect_err("no list");
        assert!(
            failure.message.contains("choose the .sigmf-meta"),
            "{failure}"
        );
    }
}
