import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { OtherTree } from "../bench/against.ts";
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

const PROJECT = join(import.meta.dirname, "../..");
const MAX_BYTES = 50_000_000;

/** The same measures by this folder's program in a checkout of another commit, with that commit's intake. */
export async function measureAgainst({
  ref,
  only,
  real,
}: {
  readonly ref: string;
  readonly only?: string;
  readonly real: string;
}): Promise<Figures[]> {
  using other = new OtherTree(PROJECT, ref);
  const program = join("build-scripts", "match");
  cpSync(join(PROJECT, program), join(other.folder, program), { recursive: true });
  const args = [
    join(program, "main.ts"),
    "--json",
    "--real",
    real,
    ...(only === undefined ? [] : ["--only", only]),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    cwd: other.folder,
    maxBuffer: MAX_BYTES,
  }).catch((failed: { stdout?: string }) => ({ stdout: failed.stdout ?? "" }));
  const { here }: { here: Figures[] } = JSON.parse(stdout);
  return here;
}
