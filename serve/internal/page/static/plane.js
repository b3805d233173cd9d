// An array of two or more dimensions: a plane of it as a picture, and what belongs to it.

import {colour, debounce, el, onScheme, say, set} from './dom.js';
import {count, plural} from './format.js';
import * as api from './api.js';
import * as colours from './colours.js';
import {integers} from './state.js';
import {Axis} from './axis.js';
import {Layer, Store} from './tiles.js';
import {View} from './view.js';
import {Picture} from './picture.js';
import {Comparison} from './compare.js';
import {DimensionBar} from './dimensions.js';
import {ColourPanel, Legend} from './colourpanel.js';
import {LinesPanel} from './lines.js';
import {SelectionPanel} from './selection.js';

export class PlaneView {
  // page has path, info, q, save() and side, an element for panels.
  constructor(page) {
    this.page = page;
    this.path = page.path;
    this.store = new Store(() => this.arrived());
    this.view = new View();
    this.readout = el('p', {class: 'readout', id: 'readout'}, '\u00a0');
    this.badge = el('span', {class: 'badge', hidden: true});
    this.picture = new Picture({view: this.view, store: this.store, describedby: 'readout'});
    this.stages = el('div', {class: 'stages'}, this.picture.element);
    this.picture.element.append(this.badge);
    this.comparison = new Comparison(this);
    this.pictures = () => [this.picture, ...this.comparison.pictures];
    this.legend = new Legend();
    this.bar = new DimensionBar(this);
    this.colours = new ColourPanel(this);
    this.lines = new LinesPanel(this);
    this.selection = new SelectionPanel(this);
    this.element = el('div', {class: 'plane'}, this.tools(), this.stages, this.legend.element, this.readout, this.bar.element);
    this.panels = [this.colours.element, this.lines.element, this.selection.element, this.comparison.element];
    this.connect(this.picture);
    this.value = debounce(() => this.readValue(), 70);
    this.saveSoon = debounce(() => page.save(), 250);
    this.view.listeners.add(this.saveSoon);
    this.endScheme = onScheme(() => this.redraw());
    this.observer = new ResizeObserver(() => this.proportion());
    this.observer.observe(this.element);
    this.load(page.info, page.q);
  }

  // proportion leaves no more room than a flat picture needs.
  proportion() {
    const {view, layer} = this, width = this.picture.element.clientWidth - 84;
    if (!layer || width < 1) return;
    const flat = layer.ny / layer.nx > 1 / 8 ? width * layer.ny / layer.nx + 56 : 360;
    this.stages.style.setProperty('--most', `${Math.max(220, Math.round(flat))}px`);
    view.changed();
  }

  close() {
    this.observer.disconnect();
    this.closed = true;
    this.store.want([]);
    this.bar.stop();
    this.endScheme();
    for (const p of this.pictures()) p.close();
  }

  tools() {
    const button = (text, label, f, more = {}) => el('button', {type: 'button', 'aria-label': label, title: label, click: f, ...more}, text);
    this.selectButton = button('Select', 'Select items by dragging (S)', () => this.toggleSelecting(), {'aria-pressed': 'false'});
    this.gridButton = button('Chunks', 'Show the borders of chunks (G)', () => this.toggleGrid(), {'aria-pressed': 'false'});
    this.flipButton = button('Flip', 'Turn rows upside down (V)', () => this.toggleFlip(), {'aria-pressed': 'false'});
    return el('div', {class: 'tools', role: 'toolbar', 'aria-label': 'Picture'},
      button('+', 'Zoom in (+)', () => this.view.zoom(2)), button('−', 'Zoom out (−)', () => this.view.zoom(0.5)),
      button('Fit', 'Show everything (0)', () => this.view.fit()),
      button('1:1', 'One pixel per item (1)', () => this.oneToOne()),
      this.selectButton, this.gridButton, this.flipButton);
  }

