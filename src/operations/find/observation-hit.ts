/** An observation: what its line said, whether it counts as independent evidence and why, and which release shows it. */

import { isLasting } from "../../intake/sources/principals.ts";
import { isoDate, isoTime } from "../../kernel/time.ts";
import { namedSourceOf, type StoredObservation } from "../../ledger/sources/stored-observations.ts";
import { PARAMETERS } from "../../method/numbers.ts";
import { canSee } from "../../method/standing/counting.ts";
import { recordUrl } from "../../resources/links.ts";
import { WORDS as CHECK_WORDS } from "../../review/items.ts";
import type { ObservationRow } from "../../snapshot/rows.ts";
import { recordHit, releaseFacts, whyNotShown } from "./record-hit.ts";
import type { FindSources } from "./sources.ts";

export function observationHit(stored: StoredObservation, sources: FindSources) {
  const { row, acceptedDay, body, hidden } = stored;
  const { ledger, state } = sources;
  const record = recordHit(body.record, sources);
  const asset = state.assets.get(body.asset);
  const batch = ledger.batches.batchOf(row);
  const why = whyOf(stored, sources);
  return {
    found: "observation",
    row,
    source: namedSourceOf(hidden) ?? body.source_type,
    reference: typeof hidden.source_ref === "string" ? hidden.source_ref : hidden.source_ref.ref,
    batch: batch?.name ?? null,
    file: batch?.file ?? null,
    accepted: isoDate(acceptedDay),
    observed_at: hidden.exact.observed_at,
    observer: sources.observerNames.get(`${namedSourceOf(hidden)} ${hidden.observer.hash}`) ?? null,
    observer_hash: hidden.observer.hash,
    said: hidden.seen,
    asset_type: body.asset_type,
    verdict: state.verdictOf(row),
    counts: countsNow(stored, sources),
    why_not: why,
    also: alsoOf(stored, sources),
    record: { row: record.row, public_id: record.public_id, name: record.name, city: record.city },
    asset: asset === undefined ? null : { row: asset.id, public_id: asset.body.public_id },
    record_ranked: record.ranked,
    record_why: record.why,
    ...shownIn(stored, sources),
  };
}

/** As the published rows say. What checks found since takes effect on a day of its own. */
function countsNow({ row, body }: StoredObservation, { ledger, state }: FindSources): boolean {
  const recounts = ledger.live.recounts();
  const counts = recounts.findLast(({ body: said }) => said.target === row)?.body.counts ?? body.counts;
  return counts && state.verdictOf(row) !== "rejected" && canSee(body.source_type, body.asset_type);
}

/** Every reason for which it does not count, or will not. */
function whyOf(stored: StoredObservation, sources: FindSources): string[] {
  const { row, body } = stored;
  const { state, ledger } = sources;
  const known = ledger.setAside().get(row);
  const isSetAside = known !== undefined && known.review !== "restored";
  const rejection = state.decisionsAbout(row).findLast(({ body: said }) => "decision" in said);
  return [
    ...(state.verdictOf(row) === "rejected" && rejection !== undefined
      ? [`a reviewer rejected it (row ${rejection.id}, ${rejection.body.reason})`]
      : []),
    ...(canSee(body.source_type, body.asset_type)
      ? []
      : [`a source of type ${body.source_type} cannot see a ${body.asset_type} (source_cannot_see)`]),
    ...(isSetAside ? [setAsideText(row, known)] : []),
    ...(isSetAside ? [] : recountText(stored, sources)),
  ];
}

/** How to end what passes by itself. */
const PASSING: Readonly<Record<string, string>> = {
  suspended: "its observer is suspended: `presence observer resume` ends it",
  affiliated: "its principal runs the record or its brand: `presence affiliation remove` ends it",
};

function setAsideText(
  row: number,
  { check, day, review }: { readonly check: string; readonly day: number; readonly review: string | null },
): string {
  if (!isLasting(check)) return `${PASSING[check] ?? check} (${check})`;
  const then = review === "confirmed" ? "a reviewer confirmed it" : `see \`presence review show ${row}\``;
  return `${CHECK_WORDS[check] ?? check} (${check}), found on ${isoDate(day)}; ${then}`;
}

function recountText({ row, body }: StoredObservation, { ledger }: FindSources): string[] {
  const last = ledger.live.recounts().findLast(({ body: said }) => said.target === row);
  if (last !== undefined)
    return last.body.counts ? [] : [`it stopped counting by row ${last.id}, and waits to count again`];
  if (body.counts) return [];
  return [
    "its observer was not established when the row entered, and such rows never count: vouch for observers before their lines come (`presence observer enrol --vouch`)",
  ];
}

/** What will change, and what stands between an observation that counts and the score. */
function alsoOf(stored: StoredObservation, sources: FindSources): string[] {
  const { row } = stored;
  const changes = sources.ledger.delayed().filter(({ target }) => target === row);
  return [
    ...changes.flatMap(({ change, due }) => {
      if ("counts" in change)
        return [`from ${isoDate(due)} on it ${change.counts ? "counts" : "no longer counts"}`];
      return "erase" in change ? [`it leaves the ledger on ${isoDate(due)}`] : [];
    }),
    ...ofScore(stored, sources),
  ];
}

/** One observation counts for an observer, record and day, and for as long as the window of the score. */
function ofScore({ row, body }: StoredObservation, { release, state }: FindSources): string[] {
  const root = state.records.get(state.merges.root(body.record));
  if (release === undefined || root === undefined) return [];
  const { snapshot, facts } = release;
  const shown = snapshot.observationsOf(root.id, { limit: snapshot.observationCountOf(root.id, {}) });
  const own = shown.find(({ id }) => id === row);
  if (own === undefined || !isIndependent(own)) return [];
  const [chosen = own] = shown
    .filter((other) => isIndependent(other) && isSameLook(own, other))
    .sort((a, b) => Number(isSign(a)) - Number(isSign(b)) || a.id - b.id);
  const windowMs = PARAMETERS.window.days * 86_400_000;
  return [
    ...(chosen.id === row ? [] : [`row ${chosen.id} of the same observer and day counts in its place`]),
    ...(own.observedAt < facts.asOf - windowMs
      ? [`it is older than the ${PARAMETERS.window.days} days that the score looks at`]
      : []),
  ];
}

function isIndependent({ setAside, state }: ObservationRow): boolean {
  return setAside === null && state !== "rejected";
}

function isSameLook(own: ObservationRow, other: ObservationRow): boolean {
  return own.observerTag === other.observerTag && own.observedAt === other.observedAt;
}

function isSign({ assetType }: ObservationRow): boolean {
  return assetType === "temp_sign";
}

function shownIn({ row, body }: StoredObservation, sources: FindSources) {
  const { release, state } = sources;
  const root = state.records.get(state.merges.root(body.record));
  const publicId = root?.body.public_id;
  const isShown = publicId !== undefined && release?.snapshot.stateOfRow(row, publicId) !== undefined;
  if (isShown) return releaseFacts(release, recordUrl(release?.facts.baseUrl ?? "", publicId));
  return {
    ...releaseFacts(release, null),
    why_not_shown: whyNotShown(row, sources, body.city),
  };
}

/** A row whose private values are gone: of an observer or source that leaves. */
export function strippedHit(row: number, { ledger }: FindSources) {
  const leaves = ledger.delayed().find(({ target, change }) => target === row && "erase" in change);
  return {
    found: "observation",
    row,
    ...ledger.live.bodyOf(row),
    why_not: ["its observer or source leaves: its private values are already deleted"],
    leaves_on: leaves === undefined ? null : isoTime(leaves.due).slice(0, 10),
  };
}
