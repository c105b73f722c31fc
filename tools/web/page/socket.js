// The link to a port or a recording that `qpuscope web` passes on, through a WebSocket.
//
// Bytes of the line are binary messages. Beside them come JSON texts: hello, line, refused, end
// (tools/qpuscope/src/command/web/control.rs). A connection that drops is reported and made again,
// with growing pauses, until the server refuses or has been gone for a minute.

/** Pauses before the next try, in milliseconds; the last one is used again and again. */
const PAUSES_MS = [250, 500, 1000, 2000, 4000];
/** A try that takes longer has failed. */
const TRY_MS = 5000;
/** After so long without a connection the link is given up. */
const GIVE_UP_MS = 60_000;
/** Bytes that may wait in the browser; more is refused, as a line that takes nothing would. */
const MOST_WAITING = 1 << 20;
/** Close code of `qpuscope web`: the recording cannot be read further. */
const BROKEN = 4002;
/** Name under which the token is kept, so that the tab can be reloaded. */
const KEPT = 'qpuscope-token';

/**
 * Returns the token of the page's address, or null where the page was served without a line. It is
 * taken out of the address bar, so that nobody copies it with the address.
 */
export function takeToken(place = location, past = history) {
  const token = /^#token=([0-9a-f]{32})$/.exec(place.hash)?.[1] ?? null;
  // Storage may be forbidden; then a reloaded tab has no line.
  try {
    if (token === null) return sessionStorage.getItem(KEPT);
    sessionStorage.setItem(KEPT, token);
  } catch { /* as above */ }
  if (token !== null) past.replaceState(null, '', place.pathname + place.search);
  return token;
}

/** A token that was refused opens nothing, however often the tab is reloaded. */
function forgetToken() {
  try {
    sessionStorage.removeItem(KEPT);
  } catch { /* nothing was kept */ }
}

/** A line through `qpuscope web`. It opens itself and sends nothing to the board. */
export class SocketLink {
  kind = 'socket';
  name = 'qpuscope web';
  /** 'port' or 'recording', once the server has said so. */
  source = null;
  /** False when another tab wrote last, and in a recording. */
  writer = false;
  /** Speed of a recording in multiples of its own, Infinity without a wait; null for a port. */
  pace = null;
  onBytes = () => {};
  /** Called once, when the link is given up. */
  onClosed = () => {};
  /** Called when name, source and writer are known, for each connection. */
  onHello = () => {};
  /**
   * Called when the connection or the line behind it is lost (false) or back (true). What was asked
   * of the board meanwhile has no answer.
   * @type {(isUp: boolean, sentence: string) => void}
   */
  onState = () => {};
  /** Called with a sentence when something that was sent is not carried out. */
  onRefused = () => {};
  /** Called at the end of a recording. */
  onEnd = () => {};

  #token;
  #socket = null;
  #isUp = false;
  #isClosed = false;
  #tries = 0;
  /** The time at which the last connection ended, while there is none. */
  #lostAt = null;
  #timer = null;

  /** @param {string} token see takeToken */
  constructor(token) {
    this.#token = token;
    this.#open();
  }

  #open() {
    const socket = new WebSocket(`ws://${location.host}/line?token=${this.#token}`);
    socket.binaryType = 'arraybuffer';
    socket.onmessage = ({ data }) => this.#hear(data);
    socket.onclose = ({ code, reason }) => this.#drop(socket, code, reason);
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#drop(socket, 0, ''), TRY_MS);
  }

  #hear(data) {
    if (data instanceof ArrayBuffer) {
      this.onBytes(new Uint8Array(data));
      return;
    }
    const message = JSON.parse(data);
    switch (message.kind) {
      case 'hello': this.#greet(message); break;
      case 'line': this.onState(message.state === 'back', message.sentence); break;
      case 'refused': this.onRefused(message.sentence); break;
      case 'end': this.onEnd(); break;
      default: // of a later version
    }
  }

  #greet({ name, source, writer, speed }) {
    clearTimeout(this.#timer);
    const pace = speed === 0 ? Infinity : (speed ?? null);
    Object.assign(this, { name, source, writer, pace });
    this.#isUp = true;
    this.#tries = 0;
    const wasLost = this.#lostAt !== null;
    this.#lostAt = null;
    this.onHello();
    if (wasLost) this.onState(true, `Connected with ${name} again.`);
  }

  /** The connection has ended, or was not made. */
  async #drop(socket, code, reason) {
    if (socket !== this.#socket || this.#isClosed) return;
    this.#forget();
    const wasUp = this.#isUp;
    this.#isUp = false;
    this.#lostAt ??= performance.now();
    if (code === BROKEN) {
      this.#end(reason);
      return;
    }
    if (wasUp) {
      const why = reason || 'The connection to `qpuscope web` dropped.';
      this.onState(false, `${ended(why)} Connecting again.`);
    }
    const refusal = await this.#refusal();
    if (this.#isClosed) return;
    if (refusal !== null) {
      forgetToken();
      this.#end(refusal);
    } else if (performance.now() - this.#lostAt > GIVE_UP_MS) {
      this.#end('`qpuscope web` has been gone for a minute: start it again and open its address.');
    } else {
      const pause = PAUSES_MS[Math.min(this.#tries, PAUSES_MS.length - 1)];
      this.#tries += 1;
      this.#timer = setTimeout(() => this.#open(), pause);
    }
  }

  /** The server's reason to refuse this page for good; null while another try may help. */
  async #refusal() {
    try {
      const signal = AbortSignal.timeout(TRY_MS);
      const answer = await fetch(`line?token=${this.#token}`, { cache: 'no-store', signal });
      return [403, 404].includes(answer.status) ? (await answer.text()).trim() : null;
    } catch {
      return null;
    }
  }

  #forget() {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = null;
    if (!socket) return;
    socket.onmessage = null;
    socket.onclose = null;
    socket.close();
  }

  #end(sentence) {
    this.close();
    this.onClosed(ended(sentence));
  }

  #put(message) {
    if (!this.#isUp) {
      this.onRefused('The line is not connected; nothing was sent.');
    } else if (this.#socket.bufferedAmount > MOST_WAITING) {
      this.onRefused('The line takes no more bytes at the moment; try again later.');
    } else {
      this.#socket.send(message);
    }
  }

  send(bytes) { this.#put(bytes); }
  /** Changes the rate of the server's end of the line, in baud, behind the bytes sent before. */
  setBaud(rate) { this.#put(JSON.stringify({ kind: 'baud', rate })); }
  /** Plays a recording at another speed, in multiples of its own; Infinity: without a wait. */
  setPace(pace) {
    this.pace = pace;
    this.#put(JSON.stringify({ kind: 'speed', factor: Number.isFinite(pace) ? pace : 0 }));
  }

  close() {
    this.#isClosed = true;
    this.#isUp = false;
    this.#forget();
  }
}

/** The sentence with a capital and a full stop. */
function ended(sentence) {
  const text = sentence.charAt(0).toUpperCase() + sentence.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
