import type { Published } from "./published.ts";
import type { Told } from "./told.ts";

type Compared = Pick<Published, "records" | "changes">;

/** What a change file says: a line for each record that it names, and counts. */
interface Changes {
  readonly lines: ReadonlySet<string>;
  readonly counts: string;
}

/** The change file of a release against both releases as they were published, record by record. */
export function changeFaults(before: Compared | undefined, now: Compared, told: Told): string[] {
  if (before === undefined)
    return now.changes.against === null ? [] : ["changes.json: the first release is compared with another"];
  const [said, found] = [saidChanges(now), foundChanges(before, now, told)];
  const faults = [
    ...[...said.lines]
      .filter((line) => !found.lines.has(line))
      .map((line) => `${line} is named, and was not`),
    ...[...found.lines].filter((line) => !said.lines.has(line)).map((line) => `${line} is not named`),
  ];
  if (said.counts !== found.counts) faults.push(`says ${said.counts}, but it was ${found.counts}`);
  return faults.map((fault) => `changes.json: ${fault}`);
}

function saidChanges({ changes }: Compared): Changes {
  const { release, against, added, changed, merged, removed, records } = changes;
  return {
    lines: new Set(
      records.map(({ public_id, change, merged_into }) => lineOf(public_id, change, merged_into)),
    ),
    counts: countsOf({
      ...{ before: against?.records ?? 0, added, changed, merged, removed },
      now: release.records,
    }),
  };
}

/** From the documents of both releases and from what was decided at the desk. */
function foundChanges(before: Compared, now: Compared, told: Told): Changes {
  const lines = new Set<string>();
  const counts = { before: before.records.size, added: 0, changed: 0, merged: 0, removed: 0 };
  const name = (publicId: string, change: "added" | "changed" | "merged", into: string | null) => {
    counts[change] += 1;
    lines.add(lineOf(publicId, change, into));
  };
  for (const [publicId, { hash }] of now.records) {
    const earlier = before.records.get(publicId);
    if (earlier === undefined) name(publicId, "added", null);
    else if (earlier.hash !== hash) name(publicId, "changed", null);
  }
  for (const publicId of before.records.keys()) {
    if (now.records.has(publicId)) continue;
    if (told.mergedInto.has(publicId)) name(publicId, "merged", told.rootOf(publicId));
    else counts.removed += 1;
  }
  return {
    lines,
    counts: countsOf({ ...counts, now: counts.before + counts.added - counts.merged - counts.removed }),
  };
}

function lineOf(publicId: string, change: string, into: string | null): string {
  return `${publicId} ${change}${into === null ? "" : ` into ${into}`}`;
}

function countsOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(", ");
}
