// Folders, trees and search.

import {debounce, el, say} from './dom.js';
import {bytes, plural, shape} from './format.js';
import * as api from './api.js';
import {link} from './state.js';

const kinds = {folder: 'folder', tree: 'tree of arrays', group: 'group', array: 'array', table: 'table', file: 'file', unreadable: 'cannot be read'};
const signs = {folder: 'M3 6h6l2 2h10v11H3z', tree: 'M12 3v6M6 21v-6h12v6M12 9v6', group: 'M3 6h6l2 2h10v11H3z',
  array: 'M4 4h16v16H4zM4 9.3h16M4 14.6h16M9.3 4v16M14.6 4v16', table: 'M4 4h16v16H4zM4 9h16M12 9v11', file: 'M6 3h8l4 4v14H6z'};

export class Browser {
  constructor(path, q, save, only) {
    Object.assign(this, {path, save, entries: [], more: false});
    this.search = el('input', {type: 'search', placeholder: path ? 'Search below this folder' : 'Search all arrays', 'aria-label': 'Search',
      value: q.get('q') || '', input: debounce(() => this.load(), 200), autocomplete: 'off', spellcheck: 'false'});
    this.list = el('ul', {class: 'entries'});
    this.note = el('p', {class: 'faint'});
    this.moreButton = el('button', {type: 'button', hidden: true, click: () => this.load(true)}, 'Show more');
    const name = path.split('/').at(-1) || 'Arrays';
    this.element = el('div', {class: 'browse'}, el('div', {class: 'browse-head'}, el('h1', {}, name), only && el('a', {class: 'button', href: link(only)}, `Show ${only.slice(path.length + 1)}`), this.search), this.note, this.list, this.moreButton);
    this.element.addEventListener('keydown', e => this.key(e));
    this.load();
  }

  close() { this.asking?.abort(); }

  write(q) {
    const text = this.search.value.trim();
    if (text) q.set('q', text);
    else q.delete('q');
  }

  async load(further) {
    const text = this.search.value.trim();
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const after = further ? this.entries.at(-1)?.name : '';
      const got = await api.list(this.path, {limit: 200, after, search: text}, this.asking.signal);
      this.entries = further ? [...this.entries, ...got.entries] : got.entries;
      this.more = got.more && !text;
      if (!further) { this.leftOut = got.left_out || []; this.leftOutCount = got.left_out_count || 0; }
      this.show(text, got.more);
    } catch (err) {
      if (err.name === 'AbortError') return;
      this.note.textContent = `This folder could not be read: ${err.message}. Try again, or go back.`;
    }
    this.save();
  }

  show(text, more) {
    this.list.replaceChildren(...this.entries.map(e => this.entry(e, text)));
    this.moreButton.hidden = !this.more;
    const n = this.entries.length;
    this.note.textContent = text ? (n ? `${more ? 'The first ' : ''}${plural(n, 'match').replace('matchs', 'matches')} for “${text}”` : `Nothing here has “${text}” in its path. Try a shorter text.`)
      : [n ? '' : 'This folder is empty.', this.leftOut.length ? `Left out, since no address can have such a name: ${this.leftOut.join(', ')}${this.leftOutCount > this.leftOut.length ? `, and ${this.leftOutCount - this.leftOut.length} more` : ''}` : ''].filter(Boolean).join(' ');
    this.note.hidden = !this.note.textContent;
    if (text) say(this.note.textContent);
  }

  entry(e, text) {
    const about = e.fault ? `${e.kind === 'unreadable' ? 'cannot be read: ' : ''}${e.fault}` : [e.shape && shape(e.shape), e.dtype && api.kindOf(e.dtype), e.file_bytes > 0 && bytes(e.file_bytes)].filter(Boolean).join(' · ');
    const icon = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    icon.setAttribute('viewBox', '0 0 24 24');
    icon.setAttribute('aria-hidden', 'true');
    icon.setAttribute('class', `icon icon-${e.kind}`);
    const d = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    d.setAttribute('d', signs[e.kind] || signs.file);
    icon.append(d);
    const name = text ? e.path : e.name;
    return el('li', {}, el('a', {href: link(e.path)}, icon, el('span', {class: 'entry-name'}, marked(name, text)),
      el('span', {class: 'entry-about'}, about || kinds[e.kind] || '')));
  }

  // key moves between entries with the arrow keys.
  key(event) {
    const links = [...this.list.querySelectorAll('a')], at = links.indexOf(document.activeElement);
    const to = {ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1}[event.key];
    if (to === undefined || event.target === this.search && event.key !== 'ArrowDown') return;
    event.preventDefault();
    (to < 0 ? this.search : links[Math.min(to, links.length - 1)])?.focus();
  }
}

// marked shows where a text was found.
function marked(name, text) {
  const at = text ? name.toLowerCase().indexOf(text.toLowerCase()) : -1;
  return at < 0 ? [name] : [name.slice(0, at), el('mark', {}, name.slice(at, at + text.length)), name.slice(at + text.length)];
}
