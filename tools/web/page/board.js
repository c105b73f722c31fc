// The conversation with a board: what goes out, and the answers to it by number.

/** Real time that an answer may take: a slow machine simulates slower than real time. */
const ANSWER_MS = 20_000;
/** Then a request is sent again: one that was sent into a board's start is lost. */
const REPEAT_MS = 1_500;

/** One board at the end of a link. The page's scope decodes what it sends. */
export class Board {
  /** Text for people, as it comes. */
  onText = () => {};
  /** Events that answer no request: faults, notes. */
  onEvent = () => {};
  /** Bytes have been taken in. */
  onFed = () => {};
  /** What was sent last is not carried out; a sentence says why. */
  onRefused = () => {};
  /** The link is gone; a sentence says why. */
  onClosed = () => {};

  #waiting = new Map();
  #isClosed = false;
  /** Requests that wait until the board takes them, in their order; null while it does. */
  #held = null;

  /**
   * @param {object} link see link.js
   * @param {object} scope the wasm's Scope
   */
  constructor(link, scope) {
    this.link = link;
    this.scope = scope;
    link.onBytes = (bytes) => this.#feed(bytes);
    link.onClosed = (sentence) => this.#closed(sentence);
    link.onRefused = (sentence) => this.#refused(sentence);
  }

  #feed(bytes) {
    this.scope.feed(bytes);
    for (let event; (event = this.scope.next_event());) {
      const { kind, request, text } = event;
      event.free();
      const wait = this.#waiting.get(request);
      if (kind === 'text') this.onText(text);
      else if (request !== 0 && wait) wait({ kind, text });
      else this.onEvent({ kind, text });
    }
    this.onFed();
  }

  /** No answer will come to what the link has refused, and it is not to be sent again. */
  #refused(sentence) {
    for (const wait of this.#waiting.values()) wait({ kind: 'refused', text: sentence });
    this.onRefused(sentence);
  }

  #closed(sentence) {
    this.#isClosed = true;
    for (const wait of this.#waiting.values()) wait({ kind: 'closed', text: sentence });
    this.onClosed(sentence);
  }

  /**
   * Sends a request.
   * @param {(scope: object) => Uint8Array} make makes its bytes, when it is sent: the scope keeps only the latest
   *   requests, which can be sent again
   * @returns {Promise<{kind: string, text: string}>} the answer; kind is 'nak', 'refused', 'closed' or 'late'
   *   when it was not carried out, and text a sentence
   */
  request(make) {
    if (!this.#held) return this.first(make);
    return new Promise((resolve) => this.#held.push(async () => resolve(await this.first(make))));
  }

  /**
   * Holds all requests but those of `first` and `changeRate` back until `release`: what is sent into a
   * board's start is lost.
   */
  hold() {
    this.#held ??= [];
  }

  /** Sends what was held back, each after the answer to the one before. */
  async release() {
    while (this.#held?.length) await this.#held.shift()();
    this.#held = null;
  }

  /** Sends a request of a board's start, which is not held back. */
  first(make) {
    if (this.#isClosed) return Promise.resolve({ kind: 'closed', text: 'The line was closed.' });
    const bytes = make(this.scope);
    const number = this.scope.last_request;
    if (bytes.length === 0) return Promise.resolve({ kind: 'nak', text: 'These are more words than a request holds.' });
    return new Promise((resolve) => {
      const end = (answer) => {
        clearTimeout(timer);
        clearInterval(repeat);
        this.#waiting.delete(number);
        resolve(answer);
      };
      const timer = setTimeout(() => end({
        kind: 'late',
        text: `The board did not answer within ${ANSWER_MS / 1000} s. Is it at another baud rate, or does another program read the line?`,
      }), ANSWER_MS);
      const repeat = setInterval(() => this.link.send(this.scope.repeat(number)), REPEAT_MS);
      this.#waiting.set(number, end);
      this.link.send(bytes);
    });
  }

  /**
   * Takes both ends of the line to another rate, or back to the one before. Other requests are to be
   * held meanwhile: at a rate that the board does not have they read as a break, which ends the
   * change.
   * @param {{from: number, to: number}} rates in baud
   * @param {() => Promise<void>} settled waits until the board has the new rate
   * @returns {Promise<void>}
   */
  async changeRate({ from, to }, settled) {
    const answer = await this.first((scope) => scope.baud(to));
    if (answer.kind !== 'ack') return;
    await settled();
    this.link.setBaud(to);
    const pong = await this.first((scope) => scope.ping());
    // The board has gone back to the rate before by itself.
    if (pong.kind !== 'pong') this.link.setBaud(from);
  }

  /** Ends the line without a sentence. */
  close() {
    this.#isClosed = true;
    this.link.onClosed = () => {};
    this.link.onBytes = () => {};
    this.link.close();
    this.release();
    for (const wait of this.#waiting.values()) wait({ kind: 'closed', text: 'The line was closed.' });
  }
}
