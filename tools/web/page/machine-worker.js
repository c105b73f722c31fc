// The virtual Pi, in a worker of its own. It works in slices and yields between them, so that
// requests get in.
//
// To it:   {kind: 'boot', image: ArrayBuffer, cmdline, pace}, {kind: 'send', bytes},
//          {kind: 'baud', rate}, {kind: 'pace', pace}, {kind: 'seen'},
//          {kind: 'play', id, source}: see sources.js, {kind: 'feed', port}: a port of live samples
// From it: {kind: 'ready'}, {kind: 'ran', bytes, seconds, memory, busy, behind, isStarved},
//          {kind: 'played', id, facts} or {kind: 'played', id, refusal},
//          {kind: 'note', sentence}, {kind: 'ended', sentence}: a source has, {kind: 'stopped', sentence}: the board has

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
/** Samples come in real time: they are the pace. */
let isLive = false;
let unseen = 0;
/** Real time in which it simulated, in milliseconds. */
let busy = 0;
/** Where real and virtual time were the same, for the pace. */
let origin = { real: 0, virtual: 0 };

const channel = new MessageChannel();
let isDue = false;
let timer = 0;
channel.port1.onmessage = () => {
  isDue = false;
  slice();
};
function soon() {
  if (isDue) return;
  isDue = true;
  channel.port2.postMessage(null);
}

function stop(sentence) {
  machine = null;
  postMessage({ kind: 'stopped', sentence });
}

function restartPace() {
  origin = { real: performance.now(), virtual: machine.seconds() };
}

/** How far virtual time is ahead of what the pace allows, in milliseconds. */
function ahead() {
  if (isLive || !Number.isFinite(pace)) return 0;
  const virtual = (machine.seconds() - origin.virtual) * 1000;
  const allowed = (performance.now() - origin.real) * pace;
  if (virtual < allowed - 250) restartPace(); // too slow: what was missed is not caught up
  return (virtual - allowed) / pace;
}

function slice() {
  if (!machine) return;
  if (unseen >= MOST_UNSEEN) return; // 'seen' goes on
  clearTimeout(timer);
  const wait = ahead();
  if (wait > 1) { timer = setTimeout(slice, wait); return; }
  const pieces = [];
  const began = performance.now();
  try {
    do {
      pieces.push(machine.run(STEP_US));
    } while (!machine.is_starved() && performance.now() - began < SLICE_MS && ahead() <= 0);
  } catch (error) {
    stop(sentenceOf(error));
    return;
  }
  busy += performance.now() - began;
  report(join(pieces));
  // Live samples go on with it.
  if (!machine.is_starved()) soon();
}

function report(bytes) {
  const ended = machine.take_ended();
  if (ended) {
    isLive = false;
    restartPace();
    postMessage({ kind: 'ended', sentence: ended });
  }
  for (const sentence of machine.messages()) postMessage({ kind: 'note', sentence });
  unseen += 1;
  const memory = wasm.memory.buffer.byteLength;
  const [seconds, behind, isStarved] = [machine.seconds(), machine.behind(), machine.is_starved()];
  postMessage({ kind: 'ran', bytes, seconds, memory, busy, behind, isStarved }, [bytes.buffer]);
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

function sentenceOf(error) {
  return error?.message ?? String(error);
}

/** Live samples; when they wait for too long, the machine gives their source up. */
function feed(samples) {
  if (!machine || !isLive) return;
  try {
    machine.feed(samples);
  } catch (error) {
    isLive = false;
    restartPace();
    postMessage({ kind: 'ended', sentence: sentenceOf(error) });
  }
  soon();
}

/** Wires a part to the pins; returns facts about what it plays, or null. Refusals change nothing. */
function play(source) {
  switch (source.what) {
    case 'live': return machine.play_live(source.hz);
    case 'file': {
      const bytes = new Uint8Array(source.bytes);
      return machine.play_file(source.name, bytes, source.rateHz, source.channel, source.repeats);
    }
    case 'temperatures': return machine.play_temperatures(source.table);
    case 'bursts': return machine.play_bursts();
    default: machine.unplug(); return null;
  }
}

function played(id, source) {
  try {
    const facts = play(source);
    isLive = source.what === 'live';
    postMessage({ kind: 'played', id, facts: JSON.parse(facts) });
  } catch (error) {
    postMessage({ kind: 'played', id, refusal: sentenceOf(error) });
  }
  restartPace();
  soon();
}

onmessage = async ({ data }) => {
  switch (data.kind) {
    case 'boot':
      try {
        wasm = await init();
        machine = new Machine(new Uint8Array(data.image), data.cmdline);
      } catch (error) {
        stop(sentenceOf(error));
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
    case 'play': if (machine) played(data.id, data.source); break;
    case 'feed': data.port.onmessage = ({ data: samples }) => feed(samples); break;
  }
};
