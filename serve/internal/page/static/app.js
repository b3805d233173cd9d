// The page: it shows what the address bar says.

import {el, say} from './dom.js';
import * as api from './api.js';
import * as colours from './colours.js';
import {shape, bytes} from './format.js';
import {link, read, replace} from './state.js';
import {Browser} from './browse.js';
import {PlaneView} from './plane.js';
import {OneItem, SeriesView} from './series.js';
import {EmptyView, TableView} from './grid.js';
import {ChunkMap, facts} from './about.js';
import {help} from './help.js';

const main = document.getElementById('main');
const followEvery = 2000; // milliseconds between looks at a growing array

// A Page is an array and what is shown of it.
class Page {
  constructor(path, q, info) {
    Object.assign(this, {path, q, info, name: path.split('/').at(-1)});
    this.side = el('aside', {class: 'side', 'aria-label': 'About this array'});
    this.subtitle = el('p', {class: 'subtitle'});
    this.followBox = el('input', {type: 'checkbox', change: () => this.follow(this.followBox.checked)});
    this.shareButton = el('button', {type: 'button', click: () => this.share()}, 'Copy link');
    const View = viewOf(info);
    this.view = new View(this);
    this.chunkMap = info.codec ? new ChunkMap(path, info) : null;
    this.about = facts(info, path);
    this.side.append(...this.view.panels, ...(this.chunkMap ? [this.chunkMap.element] : []), this.about);
    this.element = el('article', {class: 'array'}, el('div', {class: 'head'}, el('div', {}, el('h1', {}, this.name), this.subtitle),
      el('div', {class: 'row'}, el('label', {class: 'check'}, this.followBox, 'Follow changes'), this.shareButton)),
    el('div', {class: 'work'}, this.view.element, this.side));
    this.describe();
    this.follow(q.get('follow') === '1');
  }

  describe() {
    const {info} = this, title = info.title || info.attributes?.long_name;
    this.subtitle.textContent = [title, shape(info.shape), api.kindOf(info.dtype), bytes(info.nbytes)].filter(Boolean).join(' · ');
  }

  close() {
    clearTimeout(this.timer);
    this.view.close();
    this.chunkMap?.close();
  }

  // save puts what is shown into the address bar.
  save() {
    if (page !== this || !this.view) return;
    this.view.write(this.q);
    if (this.followBox.checked) this.q.set('follow', '1');
    else this.q.delete('follow');
    replace(this.path, this.q);
  }

  async share() {
    this.save();
    try {
      await navigator.clipboard.writeText(location.href);
      this.shareButton.textContent = 'Copied';
    } catch {
      this.shareButton.textContent = 'Copy it from the address bar';
    }
    say(this.shareButton.textContent);
    setTimeout(() => { this.shareButton.textContent = 'Copy link'; }, 2500);
  }

  follow(on) {
    this.followBox.checked = on;
    clearTimeout(this.timer);
    this.save();
    if (on) this.look();
  }

  // look asks whether there is a newer state.
  async look() {
    try {
      const info = await api.info(this.path);
      if (page && page !== this) return;
      if (info.version !== this.info.version) {
        this.info = info;
        this.describe();
        if (viewOf(info) !== this.view.constructor) { // it has got its first items, or lost them
          this.close();
          showArray(this.path, this.q, info);
          return;
        }
        this.view.update(info);
        const about = facts(info, this.path);
        this.about.replaceWith(about);
        this.about = about;
        this.save();
      }
      this.lost?.remove();
      this.lost = null;
    } catch (err) {
      this.lost ||= el('p', {class: 'notice', role: 'status'});
      this.lost.textContent = `The array cannot be followed: ${err.message} It is tried again.`;
      this.element.prepend(this.lost);
    }
    clearTimeout(this.timer);
    if (this.followBox.checked && page === this) this.timer = setTimeout(() => this.look(), followEvery);
  }
}

function viewOf(info) {
  if (info.shape.includes(0)) return EmptyView;
  if (!api.numeric(info.dtype)) return info.shape.length || info.fields?.length ? TableView : OneItem;
  return [OneItem, SeriesView][info.shape.length] || PlaneView;
}

