/** Decides waiting cases, in bulk from a list and one by one. */

import type { EntityResponse } from "../../../src/contract/records/entity.ts";
import type { Listed, WaitingRecord, WeekDesk } from "./desk.ts";

const RESTAURANTS = "5610";
const LISTED = 4; // decisions of each kind

/** Proposed industries: some are right, some are others, and for some none can be given. */
export async function bulkDecisions(
  desk: WeekDesk,
  items: readonly WaitingRecord[],
  name: string,
): Promise<string> {
  const proposed = items.filter(({ known }) => known.industry !== null).slice(0, LISTED);
  const others = items.filter((item) => !proposed.includes(item));
  const list = [
    ...proposed.map((item) => decided(desk, item, item.known.industry, "accept")),
    ...others.slice(0, LISTED).map((item) => decided(desk, item, RESTAURANTS, "classify")),
    ...others.slice(LISTED, 2 * LISTED).map((item) => decided(desk, item, null, "reject")),
  ];
  return desk.apply(name, list);
}

function decided(
  desk: WeekDesk,
  { item, version, known }: WaitingRecord,
  industry: string | null,
  action: "accept" | "classify" | "reject",
): Listed {
  const publicId = known.public_id;
  desk.take(publicId);
  const classification = ({ entity }: EntityResponse) => entity.ranking_gate.industry_classification;
  desk.told.expect(publicId, "industry", ({ entity }) => entity.industry, industry);
  if (industry !== null)
    desk.told.expect(publicId, "industry state", (document) => classification(document).state, "reviewed");
  if (action === "classify")
    return {
      ...{ action, subject: publicId, value: RESTAURANTS },
      ...{ reason: "industry_corrected", expect: version },
    };
  const reason = action === "accept" ? "industry_confirmed" : "industry_unknown";
  return { action, subject: item, reason, expect: version };
}

/** Records of one name: the first pair is one business, some others are not. */
export async function matchDecisions(desk: WeekDesk, name: string): Promise<void> {
  const items = await desk.waitingRecords("match");
  const freeCandidate = ({ known }: WaitingRecord) =>
    known.candidates.find(({ public_id }) => desk.isFree(public_id));
  const same = items.find(freeCandidate);
  const into = same && freeCandidate(same);
  if (same === undefined || into === undefined) throw new Error("no match waits for a decision");
  for (const { public_id } of [same.known, into]) desk.take(public_id);
  await desk.decide(["review", "accept", same.item, "--into", into.public_id], "same_business");
  desk.told.merged(same.known.public_id, into.public_id);
  const others = items.filter(({ known }) => desk.isFree(known.public_id)).slice(0, LISTED);
  for (const { known } of others) desk.take(known.public_id);
  await desk.apply(
    name,
    others.map(({ item }) => ({ action: "reject", subject: item, reason: "different_businesses" })),
  );
}

/** Lines that intake held: one is taken in, one is not. */
export async function heldLines(desk: WeekDesk): Promise<void> {
  const [taken, dismissed] = await desk.waiting("generic-name");
  if (taken === undefined || dismissed === undefined) throw new Error("intake held fewer than two lines");
  await desk.decide(["review", "accept", taken.item], "name_identifies");
  await desk.decide(["review", "reject", dismissed.item], "name_too_generic");
  const left = (await desk.waiting("generic-name")).map(({ item }) => item);
  if (left.includes(taken.item) || left.includes(dismissed.item))
    throw new Error("a held line that was decided about waits still");
}
