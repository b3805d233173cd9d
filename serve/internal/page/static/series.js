// An array of one dimension, as a line that can be panned and zoomed.

import {debounce, el, onScheme, say} from './dom.js';
import {bytes, count} from './format.js';
import * as api from './api.js';
import {Axis} from './axis.js';
import {chart, leftOf} from './chart.js';
import {facts} from './colourpanel.js';
import {Values} from './values.js';

const most = 2000; // items that are drawn
const counted = 16 << 20; // items whose statistics are computed without being asked

export class SeriesView {
  constructor(page) {
    this.page = page;
    this.picture = el('div', {class: 'series', tabindex: 0, role: 'application', 'aria-describedby': 'readout', keydown: e => this.key(e)});
    this.readout = el('p', {class: 'readout', id: 'readout'}, '\u00a0');
    const button = (text, label, f) => el('button', {type: 'button', title: label, 'aria-label': label, click: f}, text);
    this.show = el('select', {'aria-label': 'Numbers of complex values', change: () => this.showAs(this.show.value)});
    this.links = el('div', {class: 'downloads'});
    this.what = el('p', {class: 'faint'});
    this.facts = el('p', {class: 'faint'});
    this.element = el('div', {class: 'plane one'}, el('div', {class: 'tools', role: 'toolbar', 'aria-label': 'Plot'},
      button('+', 'Zoom in (+)', () => this.zoom(0.5)), button('−', 'Zoom out (−)', () => this.zoom(2)), button('Fit', 'Show everything (0)', () => this.go(0, this.n)), this.show),
    this.picture, this.readout);
    this.panels = [el('details', {class: 'panel', open: true}, el('summary', {}, 'Download what is shown'), this.what, this.links, this.facts)];
    this.soon = debounce(() => this.read(), 60);
    this.save = debounce(() => page.save(), 250);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.picture);
    this.endScheme = onScheme(() => this.draw());
    this.drags();
    this.load(page.info, page.q);
  }

  close() {
    this.asking?.abort();
    this.observer.disconnect();
    this.endScheme();
  }

  load(info, q) {
    this.info = info;
    this.n = info.shape[0];
    this.values = new Values(info, q.get('as'));
    this.show.replaceChildren(...this.values.names.map(n => el('option', {value: n, selected: n === this.values.as}, n)));
    this.show.hidden = this.values.names.length < 2;
    this.axis = new Axis(this.page.path, info, 0, () => this.draw());
    const [a, b] = (q.get('range') || '').split(':').map(Number);
    this.go(Number.isInteger(a) ? a : 0, Number.isInteger(b) && b > a ? b : this.n);
  }

  showAs(name) {
    this.values = new Values(this.info, name);
    this.go(this.from, this.to);
  }

  write(q) {
    if (this.values.as === (this.values.names[0] ?? '')) q.delete('as');
    else q.set('as', this.values.as);
    if (this.from === 0 && this.to === this.n) q.delete('range');
    else q.set('range', `${this.from}:${this.to}`);
  }

  update(info) {
    const atEnd = this.to === this.n, all = atEnd && this.from === 0, width = this.to - this.from;
    this.info = info;
    this.n = info.shape[0];
    this.axis = new Axis(this.page.path, info, 0, () => this.draw());
    say(`The array has ${count(this.n)} items now.`);
    if (all) this.go(0, this.n);
    else if (atEnd) this.go(this.n - width, this.n);
    else this.go(this.from, this.to);
  }

  go(from, to) {
    const width = Math.max(2, Math.min(this.n, Math.round(to - from)));
    this.from = Math.round(Math.min(this.n - width, Math.max(0, from)));
    this.to = Math.min(this.n, this.from + width);
    this.draw();
    this.soon();
    this.save();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    const a = at - (at - this.from) * factor;
    this.go(a, a + (this.to - this.from) * factor);
  }

  async read() {
    this.asking?.abort();
    this.asking = new AbortController();
    const {from, to} = this, step = Math.max(1, Math.ceil((to - from) / most));
    const s = `${from}:${to}${step > 1 ? ':' + step : ''}`;
    try {
      const ys = await api.items(this.page.path, s, this.info.dtype, this.values.as, this.asking.signal);
      this.data = {ys, xs: Array.from(ys, (_, i) => from + i * step), step};
    } catch (err) {
      if (err.name !== 'AbortError') this.readout.textContent = `The items could not be read: ${err.message}`;
      return;
    }
    this.element.dataset.state = 'exact';
    this.draw();
    this.describe();
  }

  draw() {
    const {data, picture} = this;
    if (!data?.ys.length) return;
    const label = `${this.page.name}: items ${count(this.from)} to ${count(this.to - 1)}. Arrow keys move, plus and minus zoom.`;
    picture.setAttribute('aria-label', label);
    picture.replaceChildren(chart([data], {axis: this.axis, values: this.values, from: this.from, to: Math.max(this.from + 1, this.to - 1),
      at: this.at, width: Math.max(280, picture.clientWidth), height: Math.max(200, picture.clientHeight - 4), label}));
  }

  describe() {
    const {data, from, to, info} = this;
    const step = data.step > 1 ? `, every ${count(data.step)}th is drawn` : '';
    this.what.textContent = `Items ${count(from)} to ${count(to - 1)}${step}`;
    this.links.replaceChildren(...[['npy', 'NumPy .npy'], ['b2nd', 'Blosc2 .b2nd'], ['csv', 'CSV'], ['json', 'JSON']].map(([format, text]) =>
      el('a', {class: 'button', href: api.slice(this.page.path, `${from}:${to}`, format), download: ''}, text)));
    this.stats();
    if (this.at === undefined) this.readout.textContent = `${this.axis.label}, ${count(info.shape[0])} items. Point at the line for a value; drag to move, scroll to zoom.`;
  }

  // stats writes statistics of all items in sight.
  async stats() {
    const {from, to, values, asking} = this;
    this.facts.textContent = '';
    if (to - from > counted) return;
    try {
      const got = await api.stats(this.page.path, {s: `${from}:${to}`, as: values.as, v: this.info.version}, asking.signal);
      if (asking === this.asking) this.facts.textContent = facts(got, values);
    } catch (err) {
      if (err.name !== 'AbortError') this.facts.textContent = `No statistics: ${err.message}`;
    }
  }

  item(event) {
    const box = this.picture.getBoundingClientRect(), left = leftOf(this.values), right = 6;
    const i = this.from + (event.clientX - box.left - left) / (box.width - left - right) * (this.to - 1 - this.from);
    return Math.min(this.to - 1, Math.max(this.from, i));
  }

  drags() {
    const {picture} = this, pointers = new Map();
    picture.addEventListener('pointerdown', e => {
      picture.setPointerCapture(e.pointerId);
      pointers.set(e.pointerId, e.clientX);
    });
    picture.addEventListener('pointermove', e => {
      const old = pointers.get(e.pointerId), width = this.to - this.from;
      if (old === undefined) {
        this.point(Math.round(this.item(e)));
        return;
      }
      const spread = () => {
        const [a, b] = [...pointers.values()];
        return Math.abs(a - b) || 1;
      };
      const before = pointers.size === 2 ? spread() : 0;
      pointers.set(e.pointerId, e.clientX);
      if (before) this.zoom(before / spread(), this.item(e));
      else {
        const by = (e.clientX - old) / picture.clientWidth * width;
        if (Math.abs(by) >= 1) this.go(this.from - by, this.to - by);
        else pointers.set(e.pointerId, old);
      }
    });
    for (const kind of ['pointerup', 'pointercancel']) picture.addEventListener(kind, e => pointers.delete(e.pointerId));
    picture.addEventListener('wheel', e => {
      e.preventDefault();
      this.zoom(Math.exp(e.deltaY * 0.0016), this.item(e));
    }, {passive: false});
  }

  async point(i, aloud) {
    this.at = Math.min(this.n - 1, Math.max(0, i));
    this.draw();
    const at = this.at;
    let text;
    try {
      const {values} = await api.points(this.page.path, [[at]], this.values.asItem);
      const {units} = this.values;
      text = `${this.axis.place(at)}: ${this.values.item(values[0], 9)}${units && !this.values.as ? ' ' + units : ''}`;
    } catch (err) {
      text = `no value: ${err.message}`;
    }
    if (at !== this.at) return;
    this.readout.textContent = text;
    if (aloud) say(text);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const width = this.to - this.from, step = Math.max(1, Math.round(width / 100));
    const at = this.at ?? Math.floor((this.from + this.to) / 2);
    const move = by => {
      if (event.shiftKey) this.go(this.from + by * width / 8, this.to + by * width / 8);
      else this.point(at + by * step, true);
    };
    const f = {ArrowLeft: () => move(-1), ArrowRight: () => move(1), '+': () => this.zoom(0.6, at), '=': () => this.zoom(0.6, at),
      '-': () => this.zoom(1 / 0.6, at), 0: () => this.go(0, this.n), Home: () => this.go(0, this.n)}[event.key];
    if (!f) return;
    event.preventDefault();
    f();
  }
}

// OneItem shows an array without dimensions.
export class OneItem {
  constructor(page) {
    this.page = page;
    this.value = el('output', {class: 'single'}, '…');
    this.element = el('div', {class: 'plane one', 'data-state': 'loading'}, this.value);
    this.panels = [];
    this.update(page.info);
  }

  close() {}

  write() {}

  async update(info) {
    try {
      const shown = new Values(info), {values} = await api.points(this.page.path, [[]], shown.asItem);
      this.value.textContent = shown.item(values[0], 12) + (shown.units && !shown.as ? ` ${shown.units}` : '');
    } catch (err) {
      this.value.textContent = `The item could not be read: ${err.message}`;
    }
    this.element.dataset.state = 'exact';
    this.value.title = bytes(info.nbytes);
  }
}
