// Numbers and sizes as text.

const minus = '−';

// number formats a value with some significant digits.
export function number(v, digits = 5) {
  if (v === null || v === undefined) return '–';
  if (typeof v === 'string') return {nan: 'NaN', inf: '∞', '+inf': '∞', '-inf': minus + '∞'}[v.toLowerCase()] ?? v;
  if (typeof v === 'boolean') return v ? 'true' : 'false';
  if (Number.isNaN(v)) return 'NaN';
  if (v === Infinity) return '∞';
  if (v === -Infinity) return minus + '∞';
  if (v === 0) return '0';
  const size = Math.abs(v);
  let text;
  if (Number.isInteger(v) && size < 1e7) text = String(size);
  else if (size >= 1e7 || size < 1e-4) text = size.toExponential(digits - 2).replace(/\.?0+e/, 'e').replace('e+', 'e');
  else text = String(Number(size.toPrecision(digits)));
  return (v < 0 ? minus : '') + text;
}

const readable = [[/^(degrees?_?(n(orth)?))$/i, '°N'], [/^(degrees?_?(e(ast)?))$/i, '°E'], [/^(deg(rees?)?_?c(elsius)?|celsius)$/i, '°C'],
  [/^degrees?$/i, '°'], [/^1$/, '']];

// unit returns units as they are usually printed.
export function unit(text) {
  const found = readable.find(([pattern]) => pattern.test(text ?? ''));
  return found ? found[1] : text || '';
}

export function count(n) {
  return Number(n).toLocaleString('en-GB').replaceAll(',', '\u202f');
}

export function bytes(n) {
  if (n === null || n === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) {
    n /= 1024;
    i++;
  }
  return (i && n < 100 ? n.toPrecision(3) : Math.round(n)) + ' ' + units[i];
}

export function shape(s) {
  if (!s) return '';
  return s.length ? s.map(count).join(' × ') : 'one item';
}

export function plural(n, word) { return `${count(n)} ${word}${n === 1 ? '' : 's'}`; }

// ticks returns round numbers between two others, about as many as wanted.
export function ticks(low, high, wanted) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  const raw = span / Math.max(1, wanted), power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map(m => m * power).find(s => s >= raw * 0.999);
  const list = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) list.push(Number((k * step).toPrecision(12)));
  return list;
}
