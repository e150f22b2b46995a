import type { ErasurePlan, ErasureRequest } from "../../intake/erasure/erasure-plan.ts";

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

function cascadeNotes({ request, records, about, keepsName, stripped, replacements }: ErasurePlan): string[] {
  const notes: string[] = [];
  if (isPartial(request) && records.length > 0)
    notes.push(
      "The record is erased as well, because it has no other live observation. Its public id answers 404.",
    );
  if (keepsName && about !== undefined)
    notes.push(
      `The record keeps its name "${about.name}" and its website, if any, although they came from this observation: opt the record out to erase them.`,
    );
  if (stripped.length > 0)
    notes.push(
      `${rowCount(stripped.length)} from this observation keep their public values and lose their private ones (exact place, telephone, address, reference).`,
    );
  if (replacements.length > 0)
    notes.push(
      `${replacements.length} merge decision(s) are rewritten without the observer tags of erased observations.`,
    );
  if (isPartial(request))
    notes.push(
      "Intake forgets the names, places and contacts that no other observation supports, so a later observation may create a new record, with a match review.",
    );
  return notes;
}

/** Whether the record itself stays as long as something else supports it. */
function isPartial({ kind, part }: ErasureRequest): boolean {
  return kind === "redaction" || part !== undefined;
}

function optOutNotes({ request, records, optedOut }: ErasurePlan): string[] {
  if (optedOut === undefined) return [];
  const where =
    request.part === undefined ? "in this city" : "for this asset or at this place, and nowhere else";
  const notes = [
    `From now on intake rejects observations under these names ${where} (opted_out), and still rejects the same source references.`,
    "A similar name with the same website, telephone, address or asset reference is rejected too. A similar name at the same place waits for review.",
  ];
  const { review } = optedOut.pending;
  if (review.length > 0)
    notes.push(
      `${review.length} pending line(s) have a similar name at the same place: decide about them at the review desk.`,
    );
  if (request.part !== undefined) return notes;
  if (records.length > 1) notes.push("Merged records opt out together: all their public ids answer 404.");
  if (optedOut.sameName.length > 0)
    notes.push(
      `Other records of the same name in the city stay, but get no more observations under it: ${optedOut.sameName.join(", ")}.`,
    );
  return notes;
}

function rowCount(count: number): string {
  return count === 1 ? "1 row" : `${count} rows`;
}
