import { textTable } from "../text-table.ts";
import type { Figures, Joined } from "./measures.ts";

const HEAD = [
  "set",
  "rows",
  "no row",
  "records",
  "record precision",
  "recall",
  "with proposed",
  "asset precision",
  "recall",
  "name + place",
  "items/100",
  "near names",
  "spellings",
];

export function figuresTable(here: readonly Figures[], there: readonly Figures[]): string {
  return textTable([
    HEAD,
    ...here.flatMap((own) => {
      const other = there.find(({ set }) => set === own.set);
      return [cellsOf(own), ...(other === undefined ? [] : [cellsOf({ ...other, set: "  there" })])];
    }),
  ]);
}

function cellsOf(figures: Figures): string[] {
  const { set, rows, others, records, near, spelled, itemsPerHundred } = figures;
  return [
    set,
    String(rows),
    String(others),
    String(records),
    figures.recordPrecision.toFixed(4),
    figures.recordRecall.toFixed(4),
    figures.recordRecallProposed.toFixed(4),
    figures.assetPrecision.toFixed(4),
    figures.assetRecall.toFixed(4),
    `${figures.ruleAssetPrecision.toFixed(3)}/${figures.ruleAssetRecall.toFixed(3)}`,
    itemsPerHundred.toFixed(1),
    joinedCell(near),
    joinedCell(spelled),
  ];
}

function joinedCell({ pairs, precision }: Joined): string {
  return pairs === 0 ? "-" : `${precision.toFixed(4)} of ${pairs}`;
}

export function mistakesTable(figures: readonly Figures[], count: number): string {
  return figures
    .map(({ set, mistakes }) => {
      const rows = mistakes
        .slice(0, count)
        .map(({ of, kind, pairs, one, other }) => [set, `${kind} ${of}s`, String(pairs), one, other]);
      return rows.length === 0 ? "" : `${textTable(rows)}\n`;
    })
    .join("");
}
