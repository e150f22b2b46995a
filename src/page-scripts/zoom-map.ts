import { moved, type View, zoomed } from "./map-view.ts";

/**
 * Lets a map be looked at more closely: buttons, keys, dragging with a mouse, two fingers, and the wheel with Ctrl or ⌘. One finger and
 * the plain wheel still scroll the page.
 */

const STEP = 1.6;
const KEY_MOVE = 0.15; // of what is shown
const WHEEL_STEP = 0.004;

export function zoomMap(figure: Element): void {
  const svg = figure.querySelector("svg.map");
  const frame = svg?.parentElement;
  const status = frame?.querySelector("[role=status]");
  if (!(svg instanceof SVGSVGElement) || !frame || !status) return;
  const all = viewOf(svg);
  let view = all;

  const show = (next: View) => {
    view = next;
    svg.setAttribute("viewBox", [view.x, view.y, view.width, view.height].map(short).join(" "));
    frame.toggleAttribute("data-zoomed", view.width < all.width);
  };
  const zoom = (factor: number, [x, y] = middle(view)) => {
    show(zoomed(view, all, factor, x, y));
    status.textContent = zoomText(all, view);
  };
  const reset = () => zoom(0);
  const unit = () => view.width / svg.getBoundingClientRect().width;
  const place = (x: number, y: number): Place => {
    const box = svg.getBoundingClientRect();
    return [view.x + (x - box.left) * unit(), view.y + (y - box.top) * unit()];
  };
  const drag = (dx: number, dy: number) => show(moved(view, all, -dx * unit(), -dy * unit()));

  const acts = new Map([
    ["in", () => zoom(STEP)],
    ["out", () => zoom(1 / STEP)],
    ["reset", reset],
  ]);
  for (const button of frame.querySelectorAll<HTMLButtonElement>("button[data-zoom-by]")) {
    button.addEventListener("click", () => acts.get(button.dataset["zoomBy"] ?? "")?.());
    button.disabled = false;
  }
  frame.tabIndex = 0;
  frame.setAttribute("role", "group");
  frame.setAttribute("aria-label", "Map: plus and minus zoom, arrow keys move, 0 resets");
  const keys = new Map([
    ["+", () => zoom(STEP)],
    ["=", () => zoom(STEP)], // the same key without Shift
    ["-", () => zoom(1 / STEP)],
    ["0", reset],
  ]);
  for (const [key, x, y] of MOVES)
    keys.set(key, () => show(moved(view, all, x * KEY_MOVE * view.width, y * KEY_MOVE * view.height)));
  frame.addEventListener("keydown", (event) => {
    const act = keys.get(event.key);
    const isForPage = event.ctrlKey || event.metaKey || event.altKey;
    // Where there is nothing to move, arrows scroll the page.
    const isIdle = event.key.startsWith("Arrow") && view.width === all.width;
    if (act === undefined || isForPage || isIdle) return;
    event.preventDefault();
    act();
  });
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY * WHEEL_STEP), place(event.clientX, event.clientY));
    },
    { passive: false },
  );
  followPointers(svg, drag, (factor, x, y) => zoom(factor, place(x, y)));
}

type Place = readonly [x: number, y: number];

const MOVES = [
  ["ArrowLeft", -1, 0],
  ["ArrowRight", 1, 0],
  ["ArrowUp", 0, -1],
  ["ArrowDown", 0, 1],
] as const;

/** One mouse drags, two fingers drag and pinch. */
function followPointers(
  svg: SVGSVGElement,
  drag: (dx: number, dy: number) => void,
  pinch: (factor: number, x: number, y: number) => void,
): void {
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
      if (pointerType !== "touch") drag(dx, dy);
      return;
    }
    // Each of two fingers moves the point between them by half of its own way.
    drag(dx / 2, dy / 2);
    const apart = (from: Place) => Math.hypot(from[0] - other[0], from[1] - other[1]) || 1;
    pinch(apart([clientX, clientY]) / apart(before), (clientX + other[0]) / 2, (clientY + other[1]) / 2);
  });
  for (const end of ["pointerup", "pointercancel"] as const)
    svg.addEventListener(end, ({ pointerId }) => down.delete(pointerId));
}

function viewOf(svg: SVGSVGElement): View {
  const { x, y, width, height } = svg.viewBox.baseVal;
  return { x, y, width, height };
}

function zoomText(all: View, view: View): string {
  return `Zoom ${(all.width / view.width).toFixed(1)} times`;
}

function middle({ x, y, width, height }: View): Place {
  return [x + width / 2, y + height / 2];
}

function short(value: number): string {
  return value.toFixed(2);
}
