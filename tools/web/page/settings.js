// The board's settings, as `get` gives them: one field each, and a line for any words.

import { choice, element, labelled } from './dom.js';

/** The window with a number, by a usual one. */
const KAISER = 'kaiser:8.6';
/** Records as text would leave the page without records. */
const UNUSABLE = ['text'];
/** Settings without a field: those that belong to the source, and that of a start. */
const HIDDEN = ['input', 'rate', 'clock', 'channel', 'start'];

/** `key=value` lines as pairs. */
function pairs(text) {
  return text.split('\n').filter((line) => line.includes('=')).map((line) => {
    const at = line.indexOf('=');
    return [line.slice(0, at), line.slice(at + 1)];
  });
}

/**
 * Values of settings by their keys, from the board's capabilities (PROTOCOL.md, INFO). A setting
 * with a range has none, but for the lengths: it is typed.
 */
function choicesOf(capabilities) {
  const choices = {};
  for (const [key, values] of pairs(capabilities)) {
    const range = /^(\d+)\.\.(\d+)$/.exec(values);
    if (key === 'n' && range) {
      choices.n = [];
      for (let n = Number(range[1]); n <= Number(range[2]); n *= 2) choices.n.push(String(n));
      continue;
    }
    const usable = values.split(',').filter((value) => !UNUSABLE.includes(value));
    const names = usable.map((value) => (value.startsWith('kaiser:') ? KAISER : value));
    if (!names.some((name) => name.includes('..'))) choices[key] = names;
  }
  return choices;
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
  /** The board whose choices are known. */
  let known = { board: null, choices: {} };
  /** Fields by their settings, and the one with text that has not been sent. */
  let inputs = new Map();
  let typed = null;

  /** Sets words, with which a stream goes on; returns the refusal, or ''. */
  const set = async (text) => {
    const { board } = app;
    const answer = await app.request((scope) => scope.set(text));
    const refusal = answer.kind === 'ack' ? '' : answer.text;
    if (app.board !== board) return refusal;
    note.textContent = refusal;
    if (refusal) showValues(); else await refresh();
    return refusal;
  };

  const field = (key) => {
    const id = `setting-${key}`;
    const choices = known.choices[key];
    const input = choices ? choice(id, choices.map((text) => [text, text])) : element('input', { id, type: 'text', autocomplete: 'off' });
    input.oninput = () => { typed = input; };
    input.onchange = () => {
      typed = null;
      set(`${key}=${input.value.trim()}`);
    };
    inputs.set(key, input);
    return labelled(key, input);
  };

  /** Shows the values that are known, but leaves alone what is being typed. */
  function showValues() {
    const shown = Object.keys(values).filter((key) => !HIDDEN.includes(key));
    if (shown.join() !== [...inputs.keys()].join()) {
      inputs = new Map();
      fields.replaceChildren(...shown.map(field));
    }
    for (const [key, input] of inputs) {
      if (input === typed && input === document.activeElement) continue;
      input.value = values[key];
      if (input.value === values[key]) continue;
      // A value that is none of the choices.
      input.append(element('option', { textContent: values[key], value: values[key] }));
      input.value = values[key];
    }
  }

  async function refresh() {
    const { board } = app;
    if (!board) return;
    const answer = await app.request((scope) => scope.get('all'));
    if (app.board !== board) return;
    if (answer.kind !== 'settings') {
      note.textContent = answer.text;
      return;
    }
    if (known.board !== board) {
      const able = await app.request((scope) => scope.get('capabilities'));
      if (app.board !== board) return;
      known = { board, choices: choicesOf(able.kind === 'settings' ? able.text : '') };
      inputs.clear();
    }
    values = Object.fromEntries(pairs(answer.text));
    showValues();
  }

  read.onclick = () => refresh();
  form.onsubmit = (event) => {
    event.preventDefault();
    if (words.value.trim()) set(words.value.trim());
  };
  return { refresh, set, state: () => ({ settings: values, note: note.textContent }) };
}
