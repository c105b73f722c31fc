// Draws the spectrum and the waterfall on canvases. What is drawn comes from the wasm's Scope; here
// are only places, lines and letters.

/** Room beside the plot, in CSS pixels: for levels and times at the left, and below. */
const LEFT = 56;
const RIGHT = 10;
const TOP = 8;
const BELOW_SPECTRUM = 36;
const BELOW_WATERFALL = 22;

/** The traces in the order in which they are drawn, each told apart without colour by its dashes. */
export const TRACES = [
  { name: 'hold-min', words: 'hold min', colour: 'trace-min', dash: [1, 3], width: 1.5 },
  { name: 'hold-mean', words: 'hold mean', colour: 'trace-mean', dash: [8, 3, 2, 3], width: 1.5 },
  { name: 'hold-max', words: 'hold max', colour: 'trace-max', dash: [7, 4], width: 1.5 },
  { name: 'greatest', words: 'greatest', colour: 'trace-greatest', dash: [3, 2], width: 1 },
  { name: 'live', words: 'live', colour: 'trace-live', dash: [], width: 1.5 },
];

/** A canvas whose pixels are those of the screen; drawn in CSS pixels. */
class Sheet {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext('2d', { alpha: false });
  }

  /** Takes the size from the layout. */
  fit() {
    const { canvas } = this;
    this.ratio = window.devicePixelRatio || 1;
    this.width = Math.max(canvas.clientWidth, 120);
    this.height = Math.max(canvas.clientHeight, 80);
    const [width, height] = [this.width, this.height].map((size) => Math.round(size * this.ratio));
    // Setting a size clears the canvas.
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
  }

  begin(colours) {
    const { context } = this;
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.fillStyle = colours.plot;
    context.fillRect(0, 0, this.width, this.height);
    context.font = '12px system-ui, sans-serif';
    context.lineWidth = 1;
    context.setLineDash([]);
  }

  text(words, x, y, align, colour) {
    const { context } = this;
    context.fillStyle = colour;
    context.textAlign = align;
    context.fillText(words, x, y);
  }
}

/** The place of a plot in its canvas. */
export function plotOf(canvas) {
  return { left: LEFT, width: Math.max(canvas.clientWidth, 120) - LEFT - RIGHT };
}

export class SpectrumPlot {
  #sheet;

