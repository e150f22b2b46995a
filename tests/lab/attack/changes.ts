/**
 * Attacks on observers of whom something changes: rows that redactions name after the day on which somebody left, and rows that
 * `recount` rows name, are taken for one person's. A row that a reviewer moved has its principal's tag at the other record, beside the
 * one that it was written with. Guessing is to take two rows of the same cities for one observer's.
 */
import type { Played } from "./play.ts";
import type { PublicRelease } from "./public-reader.ts";
import { type AttackLine, countLine, shareOf, statedLine } from "./score.ts";
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

interface Moved {
  readonly row: number;
  readonly from: { readonly record: number; readonly tag: string };
  readonly to: { readonly record: number; readonly tag: string };
}

/** Tags at the records to which rows were moved, each with that at the record where they were. */
export function movedTags(release: PublicRelease | undefined): Map<string, string> {
  return new Map(movesOf(release).map(({ from, to }) => [to.tag, from.tag]));
}

export function moveLines({ releases, truth, linksForeseen }: Played): AttackLine[] {
  const newest = releases.at(-1);
  const moved = movesOf(newest);
  const links = movedTags(newest);
  const scoutOf = (row: number) => truth.get(row)?.scout;
  const rows = newest?.observations ?? [];
  const pairs = moved.flatMap(({ row, from }) =>
    rows
      .filter(({ id, observer_tag }) => id !== row && (links.get(observer_tag) ?? observer_tag) === from.tag)
      .map(({ id }) => [scoutOf(row), scoutOf(id)] as const),
  );
  const cities = new Set(moved.flatMap(({ row }) => truth.get(row)?.city ?? []));
  const third = moved.filter(({ from, to }) =>
    rows.some(
      ({ observer_tag, record }) =>
        (observer_tag === to.tag && record !== to.record) ||
        (observer_tag === from.tag && record !== from.record),
    ),
  );
  const count = (method: string, found: number) =>
    countLine({ attack: "observers whose rows are moved", method, tried: links.size, found });
  return [
    statedLine({
      attack: "observers whose rows are moved",
      method: "both tags of a moved row, and all rows that have one of them",
      tried: pairs.length,
      guess: shareOfPairs([...truth.values()].filter(({ city, van }) => cities.has(city) && !van)),
      found: shareOf(pairs, ([one, other]) => one !== undefined && one === other),
    }),
    count("a tag of a moved row at a third record", third.length),
    count("principals beyond those that the previews count", Math.max(0, links.size - linksForeseen)),
  ];
}

function movesOf(release: PublicRelease | undefined): Moved[] {
  const written = new Map(release?.observations.map((row) => [row.id, row]));
  return (release?.changed ?? []).flatMap((change) => {
    const row = written.get(change.target);
    if (row === undefined || !("observer_tag" in change)) return [];
    return [
      {
        row: row.id,
        from: { record: row.record, tag: row.observer_tag },
        to: { record: change.record, tag: change.observer_tag },
      },
    ];
  });
}
