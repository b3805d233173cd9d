// What the address bar holds: the path of an array and how it is shown, so that a link shows what
// one saw.

// known is the address that was read or written last. The address bar holds another one between a
// step to it, by a link or by hand, and the event that tells of it.
let known = '';

// read returns {path, q}: q has the parameters.
export function read() {
  known = location.hash;
  const text = location.hash.replace(/^#\/?/, ''), mark = text.indexOf('?');
  const path = mark < 0 ? text : text.slice(0, mark);
  let decoded = path;
  try {
    decoded = path.split('/').map(decodeURIComponent).join('/');
  } catch { /* an odd link: take it as it is */ }
  return {path: decoded.replace(/\/+$/, ''), q: new URLSearchParams(mark < 0 ? '' : text.slice(mark + 1))};
}

export function link(path, q) {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  const query = q ? new URLSearchParams(q).toString().replaceAll('%2C', ',').replaceAll('%3A', ':') : '';
  return '#/' + encoded + (query ? '?' + query : '');
}

// replace changes the address without a new entry of the history. What a view has to save comes too
// late once the reader has gone elsewhere: it would bring the old address back.
export function replace(path, q) {
  if (location.hash !== known) return;
  const url = link(path, q);
  if (url !== location.hash) history.replaceState(null, '', url);
  known = location.hash;
}

export const integers = text => (text ?? '').split(',').filter(t => /^-?\d+$/.test(t.trim())).map(Number);
