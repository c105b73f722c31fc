// The input of a flow graph, which the visitor draws: a point for each sample, of complex ones two.

import { followWidth, shape } from './svg.js';

const HEIGHT = 200;
const EDGE = 14;
/** A drawn value is a multiple of this, so that the numbers stay short. */
const GRID = 0.05;
const STEP = 0.1;
const FINE_STEP = 0.01;

const NAMES = ['real part', 'imaginary part'];

const clamp = (value) => Math.max(-1, Math.min(1, value));
/** Without the dust of binary fractions. */
const rounded = (value, grid) => Number((Math.round(value / grid) * grid).toFixed(4));

/** A drawing area with a slider for each part of each sample. */
export class InputArea {
  /** The SVG element. */
  element = shape('svg', {
    class: 'flow-input', role: 'group',
    'aria-label': 'Samples. Draw with mouse or finger; arrow keys up and down move a sample, left and right choose one.',
  });
  /** Called when a sample was moved: its index, 0 for the real and 1 for the imaginary part, its value. */
  onDraw = () => {};
  /** The part that is drawn with the pointer. */
  part = 0;

  #width = 640;
  #points = 0;
  #handles = [];
  #samples = [];
  /** Where the pointer was while it draws. */
  #last = null;

  constructor() {
    const area = this.element;
    area.addEventListener('pointerdown', (event) => {
      area.setPointerCapture(event.pointerId);
      event.preventDefault();
      this.#last = null;
      this.#draw(event);
    });
    area.addEventListener('pointermove', (event) => {
      if (this.#last && event.buttons & 1) this.#draw(event);
    });
    for (const end of ['pointerup', 'pointercancel']) area.addEventListener(end, () => { this.#last = null; });
    area.addEventListener('keydown', (event) => this.#key(event));
    followWidth(area, HEIGHT, (width) => {
      this.#width = width;
      if (this.#points > 0) {
        this.#build(this.#points, this.#handles.length);
        this.show(this.#samples, this.#handles.length > 1);
      }
    });
  }

  /** Shows samples: pairs of real and imaginary part. */
  show(samples, isComplex) {
    const points = samples.length / 2;
    const parts = isComplex ? 2 : 1;
    this.#samples = samples;
    if (this.#points !== points || this.#handles.length !== parts) this.#build(points, parts);
    for (let part = 0; part < parts; part++) {
      for (let index = 0; index < points; index++) this.#move(part, index, samples[2 * index + part]);
    }
  }

  #x(index) { return EDGE + ((index + 0.5) * (this.#width - 2 * EDGE)) / this.#points; }
  #y(value) { return HEIGHT / 2 - value * (HEIGHT / 2 - EDGE); }

  #build(points, parts) {
    this.#points = points;
    const lines = [1, 0, -1].map((value) => shape('line', {
      class: value ? 'grid' : 'axis', x1: EDGE, x2: this.#width - EDGE, y1: this.#y(value), y2: this.#y(value),
    }));
    const words = [[1, '1'], [-1, '\u22121']].map(([value, text]) =>
      shape('text', { x: 2, y: this.#y(value) + 4, 'aria-hidden': 'true' }, text));
    this.#handles = Array.from({ length: parts }, (_, part) =>
      Array.from({ length: points }, (_, index) => this.#handle(part, index, parts)));
    this.element.replaceChildren(...lines, ...words, ...this.#handles.flat().map(({ group }) => group));
    for (const handles of this.#handles) handles[0].group.setAttribute('tabindex', 0);
  }

  #handle(part, index, parts) {
    const stem = shape('line', { class: 'stem' });
    // A ring and a diamond: told apart without colour.
    const mark = part === 0 ? shape('circle', { r: 5 }) : shape('path', { d: 'M-6 0L0 -6L6 0L0 6Z' });
    const group = shape('g', {
      class: part === 0 ? 'real' : 'imaginary', role: 'slider', tabindex: -1, 'aria-orientation': 'vertical',
      'aria-valuemin': -1, 'aria-valuemax': 1,
      'aria-label': parts > 1 ? `x[${index}], ${NAMES[part]}` : `x[${index}]`,
    }, stem, mark);
    group.dataset.at = `${part} ${index}`;
    return { group, stem, mark, value: 0 };
  }

  #move(part, index, value) {
    const handle = this.#handles[part][index];
    const [x, y] = [this.#x(index) + (this.#handles.length > 1 ? 6 * part - 3 : 0), this.#y(value)];
    handle.value = value;
    handle.mark.setAttribute('transform', `translate(${x} ${y})`);
    const ends = { x1: x, x2: x, y1: this.#y(0), y2: y };
    for (const [key, end] of Object.entries(ends)) handle.stem.setAttribute(key, end);
    handle.group.setAttribute('aria-valuenow', rounded(value, FINE_STEP));
  }

  #draw(event) {
    const box = this.element.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * this.#width;
    const y = ((event.clientY - box.top) / box.height) * HEIGHT;
    const share = (x - EDGE) / (this.#width - 2 * EDGE);
    const index = Math.max(0, Math.min(this.#points - 1, Math.floor(share * this.#points)));
    const value = rounded(clamp((HEIGHT / 2 - y) / (HEIGHT / 2 - EDGE)), GRID);
    const part = Math.min(this.part, this.#handles.length - 1);
    // A fast pointer skips samples: those between lie on the line.
    const from = this.#last ?? { index, value };
    const steps = Math.max(1, Math.abs(index - from.index));
    for (let step = 1; step <= steps; step++) {
      const at = Math.round(from.index + ((index - from.index) * step) / steps);
      this.onDraw(at, part, rounded(from.value + ((value - from.value) * step) / steps, GRID));
    }
    this.#last = { index, value };
    this.#focus(part, index);
  }

  #key(event) {
    const at = event.target.closest('[role=slider]')?.dataset.at;
    if (!at) return;
    const [part, index] = at.split(' ').map(Number);
    const { value } = this.#handles[part][index];
    const step = event.shiftKey ? FINE_STEP : STEP;
    const values = {
      ArrowUp: value + step, ArrowDown: value - step, PageUp: value + 5 * STEP, PageDown: value - 5 * STEP,
      Home: -1, End: 1,
    };
    const moves = { ArrowLeft: -1, ArrowRight: 1 };
    if (event.key in values) this.onDraw(index, part, rounded(clamp(values[event.key]), FINE_STEP));
    else if (event.key in moves) this.#focus(part, (index + moves[event.key] + this.#points) % this.#points);
    else return;
    event.preventDefault();
  }

  #focus(part, index) {
    for (const [other, { group }] of this.#handles[part].entries()) {
      group.setAttribute('tabindex', other === index ? 0 : -1);
    }
    this.#handles[part][index].group.focus({ preventScroll: true });
  }
}
