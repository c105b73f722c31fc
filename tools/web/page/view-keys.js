// The keys of the view: the list that the page shows is the one that it obeys.

/**
 * What a browser calls a key, how it is shown, and the command that it runs or the trace that it
 * shows or hides; `shift` where that makes a difference.
 */
export const KEYS = [
  { keys: [' ', 'p'], show: 'Space or p', run: 'pause', words: 'pause, go on' },
  { keys: ['+', '='], show: '+', run: 'zoom-in', words: 'zoom in' },
  { keys: ['-'], show: '−', run: 'zoom-out', words: 'zoom out' },
  { keys: ['0', 'Home'], show: '0 or Home', run: 'all', words: 'full span' },
  { keys: ['ArrowLeft'], shift: false, show: '←', run: 'left', words: 'move the span down' },
  { keys: ['ArrowRight'], shift: false, show: '→', run: 'right', words: 'move the span up' },
  { keys: ['ArrowLeft'], shift: true, show: 'Shift ←', run: 'nudge-left', words: 'selected marker a bin down' },
  { keys: ['ArrowRight'], shift: true, show: 'Shift →', run: 'nudge-right', words: 'selected marker a bin up' },
  { keys: [','], show: ',', run: 'lower', words: 'marker to the next lower peak' },
  { keys: ['.'], show: '.', run: 'higher', words: 'marker to the next higher peak' },
  { keys: ['k'], show: 'k', run: 'strongest', words: 'marker to the strongest peak' },
  { keys: ['a'], show: 'a', run: 'add', words: 'add a marker in the middle' },
  { keys: ['t'], show: 't', run: 'refer', words: 'selected marker is the reference' },
  { keys: ['d', 'Delete'], show: 'd or Delete', run: 'remove', words: 'remove the selected marker' },
  { keys: ['x'], show: 'x', trace: 'hold-max', words: 'hold the greatest' },
  { keys: ['n'], show: 'n', trace: 'hold-min', words: 'hold the least' },
  { keys: ['m'], show: 'm', trace: 'hold-mean', words: 'hold the mean' },
  { keys: ['r'], show: 'r', run: 'reset-hold', words: 'reset what is held' },
  { keys: ['ArrowUp'], show: '↑', run: 'up', words: 'traces up: reference level 5 dB lower' },
  { keys: ['ArrowDown'], show: '↓', run: 'down', words: 'traces down: reference level 5 dB higher' },
  { keys: ['PageUp'], show: 'Page up', run: 'narrower', words: 'range 10 dB smaller' },
  { keys: ['PageDown'], show: 'Page down', run: 'wider', words: 'range 10 dB greater' },
  { keys: ['f'], show: 'f', run: 'follow', words: 'reference and range follow the levels' },
  { keys: ['l'], show: 'l', run: 'lock', words: 'lock the colours, or let them follow' },
  { keys: ['s'], show: 's', run: 'png', words: 'save a picture' },
  { keys: ['c'], show: 'c', run: 'csv', words: 'save a table' },
  { keys: ['?'], show: '?', run: 'keys', words: 'this list' },
];
