//! Texture lookups of the one kind that gives words back as they are: raster RGBA32R without
//! filter.
//!
//! A write of t, r, b or s that belongs to a texture lookup takes a uniform each, P0 to P3 in the
//! order of writes; s comes last and starts the lookup. Every other type, filtering, mip maps and
//! cube maps are refused by name, though user programs may use them (Terminus-IMRC's
//! qpu-tmu-super-resolution enlarges a picture so): no recorded results say how the chip rounds.
//! Source: guide, "Texture and memory lookup unit" (tables of P0 to P3); Mesa's vc4 driver for the
//! border colour, which is written to r.
//!
//! Open: how the chip rounds s times width (here exactly, then down), and which end of a raster
//! image FLIPY means (here t = 0 is the first row in memory when it is 0).

/// Why a texture lookup is refused.
pub type Refused = &'static str;

/// Names of the texture types.
const TYPES: [Refused; 18] = [
    "a texture of type RGBA8888",
    "a texture of type RGBX8888",
    "a texture of type RGBA4444",
    "a texture of type RGBA5551",
    "a texture of type RGB565",
    "a texture of type L8",
    "a texture of type A8",
    "a texture of type LA88",
    "a texture of type ETC1",
    "a texture of type S16F",
    "a texture of type S8",
    "a texture of type S16",
    "a texture of type BW1",
    "a texture of type A4",
    "a texture of type A1",
    "a texture of type RGBA64",
    "a texture of type RGBA32R",
    "a texture of type YUYV422R",
];
const RGBA32R: u32 = 16;

/// The treatment of a coordinate outside the image.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wrap {
    Repeat,
    Clamp,
    Mirror,
    Border,
}

impl Wrap {
    const ALL: [Self; 4] = [Self::Repeat, Self::Clamp, Self::Mirror, Self::Border];

    /// The texel of `size` at `coordinate`; `None` is the border.
    fn texel(self, coordinate: f32, size: u32) -> Option<u32> {
        // What is no number to the QPU is infinite; `as` saturates.
        let at = (f64::from(coordinate) * f64::from(size)).floor() as i64;
        let size = i64::from(size);
        let texel = match self {
            Self::Repeat => at.rem_euclid(size),
            Self::Clamp => at.clamp(0, size - 1),
            Self::Mirror => {
                let place = at.rem_euclid(2 * size);
                place.min(2 * size - 1 - place)
            }
            Self::Border if (0..size).contains(&at) => at,
            Self::Border => return None,
        };
        Some(texel as u32)
    }
}

/// An image in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Texture {
    base: u32,
    width: u32,
    height: u32,
    wrap_s: Wrap,
    wrap_t: Wrap,
    flip_y: bool,
}

/// 0 is 2048.
fn size(field: u32) -> u32 {
    if field & 0x7ff == 0 {
        2048
    } else {
        field & 0x7ff
    }
}

impl Texture {
    /// The image that the uniforms of a lookup describe; those that were not written are 0.
    ///
    /// # Errors
    /// What of it this simulator has not: anything but an unfiltered raster RGBA32R image.
    pub fn new(config: [u32; 4]) -> Result<Self, Refused> {
        let [p0, p1, ..] = config;
        let kind = p0 >> 4 & 15 | p1 >> 31 << 4;
        if kind != RGBA32R {
            let name = TYPES.get(kind as usize);
            return Err(name.copied().unwrap_or("a texture of a reserved type"));
        }
        let (magnify, minify) = (p1 >> 7 & 1, p1 >> 4 & 7);
        if p0 & 1 << 9 != 0 || config[2..].iter().any(|word| word >> 30 != 0) {
            return Err("a cube map or child image");
        }
        if p0 & 15 != 0 {
            return Err("a texture with mip levels");
        }
        // With one level 2 and 3 are nearest, too.
        if magnify != 1 || !(1..=3).contains(&minify) {
            return Err("a filtered texture lookup (set both filters to nearest)");
        }
        Ok(Self {
            base: p0 & 0xffff_f000,
            width: size(p1 >> 8),
            height: size(p1 >> 20),
            wrap_s: Wrap::ALL[(p1 & 3) as usize],
            wrap_t: Wrap::ALL[(p1 >> 2 & 3) as usize],
            flip_y: p0 & 1 << 8 != 0,
        })
    }

    /// The address of the texel at (s, t), or `None` for the border colour. Rows are as long as the
    /// next power of two (HW-2898).
    #[must_use]
    pub fn address(&self, s: u32, t: u32) -> Option<u32> {
        let x = self.wrap_s.texel(f32::from_bits(s), self.width)?;
        let y = self.wrap_t.texel(f32::from_bits(t), self.height)?;
        let row = if self.flip_y { self.height - 1 - y } else { y };
        let texel = row * self.width.next_power_of_two() + x;
        Some(self.base.wrapping_add(4 * texel))
    }
}

