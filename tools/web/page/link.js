// A link is one line to a board. Opening one sends nothing. All kinds have:
//   kind                'simulated', 'serial' or 'socket'
//   name                for people
//   send(Uint8Array), setBaud(rate), close()
//   onBytes(Uint8Array), onClosed(sentence): set by its user
// Some kinds also have:
//   onRefused(sentence) serial, socket: what was sent is not carried out
//   pace, setPace(pace) simulated, and recordings of a socket
//   onState, onHello, onEnd, source, writer: socket
//   play, feedFrom, onTime, onNote, onEnded, memory, busy, behind, isStarved: simulated

/** The virtual Pi in a worker. */
export class SimulatedLink {
  kind = 'simulated';
  name = 'virtual Pi (simulated)';
  onBytes = () => {};
  onClosed = () => {};
  /** Called with virtual seconds since power-on. */
  onTime = () => {};
  /** Called with what the virtual Pi notes about its guest. */
  onNote = () => {};
  /** Called when a source of samples has ended by itself. */
  onEnded = () => {};
  /** Bytes of the worker's memory. */
  memory = 0;
  /** Real time in which the worker simulated, in seconds. */
  busy = 0;
  /** Seconds of live samples that wait. */
  behind = 0;
  /** Virtual time stands until live samples come. */
  isStarved = false;
  /** Virtual time by real time, as it was chosen. */
  pace;

  #worker;
  #playing = new Map();
  #plays = 0;

  /**
   * @param {ArrayBuffer} image kernel.img
   * @param {{cmdline?: string, pace?: number}} options
   */
  constructor(image, { cmdline = '', pace = 1 } = {}) {
    this.pace = pace;
    this.#worker = new Worker(new URL('machine-worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => {
      this.#end(`The virtual Pi's worker died (${event.message || 'no reason given'}). Reload the page.`);
    };
    this.#worker.postMessage({ kind: 'boot', image, cmdline, pace }, [image]);
  }

  #hear(data) {
    // It was said before the worker ended.
    if (!this.#worker) return;
    if (data.kind === 'ran') {
      this.#worker.postMessage({ kind: 'seen' });
      this.memory = data.memory;
      this.busy = data.busy / 1000;
      this.behind = data.behind;
      this.isStarved = data.isStarved;
      this.onTime(data.seconds);
      if (data.bytes.length > 0) this.onBytes(data.bytes);
    } else if (data.kind === 'played') {
      this.#playing.get(data.id)?.(data);
      this.#playing.delete(data.id);
    } else if (data.kind === 'note') {
      this.onNote(data.sentence);
    } else if (data.kind === 'ended') {
      this.onEnded(data.sentence);
    } else if (data.kind === 'stopped') {
      this.#end(`The virtual Pi stopped: ${data.sentence}`);
    }
  }

  /**
   * Wires a part to the board's pins that plays a source.
   * @param {object} source see sources.js
   * @param {Transferable[]} transferred what of it is handed over
   * @returns {Promise<?object>} facts about what plays; it fails with a sentence
   */
  play(source, transferred = []) {
    this.#plays += 1;
    const id = this.#plays;
    this.#worker?.postMessage({ kind: 'play', id, source }, transferred);
    return new Promise((resolve, reject) => {
      this.#playing.set(id, ({ facts, refusal }) => {
        if (refusal === undefined) resolve(facts);
        else reject(new Error(refusal));
      });
      if (!this.#worker) this.#refuse();
    });
  }

  /** Ends what waits for a worker that is gone. */
  #refuse() {
    for (const answer of this.#playing.values()) answer({ refusal: 'The virtual Pi is switched off: choose it again.' });
    this.#playing.clear();
  }

  /** Takes live samples from a port, arrays of 32-bit floats. */
  feedFrom(port) { this.#worker?.postMessage({ kind: 'feed', port }, [port]); }

  #end(sentence) {
    if (!this.#worker) return;
    this.close();
    this.onClosed(sentence);
  }

  send(bytes) { this.#worker?.postMessage({ kind: 'send', bytes }); }
  /** The rate of this end of the line, in baud. */
  setBaud(rate) { this.#worker?.postMessage({ kind: 'baud', rate }); }
  /** Virtual time by real time; Infinity: as fast as it goes. */
  setPace(pace) {
    this.pace = pace;
    this.#worker?.postMessage({ kind: 'pace', pace });
  }
  close() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#refuse();
  }
}