  // load takes what the server says of the array, and the state of the address bar.
  load(info, q) {
    const n = info.shape.length;
    this.info = info;
    let y = Number(q.get('y') ?? n - 2), x = Number(q.get('x') ?? n - 1);
    if (!(y >= 0 && y < n && x >= 0 && x < n && x !== y)) [y, x] = [n - 2, n - 1];
    const at = integers(q.get('at'));
    this.at = info.shape.map((size, i) => Math.min(size - 1, Math.max(0, at[i] ?? 0)));
    this.axes = info.shape.map((_, i) => new Axis(this.path, info, i, () => this.labelled()));
    this.flip = q.get('flip') === null ? null : q.get('flip') === '1';
    this.showGrid = q.get('grid') === '1';
    this.as = q.get('as') || '';
    this.mark = null;
    this.setAxes(y, x);
    this.colours.read(q);
    this.view.text = q.get('view');
    const p = integers(q.get('p'));
    if (p.length === n) this.setMark(p);
    this.selection.read(q);
    this.comparison.read(q);
    this.setGrid();
  }

  // write puts the state into the parameters of a link.
  write(q) {
    const n = this.info.shape.length, fixed = this.at.map((v, i) => i === this.y || i === this.x ? 0 : v);
    const put = (name, value, standard) => value === standard || value === '' || value === null ? q.delete(name) : q.set(name, value);
    put('y', String(this.y), String(n - 2));
    put('x', String(this.x), String(n - 1));
    put('at', fixed.some(Boolean) ? fixed.join(',') : '');
    put('view', this.view.text);
    put('flip', this.flip === null ? '' : this.flip ? '1' : '0');
    put('grid', this.showGrid ? '1' : '');
    put('as', this.as, this.info.as?.[0] ?? '');
    put('p', this.mark ? this.mark.join(',') : '');
    this.colours.write(put);
    this.selection.write(put);
    this.comparison.write(put);
  }

  setAxes(y, x) {
    this.y = y;
    this.x = x;
    this.view.plane(this.info.shape[y], this.info.shape[x]);
    this.view.flip = this.flip ?? this.axes[y].northward;
    set(this.flipButton, {'aria-pressed': String(this.view.flip)});
    this.bar.build();
    this.showPlane();
    this.proportion();
    this.view.fit();
    this.selection.clear();
  }

  // showPlane shows the plane at the current indices.
  showPlane() {
    this.layer = new Layer(this.path, this.info, this.y, this.x, this.at, this.as);
    this.picture.layer = this.layer;
    this.picture.axes = [this.axes[this.y], this.axes[this.x]];
    this.comparison.showPlane();
    this.cursor = this.cursor && [Math.min(this.cursor[0], this.layer.ny - 1), Math.min(this.cursor[1], this.layer.nx - 1)];
    this.setGrid();
    this.describe();
    this.redraw();
    this.value();
    this.saveSoon?.();
  }

  // step moves to another index of a dimension that is not in the picture.
  step(dim, i) {
    i = Math.min(this.info.shape[dim] - 1, Math.max(0, i));
    if (i === this.at[dim]) return;
    this.at[dim] = i;
    this.bar.update();
    if (this.mark) this.setMark(this.mark.map((v, k) => k === dim ? i : v));
    this.showPlane();
    say(this.axes[dim].place(i));
  }

  // showAs shows other numbers of complex values.
  showAs(name) {
    this.as = name;
    this.showPlane();
    this.colours.refresh();
    this.lines.show(this.mark);
    this.page.save();
  }

  labelled() {
    this.bar.update();
    this.describe();
    if (!this.cursor) this.value();
    this.redraw();
    this.lines.labelled();
  }

  redraw() { for (const p of this.pictures()) p.redraw(); }

  arrived() {
    if (this.closed) return;
    this.colours.arrived();
    this.legend.note(this.picture.scaleTile());
    this.redraw();
    if (!this.store.busy) this.value();
  }

  connect(picture) {
    picture.hover = item => {
      this.cursor = item;
      this.showCursor();
      this.value();
    };
    picture.point = ([y, x]) => this.setMark(this.at.map((v, i) => i === this.y ? y : i === this.x ? x : v));
    picture.drag = box => this.selection.set(box);
    picture.selected = () => this.selection.done();
    picture.key = event => this.key(event);
    picture.want = (wanted, quality) => this.want(picture, wanted, quality);
  }

