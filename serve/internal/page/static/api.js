// What the server is asked.

const base = new URL('.', document.baseURI);

export class Failure extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

// address returns the URL of a route for a path of the catalogue.
export function address(route, path, query = {}) {
  const url = new URL(route + '/' + path.split('/').map(encodeURIComponent).join('/'), base);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null && value !== '') url.searchParams.set(name, value);
  }
  return url;
}

export async function get(url, signal) {
  let answer;
  try {
    answer = await fetch(url, {signal});
  } catch (err) {
    if (err.name === 'AbortError') throw err;
    throw new Failure(0, 'The server does not answer.');
  }
  if (!answer.ok) {
    let text = answer.statusText;
    try {
      text = (await answer.json()).error || text;
    } catch { /* not JSON */ }
    throw new Failure(answer.status, text);
  }
  return answer;
}

const json = async (url, signal) => (await get(url, signal)).json();

export const list = (path, query, signal) => json(address('api/v1/list', path, query), signal);

export const info = (path, signal) => json(address('api/v1/info', path), signal);
export const stats = (path, query, signal) => json(address('api/v1/stats', path, query), signal);
export const chunks = (path, query, signal) => json(address('api/v1/chunks', path, query), signal);
export const coordinates = (path, query, signal) => json(address('api/v1/coordinates', path, query), signal);

export async function points(path, at, as, signal) {
  const url = address('api/v1/points', path, {as});
  for (const p of at) url.searchParams.append('at', p.join(','));
  return json(url, signal);
}

export function slice(path, s, format) { return address('api/v1/slice', path, {s, format}); }

// items returns the items of a selection: numbers, or what JSON has. as names those that stand for
// dates or complex ones.
export async function items(path, s, dtype, as, signal) {
  if (!numeric(dtype)) {
    const answer = await json(slice(path, s, 'json'), signal);
    return answer.values ?? answer.data;
  }
  const answer = await get(address('api/v1/slice', path, {s, format: 'raw', as}), signal);
  return decode(await answer.arrayBuffer(), answer.headers.get('X-Cairn-DType') || dtype);
}

// numeric tells whether a picture or a plot can show items of a dtype.
export function numeric(dtype) { return /^[<>|=]?(b1|[iu][1248]|f[248]|c8|c16|[mM]8(\[.*\])?)$/.test(kindOf(dtype)); }

// kindOf returns a dtype as NumPy's short text, whatever quotes are around it.
export function kindOf(dtype) { return String(dtype ?? '').replace(/^'|'$/g, ''); }

// decode returns items as numbers, which are exact unless they are large integers.
export function decode(buffer, dtype) {
  const view = new DataView(buffer), d = kindOf(dtype), little = !d.startsWith('>');
  const kind = d.replace(/^[<>|=]/, '');
  const readers = {
    b1: [1, o => view.getUint8(o)], i1: [1, o => view.getInt8(o)], u1: [1, o => view.getUint8(o)],
    i2: [2, o => view.getInt16(o, little)], u2: [2, o => view.getUint16(o, little)],
    i4: [4, o => view.getInt32(o, little)], u4: [4, o => view.getUint32(o, little)],
    i8: [8, o => Number(view.getBigInt64(o, little))], u8: [8, o => Number(view.getBigUint64(o, little))],
    f2: [2, o => half(view.getUint16(o, little))],
    f4: [4, o => view.getFloat32(o, little)], f8: [8, o => view.getFloat64(o, little)],
    c8: [8, o => Math.hypot(view.getFloat32(o, little), view.getFloat32(o + 4, little))],
    c16: [16, o => Math.hypot(view.getFloat64(o, little), view.getFloat64(o + 8, little))],
  };
  const time = o => {
    const n = view.getBigInt64(o, little);
    return n === -(2n ** 63n) ? NaN : Number(n);
  };
  const [size, read] = readers[kind] || [8, time];
  const out = new Float64Array(Math.floor(buffer.byteLength / size));
  for (let i = 0; i < out.length; i++) out[i] = read(i * size);
  return out;
}

function half(bits) {
  const exponent = bits >> 10 & 31, fraction = bits & 1023, sign = bits >> 15 ? -1 : 1;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 25) * (1024 + fraction) : 2 ** -24 * fraction);
}
