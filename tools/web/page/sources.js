// Where the virtual Pi's samples come from: its generator, or a part on its pins that plays the
// microphone, a file, the shipped series, or the signal of a parallel ADC.
//
// A source, as the worker takes it:
//   {what: 'generator'}, {what: 'live', hz}, {what: 'temperatures', table}, {what: 'bursts'},
//   {what: 'file', name, bytes: ArrayBuffer, rateHz, channel, repeats}
// Facts about it, as the worker gives them (machine/playing.rs):
//   {format, settings, playedHz, over, under, notes}

import { choice, element, labelled } from './dom.js';
import { Microphone } from './microphone.js';

/** What a stream is set to when its source is chosen, unless the source says otherwise. */
const USUAL = 'window=hann detector=mean dc=keep out=u16 mode=stream';
const GENERATOR = 'input=gen clock=board rate=50000 channel=left';
const PRESETS = [
  ['1024 points', `${USUAL} domain=real n=1024 overlap=50% avg=16`],
  ['4096 points, each block', `${USUAL} domain=real n=4096 overlap=50% avg=1`],
  ['4096 complex points', `${USUAL} domain=complex n=4096 overlap=50% avg=1`],
  ['65536 points', `${USUAL} domain=real n=65536 overlap=90% avg=1`],
];
const LIVE = `${USUAL} n=4096 overlap=50% avg=1`;
const OF_TEMPERATURES = `${USUAL.replace('dc=keep', 'dc=remove')} n=4096 overlap=50% avg=1`;
/** Seconds behind from which it is said. */
const BEHIND_S = 0.5;
const REFRESH_MS = 500;
const WANTS_VIRTUAL_PI = 'Sources are those of the virtual Pi: choose it first.';

/**
 * @param {HTMLElement} section
 * @param {object} app
 */
