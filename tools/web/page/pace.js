// Virtual beside real time of the virtual Pi, and what a slow machine says about it.

/** Seconds of real time that a speed is measured over. */
const WINDOW_S = 2;

/** Speed of the virtual Pi over the last seconds. */
export class Pace {
  #marks = [];
  #waiting = [];
  seconds = 0;

  /** @param {number} seconds virtual time since power-on */
  mark(seconds) {
    const now = performance.now() / 1000;
    this.seconds = seconds;
    this.#marks.push([now, seconds]);
    while (this.#marks[0][0] < now - WINDOW_S) this.#marks.shift();
    const reached = this.#waiting.filter((wait) => wait.seconds <= seconds);
    this.#waiting = this.#waiting.filter((wait) => wait.seconds > seconds);
    for (const wait of reached) wait.resolve();
  }

  /** A promise for the moment when virtual time has come to `seconds`. */
  reaches(seconds) {
    return new Promise((resolve) => this.#waiting.push({ seconds, resolve }));
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
    const speed = this.speed;
    const at = `Simulated, not real hardware: ${this.seconds.toFixed(1)} s of the board's time`;
    if (speed === null) return `${at}.`;
    const slow = speed < 0.95 ? ' This machine is too slow for real time: it runs slower, and loses nothing.' : '';
    return `${at}, at ${speed.toFixed(2)} times real time.${slow}`;
  }
}
