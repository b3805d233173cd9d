// Tiles of pictures: what is asked of the server, and what is kept.

import {address, get, kindOf} from './api.js';
import {Values} from './values.js';

export const size = 256;
const most = 220;    // tiles that are kept
const together = 4;  // requests at a time: the browser has six connections, and others need some

// A Layer is a plane of an array.
export class Layer {
  // as names the numbers that stand for dates or complex values.
  constructor(path, info, y, x, at, as) {
    Object.assign(this, {path, version: info.version, y, x, at});
    this.ny = info.shape[y];
    this.nx = info.shape[x];
    // Levels are those of rows and of columns: a cell of [y, x] has 2^y × 2^x items.
    this.top = [this.ny, this.nx].map(n => Math.max(0, Math.ceil(Math.log2(n / size))));
    this.values = new Values(info, as);
    this.nearest = this.values.nearest;
    const fixed = at.map((n, i) => i === y || i === x ? 0 : n);
    this.key = [path, this.version, y, x, fixed, this.values.as].join('|');
    this.query = {y, x, at: fixed.join(','), reduce: this.nearest ? 'nearest' : '', dtype: wide(info) ? 'f8' : '', as: this.values.as};
  }

  name(levels, ty, tx) { return `${this.key}|${levels}|${ty}|${tx}`; }

  async fetch(levels, ty, tx, quality, signal) {
    const query = {...this.query, level: levels.join(','), ty, tx, quality, v: this.version};
    const answer = await get(address('api/v1/tiles', this.path, query), signal);
    const [ny, nx] = (answer.headers.get('X-Cairn-Shape') || '').split(/[,x×]/).map(Number);
    const exact = answer.headers.get('X-Cairn-Quality') === 'exact';
    return {values: floats(await answer.arrayBuffer(), answer.headers.get('X-Cairn-DType')), ny, nx, exact, samples: Number(answer.headers.get('X-Cairn-Samples'))};
  }
}

// A Difference is one layer minus another of the same shape.
export class Difference extends Layer {
  constructor(a, b) {
    super(a.path, {version: a.version, shape: shapeOf(a)}, a.y, a.x, a.at);
    this.nearest = a.nearest || b.nearest;
    for (const layer of [a, b]) layer.query.reduce = this.nearest ? 'nearest' : '';
    this.a = a;
    this.b = b;
    this.key = `${a.key} − ${b.key}`;
  }

  async fetch(levels, ty, tx, quality, signal) {
    const [a, b] = await Promise.all([this.a.fetch(levels, ty, tx, quality, signal),
      this.b.fetch(levels, ty, tx, quality, signal)]);
    return {...a, exact: a.exact && b.exact, values: a.values.map((v, i) => v - b.values[i])};
  }
}

function shapeOf(layer) {
  const shape = [...layer.at].fill(1);
  shape[layer.y] = layer.ny;
  shape[layer.x] = layer.nx;
  return shape;
}

// wide tells whether values need floats of 64 bits, so that near ones far from zero stay apart.
function wide(info) { return /8$|16$|^.?[mM]8/.test(kindOf(info.dtype)) || Boolean(info.packing); }

const littleEndian = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1;

function floats(buffer, dtype) {
  const [Floats, read] = dtype === '<f8' ? [Float64Array, 'getFloat64'] : [Float32Array, 'getFloat32'];
  if (littleEndian) return new Floats(buffer);
  const view = new DataView(buffer), n = Floats.BYTES_PER_ELEMENT;
  return Floats.from({length: buffer.byteLength / n}, (_, i) => view[read](n * i, true));
}

// A Store keeps tiles and fetches those that are wanted, the most wanted first.
export class Store {
  constructor(changed) {
    this.changed = changed;
    this.tiles = new Map(); // in the order of use
    this.wanted = new Map();
    this.running = new Map();
    this.failed = new Map();
    this.failure = null;
  }

  peek(layer, levels, ty, tx) {
    const name = layer.name(levels, ty, tx), tile = this.tiles.get(name);
    if (tile) {
      this.tiles.delete(name);
      this.tiles.set(name, tile);
    }
    return tile;
  }

  // want says which tiles are needed now, most important first: {layer, levels, ty, tx, quality}.
  // Requests for others end.
  want(list) {
    this.wanted = new Map(list.map(w => [w.layer.name(w.levels, w.ty, w.tx) + w.quality, w]));
    for (const [name, abort] of this.running) {
      if (!this.wanted.has(name)) {
        abort.abort();
        this.running.delete(name);
      }
    }
    this.next();
  }

  next() {
    for (const [name, w] of this.wanted) {
      if (this.running.size >= together) return;
      if (!this.running.has(name) && !(this.failed.get(name) > Date.now())) this.start(name, w);
    }
  }

  async start(name, w) {
    const abort = new AbortController();
    this.running.set(name, abort);
    try {
      const tile = await w.layer.fetch(w.levels, w.ty, w.tx, w.quality, abort.signal);
      const key = w.layer.name(w.levels, w.ty, w.tx), old = this.tiles.get(key);
      if (!old?.exact) {
        this.tiles.delete(key);
        this.tiles.set(key, tile);
      }
      while (this.tiles.size > most) this.tiles.delete(this.tiles.keys().next().value);
      this.failure = null;
    } catch (err) {
      if (err.name !== 'AbortError') {
        this.failure = err;
        this.failed.set(name, Date.now() + (err.status >= 400 && err.status < 500 ? 60000 : 5000));
      }
    }
    if (this.running.get(name) !== abort) return;
    this.running.delete(name);
    this.wanted.delete(name);
    this.changed();
    this.next();
  }

  get busy() { return this.running.size > 0; }
}
