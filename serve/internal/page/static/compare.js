// Comparison with another array of the same shape: side by side in one view, or as a difference.

import {el, set} from './dom.js';
import {shape} from './format.js';
import * as api from './api.js';
import * as colours from './colours.js';
import {Difference, Layer} from './tiles.js';
import {Picture} from './picture.js';

export class Comparison {
  constructor(plane) {
    this.plane = plane;
    this.pictures = [];
    this.input = el('input', {type: 'text', 'aria-label': 'Path of the array to compare with', placeholder: 'path of another array',
      list: 'candidates', autocomplete: 'off', spellcheck: 'false'});
    this.candidates = el('datalist', {id: 'candidates'});
    this.problem = el('p', {class: 'error', role: 'alert', hidden: true});
    this.modes = el('div', {class: 'row', hidden: true},
      this.mode('side', 'Side by side'), this.mode('difference', 'Difference'),
      el('button', {type: 'button', click: () => this.end()}, 'End'));
    this.element = el('details', {class: 'panel', toggle: () => this.suggest()}, el('summary', {}, 'Compare'),
      el('form', {class: 'row', submit: e => {
        e.preventDefault();
        this.start(this.input.value.trim().replace(/^\/+/, ''), this.kind || 'side');
      }}, this.input, this.candidates, el('button', {type: 'submit'}, 'Compare')), this.problem, this.modes);
  }

  mode(kind, text) {
    return el('button', {type: 'button', 'data-mode': kind, 'aria-pressed': 'false', click: () => this.start(this.path, kind)}, text);
  }

  // suggest lists the arrays beside this one.
  async suggest() {
    if (!this.element.open || this.candidates.childElementCount) return;
    try {
      const folder = this.plane.path.split('/').slice(0, -1).join('/');
      const {entries} = await api.list(folder, {limit: 200});
      this.candidates.replaceChildren(...entries.filter(e => e.kind === 'array' && e.path !== this.plane.path)
        .map(e => el('option', {value: e.path})));
    } catch { /* the path can be typed */ }
  }

  async start(path, kind) {
    const {plane} = this;
    this.problem.hidden = true;
    try {
      const info = await api.info(path);
      if (String(info.shape) !== String(plane.info.shape)) {
        throw new Error(`${path} has the shape ${shape(info.shape)}; this array has ${shape(plane.info.shape)}.`);
      }
      if (!api.numeric(info.dtype)) throw new Error(`${path} has no numbers, but items of dtype ${info.dtype}.`);
      Object.assign(this, {path, info, kind});
    } catch (err) {
      this.problem.textContent = `Cannot compare: ${err.message}`;
      this.problem.hidden = false;
      this.element.open = true;
      return;
    }
    this.input.value = path;
    this.build();
  }

  build() {
    const {plane} = this;
    for (const p of this.pictures) p.close();
    for (const p of this.pictures) p.element.remove();
    const p = new Picture({view: plane.view, store: plane.store, describedby: 'readout'});
    p.ownScale = this.kind === 'difference';
    plane.connect(p);
    p.cursor = plane.picture.cursor;
    p.mark = plane.picture.mark;
    p.selection = plane.picture.selection;
    this.caption = el('span', {class: 'caption'});
    p.element.append(this.caption);
    this.pictures = [p];
    plane.stages.append(p.element);
    plane.stages.classList.add('two');
    this.modes.hidden = false;
    this.element.open = true;
    for (const b of this.modes.querySelectorAll('[data-mode]')) set(b, {'aria-pressed': String(b.dataset.mode === this.kind)});
    this.showPlane();
    if (!p.ownScale) p.scale = plane.picture.scale;
    plane.colours.refresh();
    plane.setGrid();
    plane.lines.show(plane.mark);
    plane.page.save();
  }

  end() {
    for (const p of this.pictures) {
      p.close();
      p.element.remove();
    }
    this.pictures = [];
    this.path = this.kind = null;
    this.modes.hidden = true;
    this.plane.stages.classList.remove('two');
    this.plane.lines.show(this.plane.mark);
    this.plane.page.save();
  }

  showPlane() {
    const {plane} = this, [p] = this.pictures;
    if (!p) return;
    this.layer = new Layer(this.path, this.info, plane.y, plane.x, plane.at);
    p.layer = this.kind === 'difference' ? new Difference(plane.layer, this.layer) : this.layer;
    p.axes = plane.picture.axes;
    const name = this.path.split('/').at(-1);
    this.caption.textContent = this.kind === 'difference' ? `this − ${name}` : name;
    p.canvas.setAttribute('aria-label', this.kind === 'difference' ? `Picture of the difference to ${name}` : `Picture of ${name}`);
    p.redraw();
    if (p.ownScale) this.scaleDifference(p);
  }

  // scaleDifference chooses limits around zero once the difference is there.
  scaleDifference(p) {
    const wait = () => {
      if (this.pictures[0] !== p) return;
      const tile = p.scaleTile();
      if (!tile) {
        setTimeout(wait, 50);
        return;
      }
      const [low, high] = colours.percentiles([tile.values], [0.02, 0.98]) || [-1, 1];
      const most = Math.max(-low, high) || 1;
      p.scale = new colours.Scale(colours.names().find(colours.diverging), -most, most, false, false);
      this.caption.textContent = `this − ${this.path.split('/').at(-1)}, ±${most.toPrecision(3)}`;
      p.redraw();
    };
    wait();
  }

  // paths lists what lines are drawn of, besides the array itself.
  paths() { return this.path ? [this.path] : []; }

  sideTile() { return this.kind === 'side' ? this.pictures[0]?.scaleTile() : null; }

  // values returns the item of each array at a place.
  async values(at, signal) {
    return Promise.all([this.plane.path, ...this.paths()].map(async path => {
      const got = await api.points(path, [at], signal);
      const v = got.values[0];
      return v && typeof v === 'object' ? JSON.stringify(v) : v;
    }));
  }

  read(q) {
    const path = q.get('cmp');
    if (path && path !== this.path) this.start(path, q.get('mode') === 'difference' ? 'difference' : 'side');
  }

  write(put) {
    put('cmp', this.path || '');
    put('mode', this.kind === 'difference' ? 'difference' : '');
  }
}
