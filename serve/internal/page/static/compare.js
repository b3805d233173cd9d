// Comparison with another array of the same shape: side by side in one view, or as a difference.

import {el, set} from './dom.js';
import {shape} from './format.js';
import * as api from './api.js';
import * as colours from './colours.js';
import {Difference, Layer} from './tiles.js';
import {Picture} from './picture.js';
import {Legend} from './colourpanel.js';
import {Values} from './values.js';

export class Comparison {
  constructor(plane) {
    this.plane = plane;
    this.pictures = [];
    this.input = el('input', {type: 'text', 'aria-label': 'Path of the array to compare with', placeholder: 'path of another array',
      list: 'candidates', autocomplete: 'off', spellcheck: 'false'});
    this.candidates = el('datalist', {id: 'candidates'});
    this.problem = el('p', {class: 'error', role: 'alert', hidden: true});
    this.common = el('input', {type: 'checkbox', change: () => {
      this.chosen = this.common.checked;
      this.build();
    }});
    this.legend = new Legend();
    this.modes = el('div', {class: 'row', hidden: true},
      this.mode('side', 'Side by side'), this.mode('difference', 'Difference'), el('label', {class: 'check'}, this.common, 'one scale'),
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
      if (path !== this.path) this.chosen = undefined;
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
    p.ownScale = this.kind === 'difference' || !this.together();
    plane.connect(p);
    p.cursor = plane.picture.cursor;
    p.mark = plane.picture.mark;
    p.selection = plane.picture.selection;
    this.caption = el('span', {class: 'caption'});
    p.element.append(this.caption);
    this.pictures = [p];
    plane.stages.append(p.element);
    this.legend.element.remove();
    if (this.kind === 'side' && p.ownScale) plane.legend.element.after(this.legend.element);
    this.common.parentElement.hidden = this.kind !== 'side';
    this.common.checked = !p.ownScale;
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
    this.legend.element.remove();
    this.plane.stages.classList.remove('two');
    this.plane.lines.show(this.plane.mark);
    this.plane.page.save();
  }

  showPlane() {
    const {plane} = this, [p] = this.pictures;
    if (!p) return;
    this.layer = new Layer(this.path, this.info, plane.y, plane.x, plane.at, plane.as);
    p.layer = this.kind === 'difference' ? new Difference(plane.layer, this.layer) : this.layer;
    p.axes = plane.picture.axes;
    const name = this.path.split('/').at(-1);
    this.caption.textContent = this.kind === 'difference' ? `this − ${name}` : name;
    p.canvas.setAttribute('aria-label', this.kind === 'difference' ? `Picture of the difference to ${name}` : `Picture of ${name}`);
    p.redraw();
    if (p.ownScale) this.scaleAlone(p);
  }

  // scaleAlone chooses limits for a picture with a scale of its own, once it is there: around zero for
  // a difference.
  scaleAlone(p) {
    const wait = () => {
      if (this.pictures[0] !== p) return;
      const tile = p.scaleTile();
      if (!tile) {
        setTimeout(wait, 50);
        return;
      }
      const got = colours.percentiles([tile.values], [0.02, 0.98]);
      if (this.kind === 'difference') this.scaleDifference(p, got || [-1, 1]);
      else this.scaleSide(p, tile, got || [0, 1]);
      p.redraw();
    };
    wait();
  }

  scaleDifference(p, [low, high]) {
    const most = Math.max(-low, high) || 1;
    p.scale = new colours.Scale(colours.names().find(colours.diverging), -most, most, false, false);
    this.caption.textContent = `this − ${this.path.split('/').at(-1)}, ±${this.layer.values.distance(Number(most.toPrecision(3)))}`;
  }

  scaleSide(p, tile, [low, high]) {
    if (low === high) [low, high] = colours.percentiles([tile.values], [0, 1]) || [0, 1];
    if (low === high) [low, high] = [low - 0.5, high + 0.5];
    const {map, reversed, log} = this.plane.colours;
    p.scale = new colours.Scale(map.value, low, high, reversed.checked, log.checked);
    this.legend.show(p.scale, this.layer.values, {...this.info, title: `${this.path.split('/').at(-1)} ${this.info.title || ''}`});
    this.legend.note(tile);
  }

  // paths lists what lines are drawn of, besides the array itself.
  paths() { return this.path ? [this.path] : []; }

  // together tells whether both arrays have one scale: if their units agree, unless one has chosen.
  together() {
    const [a, b] = [this.plane.info, this.info].map(info => new Values(info, this.plane.as));
    return this.chosen ?? (a.units === b.units && a.dates === b.dates);
  }

  sideTile() { return this.kind === 'side' && !this.pictures[0]?.ownScale ? this.pictures[0]?.scaleTile() : null; }

  // values returns the item of each array at a place.
  async values(at, signal) {
    return Promise.all([this.plane.path, ...this.paths()].map(async path => {
      const {values} = path === this.path ? this.layer : this.plane.layer, {units} = values;
      const got = await api.points(path, [at], values.asItem, signal), text = values.item(got.values[0], 7);
      return text + (units && !values.as ? ` ${units}` : '');
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
