// The flow graph on the page: nodes, edges and the numbers on them.

import { shape, withRootsInSvg } from './svg.js';

/** Ways of edges, as the wasm numbers them. */
const WAYS = ['direct', 'in', 'out', 'twiddle'];
const HUB = 6;

/** The key of an edge: direct ones by both rows, others by the row that they alone belong to. */
function key(way, column, from, to) {
  if (way === 'direct') return `direct ${column} ${from} ${to}`;
  return `${way} ${column} ${way === 'in' ? from : to}`;
}

export class Graph {
  /** The SVG element, which takes the keys. */
  element = shape('svg', { class: 'flow-graph', tabindex: 0, role: 'application', 'aria-roledescription': 'flow graph' });
  /** Called with the column and row of the node that the visitor points at, or with nothing. */
  onPoint = () => {};
  /** Called with the node that the visitor chose. */
  onChoose = () => {};

  #edges = new Map();
  #nodes = [];
  #hubs = [];
  #headings = [];

  constructor() {
    const nodeOf = ({ target }) => {
      const at = target.closest?.('.node')?.dataset.at;
      return at?.split(' ').map(Number);
    };
    this.element.addEventListener('pointerover', (event) => this.onPoint(nodeOf(event)));
    this.element.addEventListener('pointerleave', () => this.onPoint(undefined));
    this.element.addEventListener('click', (event) => {
      const node = nodeOf(event);
      if (node) this.onChoose(...node);
    });
  }

  /**
   * Draws another graph.
   * @param {object} flow the wasm's Flow
   * @param {object} placed where it stands
   */
  draw(flow, placed) {
    const { width, height, nodes, leads, rows, edges, ends } = placed;
    const [samples, bins, twiddles, radices] = [flow.samples, flow.bins, flow.twiddles, flow.radices];
    const size = { width, height, viewBox: `0 0 ${width} ${height}` };
    for (const [name, value] of Object.entries(size)) this.element.setAttribute(name, value);
    const drawing = shape('g', { 'aria-hidden': 'true' });
    this.#edges.clear();
    this.#hubs = [];
    for (let at = 0; at < edges.length; at += 4) {
      const [way, column, from, to] = edges.subarray(at, at + 4);
      const [x1, y1, x2, y2] = ends.subarray(at, at + 4);
      const line = shape('line', { class: 'edge', x1, y1, x2, y2 });
      const group = shape('g', {}, line);
      if (WAYS[way] === 'twiddle') this.#twiddle(group, twiddles[column * rows.length + to], (x1 + x2) / 2, y1);
      this.#edges.set(key(WAYS[way], column, from, to), { group, column });
      drawing.append(group);
      // One hub for all legs that come in.
      if (WAYS[way] === 'in' && from === to) this.#hubs.push(this.#hub(x2, y2, column, radices[(column - 1) / 2]));
    }
    drawing.append(...this.#hubs.map(({ group }) => group));
    this.#nodes = [...nodes].map((x, column) => [...rows].map((y, row) => {
      const node = this.#node(x, y, leads[column], column, row);
      drawing.append(node.group);
      return node;
    }));
    const name = (x, row, anchor, text) =>
      drawing.append(shape('text', { x, y: rows[row] + 4, 'text-anchor': anchor }, text));
    for (const row of rows.keys()) {
      name(nodes[0] - 8, row, 'end', `x[${samples[row]}]`);
      name(leads.at(-1) + 6, row, 'start', `X[${bins[row]}]`);
    }
    this.#headings = [...radices].map((radix, stage) => {
      const [start] = flow.columns_of(stage);
      const text = shape('text', { class: 'heading', x: leads[start - 1], y: 20 }, `Stage ${stage + 1}, radix ${radix}`);
      drawing.append(text);
      return text;
    });
    this.element.replaceChildren(drawing);
  }

  #twiddle(group, words, x, y) {
    if (!words) return;
    group.append(shape('text', { class: 'twiddle', x, y: y - 4, 'text-anchor': 'middle' }, ...withRootsInSvg(words)));
  }

  #hub(x, y, column, radix) {
    const group = shape('g', { class: 'hub' },
      shape('circle', { cx: x, cy: y, r: HUB }),
      shape('text', { x, y: y + 3, 'text-anchor': 'middle' }, String(radix)));
    return { group, column };
  }

  #node(x, y, lead, column, row) {
    const number = shape('text', { class: 'number', x: x + 7, y: y - 4 });
    const group = shape('g', { class: 'node' },
      // Large enough for a finger.
      shape('rect', { class: 'reach', x: x - 8, y: y - 16, width: lead - x + 8, height: 24 }),
      shape('line', { class: 'edge', x1: x, y1: y, x2: lead, y2: y }),
      shape('circle', { cx: x, cy: y, r: 3 }), number);
    group.dataset.at = `${column} ${row}`;
    return { group, number };
  }

  /** Writes the numbers: those of all nodes, column by column. */
  write(labels) {
    let at = 0;
    for (const column of this.#nodes) for (const { number } of column) number.textContent = labels[at++];
  }

  /** Shows the columns before `shown`, and marks those of the stage that is looked at. */
  stage(shown, current, number) {
    const mark = ({ group, column }) => {
      group.classList.toggle('later', column >= shown);
      group.classList.toggle('current', current.includes(column));
    };
    this.#edges.forEach(mark);
    this.#hubs.forEach(mark);
    this.#nodes.forEach((nodes, column) => nodes.forEach(({ group }) => mark({ group, column })));
    this.#headings.forEach((text, stage) => text.classList.toggle('current', stage === number));
  }

  /**
   * Lights up the way to a node; nothing without one.
   * @param {?{column: number, row: number, steps: {column: number, row: number, sources: number[], isNear: boolean}[]}} way
   */
  light(way) {
    for (const lit of this.element.querySelectorAll('.near, .far, .chosen')) lit.classList.remove('near', 'far', 'chosen');
    if (!way) return;
    this.#nodes[way.column]?.[way.row]?.group.classList.add('chosen');
    for (const { column, row, sources, isNear } of way.steps) {
      const keys = [key('out', column, 0, row), key('twiddle', column, 0, row)];
      for (const from of sources) keys.push(key('in', column, from, 0), key('direct', column, from, row));
      const groups = keys.map((one) => this.#edges.get(one)?.group);
      for (const from of sources) groups.push(this.#nodes[column - 1][from].group);
      for (const group of groups) group?.classList.add(isNear ? 'near' : 'far');
    }
  }

  /** Scrolls so that a node is to be seen. */
  reveal(column, row) {
    this.#nodes[column]?.[row]?.group.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }
}
