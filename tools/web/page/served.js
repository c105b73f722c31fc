// A classic script: it runs from file:// too, where modules and wasm do not load.
'use strict';
if (location.protocol === 'file:') {
  addEventListener('DOMContentLoaded', () => {
    document.getElementById('status').textContent =
      'This page was opened as a file, from which browsers load no program. Serve its folder: ' +
      '`qpuscope web --page FOLDER`, or `python3 -m http.server` in the folder.';
  });
}
