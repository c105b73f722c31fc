// Shapes of SVG by calls, roots of unity in text, and drawings that follow the width of the page.

const SVG = 'http://www.w3.org/2000/svg';
/** A root of unity in words: W16^3. */
const ROOT = /W(\d+)\^(\d+)/;

/**
 * @param {string} name
 * @param {object} attributes
 * @param {...Node|string} children
 */
export function shape(name, attributes = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

/** Widths that a drawing takes; letters keep their size at each. */
const WIDTHS = [240, 768];

/** Calls back with the width that a drawing of this height has got, and scales nothing. */
export function followWidth(svg, height, draw) {
  let known = 0;
  const take = (wide) => {
    const width = Math.round(Math.max(WIDTHS[0], Math.min(WIDTHS[1], wide)));
    // A panel that is not shown has no width.
    if (wide === 0 || width === known) return;
    known = width;
    svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
    draw(width);
  };
  svg.setAttribute('viewBox', `0 0 640 ${height}`);
  new ResizeObserver(([{ contentRect }]) => take(contentRect.width)).observe(svg);
}

/** Pieces of a text: words, and roots as [order, exponent]. */
function pieces(text) {
  const parts = text.split(ROOT);
  const all = [];
  for (let at = 0; at < parts.length; at += 3) {
    if (parts[at]) all.push(parts[at]);
    if (at + 2 < parts.length) all.push([parts[at + 1], parts[at + 2]]);
  }
  return all;
}

/** Words for a paragraph, with W16^3 as an index and an exponent. */
export function withRoots(text) {
  return pieces(text).flatMap((piece) => {
    if (typeof piece === 'string') return [piece];
    const [sub, sup] = ['sub', 'sup'].map((name) => document.createElement(name));
    [sub.textContent, sup.textContent] = piece;
    const spoken = document.createElement('span');
    spoken.className = 'visually-hidden';
    spoken.textContent = ' to the power ';
    return ['W', sub, spoken, sup];
  });
}

/** The same for a text of SVG. */
export function withRootsInSvg(text) {
  return pieces(text).flatMap((piece) => {
    if (typeof piece === 'string') return [piece];
    const [order, exponent] = piece;
    return [
      'W',
      shape('tspan', { class: 'small', dy: 3 }, order),
      shape('tspan', { class: 'small', dy: -8 }, exponent),
    ];
  });
}
