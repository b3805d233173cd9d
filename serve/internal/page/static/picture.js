// A plane as a picture on a canvas.

import {colour, el} from './dom.js';
import {size} from './tiles.js';
import {gestures} from './gestures.js';

const paintsPerFrame = 6; // images of tiles that are coloured anew in one frame
const gutterLeft = 74, gutterBottom = 44, gutterTop = 8, gutterRight = 10;

export class Picture {
  // o has view, store, label and the callbacks hover(y, x), select(box), point(y, x), key(event).
  constructor(o) {
    Object.assign(this, o);
    this.canvas = el('canvas', {tabindex: 0, role: 'application', 'aria-roledescription': 'picture',
      'aria-label': this.label || 'Picture', 'aria-describedby': this.describedby});
    this.element = el('div', {class: 'stage'}, this.canvas);
    this.context = this.canvas.getContext('2d', {alpha: false});
    this.axes = null;
    this.layer = null;
    this.scale = null;
    this.selection = null;
    this.cursor = null;
    this.mark = null;
    this.grid = null;
    this.frame = 0;
    this.draw = this.draw.bind(this);
    this.redraw = () => { this.frame ||= requestAnimationFrame(this.draw); };
    this.view.listeners.add(this.redraw);
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.element);
    gestures(this);
  }

  close() {
    this.observer.disconnect();
    this.view.listeners.delete(this.redraw);
    cancelAnimationFrame(this.frame);
  }

  resize() {
    const {clientWidth: w, clientHeight: h} = this.element;
    this.ratio = Math.min(3, devicePixelRatio || 1);
    this.canvas.width = Math.max(1, Math.round(w * this.ratio));
    this.canvas.height = Math.max(1, Math.round(h * this.ratio));
    this.left = w < 420 ? 52 : gutterLeft;
    this.view.resize(w - this.left - gutterRight, h - gutterTop - gutterBottom);
    this.frame ||= requestAnimationFrame(this.draw);
  }

  // place returns a position of the pointer as pixels of the plot.
  place(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left - this.left, event.clientY - box.top - gutterTop];
  }

  // item returns the item at a position, or null.
  item(px, py) {
    const y = Math.floor(this.view.itemY(py)), x = Math.floor(this.view.itemX(px));
    const {layer, view} = this;
    if (!layer || px < 0 || py < 0 || px > view.width || py > view.height) return null;
    return y >= 0 && x >= 0 && y < layer.ny && x < layer.nx ? [y, x] : null;
  }

  // levelsAt returns the levels at which a cell is about one pixel of the screen, or 2^out pixels if
  // all is smaller by that.
  levelsAt(out = 0) {
    const {layer, view} = this;
    return [view.sy, view.sx].map((s, i) => Math.min(layer.top[i], Math.max(0, Math.round(out - Math.log2(s * this.ratio)))));
  }

  // fitting returns how far levels are out of which no more than 60 tiles are in sight.
  fitting() {
    let out = 0;
    while (String(this.levelsAt(out)) !== String(this.layer.top) && this.inSight(this.levelsAt(out)).length > 60) out++;
    return out;
  }

  // inSight lists the visible tiles of some levels, those in the middle first.
  inSight(levels) {
    const {view, layer} = this, list = [], [ey, ex] = levels.map(l => size * 2 ** l);
    const [ay, by] = [view.itemY(0), view.itemY(view.height)].sort((a, b) => a - b);
    const ax = view.itemX(0), bx = view.itemX(view.width);
    const y0 = Math.max(0, Math.floor(ay / ey)), y1 = Math.min(Math.ceil(layer.ny / ey) - 1, Math.floor(by / ey));
    const x0 = Math.max(0, Math.floor(ax / ex)), x1 = Math.min(Math.ceil(layer.nx / ex) - 1, Math.floor(bx / ex));
    if ((y1 - y0 + 1) * (x1 - x0 + 1) > 4096) return Array.from({length: 4096}, () => ({}));
    for (let ty = y0; ty <= y1; ty++) for (let tx = x0; tx <= x1; tx++) {
      const far = Math.hypot(((ty + 0.5) * ey - view.cy) * view.sy, ((tx + 0.5) * ex - view.cx) * view.sx);
      list.push({levels, ty, tx, far});
    }
    return list.sort((a, b) => a.far - b.far);
  }

  draw() {
    this.frame = 0;
    const {context: c, canvas, view, ratio} = this;
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = colour('paper');
    c.fillRect(0, 0, canvas.width, canvas.height);
    if (!this.layer || !this.axes || !this.ratio) return; // without a size, nothing is in sight
    this.special = ['absent', 'above', 'below'].map(name => packed(colour(name)));
    c.save();
    c.translate(Math.round(this.left * ratio), Math.round(gutterTop * ratio));
    c.save();
    c.beginPath();
    c.rect(0, 0, Math.round(view.width * ratio), Math.round(view.height * ratio));
    c.clip();
    this.paints = paintsPerFrame;
    this.drawTiles();
    c.scale(ratio, ratio);
    this.drawOver();
    c.restore();
    c.scale(ratio, ratio);
    this.drawAxes();
    c.restore();
    if (this.paints < 0) this.redraw();
  }

  // drawTiles draws what is there, coarse tiles below fine ones, and asks for what is missing.
  drawTiles() {
    const {layer, store} = this, out = this.fitting(), levels = this.levelsAt(out), wanted = [];
    const seen = this.inSight(levels), under = new Map();
    this.quality = {exact: seen.length > 0, complete: seen.length > 0, levels};
    for (const t of seen) {
      const tile = store.peek(layer, levels, t.ty, t.tx);
      t.tile = tile;
      if (tile?.exact) continue;
      this.quality.exact = false;
      if (tile) this.quality.samples = tile.samples;
      else {
        const below = this.coarser(out, t, under);
        if (!below) this.quality.complete = false;
        else if (!below.exact) this.quality.samples = below.samples;
      }
      wanted.push({layer, ...t, quality: 'exact'});
    }
    // Limits of colours that were chosen from samples are chosen again.
    if (this.quality.exact && this.scaleTile() && !this.scaleTile().exact) {
      wanted.push({layer, levels: layer.top, ty: 0, tx: 0, quality: 'exact'});
    }
    // First, and alone, a sample of everything: computing what is exact would slow it down.
    if (!this.scaleTile()) wanted.splice(0, Infinity, {layer, levels: layer.top, ty: 0, tx: 0, quality: 'sampled'});
    for (const u of [...under.values()].sort((a, b) => b.out - a.out)) this.drawTile(u, u.tile);
    if (this.scale) for (const t of seen) if (t.tile) this.drawTile(t, t.tile);
    this.want?.(wanted, this.quality);
  }

  // scaleTile returns the tile of the whole plane, which limits are chosen from.
  scaleTile() { return this.store.peek(this.layer, this.layer.top, 0, 0); }

  // coarser finds the finest tile that shows the place of one that is missing.
  coarser(out, {levels, ty, tx}, under) {
    for (let o = out + 1, above = levels; String(above) !== String(this.layer.top); o++) {
      above = this.levelsAt(o);
      const y = Math.floor(ty / 2 ** (above[0] - levels[0])), x = Math.floor(tx / 2 ** (above[1] - levels[1]));
      const tile = this.store.peek(this.layer, above, y, x);
      if (tile) {
        under.set(`${above}|${y}|${x}`, {out: o, levels: above, ty: y, tx: x, tile});
        return tile;
      }
    }
    return null;
  }

  drawTile({levels, ty, tx}, tile) {
    if (!this.scale || !tile.ny) return;
    const image = this.image(tile), {view, ratio, context: c, layer} = this;
    if (!image) return;
    const [cy, cx] = levels.map(l => 2 ** l), y0 = ty * size * cy, x0 = tx * size * cx;
    // Only the part in sight, so that magnified tiles cost no more than others.
    const cut = (a, b, n) => [Math.max(0, Math.floor(a) - 1), Math.min(n, Math.ceil(b) + 1)];
    const ys = [view.itemY(0), view.itemY(view.height)].sort((a, b) => a - b);
    const [r0, r1] = cut((ys[0] - y0) / cy, (ys[1] - y0) / cy, tile.ny);
    const [k0, k1] = cut((view.itemX(0) - x0) / cx, (view.itemX(view.width) - x0) / cx, tile.nx);
    if (r1 <= r0 || k1 <= k0) return;
    const edgeY = r => Math.round(view.screenY(Math.min(layer.ny, y0 + r * cy)) * ratio);
    const edgeX = k => Math.round(view.screenX(Math.min(layer.nx, x0 + k * cx)) * ratio);
    const left = edgeX(k0), right = edgeX(k1), top = edgeY(r0), bottom = edgeY(r1);
    c.imageSmoothingEnabled = !layer.nearest && Math.max(view.sx * cx, view.sy * cy) * ratio < 3;
    if (bottom >= top) {
      c.drawImage(image, k0, r0, k1 - k0, r1 - r0, left, top, right - left, bottom - top);
      return;
    }
    c.save(); // rows go upwards
    c.translate(0, top);
    c.scale(1, -1);
    c.drawImage(image, k0, r0, k1 - k0, r1 - r0, left, 0, right - left, top - bottom);
    c.restore();
  }

  // image returns the tile in colours. If many change at once, some keep their old ones for a frame.
  image(tile) {
    const key = this.scale.key + this.special;
    if (tile.key === key) return tile.canvas;
    if (this.paints-- <= 0) return tile.canvas;
    if (!tile.canvas) tile.canvas = el('canvas', {width: tile.nx, height: tile.ny});
    const c = tile.canvas.getContext('2d', {alpha: false});
    const pixels = c.createImageData(tile.nx, tile.ny);
    this.scale.paint(tile.values, pixels.data, this.special);
    c.putImageData(pixels, 0, 0);
    tile.key = key;
    return tile.canvas;
  }

  drawOver() {
    const {context: c, view} = this;
    if (this.grid && this.scale) this.drawGrid();
    if (Math.min(view.sx, view.sy) >= 44) this.drawValues();
    const frame = (y0, x0, y1, x1) => {
      const left = view.screenX(x0), right = view.screenX(x1), a = view.screenY(y0), b = view.screenY(y1);
      c.strokeRect(left, Math.min(a, b), right - left, Math.abs(b - a));
    };
    const outlined = draw => {
      c.lineWidth = 4;
      c.strokeStyle = colour('halo');
      draw();
      c.lineWidth = 1.75;
      c.strokeStyle = colour('mark');
      draw();
    };
    if (this.selection) {
      const {y0, x0, y1, x1} = this.selection;
      c.fillStyle = colour('veil');
      const a = view.screenY(y0), b = view.screenY(y1);
      c.fillRect(view.screenX(x0), Math.min(a, b), (x1 - x0) * view.sx, Math.abs(b - a));
      outlined(() => frame(y0, x0, y1, x1));
    }
    for (const [at, long] of [[this.mark, true], [this.cursor, false]]) {
      if (!at) continue;
      const [y, x] = at, px = view.screenX(x + 0.5), py = view.screenY(y + 0.5);
      outlined(() => {
        if (view.sx >= 6 && view.sy >= 6) frame(y, x, y + 1, x + 1);
        c.beginPath();
        const gap = Math.max(5, Math.min(view.sx, view.sy) / 2);
        const ends = long ? [view.screenX(0), view.screenX(this.layer.nx), ...[view.screenY(0), view.screenY(this.layer.ny)].sort((a, b) => a - b)]
          : [px - gap - 9, px + gap + 9, py - gap - 9, py + gap + 9];
        c.moveTo(Math.min(px - gap, ends[0]), py); c.lineTo(px - gap, py); c.moveTo(px + gap, py); c.lineTo(Math.max(px + gap, ends[1]), py);
        c.moveTo(px, Math.min(py - gap, ends[2])); c.lineTo(px, py - gap); c.moveTo(px, py + gap); c.lineTo(px, Math.max(py + gap, ends[3]));
        c.stroke();
      });
    }
  }

  // drawGrid draws the borders of chunks.
  drawGrid() {
    const {context: c, view, layer} = this, [ey, ex] = this.grid;
    c.strokeStyle = colour('grid');
    c.lineWidth = 1;
    c.beginPath();
    const lines = (edge, n, s, from, to, draw) => {
      if (edge * s < 5) return;
      for (let k = Math.max(1, Math.ceil(from / edge)); k * edge < Math.min(n, to); k++) draw(k * edge);
    };
    const [ay, by] = [view.itemY(0), view.itemY(view.height)].sort((a, b) => a - b);
    lines(ey, layer.ny, view.sy, ay, by, y => {
      const py = Math.round(view.screenY(y)) + 0.5;
      c.moveTo(Math.max(0, view.screenX(0)), py);
      c.lineTo(Math.min(view.width, view.screenX(layer.nx)), py);
    });
    lines(ex, layer.nx, view.sx, view.itemX(0), view.itemX(view.width), x => {
      const px = Math.round(view.screenX(x)) + 0.5, a = view.screenY(0), b = view.screenY(layer.ny);
      c.moveTo(px, Math.max(0, Math.min(a, b)));
      c.lineTo(px, Math.min(view.height, Math.max(a, b)));
    });
    c.stroke();
  }

  // drawValues writes numbers into large items.
  drawValues() {
    const {context: c, view, layer} = this;
    c.font = `${Math.min(14, view.sx / 5)}px ${colour('mono')}`;
    c.textAlign = 'center';
    c.textBaseline = 'middle';
    const ys = [view.itemY(0), view.itemY(view.height)].sort((a, b) => a - b);
    for (let y = Math.max(0, Math.floor(ys[0])); y < Math.min(layer.ny, ys[1]); y++) {
      for (let x = Math.max(0, Math.floor(view.itemX(0))); x < Math.min(layer.nx, view.itemX(view.width)); x++) {
        const v = this.valueAt(y, x);
        if (v === undefined) continue;
        const [r, g, b] = v - v === 0 ? this.scale.at(this.scale.place(v)) : v === v ? [0, 0, 0] : [214, 214, 214];
        c.fillStyle = 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#10151c' : '#ffffff';
        c.fillText(layer.values.text(v, 4, 300), view.screenX(x + 0.5), view.screenY(y + 0.5));
      }
    }
  }

  // valueAt returns the value of an item if its tile is there.
  valueAt(y, x) {
    const ty = Math.floor(y / size), tx = Math.floor(x / size), tile = this.layer && this.store.peek(this.layer, [0, 0], ty, tx);
    return tile?.exact ? tile.values[(y - ty * size) * tile.nx + x - tx * size] : undefined;
  }

  drawAxes() {
    const {context: c, view, layer, axes} = this, [ay, ax] = axes;
    const left = Math.max(0, view.screenX(0)), right = Math.min(view.width, view.screenX(layer.nx));
    const ends = [view.screenY(0), view.screenY(layer.ny)].sort((a, b) => a - b);
    const top = Math.max(0, ends[0]), bottom = Math.min(view.height, ends[1]);
    c.fillStyle = c.strokeStyle = colour('faint');
    c.lineWidth = 1;
    c.font = `12px ${colour('sans')}`;
    c.beginPath();
    c.textAlign = 'center';
    c.textBaseline = 'top';
    let free = -Infinity;
    const xs = ax.ticks(view.itemX(left), view.itemX(right), Math.max(2, (right - left) / 110));
    for (const t of xs) {
      const px = view.screenX(t.i + 0.5), half = c.measureText(t.text).width / 2;
      const middle = Math.max(half - this.left + 2, Math.min(view.width + gutterRight - half - 2, px));
      if (middle - half < free || px < left - 1 || px > right + 1) continue;
      free = middle + half + 10;
      c.moveTo(Math.round(px) + 0.5, bottom);
      c.lineTo(Math.round(px) + 0.5, bottom + 5);
      c.fillText(t.text, middle, bottom + 8);
    }
    c.textAlign = 'right';
    c.textBaseline = 'middle';
    const [i0, i1] = [view.itemY(top), view.itemY(bottom)].sort((a, b) => a - b);
    for (const t of ay.ticks(i0, i1, Math.max(3, (bottom - top) / 55))) {
      const py = view.screenY(t.i + 0.5);
      if (py < top - 1 || py > bottom + 1) continue;
      c.moveTo(left - 5, Math.round(py) + 0.5);
      c.lineTo(left, Math.round(py) + 0.5);
      c.fillText(fitting(c, t.text, this.left + left - 9), left - 8, Math.min(view.height - 6, Math.max(6, py)));
    }
    c.stroke();
    this.drawTitles(left, right, top, bottom);
  }

  drawTitles(left, right, top, bottom) {
    const {context: c, axes: [ay, ax]} = this;
    const title = a => a.label + (a.suffix ? ` (${a.units})` : '');
    c.font = `600 12px ${colour('sans')}`;
    c.fillStyle = colour('ink');
    c.textAlign = 'center';
    c.textBaseline = 'top';
    c.fillText(title(ax), (left + right) / 2, bottom + 25);
    c.save();
    c.translate(Math.max(left - this.left + 8, -this.left + 8), (top + bottom) / 2);
    c.rotate(-Math.PI / 2);
    c.textBaseline = 'middle';
    c.fillText(title(ay), 0, 0);
    c.restore();
  }
}

// fitting shortens a text to a width.
function fitting(c, text, width) {
  if (c.measureText(text).width <= width) return text;
  while (text.length > 2 && c.measureText(text + '…').width > width) text = text.slice(0, -1);
  return text + '…';
}

// packed returns a colour such as #d6d6d6 as a pixel.
function packed(text) {
  const n = parseInt(text.slice(1), 16);
  return (255 << 24 | (n & 255) << 16 | (n >> 8 & 255) << 8 | n >> 16) >>> 0;
}
