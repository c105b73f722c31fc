// A stand-in for `navigator.serial`, for tests: one port, with the far end of its line at `line`.
//
// `line.send(bytes, baudRate)` gets what the page writes; `port.deliver(bytes)` is what the page
// reads. `calls` has the names of all methods that were called, and what `open` was given.

(() => {
  class Port extends EventTarget {
    readable = null;
    writable = null;
    ondisconnect = null;
    calls;
    #line;
    #source = null;

    constructor(calls, line) {
      super();
      this.calls = calls;
      this.#line = line;
    }

    getInfo() { return { usbVendorId: 0x0403, usbProductId: 0x6001 }; }

    async open(options) {
      this.calls.push(`open ${JSON.stringify(options)}`);
      if (this.readable) throw new DOMException('The port is already open.', 'InvalidStateError');
      this.readable = new ReadableStream({ start: (source) => { this.#source = source; } });
      this.writable = new WritableStream({
        write: (bytes) => { this.#line.send(bytes, options.baudRate); },
      });
    }

    async close() {
      this.calls.push('close');
      if (this.readable?.locked || this.writable?.locked) throw new TypeError('Cannot cancel a locked stream');
      this.readable = null;
      this.writable = null;
    }

    deliver(bytes) { this.#source?.enqueue(bytes); }

    /** An error that ends one stream and not the line, such as a break. */
    disturb() {
      const old = this.#source;
      this.readable = new ReadableStream({ start: (source) => { this.#source = source; } });
      old.error(new DOMException('Break received', 'BreakError'));
    }

    /** The adapter is pulled out. */
    unplug() {
      const old = this.#source;
      this.readable = null;
      this.writable = null;
      old.error(new DOMException('The device has been lost.', 'NetworkError'));
      this.ondisconnect?.(new Event('disconnect'));
    }
  }

  window.SerialStandIn = class {
    calls = [];
    port;
    /** The error that the choice of a port ends in, if any. */
    refusal = null;

    constructor(line) { this.port = new Port(this.calls, line); }

    async requestPort() {
      this.calls.push('requestPort');
      if (this.refusal) throw this.refusal;
      return this.port;
    }

    async getPorts() {
      this.calls.push('getPorts');
      return [this.port];
    }
  };
})();
