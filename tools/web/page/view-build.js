// The elements of the view. Controls say what they do by `data-do` or `data-trace`.

import { choice, element, labelled } from './dom.js';

function button(name, words, properties = {}) {
  const made = element('button', { type: 'button', textContent: words, ...properties });
  made.dataset.do = name;
  return made;
}

function trace(name, words, isPressed) {
  const made = element('button', { type: 'button', textContent: words, 'aria-pressed': String(isPressed) });
  made.dataset.trace = name;
  return made;
}

function number(id, words, step, least, most) {
  return labelled(words, element('input', { id, type: 'number', step, min: least, max: most }));
}

/** A table with a heading above it, which names it. */
function panel(id, heading, ...controls) {
  const title = element('h2', { id: `${id}-title`, textContent: heading });
  const table = element('table', { id, 'aria-labelledby': `${id}-title` }, element('thead'), element('tbody'));
  return element('section', { 'aria-labelledby': `${id}-title` }, title, ...controls, table);
}

function tools(role, name, ...buttons) {
  return element('div', { className: 'row', role, 'aria-label': name }, ...buttons);
}

function plot(id, name) {
  return element('canvas', { id, role: 'img', tabIndex: 0, 'aria-label': name });
}

function scalePanel() {
  const fields = element('div', { className: 'fields' },
    number('reference', 'Reference level (dB)', 5, -400, 400),
    number('range', 'Range (dB)', 10, 10, 400),
    button('follow', 'Follow levels', { 'aria-pressed': 'true' }),
    number('from-level', 'Weakest colour (dB)', 5, -400, 400),
    number('to-level', 'Strongest colour (dB)', 5, -400, 400),
    button('lock', 'Lock colours', { 'aria-pressed': 'false' }),
    labelled('Bins that share a pixel', choice('merge', [['max', 'greatest'], ['mean', 'mean']])),
    labelled('Records in a line', choice('rows', [1, 2, 4, 8, 16, 64].map((rows) => [rows, `${rows}`]))));
  const title = element('h2', { id: 'scale-title', textContent: 'Scale' });
  return element('section', { 'aria-labelledby': 'scale-title' }, title, fields);
}

function markersPanel() {
  return panel('markers', 'Markers', tools('group', 'Markers',
    button('strongest', 'Strongest'),
    button('lower', '◀ Peak', { 'aria-label': 'To the next lower peak' }),
    button('higher', 'Peak ▶', { 'aria-label': 'To the next higher peak' }),
    button('add', 'Add'),
    button('refer', 'Reference', { 'aria-label': 'Make the selected marker the reference' }),
    button('remove', 'Remove'),
    button('clear', 'Remove all')));
}

function keysDialog() {
  return element('dialog', { id: 'keys', 'aria-labelledby': 'keys-title' },
    element('div', { className: 'row' },
      element('h2', { id: 'keys-title', textContent: 'Keys' }), button('close', 'Close')),
    element('table', { 'aria-labelledby': 'keys-title' }, element('tbody')),
    element('p', { textContent: 'Mouse: click for a marker; drag a marker, or else the span; wheel to zoom, with Shift to move.' }),
    element('p', { textContent: 'Touch: tap for a marker, drag, pinch.' }));
}

/** Fills the section. @param {HTMLElement} section */
export function build(section) {
  section.replaceChildren(
    tools('toolbar', 'Picture',
      button('pause', 'Pause', { 'aria-pressed': 'false' }),
      button('zoom-out', '−', { 'aria-label': 'Zoom out' }),
      button('zoom-in', '+', { 'aria-label': 'Zoom in' }),
      button('left', '◀', { 'aria-label': 'Move the span down' }),
      button('right', '▶', { 'aria-label': 'Move the span up' }),
      button('all', 'Full span'),
      button('png', 'PNG', { 'aria-label': 'Save a picture' }),
      button('csv', 'CSV', { 'aria-label': 'Save a table' }),
      button('keys', 'Keys', { 'aria-haspopup': 'dialog' })),
    tools('group', 'Traces',
      trace('live', 'Live', true),
      trace('greatest', 'Greatest', true),
      trace('hold-max', 'Hold max', false),
      trace('hold-min', 'Hold min', false),
      trace('hold-mean', 'Hold mean', false),
      button('reset-hold', 'Reset hold')),
    element('p', { id: 'place', className: 'note', 'aria-hidden': 'true' }),
    plot('spectrum', 'Spectrum. Its peaks are in the table of peaks. Press ? for the list of keys.'),
    plot('waterfall', 'Waterfall: levels by frequency and time, the newest line at the top'),
    element('p', { id: 'spoken', className: 'visually-hidden', role: 'status', 'aria-live': 'polite' }),
    element('div', { className: 'panels' },
      panel('peaks', 'Peaks'), markersPanel(), scalePanel(), panel('facts', 'Records')),
    keysDialog());
}
