// The view: spectrum, waterfall, tables and controls of one Scope.
//
// New records and commands mark it as changed; it is drawn once a frame. Tables, which cost more and
// which people read slowly, follow four times a second.

import { build } from './view-build.js';
import { KEYS } from './view-keys.js';
import { SpectrumPlot, WaterfallPlot, TRACES } from './view-plot.js';
import { listen } from './view-input.js';
import * as tables from './view-tables.js';

/** Milliseconds between two updates of tables. */
const TABLES_MS = 250;
/** Milliseconds between two sentences to screen readers. */
const SPOKEN_MS = 5000;
/** Zoom of a key or button. */
const ZOOM = 1.5;

/** Height of the line of words under a saved picture, in CSS pixels. */
const CAPTION = 22;

/** Colours of the style sheet that are drawn with. */
const COLOURS = ['plot', 'text', 'muted', 'grid', 'axis', 'marker',
  ...TRACES.map(({ colour }) => colour)];

class View {
  #scope;
  #root;
  #spectrum;
  #waterfall;
  #colours = {};
  #picture = null;
  #tablesAt = -Infinity;
  #spokenAt = -Infinity;
  #spoken = '';
  #isScheduled = false;
  #exported = null;
  #frames = 0;
  #records = 0;
  #late = 0;
  /** Name of the line that the picture is of, and names of lines before it. */
  #from = null;
  #earlier = new Set();
  /** A link that the picture is not of yet, and the records before it. */
  #next = null;
  #before = 0;

