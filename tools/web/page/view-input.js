// Mouse, pen, touch and wheel on the plots: move, zoom, markers.

import { plotOf } from './view-plot.js';

/** Movement up to which a press is a click, in CSS pixels. */
const STILL = 6;
/** Distance within which a peak attracts a marker, and a marker a press. */
const REACH = 12;
/** Zoom of a notch of the wheel. */
const NOTCH = 1.25;

/**
 * @param {HTMLCanvasElement} canvas
 * @param {{scope: object, picture: () => object, changed: () => void, point: (hz: ?number) => void}} view
 */
export function listen(canvas, view) {
  const { scope } = view;
  /** Pressed pointers by their number: where they were last, and where they began. */
  const pointers = new Map();
  let grabbed = null;

  const share = (x) => {
    const plot = plotOf(canvas);
    return (x - canvas.getBoundingClientRect().left - plot.left) / plot.width;
  };
  const hertz = (x) => {
    const { span } = view.picture();
    return span ? span.fromHz + share(x) * (span.toHz - span.fromHz) : null;
  };
  const reach = () => {
    const { span } = view.picture();
    return (REACH / plotOf(canvas).width) * (span.toHz - span.fromHz);
  };
  const markerAt = (x) => {
    const hz = hertz(x);
    const near = view.picture().markers
      .map((marker) => ({ number: marker.number, apart: Math.abs(marker.hz - hz) }))
      .filter((marker) => marker.apart <= reach())
      .sort((a, b) => a.apart - b.apart);
    return near[0]?.number ?? null;
  };

  canvas.addEventListener('pointerdown', (event) => {
    if (!view.picture().span || event.button > 0) return;
    canvas.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY, began: event.clientX, beganY: event.clientY, moved: false });
    grabbed = pointers.size === 1 ? markerAt(event.clientX) : null;
    if (grabbed !== null) { scope.select_marker(grabbed); view.changed(); }
  });

  canvas.addEventListener('pointermove', (event) => {
    view.point(event.pointerType === 'mouse' ? hertz(event.clientX) : null);
    const pointer = pointers.get(event.pointerId);
    if (!pointer) return;
    const before = [...pointers.values()].map(({ x }) => x);
    const by = event.clientX - pointer.x;
    [pointer.x, pointer.y] = [event.clientX, event.clientY];
    pointer.moved ||= Math.hypot(pointer.x - pointer.began, pointer.y - pointer.beganY) > STILL;
    if (!pointer.moved) return;
    const now = [...pointers.values()].map(({ x }) => x);
    if (now.length === 2) {
      pinch(before, now);
    } else if (grabbed !== null) {
      scope.move_marker(grabbed, hertz(event.clientX), 0);
    } else {
      scope.pan(-by / plotOf(canvas).width);
    }
    view.changed();
  });

  /** Two fingers: what is under them stays there. */
  function pinch(before, now) {
    const [wide, wider] = [before, now].map(([a, b]) => Math.max(Math.abs(a - b), 10));
    const [middle, moved] = [before, now].map(([a, b]) => (a + b) / 2);
    scope.zoom(wider / wide, share(moved));
    scope.pan(-(moved - middle) / plotOf(canvas).width);
  }

  const release = (event, isClick) => {
    const pointer = pointers.get(event.pointerId);
    if (!pointer) return;
    const isAlone = pointers.size === 1;
    pointers.delete(event.pointerId);
    // The finger that is left goes on from where it is.
    for (const other of pointers.values()) other.moved = true;
    if (isClick && isAlone && !pointer.moved && grabbed === null) {
      const at = share(event.clientX);
      if (at >= 0 && at <= 1) scope.add_marker(hertz(event.clientX), reach());
    } else if (isClick && grabbed !== null && pointer.moved) {
      scope.move_marker(grabbed, hertz(event.clientX), reach());
    }
    grabbed = null;
    view.changed();
  };
  canvas.addEventListener('pointerup', (event) => release(event, true));
  canvas.addEventListener('pointercancel', (event) => release(event, false));
  canvas.addEventListener('pointerleave', () => view.point(null));

  canvas.addEventListener('wheel', (event) => {
    if (!view.picture().span) return;
    event.preventDefault();
    // Lines and pages instead of pixels.
    const unit = [1, 40, 400][event.deltaMode] ?? 1;
    const [across, down] = [event.deltaX * unit, event.deltaY * unit];
    if (event.shiftKey || Math.abs(across) > Math.abs(down)) {
      scope.pan((across || down) / plotOf(canvas).width);
    } else {
      scope.zoom(NOTCH ** (-down / 100), share(event.clientX));
    }
    view.changed();
  }, { passive: false });
}