  want(picture, wanted, quality) {
    picture.wanted = wanted;
    this.store.want([...this.pictures().flatMap(p => p.wanted || []), ...this.bar.ahead(quality)]);
    this.quality(picture, quality);
  }

  // quality says whether the picture shows everything that there is.
  quality(picture, q) {
    if (picture !== this.picture) return;
    const beyond = this.store.failure?.status === 413, failure = !q.exact && (!beyond || !q.complete) && this.store.failure;
    const text = failure ? `Cannot read: ${failure.message}` : q.exact ? ''
      : q.samples && q.complete ? `Preview of ${plural(q.samples, 'sample')}; ${beyond ? 'the plane is too large for means of all items' : 'the exact picture is being computed'}` : 'Loading…';
    if (this.badge.textContent !== text) this.badge.textContent = text;
    this.badge.hidden = !text;
    this.badge.classList.toggle('failed', Boolean(failure));
    const state = failure ? 'failed' : q.exact ? 'exact' : q.complete ? 'sampled' : 'loading';
    if (this.element.dataset.state !== state) {
      this.element.dataset.state = state;
      if (state === 'exact') this.element.dispatchEvent(new Event('exact'));
    }
    this.element.dataset.levels = q.levels;
  }

  setScale(scale) {
    for (const p of this.pictures()) {
      if (!p.ownScale) p.scale = scale;
      else if (p !== this.picture) this.comparison.scaleAlone(p);
    }
    this.legend.show(scale, this.layer.values, this.info);
    this.redraw();
  }

  showCursor() {
    for (const p of this.pictures()) {
      p.cursor = this.cursor;
      p.redraw();
    }
  }

  setMark(at) {
    this.mark = at;
    const item = at && [at[this.y], at[this.x]];
    for (const p of this.pictures()) {
      p.mark = item;
      p.redraw();
    }
    this.lines.show(at);
    this.saveSoon?.();
  }

  where(item) { return this.at.map((v, i) => i === this.y ? item[0] : i === this.x ? item[1] : v); }

  // readValue shows the item under the cursor.
  async readValue() {
    const item = this.cursor;
    if (this.closed) return;
    if (!item) {
      this.readout.textContent = this.summary;
      return;
    }
    const place = `${this.axes[this.y].place(item[0])}, ${this.axes[this.x].place(item[1])}`;
    this.asking?.abort();
    this.asking = new AbortController();
    let values;
    try {
      values = await this.comparison.values(this.where(item), this.asking.signal);
    } catch (err) {
      if (err.name === 'AbortError') return;
      values = [`no value: ${err.message}`];
    }
    if (item !== this.cursor) return;
    const text = `${place}: ${values.join(' | ')}`;
    this.readout.textContent = text;
    if (this.byKey) say(text);
    this.byKey = false;
  }

  describe() {
    const fixed = this.axes.filter(a => a.dim !== this.y && a.dim !== this.x).map(a => a.place(this.at[a.dim]));
    this.summary = `${this.axes[this.y].label} down, ${this.axes[this.x].label} across`
      + `${fixed.length ? ' at ' + fixed.join(', ') : ''}. Point at an item for its value.`;
    const range = this.colours?.limitsText ? ` Colours from ${this.colours.limitsText}.` : '';
    this.picture.canvas.setAttribute('aria-label', `Picture of ${this.page.name}: ${plural(this.layer.ny, 'row')} along `
      + `${this.axes[this.y].label}, ${plural(this.layer.nx, 'column')} along ${this.axes[this.x].label}`
      + `${fixed.length ? ', at ' + fixed.join(', ') : ''}.${range} Arrow keys move a cursor and read out values.`);
  }

  oneToOne() {
    const target = 1 / (devicePixelRatio || 1);
    this.view.zoom(target / Math.max(this.view.sx, this.view.sy));
  }

  toggleSelecting(on = !this.picture.selecting) {
    for (const p of this.pictures()) p.selecting = on;
    this.stages.classList.toggle('selecting', on);
    set(this.selectButton, {'aria-pressed': String(on)});
  }

