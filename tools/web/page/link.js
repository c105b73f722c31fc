// A link is one line to a board. All have the same form:
//   kind                'simulated', 'serial' or 'socket'
//   name                for people
//   send(Uint8Array), close()
//   onBytes(Uint8Array), onClosed(sentence): set by whoever uses it
// Opening one sends nothing.

/** The virtual Pi in a worker. */
export class SimulatedLink {
  kind = 'simulated';
  name = 'virtual Pi (simulated)';
  onBytes = () => {};
  onClosed = () => {};
  /** Called with virtual seconds since power-on. */
  onTime = () => {};
  /** Bytes of the worker's memory. */
  memory = 0;

  #worker;

  /**
   * @param {ArrayBuffer} image kernel.img
   * @param {{cmdline?: string, pace?: number}} options
   */
  constructor(image, { cmdline = '', pace = 1 } = {}) {
    this.#worker = new Worker(new URL('machine-worker.js', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = (event) => {
      this.#end(`The virtual Pi's worker died (${event.message || 'no reason given'}). Reload the page.`);
    };
    this.#worker.postMessage({ kind: 'boot', image, cmdline, pace }, [image]);
  }

  #hear(data) {
    if (data.kind === 'ran') {
      this.#worker.postMessage({ kind: 'seen' });
      this.memory = data.memory;
      this.onTime(data.seconds);
      if (data.bytes.length > 0) this.onBytes(data.bytes);
    } else if (data.kind === 'stopped') {
      this.#end(`The virtual Pi stopped: ${data.sentence}`);
    }
  }

  #end(sentence) {
    if (!this.#worker) return;
    this.close();
    this.onClosed(sentence);
  }

  send(bytes) { this.#worker?.postMessage({ kind: 'send', bytes }); }
  /** The rate of this end of the line, in baud. */
  setBaud(rate) { this.#worker?.postMessage({ kind: 'baud', rate }); }
  /** Virtual time by real time; Infinity: as fast as it goes. */
  setPace(pace) { this.#worker?.postMessage({ kind: 'pace', pace }); }
  close() { this.#worker?.terminate(); this.#worker = null; }
}
