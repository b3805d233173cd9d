// Items as a table, and arrays without any: texts, records, and whatever else is no number.

import {el, say} from './dom.js';
import {count, number, shape} from './format.js';
import * as api from './api.js';
import {integers} from './state.js';
import {table} from './about.js';

const rows = 50, columns = 20;

// EmptyView says that there are no items.
export class EmptyView {
  constructor(page) {
    this.text = el('p', {class: 'faint'});
    this.element = el('div', {class: 'plane one', 'data-state': 'exact'}, this.text);
    this.panels = [];
    this.update(page.info);
  }

  close() {}

  write() {}

  update(info) { this.text.textContent = `There are no items: the shape is ${shape(info.shape)}. With “Follow changes” they appear when they come.`; }
}

export class TableView {
  constructor(page) {
    this.page = page;
    this.body = el('div', {class: 'table'});
    this.note = el('p', {class: 'faint'});
    const button = (text, label, by) => el('button', {type: 'button', 'aria-label': label, click: () => this.go(this.first + by)}, text);
    this.back = button('‹ Back', 'Earlier rows', -rows);
    this.on = button('More ›', 'Further rows', rows);
    this.links = el('div', {class: 'downloads'});
    this.element = el('div', {class: 'plane one'}, el('div', {class: 'row'}, this.back, this.on, this.note), this.body);
    this.panels = [el('details', {class: 'panel', open: true}, el('summary', {}, 'Download these rows'), this.links)];
    this.load(page.info, page.q);
  }

  close() { this.asking?.abort(); }

  load(info, q) {
    this.info = info;
    this.n = info.shape[0] ?? 1;
    this.fixed = integers(q.get('at'));
    this.go(Number(q.get('row')) || 0);
  }

  write(q) {
    if (this.first) q.set('row', this.first);
    else q.delete('row');
  }

  update(info) {
    this.info = info;
    this.n = info.shape[0] ?? 1;
    this.go(this.first);
  }

  // selector is the rows that are shown: the last dimension is across, those between are fixed.
  selector() {
    const shape = this.info.shape, last = Math.min(this.n, this.first + rows);
    return shape.map((n, i) => i === 0 ? `${this.first}:${last}` : i === shape.length - 1 ? `0:${Math.min(n, columns)}` : String(this.fixed[i] ?? 0)).join(',');
  }

  async go(first) {
    this.first = Math.max(0, Math.min(first, this.n - 1));
    this.asking?.abort();
    this.asking = new AbortController();
    const s = this.selector();
    try {
      const got = await (await api.get(api.slice(this.page.path, s, 'json'), this.asking.signal)).json();
      this.show(got.values ?? got.data);
    } catch (err) {
      if (err.name === 'AbortError') return;
      this.body.replaceChildren(el('p', {class: 'error', role: 'alert'}, `The items could not be read: ${err.message}`));
    }
    this.element.dataset.state = 'exact';
    const end = Math.min(this.n, this.first + rows);
    this.note.textContent = this.info.shape.length ? `Rows ${count(this.first)} to ${count(end - 1)} of ${count(this.n)}` : '';
    this.back.disabled = this.first === 0;
    this.on.disabled = end >= this.n;
    this.links.replaceChildren(...[['npy', 'NumPy .npy'], ['b2nd', 'Blosc2 .b2nd'], ['csv', 'CSV'], ['json', 'JSON']].map(([format, text]) =>
      el('a', {class: 'button', href: api.slice(this.page.path, s, format), download: ''}, text)));
    say(this.note.textContent);
    this.page.save();
  }

  show(values) {
    if (!this.info.shape.length) values = [values];
    const fields = (this.info.fields || []).map(f => f.name ?? String(f));
    const text = v => v === null || v === undefined ? '–' : typeof v === 'object' ? JSON.stringify(v) : typeof v === 'number' ? number(v, 9) : String(v);
    const wide = this.info.shape.length > 1;
    const across = wide ? this.info.shape.at(-1) : 1;
    // The items of a box may come flat or nested.
    if (wide && !Array.isArray(values[0])) {
      const width = Math.min(columns, across);
      values = Array.from({length: values.length / width}, (_, i) => values.slice(i * width, (i + 1) * width));
    }
    const record = v => fields.map((f, i) => text(Array.isArray(v) ? v[i] : v?.[f]));
    const cells = v => !wide ? (fields.length ? record(v) : [text(v)]) : v.map(text);
    const head = ['row', ...(!wide ? (fields.length ? fields : ['value']) : values[0]?.map((_, i) => count(i)) ?? [])];
    this.body.replaceChildren(table('Items', head, values.map((v, i) => [count(this.first + i), ...cells(v)])));
  }
}
