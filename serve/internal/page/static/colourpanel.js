// Colour maps and limits, with the histogram of the plane.

import {debounce, el, set, svg} from './dom.js';
import {number} from './format.js';
import * as api from './api.js';
import * as colours from './colours.js';

const statsItems = 4 << 20; // planes up to this size are counted item by item without being asked
const parts = [0.02, 0.98]; // automatic limits: percentiles of what the coarsest tile shows

export class ColourPanel {
  constructor(plane) {
    this.plane = plane;
    this.auto = true;
    this.map = el('select', {change: () => this.apply(true)}, colours.names().map(n => el('option', {value: n}, n)));
    this.reversed = el('input', {type: 'checkbox', change: () => this.apply(true)});
    this.log = el('input', {type: 'checkbox', change: () => this.apply(true)});
    const limit = label => el('input', {type: 'text', inputmode: 'decimal', 'aria-label': label, size: 9, change: () => this.manual()});
    const words = {abs: 'magnitude', phase: 'phase', real: 'real part', imag: 'imaginary part', seconds: 'seconds'};
    const as = plane.page.info.as || [];
    this.as = el('select', {change: () => plane.showAs(this.as.value)}, as.map(n => el('option', {value: n}, words[n])));
    this.low = limit('Lowest value of the colours');
    this.high = limit('Highest value of the colours');
    this.autoButton = el('button', {type: 'button', 'aria-pressed': 'true', title: 'Limits that hide the 2 % at either end',
      click: () => this.automatic(parts)}, 'Auto');
    this.fullButton = el('button', {type: 'button', 'aria-pressed': 'false', title: 'Limits from the least to the largest value',
      click: () => this.automatic([0, 1])}, 'Full');
    this.chart = el('div', {class: 'histogram'});
    this.facts = el('p', {class: 'faint'});
    this.element = el('details', {class: 'panel', open: true}, el('summary', {}, 'Colours and values'),
      as.length > 1 && el('label', {class: 'field'}, el('span', {}, 'Show'), this.as),
      el('div', {class: 'row'}, el('label', {class: 'field'}, el('span', {}, 'Map'), this.map),
        el('label', {class: 'check'}, this.reversed, 'reversed'), el('label', {class: 'check'}, this.log, 'log')),
      el('div', {class: 'row'}, this.low, el('span', {'aria-hidden': 'true'}, 'to'), this.high, this.autoButton, this.fullButton),
      this.chart, this.facts);
    this.loadStats = debounce(() => this.stats(), 350);
  }

  read(q) {
    this.chosen = colours.names().includes(q.get('map'));
    this.map.value = this.chosen ? q.get('map') : colours.names()[0];
    this.reversed.checked = q.get('rev') === '1';
    this.log.checked = q.get('log') === '1';
    this.as.value = this.plane.layer.values.as;
    const low = parseFloat(q.get('lo')), high = parseFloat(q.get('hi'));
    this.parts = q.get('lim') === 'full' ? [0, 1] : parts;
    this.auto = !(Number.isFinite(low) && Number.isFinite(high));
    if (!this.auto) Object.assign(this, {lowest: low, highest: high});
    this.refresh();
  }

  write(put) {
    put('map', this.chosen ? this.map.value : '', '');
    put('rev', this.reversed.checked ? '1' : '');
    put('log', this.log.checked ? '1' : '');
    put('lo', this.auto ? '' : String(this.lowest), '');
    put('hi', this.auto ? '' : String(this.highest), '');
    put('lim', this.auto && this.parts[0] === 0 ? 'full' : '');
  }

  // refresh takes new limits when the plane's values are there.
  refresh() {
    this.basis = null;
    if (!this.auto) this.apply();
    this.arrived();
  }

  automatic(which) {
    this.auto = true;
    this.parts = which;
    this.refresh();
    this.plane.page.save();
  }

  manual() {
    const {values} = this.plane.layer, low = values.parse(this.low.value), high = values.parse(this.high.value);
    if (!Number.isFinite(low) || !Number.isFinite(high)) return;
    Object.assign(this, {auto: false, lowest: low, highest: high});
    this.apply(true);
  }

  next() {
    const names = colours.names();
    this.map.value = names[(names.indexOf(this.map.value) + 1) % names.length];
    this.apply(true);
  }

