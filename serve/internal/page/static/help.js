// The keys of the page.

import {el} from './dom.js';

const keys = [['Everywhere', [['/', 'search'], ['?', 'this list']]],
  ['A picture', [['← ↑ → ↓', 'move the cursor and hear values'], ['Shift + arrows', 'move the picture'], ['+ −', 'zoom'], ['0, 1', 'show everything; a pixel per item'],
    ['Enter', 'lines through the cursor'], ['S, arrows, Enter', 'select items'], ['Page Up, Page Down', 'step through the last other dimension'], ['Space', 'play or stop'],
    ['C', 'next colours'], ['G', 'borders of chunks'], ['V', 'turn rows upside down'], ['Esc', 'clear cursor, lines and selection']]],
  ['Mouse and touch', [['Drag', 'move'], ['Wheel, pinch, double click', 'zoom'], ['Shift + drag', 'select'], ['Click, tap', 'lines through an item']]]];

export function help() {
  const dialog = el('dialog', {class: 'help', 'aria-labelledby': 'help-title', close: () => dialog.remove(), click: e => e.target === dialog && dialog.close()},
    el('h2', {id: 'help-title'}, 'Keys and gestures'),
    keys.map(([title, list]) => el('section', {}, el('h3', {}, title), el('dl', {}, list.flatMap(([k, what]) => [el('dt', {}, el('kbd', {}, k)), el('dd', {}, what)])))),
    el('form', {method: 'dialog'}, el('button', {autofocus: true}, 'Close')));
  document.body.append(dialog);
  dialog.showModal();
}
