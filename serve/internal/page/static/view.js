// Which part of a plane is shown: the item in the middle, and the size of items on the screen.

export class View {
  constructor() {
    this.cy = this.cx = 0;      // items
    this.sy = this.sx = 1;      // CSS pixels per item
    this.flip = false;          // rows go upwards
    this.width = this.height = 1;
    this.listeners = new Set();
    this.fitted = true;         // shows the whole plane, also when the window changes
  }

  changed() { for (const f of this.listeners) f(); }

  // plane says how many items there are.
  plane(ny, nx) {
    this.ny = ny;
    this.nx = nx;
  }

  resize(width, height) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    if (this.fitted) this.fit();
    else this.clamp();
  }

  // fit shows everything. Items are squares, unless the plane would be a thread.
  fit() {
    this.fitted = true;
    this.cy = this.ny / 2;
    this.cx = this.nx / 2;
    this.sy = this.height / this.ny;
    this.sx = this.width / this.nx;
    if (this.thread < 8) this.sy = this.sx = Math.min(this.sy, this.sx);
    this.changed();
  }

  // thread is how much larger items would be along the shorter axis if both filled the window.
  get thread() {
    const ratio = this.height / this.ny / (this.width / this.nx);
    return Math.max(ratio, 1 / ratio);
  }

  screenX(x) { return (x - this.cx) * this.sx + this.width / 2; }

  screenY(y) { return (y - this.cy) * (this.flip ? -this.sy : this.sy) + this.height / 2; }

  itemX(px) { return (px - this.width / 2) / this.sx + this.cx; }

  itemY(py) { return (py - this.height / 2) / (this.flip ? -this.sy : this.sy) + this.cy; }

  pan(dx, dy) {
    this.fitted = false;
    this.cx -= dx / this.sx;
    this.cy -= dy / (this.flip ? -this.sy : this.sy);
    this.clamp();
    this.changed();
  }

  // zoom changes the size of items, and keeps the one at px, py where it is.
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const x = this.itemX(px), y = this.itemY(py);
    const [fy, fx] = this.factors(factor);
    if (fy === 1 && fx === 1) return;
    this.fitted = false;
    this.sx *= fx;
    this.sy *= fy;
    this.cx = x - (px - this.width / 2) / this.sx;
    this.cy = y - (py - this.height / 2) / (this.flip ? -this.sy : this.sy);
    this.clamp();
    this.changed();
  }

  // factors returns by how much items grow along each axis: alike, but a thread grows along its
  // length only, as long as its items are much shorter than they are wide, and shrinks so too.
  factors(factor) {
    const {sy, sx} = this, fitY = this.height / this.ny, fitX = this.width / this.nx;
    const within = (s, least) => Math.max(Math.min(factor, Math.max(1, 200 / s)), Math.min(1, least / s));
    if (this.thread < 8) {
      const least = Math.min(fitX, fitY, 1) * 0.5, f = factor > 1 ? within(Math.max(sy, sx), least) : within(Math.min(sy, sx), least);
      return [f, f];
    }
    if (factor > 1) return [sy > 8 * sx ? 1 : within(sy, fitY), sx > 8 * sy ? 1 : within(sx, fitX)];
    return [within(sy, fitY), within(sx, fitX)];
  }

  // clamp keeps some of the plane in sight.
  clamp() {
    const halfX = this.width / 2 / this.sx, halfY = this.height / 2 / this.sy;
    const within = (c, n, half) => n <= 2 * half ? Math.min(n / 2 + half / 2, Math.max(n / 2 - half / 2, c))
      : Math.min(n - half * 0.5, Math.max(half * 0.5, c));
    this.cx = within(this.cx, this.nx, halfX);
    this.cy = within(this.cy, this.ny, halfY);
  }

  // show makes an item visible.
  show(y, x) {
    const px = this.screenX(x + 0.5), py = this.screenY(y + 0.5), edge = 24;
    const move = (p, size) => p < edge ? edge - p : p > size - edge ? size - edge - p : 0;
    const dx = move(px, this.width), dy = move(py, this.height);
    if (dx || dy) this.pan(dx, dy);
  }

  // text is the view for the address bar, "" if everything is shown.
  get text() {
    if (this.fitted) return '';
    const n = v => Number(v.toPrecision(7));
    return [n(this.cy), n(this.cx), n(this.sy), n(this.sx)].join(',');
  }

  set text(text) {
    const [cy, cx, sy, sx] = (text || '').split(',').map(Number);
    if (!(sy > 0 && sx > 0 && Number.isFinite(cy) && Number.isFinite(cx))) {
      this.fit();
      return;
    }
    Object.assign(this, {cy, cx, sy, sx, fitted: false});
    this.clamp();
    this.changed();
  }
}
