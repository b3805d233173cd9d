// Colour maps, which the server has made of its own.

const maps = new Map(); // of {name, diverging, table: Uint8Array of r, g, b}

export async function load(url) {
  const all = await (await fetch(url)).json();
  for (const m of all) {
    const table = new Uint8Array(m.colours.length / 2);
    for (let i = 0; i < table.length; i++) table[i] = parseInt(m.colours.slice(2 * i, 2 * i + 2), 16);
    maps.set(m.name, {name: m.name, diverging: m.diverging, table});
  }
}

export const names = () => [...maps.keys()];
export const diverging = name => maps.get(name)?.diverging ?? false;

// A Scale maps values to colours.
export class Scale {
  constructor(name, low, high, reversed, logarithmic) {
    this.map = maps.get(name) || maps.values().next().value;
    this.low = low;
    this.high = high;
    this.reversed = reversed;
    this.logarithmic = logarithmic && high > 0;
    this.key = [this.map.name, low, high, reversed, this.logarithmic].join();
    this.lookup = new Uint32Array(1024);
    for (let i = 0; i < 1024; i++) {
      const [r, g, b] = this.at(i / 1023);
      this.lookup[i] = 255 << 24 | b << 16 | g << 8 | r;
    }
  }

  // at returns a colour for a number from 0 to 1.
  at(t) {
    const table = this.map.table, n = table.length / 3 - 1;
    const i = 3 * Math.round(n * Math.min(1, Math.max(0, this.reversed ? 1 - t : t)));
    return [table[i], table[i + 1], table[i + 2]];
  }

  css(t) { return `rgb(${this.at(t).join(' ')})`; }

  // place returns where a value lies between the limits, 0 to 1.
  place(v) {
    if (!this.logarithmic) return (v - this.low) / (this.high - this.low || 1);
    const low = this.logLow();
    return Math.log(Math.max(v, low) / low) / Math.log(this.high / low || Math.E);
  }

  // value is the inverse of place.
  value(t) {
    if (!this.logarithmic) return this.low + t * (this.high - this.low);
    const low = this.logLow();
    return low * (this.high / low) ** t;
  }

  logLow() { return this.low > 0 ? this.low : this.high / 1e6; }

  // paint writes the colours of values into the pixels of an image. special are the pixels of NaN,
  // and of the infinities above and below.
  paint(values, pixels, special) {
    const {lookup} = this, out = new Uint32Array(pixels.buffer);
    if (this.logarithmic) {
      for (let i = 0; i < values.length; i++) {
        const v = values[i];
        out[i] = v - v === 0 ? lookup[Math.max(0, Math.min(1023, this.place(v) * 1023 + 0.5)) | 0] : special[v > 0 ? 1 : v < 0 ? 2 : 0];
      }
      return;
    }
    const low = this.low, factor = 1023 / (this.high - this.low || 1);
    for (let i = 0; i < values.length; i++) {
      const v = values[i];
      if (v - v !== 0) {
        out[i] = special[v > 0 ? 1 : v < 0 ? 2 : 0];
        continue;
      }
      let t = (v - low) * factor + 0.5;
      t = t > 0 ? (t < 1023 ? t : 1023) : 0;
      out[i] = lookup[t | 0];
    }
  }
}

// percentiles returns the values below which given parts of all finite ones lie.
export function percentiles(lists, parts) {
  let all = [];
  for (const list of lists) {
    const step = Math.max(1, Math.floor(list.length / 65536));
    for (let i = 0; i < list.length; i += step) if (Number.isFinite(list[i])) all.push(list[i]);
  }
  if (!all.length) return null;
  all = Float64Array.from(all).sort();
  return parts.map(p => all[Math.min(all.length - 1, Math.max(0, Math.round(p * (all.length - 1))))]);
}
