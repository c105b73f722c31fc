// Starts the page, and holds together what hangs on it: a board, its decoder, and the panels.

import init, * as wasm from './pkg/web.js';
import { Board } from './board.js';
import { mountFlow } from './flow.js';
import { mountLinks } from './links.js';
import { SimulatedLink } from './link.js';
import { Pace } from './pace.js';
import { hasSerial, openSerial } from './serial.js';
import { mountSettings } from './settings.js';
import { SocketLink, takeToken } from './socket.js';
import { mountSources } from './sources.js';
import { mountTabs } from './tabs.js';
import { mountView } from './view.js';

const began = performance.now();
const panel = (id) => document.getElementById(id);
const status = panel('status');
const banner = panel('banner');
/** Characters of the board's text that are kept. */
const MOST_TEXT = 20_000;
/** The virtual line's rate once it is up: a record of 4096 bins at 25 a second needs it. */
const FAST_BAUD = 3_000_000;

/** Virtual time that a board has for a change of its rate; it waits 0.5 s for the first frame. */
const SETTLE_S = 0.03;

/** What the panels share. */
const app = {
  scope: null,
  mostFileBytes: 0,
  board: null,
  pace: new Pace(),
  firstSpectrumMs: null,
  settings: null,
  links: null,
  sources: null,
  view: null,
  /** Settled when the board takes requests of the page's user. */
  ready: Promise.resolve(),
  isReady: false,
  /** Counts choices of a board, so that one that is overtaken changes nothing any more. */
  choices: 0,

  get link() { return this.board?.link ?? null; },
  say(sentence) { status.textContent = sentence; },
  request(make) {
    return this.board?.request(make) ?? Promise.resolve({ kind: 'closed', text: 'There is no board: choose one first.' });
  },
  /** Sends a request and says what is wrong with it. */
  async answerTo(make) {
    const answer = await this.request(make);
    if (answer.kind !== 'ack') this.say(answer.text);
    return answer;
  },

  /** Listens to another line. */
  use(link) {
    this.choices += 1;
    this.board?.close();
    this.pace.end();
    this.pace = new Pace();
    this.scope.begin_link();
    this.board = new Board(link, this.scope);
    this.board.onRefused = (sentence) => this.say(sentence);
    link.onState = (_isUp, sentence) => this.say(sentence);
    link.onHello = () => this.links.show(link);
    link.onEnd = () => this.say('The recording has ended.');
    this.board.onText = addText;
    this.board.onEvent = ({ kind, text }) => { if (kind === 'fault') addText(`\n[fault] ${text}\n`); };
    this.board.onClosed = (sentence) => {
      this.board = null;
      this.pace.end();
      this.links.show(null);
      this.sources.show(null);
      this.say(sentence);
    };
    this.board.onFed = () => {
      this.view.fed();
      if (this.scope.records > 0) this.firstSpectrumMs ??= performance.now() - began;
    };
    banner.textContent = '';
    panel('pace').textContent = '';
    this.say('');
    this.links.show(link);
    this.sources.show(link);
    this.view.begin(link);
    return this.board;
  },

  /** Boots the virtual Pi anew. */
  useSimulated(options = {}) {
    this.isReady = false;
    const booted = this.boot(options);
    const ready = booted.catch(() => {}).then(() => { if (this.ready === ready) this.isReady = true; });
    this.ready = ready;
    return booted;
  },

  async boot(options) {
    this.choices += 1;
    const choice = this.choices;
    const answer = await fetch('kernel.img');
    const image = answer.ok ? await answer.arrayBuffer() : null;
    // The user has gone on to another board.
    if (choice !== this.choices) return;
    if (!image) throw new Error(`kernel.img is not beside the page (${answer.status}): copy the whole folder.`);
    const link = new SimulatedLink(image, options);
    const board = this.use(link);
    board.hold();
    const { pace } = this;
    link.onNote = (sentence) => addText(`\n[virtual Pi] ${sentence}\n`);
    link.onTime = (seconds) => {
      pace.mark(seconds, link.isStarved, link.pace);
      showPace();
    };
    // Each wait may end because the user has gone on to another board, which gets nothing unasked.
    const isUp = await upAndFast(board, link, pace);
    await board.release();
    if (!isUp || this.board !== board) return;
    if (options.words) await this.settings.set(options.words);
    else await this.settings.refresh();
    if (this.board !== board) return;
    // The first byte ended the spectra that a board sends unasked.
    await this.answerTo((scope) => scope.start());
  },
};

/** Real time between two updates of the pace, in milliseconds. */
const PACE_MS = 250;
let paceAt = -Infinity;

function showPace() {
  if (performance.now() - paceAt < PACE_MS) return;
  paceAt = performance.now();
  panel('pace').textContent = app.pace.sentence;
}

function addText(text) {
  banner.textContent = (banner.textContent + text).slice(-MOST_TEXT);
}

/**
 * Waits until the firmware answers, and takes the virtual line to a rate that spectra fit through.
 * @returns {Promise<boolean>} true if it has answered, and is the page's board still
 */
async function upAndFast(board, link, pace) {
  const isOther = () => app.board !== board;
  const hello = await board.first((scope) => scope.hello());
  if (isOther()) return false;
  if (hello.kind !== 'info') {
    app.say(hello.text);
    return false;
  }
  await board.changeRate({ from: 115_200, to: FAST_BAUD }, () => pace.reaches(pace.seconds + SETTLE_S));
  return !isOther();
}

async function start() {
  mountTabs(panel('tabs'));
  if (typeof WebAssembly !== 'object') {
    app.say('This browser has no WebAssembly, which the page is made of: use a browser of 2023 or later.');
    return;
  }
  try {
    await init();
  } catch (error) {
    // It is not there, is no module, or has instructions that the browser lacks (SIMD).
    app.say(`The page's program does not start (${error.message ?? error}): use a browser of 2023 or later, and copy the whole folder.`);
    return;
  }
  window.qpuscope.flow = mountFlow(panel('flow'), wasm);
  app.scope = new wasm.Scope();
  app.mostFileBytes = wasm.most_file_bytes();
  app.view = mountView(panel('view'), app.scope);
  app.settings = mountSettings(panel('settings'), app);
  app.sources = mountSources(panel('sources'), app);
  const token = takeToken();
  app.links = mountLinks(panel('links'), app, {
    serial: hasSerial() ? openSerial : null,
    socket: token ? () => new SocketLink(token) : null,
  });
  if (token) app.use(new SocketLink(token));
  else await app.useSimulated();
}

window.qpuscope = {
  app,
  state: () => ({
    status: status.textContent,
    ready: app.isReady,
    records: app.scope?.records ?? 0,
    seconds: app.pace.seconds,
    speed: app.pace.speed,
    memory: app.link?.memory ?? 0,
    busy: app.link?.busy ?? 0,
    firstSpectrumMs: app.firstSpectrumMs,
    link: app.links?.state() ?? null,
    ...app.settings?.state(),
    ...app.sources?.state(),
    ...app.view?.state(),
  }),
};
start().catch((error) => app.say(`The page's program does not start: ${error.message ?? error}. Reload the page.`));
