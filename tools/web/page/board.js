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
  /** What is to be sent once the rate of the line is the new one; null while no change is under way. */
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
   * Sends a request that the scope has just made.
   * @param {Uint8Array} bytes what `scope.get(...)` or its like returned
   * @returns {Promise<{kind: string, text: string}>} the answer; kind is 'nak', 'refused', 'closed' or 'late'
   *   when it was not carried out, and text a sentence
   */
  request(bytes) {
    return this.#request(bytes, false);
  }

  /** Sends a request, which waits for a change of the rate unless it is part of it. */
  #request(bytes, isOfChange) {
    const waits = () => this.#held && !isOfChange;
    const number = this.scope.last_request;
    if (this.#isClosed) return Promise.resolve({ kind: 'closed', text: 'The line was closed.' });
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
      const repeat = setInterval(() => { if (!waits()) this.link.send(this.scope.repeat(number)); }, REPEAT_MS);
      this.#waiting.set(number, end);
      if (waits()) this.#held.push(bytes);
      else this.link.send(bytes);
    });
  }

  /**
   * Takes both ends of the line to another rate, or back to the one before. Other requests wait
   * meanwhile: at a rate that the board does not have they read as a break, which ends the change.
   * @param {{from: number, to: number}} rates in baud
   * @param {() => Promise<void>} settled waits until the board has the new rate
   * @returns {Promise<void>}
   */
  async changeRate({ from, to }, settled) {
    this.#held = [];
    const answer = await this.#request(this.scope.baud(to), true);
    if (answer.kind === 'ack') {
      await settled();
      this.link.setBaud(to);
      const pong = await this.#request(this.scope.ping(), true);
      // The board has gone back to the rate before by itself.
      if (pong.kind !== 'pong') this.link.setBaud(from);
    }
    const held = this.#held;
    this.#held = null;
    held.forEach((bytes) => this.link.send(bytes));
  }

  /** Ends the line without a sentence. */
  close() {
    this.#isClosed = true;
    this.link.onClosed = () => {};
    this.link.onBytes = () => {};
    this.link.close();
    for (const wait of this.#waiting.values()) wait({ kind: 'closed', text: 'The line was closed.' });
  }
}
