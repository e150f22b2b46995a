/** A record as it stands: what the ledger says of it, and what the published release shows of it. */

import { nameKey } from "../../kernel/text/name-key.ts";
import { isoDate } from "../../kernel/time.ts";
import { recordUrl } from "../../resources/links.ts";
import { recordOf } from "../../review/request.ts";
import type { FindSources, PublishedRelease } from "./sources.ts";

/** A row that `state.records` has. */
export function recordHit(row: number, sources: FindSources) {
  const { state } = sources;
  const { body, name, website, industry, status, merge, acceptedAt, flaggedBy } = recordOf(row, { state });
  return {
    found: "record",
    row,
    public_id: body.public_id,
    name,
    city: body.city,
    entered: isoDate(acceptedAt),
    status: merge === undefined ? status : "merged",
    merged_into: merge === undefined ? null : recordOf(state.merges.root(row), { state }).body.public_id,
    flagged: flaggedBy !== undefined,
    industry: industry.code,
    website,
    ...shownBy(row, sources),
  };
}

/** What the release says of the record that stands for it, or why it shows nothing. */
function shownBy(row: number, sources: FindSources) {
  const { release, state } = sources;
  const root = recordOf(state.merges.root(row), { state });
  const known = release?.snapshot.record(root.body.public_id);
  if (release === undefined || known === undefined)
    return { ranked: false, why: [whyNotShown(root.id, sources)], ...releaseFacts(release, null) };
  const { standing, observationCount, setAsideCount } = known;
  return {
    ranked: standing.rank !== null,
    rank: standing.rank,
    why: [standing.reason],
    observations: observationCount,
    counting: observationCount - setAsideCount,
    ...releaseFacts(release, recordUrl(release.facts.baseUrl, root.body.public_id)),
  };
}

export function releaseFacts(release: PublishedRelease | undefined, url: string | null) {
  return {
    release: release === undefined ? null : release.directory,
    as_of: release === undefined ? null : isoDate(release.facts.asOf),
    shown_at: url,
  };
}

/** Why the published release shows nothing of a live row. */
export function whyNotShown(row: number, sources: FindSources, citySlug?: string): string {
  const { release, state, lastSealedRow, hasHeldRelease } = sources;
  if (release === undefined) return "no release is published yet: `presence nightly` builds the first";
  const slug = citySlug ?? state.records.get(row)?.body.city;
  const city = slug === undefined ? undefined : state.cities.get(slug);
  if (city?.publicationStatus === "unpublished")
    return `its city ${city.slug} is not published: \`presence city publish ${city.slug}\``;
  if (row > lastSealedRow) return "it is not sealed yet: the next night seals and publishes it";
  if (row > release.facts.lastSealedRow)
    return hasHeldRelease
      ? "it entered after the published release, and the newer one is held: `presence release list`"
      : "it entered after the published release: the next night publishes it";
  return "the published release does not show it: the next night does, or says why not";
}

/** Live records that a name has these letters of, be it the shown one or one that a line gave; those with exactly this name first. */
export function recordsNamed(name: string, { state, ledger }: FindSources): number[] {
  const wanted = nameKey(name);
  if (wanted === "") return [];
  const shown = [...state.records.values()].map(({ id, name: own }) => ({ record: id, key: nameKey(own) }));
  const found = new Map<number, boolean>(); // record -> whether it has exactly this name
  for (const { record, key } of [...shown, ...ledger.namesWith(wanted)])
    if (key.includes(wanted) && state.records.has(record))
      found.set(record, found.get(record) === true || key === wanted);
  return [...found]
    .sort(([a, isExact], [b, isOtherExact]) => Number(isOtherExact) - Number(isExact) || a - b)
    .map(([record]) => record);
}
