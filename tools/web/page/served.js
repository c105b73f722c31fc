// A classic script: it runs from file:// too, where modules and wasm do not load.
'use strict';
const say = (sentence) => { document.getElementById('status').textContent = sentence; };
if (location.protocol === 'file:') {
  addEventListener('DOMContentLoaded', () => {
    say('This page was opened as a file, from which browsers load no program. Serve its folder: ' +
      '`qpuscope web --page FOLDER`, or `python3 -m http.server` in the folder.');
  });
} else {
  // In the capturing phase: errors of elements do not bubble.
  addEventListener('error', ({ target }) => {
    if (target.tagName === 'SCRIPT') say('A module of the page does not load: copy the whole folder, and reload the page.');
  }, true);
}
