// A line chart as SVG.

import {el, svg} from './dom.js';

// chart draws series [{xs, ys, name}] over positions along an axis. o has axis, units, at (a
// position to mark), width, height, label, values and pick(i).
export function chart(series, o) {
  const width = o.width || 288, height = o.height || 120, left = leftOf(o.values), bottom = 20, top = 6, right = 6;
  const finite = series.flatMap(s => Array.from(s.ys).filter(Number.isFinite));
  if (!finite.length) return el('p', {class: 'faint'}, 'There are no finite values here.');
  let low = finite.reduce((a, b) => Math.min(a, b)), high = finite.reduce((a, b) => Math.max(a, b));
  if (low === high) [low, high] = [low - 0.5, high + 0.5];
  const pad = (high - low) * 0.04, x0 = o.from ?? series[0].xs[0], x1 = o.to ?? series[0].xs.at(-1);
  const px = x => left + (x - x0) / (x1 - x0 || 1) * (width - left - right);
  const py = y => top + (high + pad - y) / (high - low + 2 * pad) * (height - top - bottom);
  const parts = [];
  for (const v of o.values.ticks(low, high, height / 40)) {
    parts.push(svg('line', {x1: left, x2: width - right, y1: py(v), y2: py(v), class: 'gridline'}),
      svg('text', {x: left - 5, y: py(v) + 3.5, 'text-anchor': 'end'}, o.values.text(v, 4, high - low)));
  }
  let free = -Infinity;
  for (const t of o.axis.ticks(x0, x1 + 1, Math.max(3, width / 90))) {
    const half = t.text.length * 3.1, at = Math.min(width - half - 2, Math.max(half + 2, px(t.i)));
    if (px(t.i) < left - 1 || px(t.i) > width || at - half < free) continue;
    free = at + half + 10;
    parts.push(svg('text', {x: at, y: height - 4, 'text-anchor': 'middle'}, t.text));
  }
  if (o.at !== undefined) parts.push(svg('line', {x1: px(o.at), x2: px(o.at), y1: top, y2: height - bottom, class: 'limit'}));
  series.forEach((s, k) => parts.push(svg('path', {d: path(s, px, py), class: `line series${k}`})));
  const text = o.label || `${o.axis.label}: from ${o.values.text(low)} to ${o.values.text(high)}`;
  const drawing = svg('svg', {viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': text, class: 'chart'}, ...parts);
  if (o.pick) {
    drawing.addEventListener('click', e => {
      const box = drawing.getBoundingClientRect(), at = (e.clientX - box.left) / box.width * width;
      o.pick(Math.round(x0 + (at - left) / (width - left - right) * (x1 - x0)));
    });
  }
  return drawing;
}

// leftOf is the room for the labels of values.
export function leftOf(values) { return values.dates ? 96 : 46; }

// path is a line that breaks where there is no value.
function path(s, px, py) {
  const parts = [];
  let on = false;
  s.ys.forEach((y, i) => {
    if (!Number.isFinite(y)) {
      on = false;
      return;
    }
    parts.push(`${on ? 'L' : 'M'}${px(s.xs[i]).toFixed(1)} ${py(y).toFixed(1)}`);
    if (!on && !Number.isFinite(s.ys[i + 1])) parts.push('h.01'); // a lone point
    on = true;
  });
  return parts.join('');
}
