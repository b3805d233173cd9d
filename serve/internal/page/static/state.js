// What the address bar holds: the path of an array and how it is shown, so that a link shows what
// one saw.

// read returns {path, q}: q has the parameters.
export function read() {
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

// replace changes the address without a new entry of the history.
export function replace(path, q) {
  const url = link(path, q);
  if (url !== location.hash) history.replaceState(null, '', url);
}

export const integers = text => (text ?? '').split(',').filter(t => /^-?\d+$/.test(t.trim())).map(Number);
