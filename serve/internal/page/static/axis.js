// Dimensions with their names and coordinates.

import {coordinates} from './api.js';
import {count, number, ticks, unit} from './format.js';

const piece = 1024;   // coordinates that are asked for at once
const whole = 8192;   // dimensions up to this length are read whole

export class Axis {
  constructor(path, info, dim, loaded) {
    const c = (info.coordinates || []).find(c => c.axis === dim);
    Object.assign(this, {path, dim, n: info.shape[dim], version: info.version, loaded, units: unit(c?.units), kind: c?.kind});
    this.name = info.dims?.[dim] || '';
    this.has = Boolean(c);
    this.first = c?.first;
    this.last = c?.last;
    this.texts = new Map();
    this.asked = new Set();
  }

  get label() { return this.name || `axis ${this.dim}`; }

  // text is the coordinate of an item, or undefined if it is not known yet.
  text(i) {
    if (!this.has || i < 0 || i >= this.n) return undefined;
    if (i === 0 && this.first !== undefined) return this.shown(this.first);
    if (i === this.n - 1 && this.last !== undefined) return this.shown(this.last);
    if (!this.texts.has(i)) this.ask(i);
    const t = this.texts.get(i);
    return t === undefined ? t : this.shown(t);
  }

  // shown is a coordinate for readers: dates have a space before the time, and degrees say on which
  // side of the equator, or of Greenwich, they are.
  shown(t) {
    if (this.kind === 'time') return String(t).replace('T', ' ');
    return this.degrees && Number.isFinite(Number(t)) ? this.onGlobe(Number(t), String(t).replace('-', '')) : String(t);
  }

  get degrees() { return this.kind === 'number' && (this.units === '°N' || this.units === '°E'); }

  onGlobe(v, size) { return `${size}°${v < 0 ? {N: 'S', E: 'W'}[this.units[1]] : v > 0 ? this.units[1] : ''}`; }

  // suffix tells whether a unit belongs behind coordinates.
  get suffix() { return this.kind === 'number' && this.units && !this.degrees; }

  // place says where an item is: "lat 50.5 (12)".
  place(i) {
    const t = this.text(i);
    const unit = this.suffix ? '\u00a0' + this.units : '';
    return t === undefined ? `${this.label} ${count(i)}` : `${this.label} ${t}${unit} (${count(i)})`;
  }

  async ask(i) {
    const start = this.n <= whole ? 0 : Math.floor(i / piece) * piece;
    if (this.asked.has(start)) return;
    this.asked.add(start);
    const stop = Math.min(this.n, start + (this.n <= whole ? whole : piece));
    try {
      const answer = await coordinates(this.path, {dim: this.dim, start, stop, v: this.version});
      answer.values.forEach((t, k) => this.texts.set(start + k, t));
    } catch {
      this.has = false; // indices do as well
    }
    this.loaded();
  }

  // ticks returns places to mark between two positions, with their texts.
  ticks(from, to, wanted) {
    const a = Math.max(0, Math.floor(from)), b = Math.min(this.n - 1, Math.ceil(to) - 1);
    if (b <= a) return [{i: a, text: this.text(a) ?? count(a)}];
    const round = this.roundTicks(a, b, wanted);
    if (round) return round;
    return ticks(a, b, Math.min(wanted, b - a)).filter(i => Number.isInteger(i) && i >= a && i <= b)
      .map(i => ({i, text: this.text(i) ?? count(i)}));
  }

  // numbers returns all coordinates if they are numbers that only rise or only fall, or null.
  numbers() {
    if (this.list !== undefined) return this.list;
    if (!this.has || this.kind !== 'number' || this.n > whole) return this.list = null;
    if (this.texts.size < this.n) {
      this.ask(0);
      return null; // not yet
    }
    const list = Array.from({length: this.n}, (_, i) => Number(this.texts.get(i)));
    const steps = list.slice(1).map((v, i) => Math.sign(v - list[i]));
    return this.list = list.every(Number.isFinite) && steps.every(s => s && s === steps[0]) ? list : null;
  }

  // roundTicks marks round coordinates, which may lie between items.
  roundTicks(a, b, wanted) {
    const list = this.numbers();
    if (!list || b - a < 3) return null;
    const [low, high] = [list[a], list[b]].sort((p, q) => p - q), rising = list[1] > list[0];
    let values = ticks(low, high, wanted);
    if (values.length < 2) values = ticks(low, high, 2 * wanted);
    const marks = values.map(v => {
      let i = a;
      while (i < b - 1 && (rising ? list[i + 1] <= v : list[i + 1] >= v)) i++;
      return {i: i + (v - list[i]) / (list[i + 1] - list[i]), text: this.degrees ? this.onGlobe(v, number(Math.abs(v), 7)) : number(v, 7)};
    });
    return marks.length > 1 ? marks.sort((p, q) => p.i - q.i) : null;
  }

  // northward tells whether coordinates such as latitudes grow with the index, so that a map must be
  // turned to have north at the top.
  get northward() {
    if (!/^(lat|latitude|northing|y)$/i.test(this.name) || this.kind !== 'number') return false;
    return Number(this.last) > Number(this.first);
  }
}