export function mountSources(section, app) {
  let microphone = null;
  /** The last file, to play it again with another rate or channel. */
  let file = null;
  let now = { name: 'generator', facts: null };
  /** Counts choices, so that one that is overtaken changes nothing any more. */
  let choices = 0;
  let isBusy = false;
  /** The choice before, or the one that is being carried out. */
  let last = Promise.resolve();

  const preset = choice('preset', PRESETS.map(([name], value) => [value, name]));
  const picker = element('input', { id: 'file', type: 'file' });
  const rate = element('input', { id: 'file-rate', type: 'text', inputMode: 'decimal', placeholder: '2400000', autocomplete: 'off' });
  const channel = choice('file-channel', [['left', 'left or only'], ['right', 'right'], ['iq', 'both, as I/Q']]);
  const repeats = element('input', { id: 'file-repeats', type: 'checkbox', checked: true });
  const again = element('button', { id: 'file-again', type: 'button', textContent: 'Play the file again', hidden: true });
  const note = element('p', { id: 'source-note', role: 'status' });
  const behind = element('p', { id: 'source-behind', role: 'status' });
  // Not announced: it changes all the time.
  const behindBy = element('p', { id: 'source-behind-by' });
  const buttons = element('div', { className: 'row' });
  const files = element('details', { id: 'files' }, element('summary', { textContent: 'A file: choose it, or drop it on the page' }),
    labelled('WAV or I/Q file', picker), labelled('rate of raw samples, in hertz', rate),
    labelled('channel of stereo files', channel), labelled('repeat', repeats), again);
  section.replaceChildren(element('h2', { textContent: 'Source of samples' }), buttons, labelled('generator', preset), files, note, behind, behindBy);

  function button(id, text, act) {
    const made = element('button', { id, type: 'button', textContent: text });
    made.onclick = act;
    buttons.append(made);
  }

  function say(sentences) {
    note.textContent = sentences.filter(Boolean).join(' ');
  }

  function stopMicrophone() {
    microphone?.close();
    microphone = null;
    showBehind();
  }

  /** Ends the wait for samples that no one brings any more: the board's time would stand. */
  async function unplugMicrophone() {
    stopMicrophone();
    await app.link?.play({ what: 'generator' });
    now = { name: 'nothing', facts: null };
  }

  function showBehind() {
    const seconds = app.link?.behind ?? 0;
    const isBehind = microphone && seconds >= BEHIND_S;
    const sentence = isBehind ? 'This computer simulates slower than samples come. None is lost until the source is stopped.' : '';
    if (behind.textContent !== sentence) behind.textContent = sentence;
    behindBy.textContent = isBehind ? `${seconds.toFixed(1)} s behind` : '';
  }

  /**
   * Stops the board, puts the source on its pins, sets what belongs to it, and starts.
   * @param {string} name for people
   * @param {object} source
   * @param {{words: string, notes?: string[], transferred?: Transferable[], opened?: Microphone}} options
   */
  async function play(name, source, { words, notes = [], transferred = [], opened = null }) {
    const { board, link } = app;
    if (link?.kind !== 'simulated') throw new Error(WANTS_VIRTUAL_PI);
    const checkBoard = () => {
      if (app.board !== board) throw new Error('Another board has been chosen meanwhile: choose the source again.');
    };
    link.onEnded = (sentence) => {
      stopMicrophone();
      now = { name: 'nothing', facts: null };
      say([sentence]);
    };
    await app.request((scope) => scope.stop());
    checkBoard();
    let facts;
    try {
      facts = await link.play(source, transferred);
    } catch (error) {
      // The source before is still there, and so is its microphone.
      checkBoard();
      await app.request((scope) => scope.start());
      throw error;
    }
    checkBoard();
    stopMicrophone();
    if (opened) {
      microphone = opened;
      const { port1, port2 } = new MessageChannel();
      link.feedFrom(port2);
      opened.sendTo(port1);
    }
    app.scope.set_multiplier(facts?.over ?? 1, facts?.under ?? 1);
    now = { name, facts };
    const refusal = await app.settings.set(`${facts?.settings ?? ''} ${words}`.trim());
    checkBoard();
    if (refusal) throw new Error(refusal);
    const answer = await app.request((scope) => scope.start());
    if (answer.kind !== 'ack') throw new Error(answer.text);
    say([`Simulated parts on a simulated board: ${name}${facts ? `, ${facts.format}` : ''}.`, ...(facts?.notes ?? []), ...notes]);
  }

  /** Lets one choice after another act; its error becomes the note. */
  function choose(act) {
    choices += 1;
    const number = choices;
    last = last.then(() => carryOut(act, number));
    return last;
  }

  async function carryOut(act, number) {
    await app.ready;
    if (number !== choices) return;
    if (app.link?.kind !== 'simulated') {
      // The note is hidden with the section.
      app.say(WANTS_VIRTUAL_PI);
      return;
    }
    isBusy = true;
    say(['Changing the source.']);
    try {
      await act();
    } catch (error) {
      say([error.message ?? String(error)]);
    } finally {
      isBusy = false;
    }
  }

  const generator = () => choose(async () => {
    const [name, words] = PRESETS[Number(preset.value)];
    await play(`generator, ${name}`, { what: 'generator' }, { words: `${GENERATOR} ${words}` });
  });

  const fromMicrophone = () => choose(async () => {
    const opened = await Microphone.open();
    opened.onGone = () => choose(async () => {
      await unplugMicrophone();
      throw new Error('The microphone is gone: connect it, and choose it again.');
    });
    const notes = ['Its samples stay in this page.'];
    if (opened.processing.length > 0) {
      notes.push(`This browser processes the sound nevertheless (${opened.processing.join(', ')}): levels may be wrong.`);
    }
    try {
      await play('microphone', { what: 'live', hz: opened.hz }, { words: LIVE, notes, opened });
    } catch (error) {
      opened.close();
      if (microphone === opened) await unplugMicrophone();
      throw error;
    }
  });

  const fromFile = (chosen) => choose(async () => {
    if (!chosen) return say(['Choose a file, or drop one on the page.']);
    file = chosen;
    again.hidden = false;
    files.open = true;
    if (chosen.size > app.mostFileBytes) {
      throw new Error(`${chosen.name} has more than the ${app.mostFileBytes >> 20} MiB that the page takes: cut it, or use the program qpuscope.`);
    }
    const bytes = await chosen.arrayBuffer().catch((error) => {
      throw new Error(`${chosen.name} cannot be read (${error.message}): choose it again.`);
    });
    const rateHz = Number(rate.value.trim().replace(',', '.')) || 0;
    const source = { what: 'file', name: chosen.name, bytes, rateHz, channel: channel.value, repeats: repeats.checked };
    await play(chosen.name, source, { words: LIVE, transferred: [bytes] });
  });

  const temperatures = () => choose(async () => {
    const answer = await fetch('seattle_temperature_2010_hourly.csv');
    if (!answer.ok) throw new Error(`The table of temperatures is not beside the page (${answer.status}): copy the whole folder.`);
    const table = await answer.text();
    await play('temperatures of Seattle', { what: 'temperatures', table }, { words: OF_TEMPERATURES });
  });

  const bursts = () => choose(async () => {
    await play('parallel ADC', { what: 'bursts' }, { words: 'dc=keep mode=stream' });
  });

  button('use-generator', 'Generator', generator);
  button('use-microphone', 'Microphone', fromMicrophone);
  button('use-temperatures', 'Temperatures of a year', temperatures);
  button('use-bursts', '20 MS/s with bursts', bursts);
  preset.onchange = generator;
  picker.onchange = () => fromFile(picker.files[0]);
  again.onclick = () => fromFile(file);
  channel.onchange = () => { if (file) fromFile(file); };
  document.addEventListener('dragover', (event) => event.preventDefault());
  document.addEventListener('drop', (event) => {
    event.preventDefault();
    const [dropped] = event.dataTransfer?.files ?? [];
    if (dropped) fromFile(dropped);
  });
  setInterval(showBehind, REFRESH_MS);

  return {
    generator,
    microphone: fromMicrophone,
    file: fromFile,
    temperatures,
    bursts,
    /** Another link is in use: its board has nothing on its pins yet. */
    show(link) {
      stopMicrophone();
      section.hidden = link?.kind !== 'simulated';
      app.scope.set_multiplier(1, 1);
      now = { name: 'generator', facts: null };
      say([]);
    },
    state: () => ({
      source: {
        name: now.name,
        facts: now.facts,
        note: note.textContent,
        isBusy,
        behindS: app.link?.behind ?? 0,
      },
    }),
  };
}
