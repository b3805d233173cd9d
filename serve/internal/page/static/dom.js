// Elements of the page, made without a framework.

// el returns an element. Attributes that are functions are listeners; true and false switch one.
export function el(tag, attributes = {}, ...children) {
  const e = document.createElement(tag);
  set(e, attributes);
  e.append(...children.flat().filter(c => c !== null && c !== undefined && c !== false));
  return e;
}

export function set(e, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') e.addEventListener(name, value);
    else if (value === true) e.setAttribute(name, '');
    else if (value === false || value === null || value === undefined) e.removeAttribute(name);
    else e.setAttribute(name, value);
  }
}

// svg is el for drawings.
export function svg(tag, attributes = {}, ...children) {
  const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
  set(e, attributes);
  e.append(...children.flat().filter(Boolean));
  return e;
}

// say tells readers who cannot see the page what has happened.
let saying = 0;
export function say(text) {
  clearTimeout(saying);
  saying = setTimeout(() => { document.getElementById('live').textContent = text; }, 150);
}

// colour returns a colour of the style sheet, for drawing.
let palette = new Map();
export function colour(name) {
  if (!palette.has(name)) {
    palette.set(name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim());
  }
  return palette.get(name);
}

const dark = matchMedia('(prefers-color-scheme: dark)');
export function onScheme(redraw) {
  const change = () => { palette = new Map(); redraw(); };
  dark.addEventListener('change', change);
  return () => dark.removeEventListener('change', change);
}

// debounce returns a function that calls f once no call has come for some milliseconds.
export function debounce(f, ms) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => f(...args), ms);
  };
}
