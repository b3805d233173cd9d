// What is known of an array: facts, attributes, and its chunks.

import {el, onScheme} from './dom.js';
import {bytes, count, number, shape} from './format.js';
import * as api from './api.js';
import {Scale} from './colours.js';

// facts returns a panel with the properties of an array.
export function facts(info, path) {
  const rows = [['dtype', api.kindOf(info.dtype)], ['shape', shape(info.shape)], ['dimensions', info.dims?.some(Boolean) ? info.dims.map(d => d || '–').join(', ') : null],
    ['units', info.units], ['values', info.packing?.note], ['chunks', info.chunks && shape(info.chunks)], ['blocks', info.blocks && shape(info.blocks)],
    ['codec', [info.codec || info.codecs?.join(', '), info.level && `level ${info.level}`].filter(Boolean).join(', ')],
    ['filters', info.filters?.join(', ')],
    ['size', bytes(info.nbytes)], ['stored', info.cbytes ? `${bytes(info.cbytes)}${info.ratio ? ` (${number(info.ratio, 3)} times smaller)` : ''}` : null],
    ['version', info.version && String(info.version).slice(0, 24)]];
  const list = el('dl', {class: 'facts'}, rows.filter(([, v]) => v).flatMap(([k, v]) => [el('dt', {}, k), el('dd', {}, v)]));
  const fields = info.fields?.length ? table('Fields', ['field', 'dtype'], info.fields.map(f => [f.name ?? String(f), f.dtype ?? ''])) : null;
  const links = el('p', {class: 'downloads'},
    el('a', {class: 'button', href: api.address('files', path), download: ''}, 'The file'),
    el('a', {class: 'button', href: api.address('api/v1/info', path)}, 'As JSON'));
  return el('details', {class: 'panel', open: true}, el('summary', {}, 'About'), list, fields, attributes(info), code(path), links);
}

// attributes lists them, long ones folded.
function attributes(info) {
  const names = Object.keys(info.attributes || {});
  if (!names.length) return null;
  const text = v => typeof v === 'string' ? v : JSON.stringify(v);
  return el('dl', {class: 'facts attributes'}, names.flatMap(n => [el('dt', {}, n), el('dd', {}, text(info.attributes[n]))]));
}

// code says how programs open the array.
function code(path) {
  const zarr = api.address('zarr', path).href;
  return el('div', {class: 'code'}, el('p', {class: 'faint'}, 'In Python'),
    el('pre', {tabindex: 0}, el('code', {}, `import zarr\na = zarr.open_array("${zarr}", mode="r")`)));
}

export function table(label, head, rows) {
  return el('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': label}, el('table', {}, el('thead', {}, el('tr', {}, head.map(h => el('th', {scope: 'col'}, h)))),
    el('tbody', {}, rows.map(r => el('tr', {}, r.map(c => el('td', {}, c)))))));
}

const most = 20000; // chunks in the map

// ChunkMap is a panel with a square for each chunk, in the colour of its ratio.
export class ChunkMap {
  constructor(path, info) {
    Object.assign(this, {path, info});
    this.canvas = el('canvas', {class: 'chunks', role: 'img', 'aria-label': 'Map of chunks', pointermove: e => this.hover(e)});
    this.text = el('p', {class: 'faint'}, '\u00a0');
    this.element = el('details', {class: 'panel', toggle: () => this.load()}, el('summary', {}, 'Chunks'), this.canvas, this.text);
    this.end = onScheme(() => this.draw());
  }

  close() { this.end(); }

  async load() {
    if (!this.element.open || this.list) return;
    this.list = [];
    try {
      for (let more = true; more && this.list.length < most;) {
        const got = await api.chunks(this.path, {first: this.list.length, limit: 5000, v: this.info.version});
        this.list.push(...got.chunks);
        more = got.chunks.length > 0 && (got.more ?? got.chunks.length === 5000);
        this.cut = more;
      }
    } catch (err) {
      this.list = null;
      this.text.textContent = err.status === 404 || err.status === 422 || err.status === 415 ? 'This format does not tell the sizes of its chunks.' : `The chunks could not be read: ${err.message}`;
      this.canvas.hidden = true;
      return;
    }
    this.draw();
  }

  draw() {
    const {list, info, canvas} = this;
    if (!list?.length) return;
    const grid = info.shape.map((n, i) => Math.max(1, Math.ceil(n / (info.chunks?.[i] || n))));
    const columns = this.columns = Math.min(64, Math.max(1, (grid.at(-1) ?? 1) >= 4 && (grid.at(-1) ?? 1) <= 64 ? grid.at(-1) : Math.ceil(Math.sqrt(list.length * 1.6))));
    const rows = Math.ceil(list.length / columns), cell = this.cell = Math.max(3, Math.min(22, Math.floor(288 / columns)));
    const ratio = Math.min(2, devicePixelRatio || 1);
    canvas.width = columns * cell * ratio;
    canvas.height = rows * cell * ratio;
    canvas.style.width = `${columns * cell}px`;
    const c = canvas.getContext('2d');
    c.scale(ratio, ratio);
    const sizes = list.map(k => ratioOf(k)).filter(r => r > 0 && Number.isFinite(r));
    const low = Math.min(...sizes, 1), high = Math.max(...sizes, low + 1e-9);
    const scale = new Scale('lagoon', Math.log(low), Math.log(high) || 1, false, false);
    list.forEach((k, i) => {
      c.fillStyle = k.special ? '#9aa1ab' : scale.css(scale.place(Math.log(ratioOf(k) || 1)));
      c.fillRect(i % columns * cell, Math.floor(i / columns) * cell, cell - (cell > 4 ? 1 : 0), cell - (cell > 4 ? 1 : 0));
    });
    const special = list.filter(k => k.special).length;
    this.summary = `${count(list.length)} chunks${this.cut ? ' (the first ones)' : ''}, ratios from ${number(low, 3)} to ${number(high, 3)}`
      + `${special ? `; ${count(special)} of one repeated value (grey)` : ''}. Light squares are compressed most.`;
    this.text.textContent = this.summary;
    canvas.setAttribute('aria-label', this.summary);
  }

  hover(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor((event.clientX - box.left) / this.cell), y = Math.floor((event.clientY - box.top) / this.cell);
    const i = y * this.columns + x, k = this.list?.[i];
    this.text.textContent = k ? `Chunk ${count(i)}: ${bytes(k.cbytes)}${k.special ? `, all ${k.special}` : `, ratio ${number(ratioOf(k), 4)}`}` : this.summary;
  }
}

const ratioOf = k => k.ratio ?? 1;
