// The tabs of the page: one panel is shown at a time.

/** @param {HTMLElement} list an element with role tablist */
export function mountTabs(list) {
  const tabs = [...list.querySelectorAll('[role=tab]')];
  const show = (chosen) => {
    for (const tab of tabs) {
      const isChosen = tab === chosen;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.tabIndex = isChosen ? 0 : -1;
      document.getElementById(tab.getAttribute('aria-controls')).hidden = !isChosen;
    }
  };
  for (const [index, tab] of tabs.entries()) {
    tab.onclick = () => show(tab);
    tab.onkeydown = ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      show(next);
    };
  }
}
