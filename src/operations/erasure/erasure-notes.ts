import type { ErasurePlan, ErasureRequest } from "../../intake/erasure/erasure-plan.ts";
import type { Renamed } from "../../intake/erasure/lost-namings.ts";
import type { OptOutName } from "../../intake/opt-outs/plan-opt-out.ts";

/** What the operator has to know before an erasure, besides the counts. */
export function erasureNotes(plan: ErasurePlan): string[] {
  return [
    "This cannot be undone.",
    "Copies made by others cannot be recalled: downloaded releases, feeds, search engines, archives.",
    "Checkpoints, tiles and proofs stay unchanged. They hold salted digests, which reveal nothing once the salts are deleted. The row numbers are published; the reason is not, except in counts by month.",
    "A patch release without it is published at once. Earlier releases are deleted, and paging cursors into its city answer 410.",
    ...cascadeNotes(plan),
    ...optOutNotes(plan),
  ];
}

function cascadeNotes({ request, records, renamed, stripped, merges }: ErasurePlan): string[] {
  const notes: string[] = [];
  if (isPartial(request) && records.length > 0)
    notes.push(
      "The record is erased as well, because it has no other live observation. Its public id answers 404.",
    );
  for (const { was, is } of renamed) notes.push(renamedNote(was, is));
  if (stripped.length > 0)
    notes.push(
      `${rowCount(stripped.length)} from this observation keep their public values and lose their private ones (exact place, telephone, address, reference).`,
    );
  if (merges > 0)
    notes.push(`${merges} merge decision(s) are rewritten without the observer tags of erased observations.`);
  if (isPartial(request))
    notes.push(
      "Intake learns the names, places and contacts of the record anew from the observations that are left.",
    );
  return notes;
}

/** Whether the record itself stays as long as something else supports it. */
function isPartial({ kind, part }: ErasureRequest): boolean {
  return kind === "redaction" || part !== undefined;
}

/** A name or a website goes with the last row that has it. */
function renamedNote(was: Renamed["was"], is: Renamed["is"]): string {
  const site = (website: string | null) => (website === null ? "without a website" : `with ${website}`);
  return `The record is no longer shown as "${was.name}" ${site(was.website)}, because no other observation says so: it is shown as "${is.name}" ${site(is.website)}.`;
}

const BECAUSE: Readonly<Record<OptOutName["because"], string>> = {
  taught: "everywhere in the city",
  borne_by_others:
    "only at the record's places and with its own contacts, because another record has it, too (see `touched_records`); --also with this name refuses it everywhere in the city",
  generic: "only at the record's places, because it is a generic name",
  part: "only for this asset or at this place",
  also: "because of --also",
  untaught:
    "nowhere, because no observation that counts has it: whoever sent it may have meant somebody else; --also with this name refuses it at the record's places",
};

function optOutNotes({ request, records, optedOut }: ErasurePlan): string[] {
  if (optedOut === undefined) return [];
  const { names, touched, pending } = optedOut;
  const notes = names.map(
    ({ key, because }) => `Intake rejects observations under "${key}" (opted_out) ${BECAUSE[because]}.`,
  );
  if (names.some(({ reach }) => reach !== "nowhere"))
    notes.push(
      "A similar name with the same website, telephone, address or asset reference is rejected too, as far as observations that count have these. A similar name at the same place waits for review.",
    );
  for (const { public_id, name, refused, review } of touched)
    notes.push(
      `It touches ${public_id} "${name}", which stays: of lines like its own, ${refused} would be rejected and ${review} would wait for review.`,
    );
  if (pending.review.length > 0)
    notes.push(
      `${pending.review.length} pending line(s) have a similar name at the same place: decide about them at the review desk.`,
    );
  if (request.part === undefined && records.length > 1)
    notes.push("Merged records opt out together: all their public ids answer 404.");
  return notes;
}

function rowCount(count: number): string {
  return count === 1 ? "1 row" : `${count} rows`;
}