  constructor(canvas) { this.#sheet = new Sheet(canvas); }

  /** How many marks of frequency and level there is room for. */
  get room() {
    this.#sheet.fit();
    return {
      frequencies: Math.max(2, Math.floor(this.#sheet.width / 90)),
      levels: Math.max(2, Math.floor(this.#sheet.height / 40)),
    };
  }

  draw(scope, picture, marks, colours) {
    const sheet = this.#sheet;
    sheet.fit();
    sheet.begin(colours);
    const plot = {
      left: LEFT, top: TOP, width: sheet.width - LEFT - RIGHT, height: sheet.height - TOP - BELOW_SPECTRUM,
    };
    if (!marks.frequency) {
      sheet.text('No spectrum yet', LEFT + plot.width / 2, sheet.height / 2, 'center', colours.muted);
      return;
    }
    this.#grid(plot, marks, colours);
    const { context } = sheet;
    context.save();
    context.beginPath();
    context.rect(plot.left, plot.top, plot.width, plot.height);
    context.clip();
    for (const trace of TRACES) {
      if (picture.traces[trace.name]) this.#trace(scope, trace, plot, marks.scale, colours);
    }
    context.restore();
    this.#names(plot, picture, colours);
    this.#markers(plot, picture, marks.scale, colours);
  }

  #grid(plot, marks, colours) {
    const { context } = this.#sheet;
    context.strokeStyle = colours.grid;
    context.beginPath();
    for (const [share, words] of marks.frequency.places) {
      const x = Math.round(plot.left + share * plot.width) + 0.5;
      context.moveTo(x, plot.top);
      context.lineTo(x, plot.top + plot.height);
      this.#sheet.text(words, x, plot.top + plot.height + 15, 'center', colours.text);
    }
    for (const [share, words] of marks.level.places) {
      const y = Math.round(plot.top + share * plot.height) + 0.5;
      context.moveTo(plot.left, y);
      context.lineTo(plot.left + plot.width, y);
      this.#sheet.text(words, plot.left - 6, Math.max(y + 4, plot.top + 10), 'right', colours.text);
    }
    context.stroke();
    context.strokeStyle = colours.axis;
    context.strokeRect(plot.left + 0.5, plot.top + 0.5, plot.width - 1, plot.height - 1);
    const middle = plot.left + plot.width / 2;
    this.#sheet.text(marks.frequency.name, middle, plot.top + plot.height + 31, 'center', colours.muted);
    context.save();
    context.translate(12, plot.top + plot.height / 2);
    context.rotate(-Math.PI / 2);
    this.#sheet.text(marks.level.name, 0, 0, 'center', colours.muted);
    context.restore();
  }

  #trace(scope, trace, plot, scale, colours) {
    const { context, ratio } = this.#sheet;
    // A point for each pixel of the screen.
    const columns = Math.round(plot.width * ratio);
    const points = scope.points(trace.name, columns);
    const perDb = plot.height / scale.rangeDb;
    context.strokeStyle = colours[trace.colour];
    context.lineWidth = trace.width;
    context.setLineDash(trace.dash);
    context.beginPath();
    let isDown = false;
    for (let at = 0; at < points.length; at += 2) {
      const db = points[at + 1];
      if (Number.isNaN(db)) { isDown = false; continue; }
      const x = plot.left + points[at] / ratio;
      const y = plot.top + (scale.referenceDb - Math.max(db, -500)) * perDb;
      if (isDown) context.lineTo(x, y); else context.moveTo(x, y);
      isDown = true;
    }
    context.stroke();
    context.setLineDash([]);
  }

  /** Names of the traces with their dashes, so that they are told apart without colour. */
  #names(plot, picture, colours) {
    const { context } = this.#sheet;
    const shown = TRACES.filter((trace) => picture.traces[trace.name]
      && (trace.name !== 'greatest' || picture.stream?.detector === 'mean+max')
      && (!trace.name.startsWith('hold') || picture.hold.records > 0));
    if (shown.length < 2) return;
    let y = plot.top + 14;
    for (const trace of shown.reverse()) {
      const right = plot.left + plot.width - 8;
      this.#sheet.text(trace.words, right, y, 'right', colours.text);
      const end = right - context.measureText(trace.words).width - 6;
      context.strokeStyle = colours[trace.colour];
      context.lineWidth = trace.width + 0.5;
      context.setLineDash(trace.dash);
      context.beginPath();
      context.moveTo(end - 26, y - 4);
      context.lineTo(end, y - 4);
      context.stroke();
      context.setLineDash([]);
      y += 16;
    }
  }

  #markers(plot, picture, { referenceDb, rangeDb }, colours) {
    const { context } = this.#sheet;
    for (const marker of picture.markers) {
      const share = (marker.hz - picture.span.fromHz) / (picture.span.toHz - picture.span.fromHz);
      if (!(share >= 0 && share <= 1)) continue;
      const x = plot.left + share * plot.width;
      const db = marker.levelDb ?? referenceDb - rangeDb;
      const below = (referenceDb - db) / rangeDb;
      const y = plot.top + Math.min(Math.max(below, 0.06), 1) * plot.height;
      context.fillStyle = colours.marker;
      context.strokeStyle = colours.marker;
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x - 6, y - 10);
      context.lineTo(x + 6, y - 10);
      context.closePath();
      if (marker.selected) context.fill(); else context.stroke();
      const words = marker.reference ? `${marker.number} R` : `${marker.number}`;
      this.#sheet.text(words, x, y - 13, 'center', colours.marker);
    }
  }
}

export class WaterfallPlot {
  #sheet;
  #lines = document.createElement('canvas');
  #context = this.#lines.getContext('2d', { alpha: false });
  #drawn = { generation: -1, end: 0 };
  #strip = document.createElement('canvas');
  #stripOf = -1;

