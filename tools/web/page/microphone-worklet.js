// Takes the first channel of its input, as it comes, and sends it through a port in portions.

/** Samples of a portion: about 20 ms. */
const PORTION = 1024;

class Microphone extends AudioWorkletProcessor {
  #samples = new Float32Array(PORTION);
  #count = 0;
  #to = null;

  constructor() {
    super();
    this.port.onmessage = ({ data }) => { this.#to = data; };
  }

  process([input]) {
    const samples = input[0];
    if (!samples || !this.#to) return true;
    for (const sample of samples) {
      this.#samples[this.#count] = sample;
      this.#count += 1;
      if (this.#count === PORTION) {
        this.#to.postMessage(this.#samples, [this.#samples.buffer]);
        this.#samples = new Float32Array(PORTION);
        this.#count = 0;
      }
    }
    return true;
  }
}

registerProcessor('microphone', Microphone);