  /**
   * @param {object} scope the wasm's Scope
   * @param {HTMLElement} root the element with canvases, tables and controls
   */
  constructor(scope, root) {
    this.#scope = scope;
    this.#root = root;
    build(root);
    this.#spectrum = new SpectrumPlot(this.#one('#spectrum'));
    this.#waterfall = new WaterfallPlot(this.#one('#waterfall'));
    this.#refresh();
    const input = {
      scope,
      picture: () => this.#picture,
      changed: () => this.#command(),
      point: (hz) => { this.#one('#place').textContent = hz === null ? '' : scope.place_text(hz) ?? ''; },
    };
    for (const id of ['#spectrum', '#waterfall']) listen(this.#one(id), input);
    this.#controls();
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    const adapt = () => { this.#scope.set_dark(scheme.matches); this.#readColours(); this.changed(); };
    scheme.addEventListener('change', adapt);
    adapt();
    new ResizeObserver(() => this.changed()).observe(root);
  }

  /** The scope has got bytes, which may be no more than a piece of a record. */
  fed() {
    const { records } = this.#scope;
    if (records === this.#records) return;
    this.#records = records;
    if (this.#next) this.#follow();
    this.changed();
  }

  /** Another link is in use: the picture is of the one before until this one brings a spectrum. */
  begin(link) {
    this.#next = link;
    this.#before = this.#scope.records;
    this.changed();
  }

  /** Takes the name of the link in use, once the picture is of it. */
  #follow() {
    this.#refresh();
    if (!this.#next || this.#scope.records === this.#before || this.#picture.paused) return;
    if (this.#from) this.#earlier.add(this.#from);
    this.#from = this.#next.name;
    this.#next = null;
    this.#earlier.delete(this.#from);
  }

  /** There is something new to draw. */
  changed() {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    requestAnimationFrame(() => { this.#isScheduled = false; this.#draw(); });
  }

  /** Everything that is shown, as a plain object. */
  state() {
    return { ...JSON.parse(this.#scope.picture()), frames: this.#frames, exported: this.#exported };
  }

  /** The panel is that of another tab. */
  get #isHidden() { return this.#root.offsetParent === null; }

  #one(selector) { return this.#root.querySelector(selector); }

  #readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of COLOURS) this.#colours[name] = style.getPropertyValue(`--${name}`).trim();
  }

  #refresh() { this.#picture = JSON.parse(this.#scope.picture()); }

  /** A user did something: tables follow with the next frame. */
  #command() {
    this.#tablesAt = -Infinity;
    this.changed();
  }

  #draw() {
    // The canvases would shrink to nothing; the observer of sizes reports when they are shown.
    if (this.#isHidden) return;
    const now = performance.now();
    if (now - this.#tablesAt >= TABLES_MS) {
      this.#tablesAt = now;
      this.#refresh();
      this.#showTables(now);
    }
    const { frequencies, levels } = this.#spectrum.room;
    const marks = JSON.parse(
      this.#scope.marks(frequencies, levels, this.#waterfall.room, this.#waterfall.lines),
    );
    this.#spectrum.draw(this.#scope, this.#picture, marks, this.#colours);
    this.#waterfall.draw(this.#scope, this.#picture, marks, this.#colours);
    this.#frames += 1;
    // Tables of the last record, if no other comes.
    clearTimeout(this.#late);
    this.#late = setTimeout(() => this.changed(), TABLES_MS);
    if (now === this.#tablesAt) clearTimeout(this.#late);
  }

  #showTables(now) {
    const picture = this.#picture;
    tables.peaks(this.#one('#peaks'), picture);
    tables.markers(this.#one('#markers'), picture);
    tables.facts(this.#one('#facts'), picture);
    this.#press('[data-do="pause"]', picture.paused);
    this.#press('[data-do="lock"]', picture.levels.locked);
    this.#press('[data-do="follow"]', picture.scale.automatic);
    for (const { name } of TRACES) this.#press(`[data-trace="${name}"]`, picture.traces[name]);
    this.#one('[data-trace="greatest"]').hidden = picture.stream?.detector !== 'mean+max';
    this.#number('#reference', picture.scale.referenceDb);
    this.#number('#range', picture.scale.rangeDb);
    this.#number('#from-level', picture.levels.fromDb);
    this.#number('#to-level', picture.levels.toDb);
    if (now - this.#spokenAt >= SPOKEN_MS && !picture.paused) {
      const [peak] = picture.peaks;
      if (peak) this.#speak(`Strongest peak: ${peak.hzText}, ${peak.levelText}`);
      this.#spokenAt = now;
    }
  }

  /** Says a sentence to screen readers, once. */
  #speak(sentence) {
    if (sentence !== this.#spoken) this.#one('#spoken').textContent = sentence;
    this.#spoken = sentence;
  }

  #press(selector, isPressed) { this.#one(selector).setAttribute('aria-pressed', String(isPressed)); }

  /** Shows a number in a field, unless someone is typing there. */
  #number(selector, value) {
    const field = this.#one(selector);
    if (document.activeElement !== field) field.value = String(Math.round(value));
  }

  #controls() {
    this.#root.addEventListener('click', (event) => {
      const button = event.target.closest('button');
      if (!button) return;
      if (button.dataset.do) this.do(button.dataset.do);
      if (button.dataset.trace) this.#toggle(button.dataset.trace);
    });
    const scale = () => {
      const [reference, range] = ['#reference', '#range'].map((id) => this.#one(id).valueAsNumber);
      this.#scope.set_scale(reference, range);
      this.#command();
    };
    const levels = () => {
      const [from, to] = ['#from-level', '#to-level'].map((id) => this.#one(id).valueAsNumber);
      this.#scope.set_levels(from, to);
      this.#command();
    };
    for (const id of ['#reference', '#range']) this.#one(id).addEventListener('change', scale);
    for (const id of ['#from-level', '#to-level']) this.#one(id).addEventListener('change', levels);
    this.#one('#merge').addEventListener('change', ({ target }) => {
      this.#scope.set_merge(target.value);
      this.#command();
    });
    this.#one('#rows').addEventListener('change', ({ target }) => {
      this.#scope.set_rows_per_line(Number(target.value));
      this.#command();
    });
    tables.keys(this.#one('#keys table'), KEYS.map(({ show, words }) => ({ key: show, words })));
    document.addEventListener('keydown', (event) => this.#key(event));
  }

  #key(event) {
    if (this.#isHidden) return;
    const { target } = event;
    const isElsewhere = target !== document.body && !this.#root.contains(target);
    const isField = target.closest?.('input, select, textarea, dialog[open]');
    if (isElsewhere || isField || event.ctrlKey || event.metaKey || event.altKey) return;
    // A button takes Space and Enter itself.
    if (target.tagName === 'BUTTON' && [' ', 'Enter'].includes(event.key)) return;
    const found = KEYS.find(({ keys, shift }) => keys.includes(event.key)
      && (shift === undefined || shift === event.shiftKey));
    if (!found) return;
    event.preventDefault();
    if (found.trace) this.#toggle(found.trace); else this.do(found.run);
  }

  #toggle(trace) {
    this.#refresh();
    const isShown = !this.#picture.traces[trace];
    this.#scope.show_trace(trace, isShown);
    this.#speak(`${trace.replace('-', ' ')} ${isShown ? 'shown' : 'hidden'}`);
    this.#command();
  }

  /** Carries out a command by its name, as the page's buttons and keys have it. */
  do(name) {
    this.#refresh();
    const scope = this.#scope;
    const { scale, paused, levels, span } = this.#picture;
    const selected = this.#picture.markers.find((marker) => marker.selected)?.number;
    const commands = {
      pause: () => { scope.pause(!paused); this.#speak(paused ? 'goes on' : 'paused'); },
      'reset-hold': () => { scope.reset_hold(); this.#speak('hold reset'); },
      'zoom-in': () => scope.zoom(ZOOM, 0.5),
      'zoom-out': () => scope.zoom(1 / ZOOM, 0.5),
      all: () => scope.show_all(),
      left: () => scope.pan(-0.1),
      right: () => scope.pan(0.1),
      follow: () => scope.follow_levels(),
      higher: () => scope.move_to_peak('higher'),
      lower: () => scope.move_to_peak('lower'),
      strongest: () => scope.move_to_peak('strongest'),
      add: () => { if (span) scope.add_marker((span.fromHz + span.toHz) / 2, 0); },
      refer: () => { if (selected) scope.refer_to_marker(selected); },
      remove: () => { if (selected) scope.remove_marker(selected); },
      clear: () => scope.clear_markers(),
      'nudge-left': () => scope.nudge_marker(-1),
      'nudge-right': () => scope.nudge_marker(1),
      up: () => scope.set_scale(scale.referenceDb - 5, scale.rangeDb),
      down: () => scope.set_scale(scale.referenceDb + 5, scale.rangeDb),
      narrower: () => scope.set_scale(scale.referenceDb, scale.rangeDb - 10),
      wider: () => scope.set_scale(scale.referenceDb, scale.rangeDb + 10),
      lock: () => { scope.lock_levels(!levels.locked); this.#speak(levels.locked ? 'colours follow' : 'colours locked'); },
      png: () => this.#savePng(),
      csv: () => this.#saveCsv(),
      keys: () => this.#one('#keys').showModal(),
      close: () => this.#one('#keys').close(),
    };
    commands[name]?.();
    this.#command();
    if (!['higher', 'lower', 'strongest', 'nudge-left', 'nudge-right'].includes(name)) return;
    this.#refresh();
    const marker = this.#picture.markers.find(({ selected: is }) => is);
    if (marker) {
      this.#speak(`Marker ${marker.number}: ${marker.hzText}, ${marker.levelText}`);
    }
  }

  /** What is shown, for files that are saved: where it comes from stands first. */
  #caption() {
    this.#follow();
    const { stream } = this.#picture;
    const from = `${this.#from ?? 'no board'}${this.#next ? ' (the line before)' : ''}`;
    return !stream ? from : `${from}; ${stream.source}, ${stream.rateText}; ${stream.n} points, ${stream.domain}, `
      + `${stream.window} window; resolution bandwidth ${stream.rbwText}; record ${stream.record}`;
  }

  #save(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    // After the browser has taken it.
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    this.#exported = { name, bytes: blob.size, type: blob.type };
  }

  #saveCsv() {
    const table = this.#scope.csv();
    if (table === undefined) { this.#speak('There is no spectrum to save yet.'); return; }
    this.#save(new Blob([`# ${this.#caption()}\n${table}`], { type: 'text/csv' }), 'spectrum.csv');
  }

  /** Both plots, one above the other, and what they show. */
  #savePng() {
    const plots = ['#spectrum', '#waterfall'].map((id) => this.#one(id));
    const both = document.createElement('canvas');
    both.width = Math.max(...plots.map((plot) => plot.width));
    const ratio = window.devicePixelRatio || 1;
    both.height = plots.reduce((sum, plot) => sum + plot.height, Math.round(CAPTION * ratio));
    const context = both.getContext('2d');
    context.fillStyle = this.#colours.plot;
    context.fillRect(0, 0, both.width, both.height);
    let y = 0;
    for (const plot of plots) {
      context.drawImage(plot, 0, y);
      y += plot.height;
    }
    context.fillStyle = this.#colours.text;
    context.font = `${12 * ratio}px system-ui, sans-serif`;
    const older = this.#earlier.size > 0 ? `; older lines may be of ${[...this.#earlier].join(', ')}` : '';
    context.fillText(this.#caption() + older, 8 * ratio, y + 15 * ratio, both.width - 16 * ratio);
    both.toBlob((blob) => { if (blob) this.#save(blob, 'spectrum.png'); }, 'image/png');
  }
}

/**
 * Fills a section with the view of a scope.
 * @param {HTMLElement} section
 * @param {object} scope the wasm's Scope
 * @returns {View} `fed`: the scope has got bytes; `begin`: another link is in use; `changed`:
 *   something else is to be drawn; `do`: carries out a command; `state`
 */
export function mountView(section, scope) { return new View(scope, section); }
