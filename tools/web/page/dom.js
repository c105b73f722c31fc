// Elements by calls; the content security policy allows no other way with data in it.

/**
 * @param {string} name
 * @param {object} properties of the element; `data` and `aria-` names become attributes
 * @param {...Node|string} children
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.includes('-') || key === 'role') made.setAttribute(key, value);
    else made[key] = value;
  }
  made.append(...children);
  return made;
}

/** A control with its label before it. */
export function labelled(text, control) {
  return element('label', { className: 'field' }, element('span', { textContent: text }), control);
}

/**
 * A choice from a list.
 * @param {string} id
 * @param {Array<[string|number, string]>} options values and their words
 * @param {string|number} [value] the one that is chosen, if it is not the first
 */
export function choice(id, options, value = options[0]?.[0]) {
  const made = element('select', { id }, ...options.map(([key, textContent]) => element('option', { value: key, textContent })));
  made.value = value;
  return made;
}
