// A rectangle of items, to download or to look at.

import {el, say} from './dom.js';
import {bytes, count} from './format.js';
import * as api from './api.js';

const formats = [['npy', 'NumPy .npy'], ['b2nd', 'Blosc2 .b2nd'], ['csv', 'CSV'], ['json', 'JSON'], ['png', 'PNG']];

export class SelectionPanel {
  constructor(plane) {
    this.plane = plane;
    const bound = label => el('input', {type: 'number', min: 0, 'aria-label': label, change: () => this.typed()});
    this.inputs = ['First row', 'End of rows', 'First column', 'End of columns'].map(bound);
    const [a, b, c, d] = this.inputs, dash = () => el('span', {'aria-hidden': 'true'}, ':');
    this.rowsName = el('span', {class: 'name'});
    this.columnsName = el('span', {class: 'name'});
    this.what = el('p', {class: 'faint'});
    this.links = el('div', {class: 'downloads'});
    this.text = el('code', {class: 'selector'});
    this.element = el('details', {class: 'panel', open: true}, el('summary', {}, 'Selection and download'),
      el('div', {class: 'bounds'}, this.rowsName, a, dash(), b), el('div', {class: 'bounds'}, this.columnsName, c, dash(), d),
      this.what, this.text, this.links,
      el('div', {class: 'row'}, el('button', {type: 'button', click: () => this.zoom()}, 'Zoom to it'),
        el('button', {type: 'button', click: () => this.clear()}, 'Select the whole plane'),
        el('button', {type: 'button', click: () => this.picture()}, 'Save this picture')));
  }

  get box() {
    const {layer, picture} = this.plane;
    return picture.selection || {y0: 0, y1: layer.ny, x0: 0, x1: layer.nx};
  }

  set(box) {
    const {plane} = this;
    if (box && (box.y1 <= box.y0 || box.x1 <= box.x0)) return;
    for (const p of plane.pictures()) {
      p.selection = box;
      p.redraw();
    }
    this.describe();
    plane.saveSoon?.();
  }

  clear() {
    this.anchor = null;
    this.set(null);
  }

  done() {
    this.plane.toggleSelecting(false);
    say(`Selected ${this.what.textContent}`);
  }

  // begin, follow and finish select with the keys.
  begin(cursor) {
    this.anchor = cursor;
    this.follow(cursor);
    say('Selection begun: move with the arrow keys, end with Enter.');
  }

  follow([y, x]) {
    if (!this.anchor) return;
    const [ay, ax] = this.anchor;
    this.set({y0: Math.min(y, ay), y1: Math.max(y, ay) + 1, x0: Math.min(x, ax), x1: Math.max(x, ax) + 1});
  }

  finish() {
    this.anchor = null;
    this.plane.byKey = false; // the size of the selection is what counts now
    this.done();
  }

  typed() {
    const {layer} = this.plane, [y0, y1, x0, x1] = this.inputs.map(i => Math.round(Number(i.value)) || 0);
    const within = (v, n) => Math.min(n, Math.max(0, v));
    this.set({y0: within(y0, layer.ny), y1: within(y1, layer.ny), x0: within(x0, layer.nx), x1: within(x1, layer.nx)});
  }

  // selector is the selection as the server, and Python, understand it.
  get selector() {
    const {plane} = this, {y0, y1, x0, x1} = this.box;
    return plane.at.map((v, i) => i === plane.y ? `${y0}:${y1}` : i === plane.x ? `${x0}:${x1}` : v).join(',');
  }

  describe() {
    const {plane} = this, {y0, y1, x0, x1} = this.box;
    [y0, y1, x0, x1].forEach((v, i) => {
      if (document.activeElement !== this.inputs[i]) this.inputs[i].value = v;
      this.inputs[i].max = i < 2 ? plane.layer.ny : plane.layer.nx;
    });
    this.rowsName.textContent = plane.axes[plane.y].label;
    this.columnsName.textContent = plane.axes[plane.x].label;
    const items = (y1 - y0) * (x1 - x0);
    this.what.textContent = `${count(y1 - y0)} × ${count(x1 - x0)} items, ${bytes(items * (plane.info.itemsize || itemSize(plane.info.dtype)))}`;
    this.text.textContent = `[${this.selector}]`;
    this.links.replaceChildren(...formats.map(([format, text]) =>
      el('a', {class: 'button', href: api.slice(plane.path, this.selector, format), download: ''}, text)));
  }

  zoom() {
    const {view} = this.plane, {y0, y1, x0, x1} = this.box;
    const s = Math.min(view.width / (x1 - x0), view.height / (y1 - y0)) * 0.96, ratio = view.sy / view.sx;
    view.text = [(y0 + y1) / 2, (x0 + x1) / 2, s * ratio, s].join(',');
  }

  // picture saves what is seen, axes included.
  picture() {
    this.plane.picture.canvas.toBlob(blob => {
      const url = URL.createObjectURL(blob);
      el('a', {href: url, download: this.plane.page.name.replace(/\.\w+$/, '') + '.png'}).click();
      setTimeout(() => URL.revokeObjectURL(url), 10000);
    });
  }

  read(q) {
    const [rows, columns] = (q.get('sel') || '').split(',').map(t => t.split(':').map(Number));
    if (rows?.length === 2 && columns?.length === 2 && [...rows, ...columns].every(Number.isInteger)) {
      const {layer} = this.plane, within = (v, n) => Math.min(n, Math.max(0, v));
      this.set({y0: within(rows[0], layer.ny), y1: within(rows[1], layer.ny), x0: within(columns[0], layer.nx), x1: within(columns[1], layer.nx)});
    } else this.describe();
  }

  write(put) {
    const s = this.plane.picture.selection;
    put('sel', s ? `${s.y0}:${s.y1},${s.x0}:${s.x1}` : '');
    this.describe(); // the other indices may have changed
  }
}

function itemSize(dtype) { return Number(/(\d+)/.exec(api.kindOf(dtype).replace(/\[.*/, ''))?.[1] || 1); }
