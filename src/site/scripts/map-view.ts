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
