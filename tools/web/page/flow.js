// "How an FFT is made": an input that the visitor draws, the numbers that travel through the flow
// graph stage by stage, the result, and the plan of the QPUs beside it.

import { choice, element, labelled } from './dom.js';
import { Graph } from './flow-graph.js';
import { InputArea } from './flow-input.js';
import { planPanel } from './flow-plan.js';
import { Bars, NumbersTable } from './flow-result.js';
import { withRoots } from './svg.js';

const LENGTHS = [4, 8, 16, 32, 64];
const DRAWN = 'drawn';
const PRESETS = [
  ['impulse', 'impulse'], ['step', 'step'], ['tone', 'cosine of bin'], ['noise', 'noise of seed'], [DRAWN, 'drawn by hand'],
];
/** Presets that take a number, and its name. */
const NUMBERED = { tone: 'Bin', noise: 'Seed' };
const MOST_NUMBER = 9999;

/**
 * @param {HTMLElement} section
 * @param {object} wasm
 * @returns {() => object} the panel's plain state
 */
export function mountFlow(section, wasm) {
  const points = choice('flow-points', LENGTHS.map((n) => [n, String(n)]), 8);
  const radix = choice('flow-radix', [2, 4, 8].map((n) => [n, String(n)]), 2);
  const decimation = choice('flow-decimation', [['frequency', 'in frequency'], ['time', 'in time']], 'frequency');
  const digits = choice('flow-digits', [0, 1, 2, 3, 4, 6].map((n) => [n, String(n)]), 2);
  const signal = choice('flow-signal', PRESETS, 'tone');
  const number = element('input', { id: 'flow-number', type: 'number', min: 0, max: MOST_NUMBER, step: 1, value: 1, required: true });
  const note = element('p', { id: 'flow-note', className: 'note', role: 'status' });
  const numberLabel = labelled('Bin', number);
  const kind = choice('flow-kind', [['real', 'real'], ['complex', 'complex (I and Q)']], 'real');
  const part = choice('flow-part', [['0', 'real parts (rings)'], ['1', 'imaginary parts (diamonds)']], '0');
  const partLabel = labelled('The pointer draws', part);
  const area = new InputArea();
  const graph = new Graph();
  const bars = new Bars();
  const numbers = new NumbersTable();
  const plan = planPanel(wasm);
  const stageWords = element('p', { id: 'flow-stage', role: 'status' });
  const nodeWords = element('p', { id: 'flow-node', className: 'note', role: 'status' });
  const steps = [
    ['flow-first', 'Input only', () => showStage(0)],
    ['flow-back', 'Stage back', () => showStage(stage - 1)],
    ['flow-next', 'Next stage', () => showStage(stage + 1)],
    ['flow-all', 'All stages', () => showStage(flow.radices.length)],
  ].map(([id, textContent, onclick]) => element('button', { id, type: 'button', textContent, onclick }));
  const [first, back, next, all] = steps;

  let flow = null;
  let samples = null;
  /** Stages that are shown: 0 is the input alone. */
  let stage = 0;
  let chosen = null;

  const toneOption = signal.querySelector('[value=tone]');
  const isComplex = () => kind.value === 'complex';
  const isInTime = () => decimation.value === 'time';

  /** Says what is wrong with the preset's number, or what becomes of it; true if it can be taken. */
  function checkNumber() {
    const isRight = numberLabel.hidden || number.checkValidity();
    const [bin, count] = [number.valueAsNumber, Number(points.value)];
    if (!isRight) note.textContent = `Give a whole number from 0 to ${MOST_NUMBER}; the samples are as before.`;
    else if (signal.value !== 'tone' || bin < count) note.textContent = '';
    else note.textContent = `${count} samples cannot tell bin ${bin} from bin ${bin % count}.`;
    return isRight;
  }

  /** Samples of the preset; of drawn ones those that are nearest at another length. */
  function makeSamples() {
    const count = Number(points.value);
    const isRight = checkNumber();
    const made = isRight && wasm.preset(signal.value, number.valueAsNumber || 0, count, isComplex());
    if (made) {
      samples = made;
      return;
    }
    const before = samples;
    const had = before.length / 2;
    samples = new Float64Array(2 * count);
    for (let index = 0; index < count; index++) {
      const from = 2 * Math.floor((index * had) / count);
      samples[2 * index] = before[from];
      if (isComplex()) samples[2 * index + 1] = before[from + 1];
    }
  }

  function rebuild() {
    flow?.free();
    flow = wasm.Flow.of(Number(points.value), Number(radix.value), isInTime());
    chosen = null;
    makeSamples();
    redraw();
    showStage(flow.radices.length);
    plan.follow(Number(points.value));
  }

  function redraw() {
    const placed = flow.place(Number(digits.value), isComplex());
    graph.draw(flow, placed);
    placed.free();
    refresh();
  }

  /** Lets the numbers travel. */
  function refresh() {
    flow.set_input(samples);
    area.show(samples, isComplex());
    const labels = flow.labels(Number(digits.value));
    graph.write(labels);
    bars.show(flow.magnitudes, flow.magnitude_labels(Number(digits.value)));
    numbers.show(() => content(labels));
    explain(chosen);
  }

  function content(labels) {
    const count = samples.length / 2;
    const ends = [...flow.radices].map((_, index) => flow.columns_of(index)[1] - 1);
    const [inputs, bins] = [flow.samples, flow.bins];
    return {
      caption: `Numbers of ${count} rows behind each stage`,
      headings: ['row', 'sample', 'value', ...ends.map((_, index) => `stage ${index + 1}`), 'bin'],
      rows: Array.from({ length: count }, (_, row) => [
        String(row), `x[${inputs[row]}]`, labels[row],
        ...ends.map((column) => labels[column * count + row]), `X[${bins[row]}]`,
      ]),
    };
  }

  function showStage(wanted) {
    const stages = flow.radices.length;
    stage = Math.max(0, Math.min(stages, wanted));
    const [from, shown] = stage > 0 ? flow.columns_of(stage - 1) : [0, 1];
    const current = Array.from({ length: shown - from }, (_, at) => from + at);
    graph.stage(shown, stage > 0 ? current : [], stage - 1);
    first.disabled = back.disabled = stage === 0;
    next.disabled = all.disabled = stage === stages;
    stageWords.textContent = stage > 0 ? flow.stage_words(stage - 1)
      : flow.input_words;
    if (stage === stages) stageWords.textContent += ` ${flow.output_words}`;
    if (chosen && chosen.column >= shown) choose(null);
  }

  /** The columns that are shown. */
  const shownColumns = () => (stage > 0 ? flow.columns_of(stage - 1)[1] : 1);

  function choose(node) {
    chosen = node;
    explain(node);
  }

  /** Says where the number at a node came from, and lights up its way. */
  function explain(node) {
    graph.light(node && wayTo(node));
    const words = node && flow.explanation(node.column, node.row, Number(digits.value));
    nodeWords.replaceChildren(...withRoots(words ?? 'Point at a number, or choose one with the arrow keys, to see where it came from.'));
  }

  /** The nodes on the way to a node, from right to left, with those of the same stage marked as near. */
  function wayTo({ column, row }) {
    const nearest = [...flow.radices.keys()].map((index) => flow.columns_of(index)).find(([, end]) => column < end);
    const way = [];
    let rows = [row];
    for (let at = column; at > 0; at--) {
      const reached = new Set();
      for (const one of rows) {
        const sources = [...flow.sources(at, one)];
        sources.forEach((source) => reached.add(source));
        way.push({ column: at, row: one, sources, isNear: at >= nearest[0] });
      }
      rows = reached;
    }
    return { column, row, steps: way };
  }

  function graphKey(event) {
    const columns = shownColumns();
    const rows = samples.length / 2;
    const { column, row } = chosen ?? { column: 0, row: 0 };
    const wrap = (value, count) => (value + count) % count;
    const moves = {
      ArrowRight: () => ({ column: Math.min(column + 1, columns - 1), row }),
      ArrowLeft: () => ({ column: Math.max(column - 1, 0), row }),
      ArrowDown: () => ({ column, row: wrap(row + 1, rows) }),
      ArrowUp: () => ({ column, row: wrap(row - 1, rows) }),
      Home: () => ({ column: 0, row }),
      End: () => ({ column: columns - 1, row }),
    };
    if (event.key === 'PageDown') showStage(stage + 1);
    else if (event.key === 'PageUp') showStage(stage - 1);
    else if (event.key === 'Escape') choose(null);
    else if (moves[event.key]) {
      const node = chosen ? moves[event.key]() : { column: 0, row: 0 };
      choose(node);
      graph.reveal(node.column, node.row);
    } else return;
    event.preventDefault();
  }

  function takeSignal() {
    numberLabel.hidden = !(signal.value in NUMBERED);
    numberLabel.firstChild.textContent = NUMBERED[signal.value] ?? '';
    toneOption.textContent = isComplex() ? 'turning tone of bin' : 'cosine of bin';
    partLabel.hidden = !isComplex();
    area.part = isComplex() ? Number(part.value) : 0;
  }

  area.onDraw = (index, of, value) => {
    samples[2 * index + of] = value;
    signal.value = DRAWN;
    takeSignal();
    checkNumber();
    refresh();
  };
  graph.onPoint = (node) => explain(node && node[0] < shownColumns() ? { column: node[0], row: node[1] } : chosen);
  graph.onChoose = (column, row) => { if (column < shownColumns()) choose({ column, row }); };
  graph.element.addEventListener('keydown', graphKey);
  for (const control of [points, radix, decimation]) control.onchange = rebuild;
  digits.onchange = () => { redraw(); showStage(stage); };
  for (const control of [signal, number]) control.oninput = () => { takeSignal(); makeSamples(); refresh(); };
  kind.onchange = () => { takeSignal(); makeSamples(); redraw(); showStage(stage); };
  part.onchange = takeSignal;
  graph.element.setAttribute('aria-label',
    'Flow graph. Arrow keys choose a number, page up and page down go from stage to stage, escape lets go.');

  section.replaceChildren(
    element('section', { 'aria-labelledby': 'flow-title' },
      element('h2', { id: 'flow-title', textContent: 'Draw samples, and see them become a spectrum' }),
      element('div', { className: 'fields' },
        labelled('Points', points), labelled('Radix', radix), labelled('Decimation', decimation), labelled('Digits', digits),
        labelled('Samples', kind), labelled('Signal', signal), numberLabel, partLabel),
      note, area.element),
    element('section', { 'aria-label': 'Flow graph' },
      element('div', { className: 'row', role: 'group', 'aria-label': 'Stages' }, ...steps),
      stageWords, nodeWords,
      element('div', { className: 'flow-scroll flow-graph-box' }, graph.element)),
    element('section', { 'aria-labelledby': 'flow-result-title' },
      element('h2', { id: 'flow-result-title', textContent: 'Magnitude of each bin' }),
      bars.element, numbers.element),
    plan.element);
  takeSignal();
  rebuild();

  return () => ({
    points: samples.length / 2, radix: Number(radix.value), radices: [...flow.radices], decimation: decimation.value,
    digits: Number(digits.value), signal: signal.value, isComplex: isComplex(), samples: [...samples],
    stage, columns: shownColumns(), spectrum: [...flow.spectrum], magnitudes: [...flow.magnitudes], labels: flow.labels(Number(digits.value)),
    order: [...flow.bins], chosen, note: note.textContent, stageWords: stageWords.textContent, nodeWords: nodeWords.textContent, plan: plan.state(),
  });
}
