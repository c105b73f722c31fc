// Shapes of SVG by calls, and roots of unity in text.

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
    return ['W', sub, sup];
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
