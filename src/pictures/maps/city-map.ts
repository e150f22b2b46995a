import { count, number } from "../../render/words/format.ts";
import { drawing, type LegendEntry, type NoPicture, type Picture, WIDTH } from "../picture.ts";
import {
  CELL_CLASS_WORDS,
  CELL_CLASSES,
  type CellFacts,
  cellClass,
  cellLayers,
  classMark,
  legendEntry,
  OUTSIDE_WORDS,
  outsideMark,
} from "./cells.ts";
import { fitCells, type Point, scaleBar } from "./outline.ts";

interface CityMapFacts {
  readonly id: string;
  readonly cityName: string;
  readonly cells: readonly CellFacts[];
}

const MARGIN = 12;
const SCALE_BAR_ROOM = 44;
const MAX_HEIGHT = 600;

/** Map of a city's looks and observations by H3 cell at resolution 8. */
export function cityMap({ id, cityName, cells }: CityMapFacts): Picture | NoPicture {
  if (cells.length === 0)
    return { sentence: `${cityName} has no list of eligible cells yet, so no map is available.` };
  const map = fitCells(
    cells.map(({ h3_cell }) => h3_cell),
    { width: WIDTH, maxHeight: MAX_HEIGHT, margin: MARGIN },
  );
  const { layers, shape, hasOutside } = cellLayers(id, cells, map);
  const height = map.height + SCALE_BAR_ROOM;
  const caption = `Cells of ${cityName} that were looked at: ${seenText(cells)}.`;
  const svg = drawing(
    {
      id,
      title: `Map of the cells of ${cityName}`,
      description: describe(cells),
      height,
      role: "img",
      kind: "map",
    },
    [layers, scaleBar(map.unitsPerKm, MARGIN, height - MARGIN)],
  );
  return { svg, caption, legend: legend(shape, hasOutside), table: table(cityName, cells) };
}

function seenText(cells: readonly CellFacts[]): string {
  const eligible = cells.filter((cell) => cell.eligible);
  const seen = eligible.filter(({ weeks_looked_90d }) => weeks_looked_90d > 0);
  return `${number(seen.length)} of ${count(eligible.length, "eligible cell", "eligible cells")} in the last 90 days`;
}

function describe(cells: readonly CellFacts[]): string {
  const parts = CELL_CLASSES.map(
    (kind) => `${number(cells.filter((cell) => cellClass(cell) === kind).length)} ${CELL_CLASS_WORDS[kind]}`,
  );
  return `Hexagons, north is up. Cells: ${parts.join("; ")}. A cell without observations is not evidence of absence.`;
}

function legend(shape: readonly Point[], hasOutside: boolean): LegendEntry[] {
  const entries = CELL_CLASSES.map((kind) =>
    legendEntry((small) => classMark(kind, small), shape, CELL_CLASS_WORDS[kind]),
  );
  return hasOutside ? [...entries, legendEntry(outsideMark, shape, OUTSIDE_WORDS)] : entries;
}

function table(cityName: string, cells: readonly CellFacts[]) {
  const rows = CELL_CLASSES.map((kind) => {
    const all = cells.filter((cell) => cellClass(cell) === kind);
    const listed = all.filter(({ eligible }) => eligible).length;
    return [CELL_CLASS_WORDS[kind], listed, all.length - listed];
  });
  return {
    caption: `Cells of ${cityName} by looks and observations`,
    head: ["Cells", "Eligible", "Not eligible"],
    rows,
  };
}
