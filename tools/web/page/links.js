// Which board the page listens to: the virtual Pi, one on Web Serial, or what `qpuscope web` passes.

import { choice, element, labelled } from './dom.js';
import { RATES } from './serial.js';

/**
 * @param {HTMLElement} section
 * @param {object} app
 * @param {{serial?: (rate: number) => Promise<object>, socket?: () => object}} ways each is null
 *   where the browser or the server has none
 */
export function mountLinks(section, app, ways) {
  const name = element('p', { id: 'link-name' });
  const buttons = element('div', { className: 'row' });
  const choose = (text, id, open) => {
    const button = element('button', { textContent: text, id, type: 'button' });
    button.onclick = async () => {
      try {
        await open();
      } catch (error) {
        app.say(String(error.message ?? error));
      }
    };
    buttons.append(button);
  };
  choose('Virtual Pi', 'use-simulated', () => app.useSimulated());
  if (ways.socket) choose('Board of qpuscope web', 'use-socket', async () => app.use(ways.socket()));
  if (ways.serial) {
    const rate = choice('serial-rate', RATES.map((value) => [value, String(value)]));
    choose('Board on a serial port', 'use-serial', async () => app.use(await ways.serial(Number(rate.value))));
    buttons.append(labelled('baud', rate));
  }
  const pace = choice('limit', [['1', 'real time'], ['4', '4 times real time'], ['16', '16 times real time'],
    ['Infinity', 'as fast as it goes']]);
  pace.onchange = () => app.link?.setPace?.(Number(pace.value));
  const paceField = labelled('speed', pace);
  buttons.append(paceField);
  const streaming = element('button', { id: 'stop', type: 'button', textContent: 'Stop' });
  const started = element('button', { id: 'start', type: 'button', textContent: 'Start' });
  streaming.onclick = () => app.answerTo((scope) => scope.stop());
  started.onclick = () => app.answerTo((scope) => scope.start());
  buttons.append(started, streaming);
  section.replaceChildren(name, buttons);
  return {
    show(link) {
      paceField.hidden = link?.kind !== 'simulated' && link?.source !== 'recording';
      // A speed that was chosen on the command line may be none of these.
      pace.value = String(link?.pace ?? 1);
      name.textContent = link ? `Listening to: ${link.name}` : 'Listening to nothing';
    },
    state: () => ({ kind: app.link?.kind ?? null, name: app.link?.name ?? null }),
  };
}
