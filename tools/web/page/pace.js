// Virtual beside real time of the virtual Pi, and what a slow machine says about it.

/** Seconds of real time that a speed is measured over. */
const WINDOW_S = 2;
/** Share of the chosen speed below which a machine is too slow for it. */
const SLOW = 0.95;
/** Real time that virtual time may take to come somewhere, in milliseconds. */
const REACH_MS = 20_000;

/** Speed of the virtual Pi over the last seconds. */
export class Pace {
  #marks = [];
  /** Real time of the first mark for this speed, in seconds. */
  #begun = 0;
  #wanted = 1;
  #waiting = [];
  seconds = 0;

  /**
   * @param {number} seconds virtual time since power-on
   * @param {boolean} isStarved it stands until live samples come
   * @param {number} wanted the speed that was chosen; Infinity: as fast as it goes
   */
  mark(seconds, isStarved, wanted) {
    const now = performance.now() / 1000;
    this.seconds = seconds;
    if (wanted !== this.#wanted) this.#marks = [];
    this.#wanted = wanted;
    if (this.#marks.length === 0) this.#begun = now;
    this.#marks.push([now, seconds, isStarved]);
    while (this.#marks[0][0] < now - WINDOW_S) this.#marks.shift();
    const reached = this.#waiting.filter((wait) => wait.seconds <= seconds);
    this.#waiting = this.#waiting.filter((wait) => wait.seconds > seconds);
    for (const wait of reached) wait.resolve();
  }

  /** A promise for the moment when virtual time has come to `seconds`, or comes no further. */
  reaches(seconds) {
    return new Promise((resolve) => {
      this.#waiting.push({ seconds, resolve });
      setTimeout(resolve, REACH_MS);
    });
  }

  /** Virtual time has ended. */
  end() {
    for (const wait of this.#waiting) wait.resolve();
    this.#waiting = [];
  }

  /** Virtual seconds a real second; null before it is known. */
  get speed() {
    if (this.#marks.length < 2) return null;
    const [[from, since]] = this.#marks;
    const [to, until] = this.#marks.at(-1);
    return to > from ? (until - since) / (to - from) : null;
  }

  /** A sentence for people. */
  get sentence() {
    const { speed } = this;
    const at = `Simulated, not real hardware: ${this.seconds.toFixed(1)} s of the board's time`;
    if (speed === null) return `${at}.`;
    // Live samples that have not come hold it up, and no slow machine.
    const hasWaited = this.#marks.some(([, , isStarved]) => isStarved);
    // At first the page itself has to load.
    const isKnown = this.#marks.at(-1)[0] >= this.#begun + WINDOW_S && !hasWaited;
    const isSlow = isKnown && Number.isFinite(this.#wanted) && speed < SLOW * this.#wanted;
    const slow = isSlow ? ' This machine is too slow for the chosen speed: it runs slower, and loses nothing.' : '';
    return `${at}, at ${speed.toFixed(2)} times real time.${slow}`;
  }
}
