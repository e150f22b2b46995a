/**
 * Attacks on observers of whom something changes: rows that redactions name after the day on which somebody left, and rows that
 * `recount` rows name, are taken for one person's. Guessing is to take two rows of the same cities.
 */
import type { Played } from "./play.ts";
import { type AttackLine, countLine, statedLine } from "./score.ts";
import type { Story } from "./story.ts";
import type { Visit } from "./world.ts";

export function changeLines(played: Played, { welcomed }: Story): AttackLine[] {
  const { releases, truth } = played;
  const newest = releases.at(-1);
  const visitsOf = (rows: readonly number[]) =>
    rows.flatMap((row) => truth.get(row) ?? []).filter(({ van }) => van === undefined);
  const gone = visitsOf((newest?.erasures ?? []).flatMap(({ rows }) => rows));
  const changes = newest?.changed ?? [];
  const changed = visitsOf(changes.flatMap((each) => ("counts" in each ? [each.target] : [])));
  // What a check found later stays retroactive, and says nothing of who gained a standing.
  const gained = visitsOf(changes.flatMap((each) => ("counts" in each && each.counts ? [each.target] : [])));
  return [
    line(played, "observers who leave", "rows that redactions name", gone),
    line(played, "observers who are suspended", "rows that recounts name", changed),
    countLine({
      attack: "newcomers who are vouched for",
      method: "rows that recounts let count",
      tried: visitsOf([...truth.keys()]).filter(({ scout }) => scout.id === welcomed).length,
      found: gained.filter(({ scout }) => scout.id === welcomed).length,
    }),
  ];
}

function line({ truth }: Played, attack: string, method: string, rows: readonly Visit[]): AttackLine {
  const all = [...truth.values()].filter(({ city }) => rows.some((visit) => visit.city === city));
  return statedLine({
    attack,
    method,
    tried: rows.length,
    guess: shareOfPairs(all),
    found: shareOfPairs(rows),
  });
}

/** How often two rows are one observer's. */
export function shareOfPairs(visits: readonly Visit[]): number {
  const counts = [...Map.groupBy(visits, ({ scout }) => scout).values()].map(({ length }) => length);
  const pairs = (visits.length * (visits.length - 1)) / 2;
  return pairs === 0 ? 0 : counts.reduce((sum, count) => sum + (count * (count - 1)) / 2, 0) / pairs;
}
