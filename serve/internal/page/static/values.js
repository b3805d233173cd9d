// What the numbers of an array are: how the server is asked for them, and how they are written.

import {kindOf} from './api.js';
import {number, ticks, unit} from './format.js';

export class Values {
  // as is one of the numbers that stand for dates or complex values.
  constructor(info, as) {
    this.names = info.as || [];
    this.as = this.names.includes(as) ? as : this.names[0] || '';
    this.dates = this.as === 'seconds' && Boolean(info.dates);
    this.nearest = info.reduce === 'nearest' || this.as === 'phase';
    this.units = this.dates ? '' : {seconds: 's', phase: 'rad'}[this.as] ?? unit(info.units);
    // Items of dates and durations of NumPy are texts already, and complex ones have two numbers.
    this.asItem = this.dates && !/^.?M8/.test(kindOf(info.dtype)) ? this.as : '';
  }

  // text writes a number; span is how far apart the numbers beside it are.
  text(v, digits = 5, span = 0) { return this.dates && typeof v === 'number' ? date(v, span) : number(v, digits); }

  // item writes an item as the server gives it.
  item(v, digits) {
    if (Array.isArray(v) && v.length === 2) return `${number(v[0], digits)} ${v[1] < 0 ? '−' : '+'} ${number(typeof v[1] === 'number' ? Math.abs(v[1]) : v[1], digits)}i`;
    if (v && typeof v === 'object') return JSON.stringify(v);
    return this.text(v, digits, 0);
  }

  // parse is the inverse of text, NaN if there is no number.
  parse(text) {
    if (!this.dates) return parseFloat(text.replace('−', '-'));
    const t = text.trim().replace(' ', 'T');
    return Date.parse(/T.*[^Z]$/i.test(t) ? t + 'Z' : t) / 1000;
  }

  ticks(low, high, wanted) { return this.dates ? dateTicks(low, high, wanted) : ticks(low, high, wanted); }

  // distance writes a difference of two numbers.
  distance(v) {
    if (!this.dates || typeof v !== 'number') return number(v);
    const [size, name] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']].find(([s]) => v >= 2 * s) || [1, 's'];
    return `${number(v / size, 4)} ${name}`;
  }
}

// date writes seconds since 1970 with what numbers so far apart differ in.
export function date(seconds, span = 0) {
  if (!Number.isFinite(seconds)) return Number.isNaN(seconds) ? 'no date' : number(seconds);
  const d = new Date(Math.round(seconds * 1000));
  if (Number.isNaN(d.getTime())) return `${number(seconds)} s`;
  const text = d.toISOString().replace('T', ' ').replace(/\.000Z$|Z$/, '');
  if (span >= 5 * 86400 || /00:00:00$/.test(text)) return text.slice(0, -9).replace(/ .*$/, '');
  return span >= 300 ? text.replace(/(:\d\d):\d\d(\.\d+)?$/, '$1') : text;
}

const minute = 60, hour = 3600, day = 86400;
const steps = [1, 2, 5, 10, 15, 30, minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
  hour, 3 * hour, 6 * hour, 12 * hour, day, 2 * day, 5 * day, 10 * day];

// dateTicks returns round dates between two others.
function dateTicks(low, high, wanted) {
  const raw = (high - low) / Math.max(1, wanted);
  if (!(raw > 0) || !Number.isFinite(raw)) return [low];
  if (raw < 1) return ticks(low, high, wanted);
  if (raw <= 10 * day) {
    const step = steps.find(s => s >= raw), list = [];
    for (let t = Math.ceil(low / step) * step; t <= high; t += step) list.push(t);
    return list;
  }
  const months = raw / (30.4 * day), step = [1, 2, 3, 6, 12].find(m => m >= months) ?? 12 * ticks(0, months / 12 * 10, 10)[1];
  const list = [], from = new Date(low * 1000);
  for (let m = Math.floor((from.getUTCFullYear() * 12 + from.getUTCMonth()) / step) * step; list.length < 100; m += step) {
    const at = new Date(0);
    at.setUTCFullYear(Math.floor(m / 12), m - 12 * Math.floor(m / 12), 1);
    const t = at.getTime() / 1000;
    if (!(t <= high)) break;
    if (t >= low) list.push(t);
  }
  return list.length ? list : [low];
}
