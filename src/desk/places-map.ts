/** A drawing of where the records of an item were seen, with a scale. Places are cells of about 130 meters, so a mark is a ring of that size. */
import { html, type SafeHtml } from "../render/html.ts";
import type { ReviewQueue } from "./crossing.ts";

type Subject = NonNullable<ReviewQueue["items"][number]["subject"]>;

const WIDTH = 360;
const HEIGHT = 220;
const MARGIN = 40;
const METERS_PER_DEGREE = 111_320;
const CELL_METERS = 65; // radius
const MIN_SPAN_METERS = 300;

interface Mark {
  readonly label: string;
  readonly east: number; // meters from the subject
  readonly north: number;
}

/** Undefined where nothing has a place. */
export function placesMap(subject: Subject | null, candidates: readonly Subject[]): SafeHtml | undefined {
  const marks = marksOf(subject, candidates);
  if (marks.length === 0) return undefined;
  const middle = {
    east: middleOf(marks.map(({ east }) => east)),
    north: middleOf(marks.map(({ north }) => north)),
  };
  const span = Math.max(
    MIN_SPAN_METERS,
    spanOf(marks.map(({ east }) => east)),
    spanOf(marks.map(({ north }) => north)) * ((WIDTH - 2 * MARGIN) / (HEIGHT - 2 * MARGIN)),
  );
  const scale = (WIDTH - 2 * MARGIN) / span; // units a meter
  const shapes = marks.map(({ label, east, north }) => {
    const x = WIDTH / 2 + (east - middle.east) * scale;
    const y = HEIGHT / 2 - (north - middle.north) * scale;
    const radius = Math.max(10, CELL_METERS * scale);
    return html`<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="${radius.toFixed(1)}"/><text x="${x.toFixed(1)}" y="${(y + 5).toFixed(1)}">${label}</text>`;
  });
  const labels = marks.map(({ label }) => label).join(", ");
  return html`<figure class="places"><svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Map of the places of ${labels}; north is up">${shapes}${scaleBar(scale)}</svg>
    <figcaption class="soft">North is up. A ring is a map cell of about 130 m.</figcaption></figure>`;
}

function marksOf(subject: Subject | null, candidates: readonly Subject[]): Mark[] {
  const all = [{ label: "A", of: subject }, ...candidates.map((of, at) => ({ label: String(at + 1), of }))];
  const placed = all.flatMap(({ label, of }) => (of?.place ? [{ label, place: of.place }] : []));
  const from = placed[0]?.place;
  if (from === undefined) return [];
  const eastward = METERS_PER_DEGREE * Math.cos((from.lat * Math.PI) / 180);
  const byPlace = Map.groupBy(placed, ({ place }) => `${place.lat} ${place.lng}`);
  return [...byPlace.values()]
    .flatMap((here) => {
      const [first] = here;
      return first === undefined
        ? []
        : [{ label: here.map(({ label }) => label).join(", "), place: first.place }];
    })
    .map(({ label, place }) => ({
      label,
      east: (((place.lng - from.lng + 540) % 360) - 180) * eastward,
      north: (place.lat - from.lat) * METERS_PER_DEGREE,
    }));
}

function middleOf(values: readonly number[]): number {
  return (Math.min(...values) + Math.max(...values)) / 2;
}

function spanOf(values: readonly number[]): number {
  return Math.max(...values) - Math.min(...values);
}

/** A round length of about a third of the width. */
function scaleBar(scale: number): SafeHtml {
  const wanted = WIDTH / 3 / scale;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const meters = [5, 2, 1].map((step) => step * power).find((length) => length <= wanted) ?? power;
  const end = 12 + meters * scale;
  const text = meters >= 1000 ? `${meters / 1000} km` : `${meters} m`;
  return html`<path class="scale" d="M12 ${HEIGHT - 16}v6H${end.toFixed(1)}v-6"/><text class="scale" x="${(end + 8).toFixed(1)}" y="${HEIGHT - 9}">${text}</text>`;
}
