//! The input of a plan, moved: blocks of a ring are transformed where they lie.

use super::{Plan, check_buffers};
use crate::Direction;
use crate::planner::request::Error;
use qpu::job::{Buffer, Runner};

impl Plan {
    /// Lets the plan read another buffer from the next run on. Only words that hold addresses of
    /// the input are written: where a pass converts i32 or upper bytes, one for each program. Must
    /// not be called while the plan runs.
    ///
    /// # Errors
    /// The error of the buffers, as for [`Plan::new`]; [`Error::Runner`].
    pub fn set_input<R: Runner>(
        &mut self,
        runner: &mut R,
        input: Buffer,
    ) -> Result<(), Error<R::Error>> {
        check_buffers(self.request(), input, self.output())?;
        let before = self.lists;
        self.lists.input = input;
        if input.addr == before.input.addr {
            return Ok(());
        }
        // Until all of it is written, the start lists are of neither buffer.
        let direction = self.direction.take();
        let written_for = direction.unwrap_or(Direction::Forward);
        self.lists.write_input(runner, &before, written_for)?;
        self.direction = direction;
        Ok(())
    }
}
