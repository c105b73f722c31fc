// The result of a flow graph: bars of magnitude, and all numbers as a table.

import { element } from './dom.js';
import { followWidth, shape } from './svg.js';

const HEIGHT = 190;
const [LEFT, TOP, BOTTOM] = [14, 20, 22];
/** Width of a letter. */
const LETTER = 7.3;

/** Bars of magnitude, bins in order. */
export class Bars {
  element = shape('svg', { class: 'flow-bars', role: 'img' });
  #width = 640;
  #shown = null;

  constructor() {
    followWidth(this.element, HEIGHT, (width) => {
      this.#width = width;
      if (this.#shown) this.show(...this.#shown);
    });
  }

  /**
   * @param {Float64Array} magnitudes
   * @param {string[]} labels the same as text
   */
  show(magnitudes, labels) {
    this.#shown = [magnitudes, labels];
    const count = magnitudes.length;
    const most = Math.max(...magnitudes);
    // Rounding alone is no bar.
    const scale = most > 1e-9 ? (HEIGHT - TOP - BOTTOM) / most : 0;
    const step = (this.#width - 2 * LEFT) / count;
    // A label takes the room of its own bar.
    const letters = Math.max(...labels.map((label) => label.length));
    const hasLabels = (letters + 1) * LETTER <= step;
    const every = [1, 2, 4, 8, 16].find((bars) => 3 * LETTER <= bars * step) ?? 32;
    const base = HEIGHT - BOTTOM;
    const shapes = [shape('line', { class: 'axis', x1: LEFT, x2: this.#width - LEFT, y1: base, y2: base })];
    for (const [bin, magnitude] of magnitudes.entries()) {
      const height = magnitude * scale;
      const x = LEFT + bin * step;
      const middle = { x: x + step / 2, 'text-anchor': 'middle' };
      shapes.push(shape('rect', { class: 'bar', x: x + step / 8, y: base - height, width: (step * 3) / 4, height }));
      if (hasLabels) shapes.push(shape('text', { ...middle, y: base - height - 4 }, labels[bin]));
      if (bin % every === 0) shapes.push(shape('text', { ...middle, y: base + 15 }, String(bin)));
    }
    this.element.replaceChildren(...shapes);
    const greatest = magnitudes.indexOf(most);
    this.element.setAttribute('aria-label', scale > 0
      ? `Magnitudes of bins 0 to ${count - 1}; the greatest is ${labels[greatest]} at bin ${greatest}.`
      : `Magnitudes of bins 0 to ${count - 1}: all are 0.`);
  }
}

/** All numbers, for readers of tables; it is made while it is open. */
export class NumbersTable {
  element = element('details', { className: 'flow-numbers' }, element('summary', { textContent: 'All numbers as a table' }));
  #box = element('div', { className: 'flow-scroll' });
  #make = () => null;

  constructor() {
    this.element.append(this.#box);
    this.element.ontoggle = () => this.#fill();
  }

  /** Takes what makes the content: `{caption, headings, rows}` of texts. */
  show(make) {
    this.#make = make;
    this.#fill();
  }

  #fill() {
    const content = this.element.open ? this.#make() : null;
    this.#box.replaceChildren(...(content ? [table(content)] : []));
  }
}

/**
 * A table of texts; the first cell of a row is its heading.
 * @param {{caption: string, headings: string[], rows: string[][]}} content
 */
export function table({ caption, headings, rows }) {
  const head = headings.map((text) => element('th', { scope: 'col', className: 'number', textContent: text }));
  const line = ([first, ...rest]) => element('tr', {},
    element('th', { scope: 'row', className: 'number', textContent: first }),
    ...rest.map((text) => element('td', { className: 'number', textContent: text })));
  return element('table', {},
    element('caption', { textContent: caption }),
    element('thead', {}, element('tr', {}, ...head)),
    element('tbody', {}, ...rows.map(line)));
}
