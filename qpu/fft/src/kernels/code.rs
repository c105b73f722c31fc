//! The instructions of a program, in full or by tables.

/// Instructions, each of 64 bits.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// One behind the other.
    Words(&'static [u64]),
    /// By the places of their halves in tables that programs share. Programs resemble each other,
    /// so all of an image take two thirds of the memory.
    Halves {
        /// For each instruction, the places of its upper and lower half.
        places: &'static [[u16; 2]],
        /// The halves.
        tables: &'static Tables,
    },
}

/// Halves of instructions, each once.
#[derive(Debug)]
pub struct Tables {
    /// Upper halves.
    pub upper: &'static [u32],
    /// Lower halves.
    pub lower: &'static [u32],
}

impl Code {
    /// Number of instructions.
    #[must_use]
    pub const fn len(self) -> usize {
        match self {
            Self::Words(words) => words.len(),
            Self::Halves { places, .. } => places.len(),
        }
    }

    /// True if there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The instructions.
    pub fn iter(self) -> impl Iterator<Item = u64> {
        (0..self.len()).map_while(move |number| match self {
            Self::Words(words) => words.get(number).copied(),
            Self::Halves { places, tables } => {
                let &[upper, lower] = places.get(number)?;
                let upper = *tables.upper.get(usize::from(upper))?;
                let lower = *tables.lower.get(usize::from(lower))?;
                Some(u64::from(upper) << 32 | u64::from(lower))
            }
        })
    }
}

impl PartialEq for Code {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Code {}
