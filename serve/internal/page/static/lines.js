// Line plots through a point, along any axis.

import {el} from './dom.js';
import {plural} from './format.js';
import * as api from './api.js';
import {chart} from './chart.js';

const most = 2000; // items of a line; of longer ones, every k-th is shown

export class LinesPanel {
  constructor(plane) {
    this.plane = plane;
    this.body = el('div', {class: 'lines'});
    this.hint = el('p', {class: 'faint'}, 'Click an item, or press Enter at the cursor, to see the lines through it.');
    this.element = el('details', {class: 'panel', open: true}, el('summary', {}, 'Lines through a point'), this.hint, this.body);
  }

  async show(at) {
    this.at = at;
    this.asking?.abort();
    this.hint.hidden = Boolean(at);
    if (!at) {
      this.lines = null;
      this.body.replaceChildren();
      return;
    }
    this.asking = new AbortController();
    const {plane} = this, {signal} = this.asking;
    try {
      const dims = plane.axes.map(a => a.dim).filter(d => plane.axes[d].n > 1);
      const lines = await Promise.all(dims.map(d => this.read(d, at, signal)));
      if (at === this.at) this.draw(lines);
    } catch (err) {
      if (err.name !== 'AbortError') this.body.replaceChildren(el('p', {class: 'error'}, `The lines could not be read: ${err.message}`));
    }
  }

  async read(dim, at, signal) {
    const {plane} = this, n = plane.axes[dim].n, step = Math.ceil(n / most);
    const s = at.map((v, i) => i === dim ? (step > 1 ? `::${step}` : ':') : v).join(',');
    const series = await Promise.all([plane.path, ...plane.comparison.paths()].map(async path => {
      const ys = await api.items(path, s, plane.info.dtype, plane.layer.values.as, signal);
      return {ys, xs: Array.from(ys, (_, i) => i * step)};
    }));
    return {dim, step, series};
  }

  labelled() {
    if (this.lines) this.draw(this.lines);
  }

  draw(lines) {
    const {plane, at} = this;
    this.lines = lines;
    const where = el('p', {class: 'faint'}, 'Through ', at.map((v, d) => plane.axes[d].place(v)).join(', '), ' ',
      el('button', {type: 'button', class: 'small', click: () => plane.setMark(null)}, 'Clear'));
    const order = [...lines].sort((a, b) => (a.dim === plane.x) - (b.dim === plane.x) || (a.dim === plane.y) - (b.dim === plane.y));
    this.body.replaceChildren(where, ...order.map(l => {
      const axis = plane.axes[l.dim];
      const pick = i => this.pick(l.dim, i);
      return el('figure', {}, el('figcaption', {}, `Along ${axis.label}${l.step > 1 ? `, every ${plural(l.step, 'item').replace(' items', 'th item')}` : ''}`),
        chart(l.series, {axis, values: plane.layer.values, at: at[l.dim], from: 0, to: axis.n - 1, pick, label: undefined}));
    }));
  }

  // pick goes to a position that was clicked in a line.
  pick(dim, i) {
    const {plane} = this, to = Math.min(plane.axes[dim].n - 1, Math.max(0, i));
    const mark = this.at.map((v, d) => d === dim ? to : v);
    if (dim === plane.y || dim === plane.x) {
      plane.setMark(mark);
      plane.view.show(mark[plane.y], mark[plane.x]);
    } else plane.step(dim, to);
  }
}
