// The link to a board at a serial port of this computer, by Web Serial.
//
// A port is asked for on a click and opened then; ports that the page was once allowed are never
// opened by themselves. Opening sends nothing and changes no setting of a board.

/** Rates that the firmware's UART has; every board begins at the first. */
export const RATES = [115_200, 230_400, 460_800, 921_600, 1_000_000, 1_500_000, 2_000_000, 3_000_000];

/** Bytes that the browser keeps while the page is busy: 0.2 s at the greatest rate. */
const BUFFER = 64 << 10;
/** Bytes that may wait for a line that takes nothing; more is refused. */
const MOST_WAITING = 1 << 20;

/** Returns whether this browser can open serial ports. */
export function hasSerial(serial = navigator.serial) {
  return typeof serial?.requestPort === 'function';
}

/** A reason for the user to act on: no port was opened. */
export class NoPort extends Error {}

/**
 * Lets the user choose a port, and opens it. Call it from the handler of a click.
 * @param {number} baudRate one of RATES
 * @param {Serial} serial a stand-in in tests
 * @returns {Promise<SerialLink>}
 * @throws {NoPort} with a sentence; an empty one when the user chose none
 */
export async function openSerial(baudRate = RATES[0], serial = navigator.serial) {
  if (!hasSerial(serial)) {
    throw new NoPort(
      'This browser has no Web Serial: use Chrome or Edge, or start `qpuscope web PORT` and open its address.');
  }
  const port = await choose(serial);
  try {
    await port.open({ baudRate, bufferSize: BUFFER });
  } catch (error) {
    throw new NoPort(cannotOpen(error));
  }
  return new SerialLink(port, baudRate);
}

async function choose(serial) {
  try {
    return await serial.requestPort();
  } catch (error) {
    if (error.name === 'NotFoundError') throw new NoPort('');
    throw new NoPort(
      `The browser does not let this page use serial ports (${error.message}): allow them in the page's settings.`);
  }
}

function cannotOpen(error) {
  if (error.name === 'InvalidStateError') return 'This page has that port open already; choose another one.';
  return `The port does not open (${error.message}): close other programs and tabs that have it, and on Linux ` +
    'add yourself to the group dialout.';
}

/** An open port. */
export class SerialLink {
  kind = 'serial';
  name;
  onBytes = () => {};
  /** Called once, when the port is gone. */
  onClosed = () => {};
  /** Called with a sentence when something that was sent is not carried out. */
  onRefused = () => {};

  #port;
  #reader = null;
  #baudRate;
  #isClosed = false;
  /** The rate is being changed, so that the end of a stream is none of the port. */
  #isChanging = false;
  /** Everything that was asked for, one after the other. */
  #work = Promise.resolve();
  #waiting = 0;
  #reading;

  /** @param {SerialPort} port open at this rate */
  constructor(port, baudRate) {
    this.#port = port;
    this.#baudRate = baudRate;
    this.name = nameOf(port, baudRate);
    port.ondisconnect = () => this.#end('was unplugged');
    this.#reading = this.#read();
  }

  async #read() {
    // An error of the line, such as a break or an overrun, ends one stream; the next one goes on.
    while (this.#port.readable && !this.#isClosed && !this.#isChanging) {
      this.#reader = this.#port.readable.getReader();
      try {
        for (let piece; !(piece = await this.#reader.read()).done;) this.onBytes(piece.value);
        if (!this.#isChanging) this.#end('was closed');
      } catch (error) {
        if (error.name === 'NetworkError') this.#end('was unplugged');
      } finally {
        this.#reader.releaseLock();
        this.#reader = null;
      }
    }
    if (!this.#isChanging && !this.#port.readable) this.#end('was unplugged');
  }

  #end(event) {
    if (this.#isClosed) return;
    this.close();
    this.onClosed(`${this.name} ${event}: plug the board in, and connect again.`);
  }

  /** Does something behind everything that was asked for before. */
  #then(what) {
    this.#work = this.#work.then(() => (this.#isClosed ? null : what()));
    this.#work = this.#work.catch((error) => this.#end(`takes nothing any more (${error.message})`));
  }

  send(bytes) {
    if (this.#isClosed) return;
    if (this.#waiting + bytes.length > MOST_WAITING) {
      this.onRefused('The line takes no more bytes at the moment; try again later.');
      return;
    }
    this.#waiting += bytes.length;
    this.#then(async () => {
      const writer = this.#port.writable.getWriter();
      try {
        await writer.write(bytes);
      } finally {
        writer.releaseLock();
        this.#waiting -= bytes.length;
      }
    });
  }

  /** Changes the rate of this end of the line, in baud, behind the bytes sent before. */
  setBaud(rate) {
    this.#then(async () => {
      // A port has one rate from its opening to its closing.
      this.#isChanging = true;
      await this.#reader?.cancel();
      await this.#reading;
      await this.#port.close();
      await this.#port.open({ baudRate: rate, bufferSize: BUFFER });
      this.#baudRate = rate;
      this.name = nameOf(this.#port, rate);
      this.#isChanging = false;
      this.#reading = this.#read();
    });
  }

  get baudRate() { return this.#baudRate; }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#port.ondisconnect = null;
    // A port that is gone cannot be closed, which is no news.
    this.#finish().catch(() => {});
  }

  async #finish() {
    await this.#reader?.cancel().catch(() => {});
    await this.#reading;
    await this.#work;
    await this.#port.close();
  }
}

/** The name of a port as far as a page may know it. */
function nameOf(port, baudRate) {
  const { usbVendorId, usbProductId } = port.getInfo?.() ?? {};
  const hex = (number) => number.toString(16).padStart(4, '0');
  const usb = usbVendorId === undefined ? 'serial port' : `USB serial port ${hex(usbVendorId)}:${hex(usbProductId ?? 0)}`;
  return `${usb} at ${baudRate} baud`;
}
