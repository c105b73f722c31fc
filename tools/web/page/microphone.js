// The computer's microphone: its samples as the converter gives them, through a port.
// They go to the virtual Pi in this page's worker and nowhere else.

/** Real time that the sound system may take to start, in milliseconds. */
const START_MS = 3000;
/** Processing that would change levels and spectra. */
const UNPROCESSED = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };

const REFUSALS = {
  NotAllowedError: 'The microphone was refused: allow it for this page in the browser, and choose it again.',
  NotFoundError: 'There is no microphone: connect one, and choose it again.',
  NotReadableError: 'The microphone is in use by another program: close that, and choose it again.',
};

/** An open microphone. */
export class Microphone {
  /** Called when it is gone by itself, as when it is unplugged. */
  onGone = () => {};

  #stream;
  #context;
  #node;

  /**
   * Asks the user for it.
   * @returns {Promise<Microphone>} it fails with a sentence
   */
  static async open() {
    const microphone = new Microphone();
    if (!navigator.mediaDevices?.getUserMedia) {
      throw new Error('This page gets no microphone here: serve it from https, or from localhost.');
    }
    try {
      microphone.#stream = await navigator.mediaDevices.getUserMedia({ audio: UNPROCESSED });
    } catch (error) {
      throw new Error(REFUSALS[error.name] ?? `The microphone does not open (${error.message}): choose another device in the browser.`);
    }
    try {
      await microphone.#start();
    } catch (error) {
      microphone.close();
      throw new Error(`The sound system does not start (${error.message}): reload the page, and choose the microphone again.`);
    }
    return microphone;
  }

  async #start() {
    this.#context = new AudioContext();
    await this.#context.audioWorklet.addModule(new URL('microphone-worklet.js', import.meta.url));
    this.#node = new AudioWorkletNode(this.#context, 'microphone', {
      channelCount: 1, channelCountMode: 'explicit', channelInterpretation: 'discrete',
    });
    this.#context.createMediaStreamSource(this.#stream).connect(this.#node);
    // What plays nothing is still asked for samples only on the way to the output.
    this.#node.connect(this.#context.destination);
    const late = new Promise((_, reject) => {
      setTimeout(() => reject(new Error('it took too long')), START_MS);
    });
    await Promise.race([this.#context.resume(), late]);
    for (const track of this.#stream.getTracks()) track.onended = () => this.onGone();
  }

  /** Samples a second, by the sound system's clock. */
  get hz() { return this.#context.sampleRate; }

  /** Processing that the browser does nevertheless. */
  get processing() {
    const settings = this.#stream.getAudioTracks()[0]?.getSettings() ?? {};
    return Object.keys(UNPROCESSED).filter((name) => settings[name] === true);
  }

  /** Sends samples through a port from now on, arrays of 32-bit floats. */
  sendTo(port) { this.#node.port.postMessage(port, [port]); }

  close() {
    this.#stream?.getTracks().forEach((track) => track.stop());
    if (this.#context && this.#context.state !== 'closed') this.#context.close();
  }
}
