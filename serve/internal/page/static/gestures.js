// Mouse, touch and keys on a picture.

export function gestures(picture) {
  const {canvas, view} = picture, pointers = new Map();
  let start = null; // of a drag: {px, py, selecting, moved}
  const pair = () => {
    const [a, b] = [...pointers.values()];
    return {x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, d: Math.hypot(a[0] - b[0], a[1] - b[1]) || 1};
  };
  canvas.addEventListener('pointerdown', event => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    const at = picture.place(event);
    pointers.set(event.pointerId, at);
    start = pointers.size === 1 ? {at, selecting: event.shiftKey || picture.selecting, moved: false} : {moved: true};
  });
  canvas.addEventListener('pointermove', event => {
    const at = picture.place(event), before = pointers.get(event.pointerId);
    if (!before) {
      const item = picture.item(...at);
      picture.hover?.(item);
      return;
    }
    const old = pointers.size === 2 ? pair() : null;
    pointers.set(event.pointerId, at);
    if (old) {
      const now = pair();
      view.zoom(now.d / old.d, now.x, now.y);
      view.pan(now.x - old.x, now.y - old.y);
      return;
    }
    if (Math.hypot(at[0] - start.at?.[0], at[1] - start.at?.[1]) > 4) start.moved = true;
    if (!start.moved || !start.at) return;
    if (start.selecting) picture.drag?.(box(picture, start.at, at));
    else view.pan(at[0] - before[0], at[1] - before[1]);
  });
  const end = event => {
    if (!pointers.delete(event.pointerId)) return;
    if (start && !start.moved && event.type === 'pointerup') {
      const item = picture.item(...picture.place(event));
      if (item) picture.point?.(item);
    } else if (start?.selecting && start.moved) picture.selected?.();
    if (pointers.size) start = {moved: true, at: [...pointers.values()][0]};
  };
  for (const kind of ['pointerup', 'pointercancel']) canvas.addEventListener(kind, end);
  canvas.addEventListener('pointerleave', () => { if (!pointers.size) picture.hover?.(null); });
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1, speed = event.ctrlKey ? 0.01 : 0.0016;
    view.zoom(Math.exp(-event.deltaY * lines * speed), ...picture.place(event));
  }, {passive: false});
  canvas.addEventListener('dblclick', event => view.zoom(2, ...picture.place(event)));
  canvas.addEventListener('keydown', event => {
    if (picture.key?.(event)) event.preventDefault();
  });
}

// box returns the items between two positions.
function box(picture, a, b) {
  const {view, layer} = picture, within = (v, n) => Math.min(n, Math.max(0, v));
  const ys = [view.itemY(a[1]), view.itemY(b[1])].sort((p, q) => p - q);
  const xs = [view.itemX(a[0]), view.itemX(b[0])].sort((p, q) => p - q);
  return {y0: within(Math.floor(ys[0]), layer.ny), y1: within(Math.ceil(ys[1]), layer.ny),
    x0: within(Math.floor(xs[0]), layer.nx), x1: within(Math.ceil(xs[1]), layer.nx)};
}
