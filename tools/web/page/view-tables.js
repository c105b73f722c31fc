// The tables under the plots: peaks, markers and facts in words, for everybody and for screen readers.

/** Replaces the rows of a table's part; text only. */
function fill(part, rows) {
  part.replaceChildren(...rows.map(({ heading, cells, selected, all, isText }) => {
    const row = document.createElement('tr');
    row.classList.toggle('selected', Boolean(selected));
    if (heading !== undefined) {
      const head = document.createElement('th');
      head.scope = 'row';
      head.textContent = heading;
      row.append(head);
    }
    for (const words of cells) {
      const cell = document.createElement(all ? 'th' : 'td');
      if (all) cell.scope = 'col';
      if (!isText) cell.className = 'number';
      if (words.includes('\n')) cell.classList.add('lines');
      cell.textContent = words;
      row.append(cell);
    }
    return row;
  }));
}

/** Peaks, strongest first. */
export function peaks(table, picture) {
  const isSlow = picture.peaks.some((peak) => peak.periodText);
  const names = ['No.', 'Frequency', 'Level', ...(isSlow ? ['Period'] : [])];
  fill(table.tHead, [{ cells: names, all: true }]);
  fill(table.tBodies[0], picture.peaks.map((peak, index) => ({
    heading: `${index + 1}`,
    cells: [peak.hzText, peak.levelText, ...(isSlow ? [peak.periodText ?? ''] : [])],
  })));
}

/** Markers, and their differences from the reference. */
export function markers(table, picture) {
  fill(table.tHead, [{ cells: ['No.', 'Frequency', 'Level', 'Difference'], all: true }]);
  fill(table.tBodies[0], picture.markers.map((marker) => ({
    heading: `${marker.number}${marker.reference ? ' ref.' : ''}${marker.peak ? ' peak' : ''}`,
    selected: marker.selected,
    cells: [
      marker.hzText, marker.levelText,
      marker.difference ? `${marker.difference.hzText}\n${marker.difference.dbText}` : '',
    ],
  })));
}

/** What the record is, and what was lost. */
export function facts(table, picture) {
  const status = picture.stream;
  const rows = !status ? [] : [
    ['Source', `${status.source}, ${status.board}`],
    ['Sample rate', status.rateText],
    ['Transform', `${status.n} points, ${status.domain}, ${status.window} window`],
    ['Resolution bandwidth', status.rbwText],
    ['Record', `${status.detector} of ${status.blocks} blocks, overlap ${status.overlap} samples`],
    ['Computed by', status.engine + (status.fallback ? ' (the QPUs failed)' : '')
      + (status.replaced ? ' (another plan than the fastest)' : '')],
    ['Records', `${picture.records}, ${status.missingRecords} missing (${status.dropped} dropped by the board)`],
    ['Samples lost at the input', `${status.overruns}`],
    ...(status.leftOut === 0 ? [] : [['Samples left out beside lost ones', `${status.leftOut}`]]),
    ['Samples at full scale', `${status.clipped}`],
    ['Lost on the line', `${picture.line.lostFrames} frames, ${status.missingValues} values`],
    ...(status.duty === null ? [] : [['Duty', `${(100 * status.duty).toFixed(1)} %`]]),
    ...(status.doubt ? [['Doubt', 'the QPUs failed a check: some of these results may be wrong']] : []),
    ['Gaps', picture.gaps.length === 0 ? 'none' : `${picture.gapCount}; the last: ${picture.gaps.at(-1).reason}`],
  ];
  fill(table.tBodies[0], rows.map(([heading, words]) => ({ heading, cells: [words], isText: true })));
}

/** Keys and what they do. */
export function keys(table, list) {
  fill(table.tBodies[0], list.map(({ key, words }) => ({ heading: key, cells: [words], isText: true })));
}