  // arrived looks whether there are values to choose limits from: once for a plane, or again when
  // the exact ones come. While one plays, limits stay.
  arrived() {
    const {plane} = this, {layer, picture} = plane, tile = layer && picture.scaleTile();
    if (!tile) return;
    const basis = layer.key + tile.exact;
    if (this.basis === basis) return;
    const calm = this.basis && plane.bar.playing !== null;
    this.basis = basis;
    if (this.auto && !calm) {
      const lists = [tile.values], other = plane.comparison.sideTile?.();
      if (other) lists.push(other.values);
      const got = colours.percentiles(lists, this.parts);
      if (got) {
        let [low, high] = got;
        if (low === high) [low, high] = colours.percentiles(lists, [0, 1]);
        if (low === high) [low, high] = [low - 0.5, high + 0.5];
        if (!this.chosen) this.suggest(low, high);
        if (colours.diverging(this.map.value)) [low, high] = [-Math.max(-low, high), Math.max(-low, high)];
        Object.assign(this, {lowest: low, highest: high});
        this.apply();
      } else if (!plane.picture.scale) {
        Object.assign(this, {lowest: 0, highest: 1});
        this.apply();
      }
    }
    this.loadStats();
  }

  // suggest chooses a map with a middle for values on both sides of zero.
  suggest(low, high) {
    const middle = low < 0 && high > 0 && -low < 4 * high && high < 4 * -low;
    this.map.value = colours.names().find(n => colours.diverging(n) === middle) || colours.names()[0];
  }

  apply(byHand) {
    if (byHand) this.chosen = true;
    const scale = new colours.Scale(this.map.value, this.lowest, this.highest, this.reversed.checked, this.log.checked);
    const {values} = this.plane.layer, span = this.highest - this.lowest, shown = v => values.text(v, 5, span);
    this.low.size = this.high.size = values.dates ? 19 : 9;
    this.low.value = shown(this.lowest);
    this.high.value = shown(this.highest);
    this.limitsText = `${shown(this.lowest)} to ${shown(this.highest)}`;
    set(this.autoButton, {'aria-pressed': String(this.auto && this.parts[0] > 0)});
    set(this.fullButton, {'aria-pressed': String(this.auto && this.parts[0] === 0)});
    this.scale = scale;
    this.plane.setScale(scale);
    this.plane.describe();
    this.drawHistogram();
    if (byHand) this.plane.page.save();
  }

  // stats asks the server for the statistics of all items. Of large planes there is a histogram of
  // what the picture shows, until the reader asks for more.
  async stats(byHand) {
    const {plane} = this, {layer} = plane;
    if (!this.element.open || plane.closed) return;
    if (layer.ny * layer.nx > statsItems && byHand !== true) {
      this.got = sketch(plane.picture.scaleTile());
      this.drawHistogram();
      return;
    }
    if (byHand === true) this.facts.textContent = 'Counting all items…';
    const s = plane.at.map((v, i) => i === plane.y || i === plane.x ? ':' : v).join(',');
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const got = await api.stats(plane.path, {s, bins: 64, as: layer.values.as, v: layer.version}, this.asking.signal);
      if (layer !== plane.layer) return;
      this.got = got;
    } catch (err) {
      if (err.name === 'AbortError') return;
      this.got = null;
      this.facts.textContent = err.status === 413 || err.status === 504
        ? 'The plane is too large for statistics of all its items.' : `No statistics: ${err.message}`;
    }
    this.drawHistogram();
  }

  drawHistogram() {
    const {got, scale} = this;
    this.chart.replaceChildren();
    if (!got || !scale) return;
    if (got.histogram) this.drawBars(got);
    const {values} = this.plane.layer;
    if (got.sketched) {
      this.facts.replaceChildren(`Of ${number(got.count)} cells of the coarsest picture. `,
        el('button', {type: 'button', class: 'small', click: () => this.stats(true)}, 'Count all items'));
    } else this.facts.textContent = facts(got, values);
  }

  drawBars(got) {
    const {scale} = this, {values} = this.plane.layer, {counts: bins, low, high} = got.histogram;
    const most = Math.max(1, ...bins);
    const width = 288, height = 76, w = width / Math.max(1, bins.length);
    const bars = bins.map((n, i) => {
      const h = n ? Math.max(1.5, height * Math.sqrt(n / most)) : 0, middle = low + (i + 0.5) / bins.length * (high - low);
      return svg('rect', {x: (i * w).toFixed(2), y: (height - h).toFixed(2), width: Math.max(0.5, w - 0.6).toFixed(2), height: h.toFixed(2),
        fill: scale.css(scale.place(middle)), class: 'bar'});
    });
    const line = v => svg('line', {x1: (v - low) / (high - low || 1) * width, x2: (v - low) / (high - low || 1) * width, y1: 0, y2: height, class: 'limit'});
    const edge = values.dates ? 40 : 14, limits = [this.lowest, this.highest].filter(v => v >= low && v <= high).map(line);
    const labels = values.ticks(low, high, values.dates ? 2 : 4).map(v => svg('text', {x: Math.min(width - edge, Math.max(edge, (v - low) / (high - low || 1) * width)), y: height + 15,
      'text-anchor': 'middle'}, values.text(v, 4, high - low)));
    const text = `Histogram of ${got.count} values from ${values.text(low)} to ${values.text(high)}`;
    this.chart.replaceChildren(svg('svg', {viewBox: `0 0 ${width} ${height + 20}`, role: 'img', 'aria-label': text}, ...bars, ...limits, ...labels));
  }
}