/// Values written for the next texture lookup on a TMU.
#[derive(Clone, Copy, Default, Debug)]
pub struct Pending {
    /// t, r and b, where written.
    pub coordinates: [Option<[u32; 16]>; 3],
    config: [u32; 4],
    /// Requests that it takes in the FIFO: one for each coordinate; 0 if none was written since the
    /// last lookup.
    pub words: usize,
}

impl Pending {
    /// A coordinate was written, which took `config` from the uniforms.
    pub fn take(&mut self, config: u32) {
        if let Some(word) = self.config.get_mut(self.words) {
            *word = config;
        }
        self.words += 1;
    }

    /// For each lane where its texel is, or the border colour.
    ///
    /// # Errors
    /// Like [`Texture::new`].
    pub fn texels(&self, s: &[u32; 16]) -> Result<[Result<u32, u32>; 16], Refused> {
        let texture = Texture::new(self.config)?;
        let [t, r, _] = self.coordinates.map(Option::unwrap_or_default);
        Ok(std::array::from_fn(|lane| {
            texture.address(s[lane], t[lane]).ok_or(r[lane])
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEAREST: u32 = 1 << 31 | 1 << 7 | 1 << 4;

    fn texture(width: u32, height: u32, wrap: u32) -> Texture {
        let config = [
            0x4000_1000,
            NEAREST | height << 20 | width << 8 | wrap,
            0,
            0,
        ];
        Texture::new(config).unwrap()
    }

    fn x(wrap: u32, s: f32) -> Option<u32> {
        let address = texture(8, 4, wrap | wrap << 2).address(s.to_bits(), 0.1f32.to_bits())?;
        Some((address - 0x4000_1000) / 4)
    }

    #[test]
    fn texels_lie_in_rows_of_a_power_of_two() {
        let at =
            |texture: Texture, s: f32, t: f32| texture.address(s.to_bits(), t.to_bits()).unwrap();
        assert_eq!(
            at(texture(8, 4, 5), 0.99, 0.5),
            0x4000_1000 + 4 * (2 * 8 + 7)
        );
        assert_eq!(at(texture(6, 4, 5), 0.0, 0.99), 0x4000_1000 + 4 * 3 * 8);
        assert_eq!(
            at(texture(0, 0, 5), 0.5, 0.25),
            0x4000_1000 + 4 * (512 * 2048 + 1024)
        );
        let flipped = Texture {
            flip_y: true,
            ..texture(8, 4, 5)
        };
        assert_eq!(at(flipped, 0.0, 0.0), 0x4000_1000 + 4 * 3 * 8);
    }

    #[test]
    fn the_four_wrap_modes() {
        assert_eq!(
            [x(0, 1.0), x(0, -0.01), x(0, 2.3)],
            [Some(0), Some(7), Some(2)]
        );
        assert_eq!(
            [x(1, 1.0), x(1, -9.0), x(1, f32::NAN)],
            [Some(7), Some(0), Some(0)]
        );
        assert_eq!(
            [x(2, 1.0), x(2, -0.01), x(2, 1.99)],
            [Some(7), Some(0), Some(0)]
        );
        assert_eq!([x(3, 1.0), x(3, -0.01), x(3, 0.5)], [None, None, Some(4)]);
        for wrap in 0..4 {
            for s in [f32::MAX, f32::MIN, f32::INFINITY, f32::NEG_INFINITY] {
                assert!(x(wrap, s).is_none_or(|x| x < 8));
            }
        }
    }

    #[test]
    fn all_else_is_refused_by_name() {
        let named = |p0: u32, p1: u32, p2: u32| Texture::new([p0, p1, p2, 0]).unwrap_err();
        for kind in (0..32).filter(|kind| *kind != 16) {
            let name = named(kind << 4, kind >> 4 << 31 | 0x90, 0);
            assert!(name.starts_with("a texture of "), "{name}");
        }
        assert_eq!(named(4 << 4, 0, 0), "a texture of type RGB565");
        assert!(named(0, 1 << 31, 0).contains("filtered"));
        assert!(named(0, NEAREST & !(1 << 4), 0).contains("filtered"));
        assert!(named(2, NEAREST, 0).contains("mip"));
        assert!(named(1 << 9, NEAREST, 0).contains("cube"));
        assert!(named(0, NEAREST, 1 << 30).contains("cube"));
    }
}
