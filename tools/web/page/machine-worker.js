// The virtual Pi, in a worker of its own. It works in slices and yields between them, so that
// requests get in.
//
// To it:   {kind: 'boot', image: ArrayBuffer, cmdline, pace}, {kind: 'send', bytes},
//          {kind: 'baud', rate}, {kind: 'pace', pace}, {kind: 'seen'}
// From it: {kind: 'ready'}, {kind: 'ran', bytes, seconds, memory}, {kind: 'stopped', sentence}

import init, { Machine } from './pkg/web.js';

/** Virtual time of one call, in microseconds: less than a slice on slow machines. */
const STEP_US = 2000;
/** Real time of a slice, in milliseconds. */
const SLICE_MS = 12;
/** Messages that the page may not have seen yet; then the machine waits for it. */
const MOST_UNSEEN = 4;

let machine = null;
/** What the module exports, its memory among it. */
let wasm = null;
let pace = 1;
let unseen = 0;
/** Where real and virtual time were the same, for the pace. */
let origin = { real: 0, virtual: 0 };

const channel = new MessageChannel();
channel.port1.onmessage = () => slice();
function soon() { channel.port2.postMessage(null); }

function stop(sentence) {
  machine = null;
  postMessage({ kind: 'stopped', sentence });
}

function restartPace() {
  origin = { real: performance.now(), virtual: machine.seconds() };
}

/** How far virtual time is ahead of what the pace allows, in milliseconds. */
function ahead() {
  const virtual = (machine.seconds() - origin.virtual) * 1000;
  const allowed = (performance.now() - origin.real) * pace;
  if (virtual < allowed - 250) restartPace(); // too slow: what was missed is not caught up
  return (virtual - allowed) / pace;
}

function slice() {
  if (!machine) return;
  if (unseen >= MOST_UNSEEN) return; // 'seen' goes on
  const wait = Number.isFinite(pace) ? ahead() : 0;
  if (wait > 1) { setTimeout(slice, wait); return; }
  const pieces = [];
  const began = performance.now();
  try {
    do {
      pieces.push(machine.run(STEP_US));
    } while (performance.now() - began < SLICE_MS && !(Number.isFinite(pace) && ahead() > 0));
  } catch (error) {
    stop(String(error));
    return;
  }
  const bytes = join(pieces);
  unseen += 1;
  const memory = wasm.memory.buffer.byteLength;
  postMessage({ kind: 'ran', bytes, seconds: machine.seconds(), memory }, [bytes.buffer]);
  soon();
}

function join(pieces) {
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

onmessage = async ({ data }) => {
  switch (data.kind) {
    case 'boot':
      try {
        wasm = await init();
        machine = new Machine(new Uint8Array(data.image), data.cmdline);
      } catch (error) {
        stop(String(error));
        return;
      }
      pace = data.pace ?? 1;
      restartPace();
      postMessage({ kind: 'ready' });
      soon();
      break;
    case 'send': machine?.send(data.bytes); break;
    case 'baud': machine?.set_baud(data.rate); break;
    case 'pace': pace = data.pace; if (machine) { restartPace(); soon(); } break;
    case 'seen': unseen -= 1; soon(); break;
  }
};