// facts writes statistics.
export function facts(got, values) {
  const nans = got.nan ? ` · ${number(got.nan)} ${values.dates ? 'missing' : 'NaN'}` : '';
  if (Array.isArray(got.mean)) return `mean ${values.item(got.mean, 5)} · sd ${number(got.std)}${nans}`;
  const span = got.max - got.min || 0, list = s => `min ${values.text(s.min, 5, span)} · max ${values.text(s.max, 5, span)}`
    + ` · mean ${values.text(s.mean, 5, span)} · sd ${values.distance(s.std)}`;
  if (!got.finite) return list(got) + nans;
  if (!got.finite.count) return `${number(got.inf)} infinite${nans}, none finite`;
  return `min ${number(got.min)} · max ${number(got.max)} · ${number(got.inf)} infinite${nans}. Finite: ${list(got.finite)}`;
}

// sketch is the histogram of a tile.
function sketch(tile) {
  const values = tile ? Array.from(tile.values).filter(Number.isFinite) : [];
  if (!values.length) return null;
  const low = values.reduce((a, b) => Math.min(a, b)), high = values.reduce((a, b) => Math.max(a, b));
  const counts = new Array(64).fill(0);
  for (const v of values) counts[Math.min(63, Math.floor((v - low) / (high - low || 1) * 64))]++;
  return {sketched: true, count: values.length, min: low, max: high, histogram: {counts, low, high}};
}

// A Legend is the colour bar below a picture.
export class Legend {
  constructor() {
    this.canvas = el('canvas', {width: 256, height: 1, class: 'colourbar'});
    this.ticks = el('div', {class: 'ticks'});
    this.units = el('span', {class: 'units'});
    this.special = el('span', {class: 'special'});
    this.element = el('div', {class: 'legend', role: 'img', 'aria-label': 'Colours'}, el('div', {class: 'bar'}, this.canvas, this.ticks), this.units, this.special);
  }

  // show shows a scale of the values of an array.
  show(scale, values, info) {
    const c = this.canvas.getContext('2d');
    for (let i = 0; i < 256; i++) {
      c.fillStyle = scale.css(i / 255);
      c.fillRect(i, 0, 1, 1);
    }
    const {title} = info, {units} = values, name = title || info.attributes?.long_name || '';
    this.units.textContent = [name, units ? `(${units})` : ''].filter(Boolean).join(' ');
    const span = scale.high - scale.low;
    const list = scale.logarithmic ? [0, 0.25, 0.5, 0.75, 1].map(t => scale.value(t)) : values.ticks(scale.low, scale.high, 5);
    this.ticks.replaceChildren(...list.map(v => {
      const t = el('span', {}, values.text(v, 4, span));
      t.style.left = `${100 * scale.place(v)}%`;
      return t;
    }));
    this.element.setAttribute('aria-label', `Colours from ${values.text(scale.low, 5, span)} to ${values.text(scale.high, 5, span)} ${units}`);
  }

  // note shows the colours of what a tile has that is no finite number.
  note(tile) {
    const kinds = tile ? specials(tile) : [];
    this.special.hidden = !kinds.length;
    this.special.replaceChildren(...kinds.flatMap(([kind, text]) => [el('span', {class: `swatch ${kind}`}), text]));
  }
}

// specials lists what a tile has that is no finite number.
function specials(tile) {
  tile.kinds ||= [['absent', 'none', v => v !== v], ['above', '∞', v => v === Infinity], ['below', '−∞', v => v === -Infinity]]
    .filter(([, , is]) => tile.values.some(is));
  return tile.kinds;
}