let page = null;
let turn = 0;

// show shows what the address says.
async function show() {
  const {path, q} = read(), mine = ++turn;
  if (page?.view && page.path === path && page.q.toString() === q.toString()) return;
  page?.close();
  page = null;
  for (const d of document.querySelectorAll('dialog[open]')) d.close();
  crumbs(path);
  document.title = path ? `${path.split('/').at(-1)} – cairn` : 'cairn';
  document.body.dataset.state = 'loading';
  let info;
  try {
    info = path ? await api.info(path) : {kind: 'folder'};
  } catch (err) {
    if (mine === turn) failed(path, err);
    return;
  }
  if (mine !== turn) return;
  if (info.kind === 'array' || info.kind === 'table' && info.dtype) showArray(path, q, info);
  else if (info.kind === 'file' || info.kind === 'unreadable') showFile(path, info);
  else {
    page = new Browser(path, q, () => {
      if (mine !== turn) return;
      page.write(q);
      replace(path, q);
    }, info.only);
    main.replaceChildren(page.element);
  }
  document.body.dataset.state = 'ready';
}

function showArray(path, q, info) {
  try {
    page = new Page(path, q, info);
  } catch (err) {
    failed(path, err);
    return;
  }
  main.replaceChildren(page.element);
  say(`${page.name}, ${shape(info.shape)}`);
}

function showFile(path, info) {
  main.replaceChildren(el('article', {class: 'message'}, el('h1', {}, path.split('/').at(-1)),
    el('p', {}, `This file of ${bytes(info.file_bytes)} is not an array that cairn can read${info.fault ? `: ${info.fault}` : ''}.`),
    el('p', {}, el('a', {class: 'button', href: api.address('files', path), download: ''}, 'Download it'))));
}

const advice = {
  0: 'Check that the server runs and that you are connected, then try again.',
  401: 'Open the link with its token, or ask whoever runs the server for it.',
  403: 'Ask whoever runs the server to serve it.',
  404: 'It may have been moved or renamed. Look for it in the folder above, or search for a part of its name.',
  413: 'It is more than the server gives out at once. Ask for a part of it.',
  422: 'The file may be damaged. “cairn verify” says what is wrong with it.',
  429: 'The server is busy. Try again in a moment.', 503: 'The server is busy. Try again in a moment.',
};

function failed(path, err) {
  document.body.dataset.state = 'failed';
  const above = path.split('/').slice(0, -1).join('/');
  const title = {0: 'No answer', 401: 'Not allowed', 403: 'Not allowed', 404: 'Nothing is here'}[err.status ?? -1] || 'This cannot be shown';
  main.replaceChildren(el('div', {class: 'message', role: 'alert'}, el('h1', {}, title), el('p', {}, el('code', {}, path)),
    el('p', {class: 'error'}, err.message), el('p', {}, advice[err.status] || 'Try again; if it stays like this, the server’s log says more.'),
    el('p', {class: 'row'}, el('button', {type: 'button', click: () => show()}, 'Try again'), el('a', {class: 'button', href: link(above)}, above ? 'To the folder above' : 'To the start'))));
  main.focus();
}

function crumbs(path) {
  const parts = path ? path.split('/') : [];
  const items = parts.map((name, i) => {
    const here = i === parts.length - 1;
    return el('li', {}, here ? el('span', {'aria-current': 'page'}, name) : el('a', {href: link(parts.slice(0, i + 1).join('/'))}, name));
  });
  document.getElementById('crumbs').replaceChildren(el('ol', {}, items));
}

function keys(event) {
  if (event.target.closest('input, select, textarea, dialog') || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === '?') help();
  else if (event.key === '/') {
    if (page?.search) page.search.focus();
    else location.hash = link('');
  } else return;
  event.preventDefault();
}

document.getElementById('help').addEventListener('click', help);
document.getElementById('skip').addEventListener('click', e => {
  e.preventDefault();
  main.focus();
});
document.addEventListener('keydown', keys);
addEventListener('hashchange', show);
try {
  await colours.load(new URL('colours.json', import.meta.url));
  await show();
} catch (err) {
  failed(read().path, err);
}
