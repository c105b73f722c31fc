// The plan of the QPUs beside the graph, for the same or another length.

import { element, labelled } from './dom.js';
import { table } from './flow-result.js';

const LEAST = 4;
const MOST = 22;
const SAME = 'same';

/**
 * @param {object} wasm
 * @returns {{element: HTMLElement, follow: (points: number) => void, state: () => object}}
 */
export function planPanel(wasm) {
  const lengths = Array.from({ length: MOST - LEAST + 1 }, (_, at) => LEAST + at);
  const length = element('select', { id: 'flow-plan-length' },
    element('option', { value: SAME, textContent: 'as the graph' }),
    ...lengths.map((log2) => element('option', { value: log2, textContent: `2^${log2} = ${2 ** log2}` })));
  const board = element('select', { id: 'flow-plan-board' },
    element('option', { value: 'pi1', textContent: 'Raspberry Pi 1' }),
    element('option', { value: 'pi2', textContent: 'Raspberry Pi 2' }));
  const note = element('p', { className: 'note', role: 'status' });
  const passes = element('div', { className: 'flow-scroll', tabIndex: 0, role: 'region', 'aria-label': 'Passes of the plan' });
  const sentences = element('ul');
  const picture = element('img', { id: 'flow-plan-picture' });
  const save = element('a', { id: 'flow-plan-save', textContent: 'Save the picture' });
  const scroll = element('div', { className: 'flow-scroll flow-paper', tabIndex: 0, role: 'region', 'aria-label': 'Picture of the passes' }, picture);
  const panel = element('section', { 'aria-labelledby': 'flow-plan-title' },
    element('h2', { id: 'flow-plan-title', textContent: 'The same on twelve QPUs' }),
    element('p', { textContent: 'A QPU of VideoCore IV works on 16 lanes at a time, and memory decides the speed: '
      + 'so the plan takes few passes over memory, each of a large radix. Modelled on the simulator, not yet run on hardware.' }),
    element('div', { className: 'fields' }, labelled('Points of the plan', length), labelled('Board', board)),
    note, passes, sentences, scroll, element('p', {}, save));
  let points = 2 ** LEAST;
  let state = {};

  function show() {
    const asked = length.value === SAME ? Math.log2(points) : Number(length.value);
    const log2 = Math.max(LEAST, asked);
    note.textContent = asked < LEAST
      ? `The QPU plan has ${2 ** LEAST} points or more, not ${points}: here is that of ${2 ** LEAST}.` : '';
    const plan = wasm.QpuPlan.of(log2, board.value === 'pi2');
    if (!plan) {
      note.textContent = `There is no plan of 2^${log2} points: choose another length.`;
      return;
    }
    const headings = wasm.QpuPlan.headings();
    const { title, split, cells, clocks } = plan;
    const rows = [];
    for (let at = 0; at < cells.length; at += headings.length) rows.push(cells.slice(at, at + headings.length));
    passes.replaceChildren(table({ caption: `${title}: ${split}`, headings, rows }));
    sentences.replaceChildren(...plan.sentences.map((text) => element('li', { textContent: text })));
    URL.revokeObjectURL(picture.src);
    picture.src = URL.createObjectURL(new Blob([plan.picture], { type: 'image/svg+xml' }));
    picture.alt = `Data flow of the passes ${split}`;
    save.href = picture.src;
    save.download = `fft-${2 ** log2}.svg`;
    state = { points: 2 ** log2, board: board.value, split, clocks, rows, sentences: plan.sentences, note: note.textContent };
    plan.free();
  }

  length.onchange = show;
  board.onchange = show;
  return {
    element: panel,
    follow(graphPoints) {
      points = graphPoints;
      if (length.value === SAME) show();
    },
    state: () => ({ ...state, pictureWidth: picture.naturalWidth }),
  };
}
