/**
 * The attack on observers who leave: rows that redactions name after the day on which somebody left are taken for one person's.
 * Guessing is to take two rows of the same city and kind of source.
 */
import type { Played } from "./play.ts";
import { type AttackLine, statedLine } from "./score.ts";
import type { Visit } from "./world.ts";

export function leavingLine({ releases, truth }: Played): AttackLine {
  const gone = (releases.at(-1)?.erasures ?? [])
    .flatMap(({ rows }) => rows)
    .flatMap((row) => truth.get(row) ?? [])
    .filter(({ van }) => van === undefined);
  const all = [...truth.values()].filter(({ city }) => gone.some((visit) => visit.city === city));
  return statedLine({
    attack: "observers who leave",
    method: "rows that redactions name",
    tried: gone.length,
    guess: shareOfPairs(all),
    found: shareOfPairs(gone),
  });
}

/** How often two rows are one observer's. */
function shareOfPairs(visits: readonly Visit[]): number {
  const counts = [...Map.groupBy(visits, ({ scout }) => scout).values()].map(({ length }) => length);
  const pairs = (visits.length * (visits.length - 1)) / 2;
  return pairs === 0 ? 0 : counts.reduce((sum, count) => sum + (count * (count - 1)) / 2, 0) / pairs;
}