  constructor(canvas) { this.#sheet = new Sheet(canvas); }

  /** Lines that there is room for: one for each CSS pixel. */
  get lines() {
    this.#sheet.fit();
    return Math.max(1, Math.floor(this.#sheet.height - BELOW_WATERFALL));
  }

  /** How many marks of time there is room for. */
  get room() { return Math.max(2, Math.floor(this.lines / 60)); }

  draw(scope, picture, marks, colours) {
    const sheet = this.#sheet;
    sheet.fit();
    const height = this.lines;
    const plot = { left: LEFT, top: 0, width: sheet.width - LEFT - RIGHT, height };
    this.#update(scope, Math.round(plot.width * sheet.ratio), height);
    sheet.begin(colours);
    const { context } = sheet;
    context.imageSmoothingEnabled = false;
    // From the newest line to the end of the ring, and on from its beginning.
    const first = this.#place(this.#drawn.end, height);
    const { width: columns } = this.#lines;
    context.drawImage(this.#lines, 0, first, columns, height - first, plot.left, 0, plot.width, height - first);
    if (first > 0) {
      context.drawImage(this.#lines, 0, 0, columns, first, plot.left, height - first, plot.width, first);
    }
    context.strokeStyle = colours.axis;
    context.strokeRect(plot.left + 0.5, 0.5, plot.width - 1, height - 1);
    this.#times(plot, marks.time, colours);
    this.#markers(plot, picture, colours);
    if (picture.stream) this.#legend(scope, plot, picture, colours);
  }

  /** Where the newest line stands in the ring of lines, which grows upwards. */
  #place(end, height) { return end > 0 ? height - 1 - ((end - 1) % height) : 0; }

  /** Draws the lines that are new, each over the oldest. */
  #update(scope, width, height) {
    const end = scope.end_line();
    const generation = scope.generation();
    const isOther = this.#lines.width !== width || this.#lines.height !== height;
    if (isOther) [this.#lines.width, this.#lines.height] = [width, height];
    const isNew = isOther || generation !== this.#drawn.generation || end < this.#drawn.end;
    const lines = Math.min(isNew ? end : end - this.#drawn.end, height);
    if (isNew) {
      // Where there is no line yet, the colour is that of the weakest level.
      const [red, green, blue] = scope.legend(2);
      this.#context.fillStyle = `rgb(${red}, ${green}, ${blue})`;
      this.#context.fillRect(0, 0, width, height);
    }
    this.#drawn = { generation, end };
    const pixels = lines > 0 ? scope.lines(end, lines, width) : [];
    if (pixels.length === 0) return;
    const bytes = new Uint8ClampedArray(pixels.buffer, pixels.byteOffset, pixels.length);
    const image = new ImageData(bytes, width, lines);
    const first = this.#place(end, height);
    const before = Math.min(lines, height - first);
    this.#context.putImageData(image, 0, first, 0, 0, width, before);
    if (lines > before) this.#context.putImageData(image, 0, -before, 0, before, width, lines - before);
  }

  #times(plot, times, colours) {
    const { context } = this.#sheet;
    context.strokeStyle = colours.axis;
    context.beginPath();
    for (const [line, words] of times?.places ?? []) {
      const y = line + 0.5;
      context.moveTo(plot.left - 4, y);
      context.lineTo(plot.left, y);
      this.#sheet.text(words, plot.left - 6, Math.max(y + 4, 10), 'right', colours.text);
    }
    context.stroke();
    context.save();
    context.translate(12, plot.height / 2);
    context.rotate(-Math.PI / 2);
    this.#sheet.text(times?.name ?? 'Time', 0, 0, 'center', colours.muted);
    context.restore();
  }

  #markers(plot, picture, colours) {
    const { context } = this.#sheet;
    context.strokeStyle = colours.marker;
    context.setLineDash([4, 6]);
    context.beginPath();
    for (const marker of picture.markers) {
      const share = (marker.hz - picture.span.fromHz) / (picture.span.toHz - picture.span.fromHz);
      if (!(share >= 0 && share <= 1)) continue;
      const x = Math.round(plot.left + share * plot.width) + 0.5;
      context.moveTo(x, 0);
      context.lineTo(x, plot.height);
    }
    context.stroke();
    context.setLineDash([]);
  }

  /** The scale of colours with the levels at its ends. */
  #legend(scope, plot, picture, colours) {
    const width = Math.min(200, Math.floor(plot.width / 2));
    const y = plot.height + 6;
    const { fromDb, toDb, locked } = picture.levels;
    const unit = picture.stream.unit;
    const number = (db) => `${Math.round(db)}`.replace('-', '−');
    const right = plot.left + plot.width;
    const words = `${number(toDb)} ${unit}${locked ? ' (locked)' : ''}`;
    this.#sheet.text(words, right, y + 11, 'right', colours.text);
    const { context } = this.#sheet;
    const end = right - context.measureText(words).width - 6;
    this.#drawStrip(scope, width);
    context.drawImage(this.#strip, end - width, y, width, 12);
    context.strokeStyle = colours.axis;
    context.strokeRect(end - width - 0.5, y - 0.5, width + 1, 13);
    this.#sheet.text(number(fromDb), end - width - 6, y + 11, 'right', colours.text);
  }
  /** The colours from the weakest to the strongest, which change with the generation of lines. */
  #drawStrip(scope, width) {
    const { generation } = this.#drawn;
    if (this.#strip.width === width && this.#stripOf === generation) return;
    this.#stripOf = generation;
    [this.#strip.width, this.#strip.height] = [width, 1];
    const row = new ImageData(new Uint8ClampedArray(scope.legend(width)), width, 1);
    this.#strip.getContext('2d').putImageData(row, 0, 0);
  }
}
