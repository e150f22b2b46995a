/**
 * Zooms and moves a map by buttons, keys, mouse, two fingers, and the wheel with Ctrl or ⌘. One finger and the plain wheel scroll the page.
 */

/** Visible part of a drawing, in its units; always within the drawing. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export const MAX_ZOOM = 12;

/** Zooms around the point (x, y); `factor` above 1 zooms in. */
export function zoomed(view: View, all: View, factor: number, x: number, y: number): View {
  const width = clamp(view.width / factor, all.width / MAX_ZOOM, all.width);
  const ratio = width / view.width;
  return within(
    {
      x: x - (x - view.x) * ratio,
      y: y - (y - view.y) * ratio,
      width,
      height: all.height * (width / all.width),
    },
    all,
  );
}

export function moved(view: View, all: View, dx: number, dy: number): View {
  return within({ ...view, x: view.x + dx, y: view.y + dy }, all);
}

function within(view: View, all: View): View {
  return {
    ...view,
    x: clamp(view.x, all.x, all.x + all.width - view.width),
    y: clamp(view.y, all.y, all.y + all.height - view.height),
  };
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

const STEP = 1.6;
const KEY_MOVE = 0.15; // of what is shown
const WHEEL_STEP = 0.004;

export function zoomMap(figure: Element): void {
  const svg = figure.querySelector("svg.map");
  const frame = svg?.parentElement;
  const status = frame?.querySelector("[role=status]");
  if (!(svg instanceof SVGSVGElement) || !frame || !status) return;
  const map = new ZoomedMap(svg, frame, status);
  enableButtons(frame, map);
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Map: plus and minus zoom, arrow keys move, 0 resets");
  followKeys(frame, map);
  followWheel(svg, map);
  followPointers(svg, map);
}

/** The part of the map that is shown. */
class ZoomedMap {
  readonly #svg: SVGSVGElement;
  readonly #frame: Element;
  readonly #status: Element;
  readonly #all: View;
  #view: View;

  constructor(svg: SVGSVGElement, frame: Element, status: Element) {
    const { x, y, width, height } = svg.viewBox.baseVal;
    this.#svg = svg;
    this.#frame = frame;
    this.#status = status;
    this.#all = { x, y, width, height };
    this.#view = this.#all;
  }

  get isWhole(): boolean {
    return this.#view.width === this.#all.width;
  }

  /** Zooms around a point of the window, or the middle; a factor of 0 resets. */
  zoom(factor: number, at?: Place): void {
    const [x, y] = at === undefined ? middle(this.#view) : this.#placeOf(at);
    this.#show(zoomed(this.#view, this.#all, factor, x, y));
    this.#say();
  }

  /** Moves by shares of what is shown. */
  moveBy(x: number, y: number): void {
    this.#show(moved(this.#view, this.#all, x * this.#view.width, y * this.#view.height));
  }

  /** Drags by pixels of the window. */
  drag(dx: number, dy: number): void {
    this.#show(moved(this.#view, this.#all, -dx * this.#unit(), -dy * this.#unit()));
  }

  #show(view: View): void {
    this.#view = view;
    this.#svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].map(short).join(" "));
    this.#frame.toggleAttribute("data-zoomed", view.width < this.#all.width);
  }

  #say(): void {
    this.#status.textContent = `Zoom ${(this.#all.width / this.#view.width).toFixed(1)} times`;
  }

  #unit(): number {
    return this.#view.width / this.#svg.getBoundingClientRect().width;
  }

  #placeOf([x, y]: Place): Place {
    const box = this.#svg.getBoundingClientRect();
    return [this.#view.x + (x - box.left) * this.#unit(), this.#view.y + (y - box.top) * this.#unit()];
  }
}

function enableButtons(frame: Element, map: ZoomedMap): void {
  const factors = new Map([
    ["in", STEP],
    ["out", 1 / STEP],
    ["reset", 0],
  ]);
  for (const button of frame.querySelectorAll<HTMLButtonElement>("button[data-zoom-by]")) {
    button.addEventListener("click", () => map.zoom(factors.get(button.dataset["zoomBy"] ?? "") ?? 1));
    button.disabled = false;
  }
}

function followKeys(frame: HTMLElement, map: ZoomedMap): void {
  const keys = new Map([
    ["+", () => map.zoom(STEP)],
    ["=", () => map.zoom(STEP)], // the same key without Shift
    ["-", () => map.zoom(1 / STEP)],
    ["0", () => map.zoom(0)],
  ]);
  for (const [key, x, y] of MOVES) keys.set(key, () => map.moveBy(x * KEY_MOVE, y * KEY_MOVE));
  frame.addEventListener("keydown", (event) => {
    const act = keys.get(event.key);
    const isForPage = event.ctrlKey || event.metaKey || event.altKey;
    // Where there is nothing to move, arrows scroll the page.
    const isIdle = event.key.startsWith("Arrow") && map.isWhole;
    if (act === undefined || isForPage || isIdle) return;
    event.preventDefault();
    act();
  });
}

function followWheel(svg: SVGSVGElement, map: ZoomedMap): void {
  const zoomAt = (event: WheelEvent) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    map.zoom(Math.exp(-event.deltaY * WHEEL_STEP), [event.clientX, event.clientY]);
  };
  svg.addEventListener("wheel", zoomAt, { passive: false });
}

type Place = readonly [x: number, y: number];

const MOVES = [
  ["ArrowLeft", -1, 0],
  ["ArrowRight", 1, 0],
  ["ArrowUp", 0, -1],
  ["ArrowDown", 0, 1],
] as const;

/** One mouse drags, two fingers drag and pinch. */
function followPointers(svg: SVGSVGElement, map: ZoomedMap): void {
  const down = new Map<number, Place>();
  svg.addEventListener("pointerdown", ({ pointerId, clientX, clientY, button }) => {
    if (button !== 0) return;
    down.set(pointerId, [clientX, clientY]);
    svg.setPointerCapture(pointerId);
  });
  svg.addEventListener("pointermove", ({ pointerId, pointerType, clientX, clientY }) => {
    const before = down.get(pointerId);
    if (before === undefined) return;
    const dx = clientX - before[0];
    const dy = clientY - before[1];
    down.set(pointerId, [clientX, clientY]);
    const other = [...down].find(([id]) => id !== pointerId)?.[1];
    if (other === undefined) {
      if (pointerType !== "touch") map.drag(dx, dy);
      return;
    }
    // Each of two fingers moves the point between them by half of its own way.
    map.drag(dx / 2, dy / 2);
    const apart = (from: Place) => Math.hypot(from[0] - other[0], from[1] - other[1]) || 1;
    const between: Place = [(clientX + other[0]) / 2, (clientY + other[1]) / 2];
    map.zoom(apart([clientX, clientY]) / apart(before), between);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    svg.addEventListener(end, ({ pointerId }) => down.delete(pointerId));
}

function middle({ x, y, width, height }: View): Place {
  return [x + width / 2, y + height / 2];
}

function short(value: number): string {
  return value.toFixed(2);
}
