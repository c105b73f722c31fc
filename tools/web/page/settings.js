// The board's settings, as `get` gives them: one field each, and a line for any words.

import { element, labelled } from './dom.js';

/** Settings with few values become a choice; the others are typed. */
const CHOICES = {
  n: ['16', '32', '64', '128', '256', '512', '1024', '2048', '4096', '8192', '16384', '32768', '65536'],
  window: ['rectangular', 'hann', 'hamming', 'blackman-harris', 'flat-top', 'kaiser:8.6'],
  detector: ['mean', 'max', 'min', 'mean+max'],
  dc: ['keep', 'remove'],
  out: ['f32', 'u16', 'u8'],
  domain: ['real', 'complex'],
  engine: ['auto', 'fft', 'cpu'],
  mode: ['stream', 'snapshot'],
  unit: ['dBFS', 'dB'],
};
/** What belongs to the source of samples, and is set with it. */
const OF_THE_SOURCE = ['input', 'rate', 'clock', 'channel', 'start', 'qputest', 'allow', 'baud'];

/** `key=value` lines as pairs. */
function pairs(text) {
  return text.split('\n').filter((line) => line.includes('=')).map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
}

/**
 * @param {HTMLElement} section
 * @param {object} app
 */
export function mountSettings(section, app) {
  const heading = element('h2', { textContent: 'Settings' });
  const fields = element('div', { className: 'fields' });
  const words = element('input', { id: 'words', type: 'text', maxLength: 255, autocomplete: 'off', placeholder: 'n=4096 avg=8' });
  const form = element('form', {}, labelled('Settings as words', words), element('button', { textContent: 'Set' }));
  const read = element('button', { id: 'read-settings', type: 'button', textContent: 'Read settings' });
  const note = element('p', { id: 'settings-note', role: 'status' });
  section.replaceChildren(heading, read, fields, form, note);
  let values = {};

  /** Sets words, with which a stream goes on; returns the refusal, or ''. */
  const set = async (text) => {
    const answer = await app.request(app.scope.set(text));
    note.textContent = answer.kind === 'ack' ? '' : answer.text;
    await refresh();
    return note.textContent;
  };

  const field = (key, value) => {
    const id = `setting-${key}`;
    const choices = CHOICES[key];
    let input;
    if (choices) {
      const all = choices.includes(value) ? choices : [...choices, value];
      input = element('select', { id }, ...all.map((text) => element('option', { textContent: text, value: text })));
    } else {
      input = element('input', { id, type: 'text', autocomplete: 'off' });
    }
    input.value = value;
    input.onchange = () => set(`${key}=${input.value.trim()}`);
    return labelled(key, input);
  };

  async function refresh() {
    if (!app.link) return;
    const answer = await app.request(app.scope.get('all'));
    if (answer.kind !== 'settings') {
      note.textContent = answer.text;
      return;
    }
    const all = pairs(answer.text);
    values = Object.fromEntries(all);
    const shown = all.filter(([key]) => !OF_THE_SOURCE.includes(key));
    const focused = document.activeElement?.id;
    fields.replaceChildren(...shown.map(([key, value]) => field(key, value)));
    if (focused?.startsWith('setting-')) document.getElementById(focused)?.focus();
  }

  read.onclick = () => refresh();
  form.onsubmit = (event) => {
    event.preventDefault();
    if (words.value.trim()) set(words.value.trim());
  };
  return { refresh, set, state: () => ({ settings: values, note: note.textContent }) };
}