  toggleGrid() {
    this.showGrid = !this.showGrid;
    this.setGrid();
    this.redraw();
    this.saveSoon();
  }

  setGrid() {
    const {chunks} = this.info;
    for (const p of this.pictures()) p.grid = this.showGrid && chunks ? [chunks[this.y], chunks[this.x]] : null;
    set(this.gridButton, {'aria-pressed': String(this.showGrid), disabled: !chunks});
  }

  toggleFlip() {
    this.view.flip = this.flip = !this.view.flip;
    set(this.flipButton, {'aria-pressed': String(this.flip)});
    this.view.changed();
  }

  // key handles a key on the picture, and returns whether it did.
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const arrows = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]}[event.key];
    if (arrows) {
      this.arrow(arrows, event.shiftKey);
      return true;
    }
    const others = this.axes.map(a => a.dim).filter(d => d !== this.y && d !== this.x), last = others.at(-1);
    const page = by => last !== undefined && this.step(last, this.at[last] + by);
    const keys = {
      '+': () => this.zoomAtCursor(1.5), '=': () => this.zoomAtCursor(1.5), '-': () => this.zoomAtCursor(1 / 1.5),
      0: () => this.view.fit(), 1: () => this.oneToOne(), Home: () => this.view.fit(),
      PageUp: () => page(-1), PageDown: () => page(1), '[': () => page(-1), ']': () => page(1), ' ': () => this.bar.toggle(last),
      Enter: () => this.cursor && (this.selection.anchor ? this.selection.finish() : this.setMark(this.where(this.cursor))),
      s: () => this.cursor ? this.selection.begin(this.cursor) : this.toggleSelecting(),
      g: () => this.toggleGrid(), v: () => this.toggleFlip(), c: () => this.colours.next(),
      Escape: () => this.escape(),
    };
    const f = keys[event.key] || keys[event.key.toLowerCase()];
    f?.();
    return Boolean(f);
  }

  zoomAtCursor(factor) {
    const {view, cursor} = this;
    if (cursor) view.zoom(factor, view.screenX(cursor[1] + 0.5), view.screenY(cursor[0] + 0.5));
    else view.zoom(factor);
  }

  arrow([dy, dx], pan) {
    const {view} = this;
    if (pan) {
      view.pan(-dx * view.width / 8, -dy * view.height / 8);
      return;
    }
    if (!this.cursor) this.cursor = [Math.floor(view.cy), Math.floor(view.cx)];
    else {
      const by = s => Math.max(1, Math.round(6 / s)); // at least 6 pixels
      const flip = view.flip ? -1 : 1, within = (v, n) => Math.min(n - 1, Math.max(0, v));
      this.cursor = [within(this.cursor[0] + flip * dy * by(view.sy), this.layer.ny),
        within(this.cursor[1] + dx * by(view.sx), this.layer.nx)];
    }
    view.show(...this.cursor);
    this.selection.follow(this.cursor);
    this.showCursor();
    this.byKey = true;
    this.value();
  }

  escape() {
    this.toggleSelecting(false);
    this.cursor = null;
    this.selection.clear();
    this.setMark(null);
    this.showCursor();
    this.value();
  }

  // update shows a newer state of the array.
  update(info) {
    const before = this.info;
    this.info = info;
    const grown = info.shape.some((n, i) => n !== before.shape[i]);
    this.axes = info.shape.map((_, i) => new Axis(this.path, info, i, () => this.labelled()));
    info.shape.forEach((n, i) => {
      const follows = this.at[i] === before.shape[i] - 1 && n > before.shape[i];
      this.at[i] = follows ? n - 1 : Math.min(this.at[i], n - 1);
    });
    this.view.plane(info.shape[this.y], info.shape[this.x]);
    if (this.view.fitted) this.view.fit();
    this.bar.build();
    this.showPlane();
    this.colours.refresh();
    if (this.mark) this.setMark(this.mark.map((v, i) => Math.min(v, info.shape[i] - 1)));
    say(grown ? `The array has grown to ${info.shape.map(count).join(' by ')}.` : 'The array has changed.');
  }
}
