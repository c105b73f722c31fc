// Starts the page: the module, a link, and what hangs on it.

import init, { Scope } from './pkg/web.js';
import { SimulatedLink } from './link.js';

const status = document.getElementById('status');
const banner = document.getElementById('banner');
const began = performance.now();
const state = { link: null, records: 0, seconds: 0, firstSpectrumMs: null };

function say(sentence) { status.textContent = sentence; }

async function start() {
  if (typeof WebAssembly !== 'object') {
    say('This browser has no WebAssembly, which the page is made of: use a browser of 2023 or later.');
    return;
  }
  await init();
  const answer = await fetch('kernel.img');
  if (!answer.ok) {
    say(`kernel.img is not beside the page (${answer.status}): copy the whole folder.`);
    return;
  }
  const scope = new Scope();
  const link = new SimulatedLink(await answer.arrayBuffer());
  state.link = link.kind;
  link.onTime = (seconds) => { state.seconds = seconds; };
  link.onClosed = (sentence) => { state.link = null; say(sentence); };
  link.onBytes = (bytes) => {
    scope.feed(bytes);
    for (let event; (event = scope.next_event());) {
      if (event.kind === 'text') banner.textContent += event.text;
      event.free();
    }
    if (scope.records > 0) state.firstSpectrumMs ??= performance.now() - began;
    state.records = scope.records;
    say(`simulated: ${state.seconds.toFixed(1)} s, ${state.records} spectra`);
  };
}

window.qpuscope = { state: () => ({ ...state }) };
start().catch((error) => say(`The page's program does not start: ${error}. Reload the page.`));
