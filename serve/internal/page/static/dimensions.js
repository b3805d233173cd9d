// Which dimensions are in the picture, and where it cuts the others.

import {el, set} from './dom.js';
import {count} from './format.js';
import {Layer} from './tiles.js';

export class DimensionBar {
  constructor(plane) {
    this.plane = plane;
    this.element = el('div', {class: 'dimensions'});
    this.playing = null;
    this.direction = 1;
  }

  build() {
    const {plane} = this, {axes} = plane;
    this.rows = new Map();
    const choice = (label, now, pick) => el('label', {class: 'field'}, el('span', {}, label),
      el('select', {'aria-label': label, change: e => pick(Number(e.target.value))},
        axes.map(a => el('option', {value: a.dim, selected: a.dim === now}, `${a.label} · ${count(a.n)}`))));
    const chosen = el('div', {class: 'axes'},
      choice('Down', plane.y, d => this.choose(d, d === plane.x ? plane.y : plane.x)),
      choice('Across', plane.x, d => this.choose(d === plane.y ? plane.x : plane.y, d)),
      el('button', {type: 'button', title: 'Swap the two axes', 'aria-label': 'Swap the two axes',
        click: () => this.choose(plane.x, plane.y)}, '⇄'));
    const rows = axes.filter(a => a.dim !== plane.y && a.dim !== plane.x).map(a => this.row(a));
    const focused = this.element.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
    this.element.replaceChildren(chosen, ...rows);
    if (focused) this.element.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    this.update();
  }

  choose(y, x) {
    this.stop();
    this.plane.setMark(null);
    this.plane.setAxes(y, x);
    this.plane.page.save();
  }

  row(a) {
    const {plane} = this, go = e => plane.step(a.dim, Number(e.target.value));
    const r = {
      slider: el('input', {type: 'range', min: 0, max: a.n - 1, 'aria-label': `Index along ${a.label}`, input: go}),
      index: el('input', {type: 'number', min: 0, max: a.n - 1, 'aria-label': `Index along ${a.label}, as a number`, change: go}),
      text: el('span', {class: 'coordinate'}),
      play: el('button', {type: 'button', 'aria-label': `Play along ${a.label}`, 'aria-pressed': 'false', disabled: a.n < 2,
        click: () => this.toggle(a.dim)}, '▶'),
    };
    this.rows.set(a.dim, r);
    return el('div', {class: 'dimension'}, el('span', {class: 'name'}, a.label), r.play, r.slider, r.index, r.text);
  }

  update() {
    const {plane} = this;
    for (const [dim, r] of this.rows || []) {
      const i = plane.at[dim], text = plane.axes[dim].text(i);
      r.slider.value = i;
      if (document.activeElement !== r.index) r.index.value = i;
      const shown = text === undefined ? `of ${count(plane.axes[dim].n)}` : text;
      r.text.textContent = shown;
      r.slider.setAttribute('aria-valuetext', text === undefined ? String(i) : `${text} (${i})`);
    }
  }

  toggle(dim) {
    if (dim === undefined) return;
    if (this.playing === dim) {
      this.stop();
      return;
    }
    this.stop();
    this.playing = dim;
    const {play} = this.rows.get(dim);
    set(play, {'aria-pressed': 'true'});
    play.textContent = '❚❚';
    this.tick();
  }

  stop() {
    clearTimeout(this.timer);
    const r = this.rows?.get(this.playing);
    this.playing = null;
    if (!r) return;
    set(r.play, {'aria-pressed': 'false'});
    r.play.textContent = '▶';
  }

  // tick goes on once the picture is there, at most eight times a second.
  tick() {
    const {plane} = this, dim = this.playing, began = performance.now();
    if (dim === null) return;
    const next = (plane.at[dim] + 1) % plane.axes[dim].n;
    plane.step(dim, next);
    const wait = () => {
      if (this.playing !== dim) return;
      const passed = performance.now() - began, shown = ['exact', 'sampled', 'failed'].includes(plane.element.dataset.state);
      if (passed < 125 || !shown && passed < 10000) this.timer = setTimeout(wait, 20);
      else this.tick();
    };
    this.timer = setTimeout(wait, 100);
  }

  // ahead lists the tiles of the next plane while one plays.
  ahead(quality) {
    const {plane, playing} = this;
    if (playing === null || !quality.exact) return [];
    const at = [...plane.at];
    at[playing] = (at[playing] + 1) % plane.axes[playing].n;
    const layer = new Layer(plane.path, plane.info, plane.y, plane.x, at, plane.as);
    return plane.picture.inSight(quality.levels).slice(0, 24)
      .filter(t => !plane.store.peek(layer, t.levels, t.ty, t.tx)?.exact).map(t => ({layer, ...t, quality: 'exact'}));
  }
}
