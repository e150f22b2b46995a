import type { ErasurePlan } from "../../intake/erasure/erasure-plan.ts";

/** What the operator has to know before an erasure, beside the counts. */
export function erasureNotes(plan: ErasurePlan): string[] {
  return [
    "This cannot be undone.",
    "Copies that others have made cannot be recalled: downloaded releases, feeds, search engines, archives.",
    "Signed tree heads, tiles and proofs stay as they are. They hold salted digests, which tell nothing once the salts are deleted. The row numbers and the reason are published.",
    "All earlier releases are deleted at the next build, and their paging cursors answer 410.",
    ...cascadeNotes(plan),
    ...optOutNotes(plan),
  ];
}

function cascadeNotes({ request, records, about, keepsName, stripped, replacements }: ErasurePlan): string[] {
  const notes: string[] = [];
  if (request.kind === "redaction" && records.length > 0)
    notes.push(
      "The record goes as well: no other live observation of it is left. Its public id answers 404.",
    );
  if (keepsName && about !== undefined)
    notes.push(
      `The record keeps its name "${about.name}", and its website if it has one, although this observation brought them: to take them away, opt the record out.`,
    );
  if (stripped.length > 0)
    notes.push(
      `${rowCount(stripped.length)} that this observation brought keep their public values and lose their private ones (exact place, telephone, address, reference).`,
    );
  if (replacements.length > 0)
    notes.push(
      `${replacements.length} merge decision(s) are written anew, without observer tags of erased observations.`,
    );
  if (request.kind === "redaction")
    notes.push(
      "Intake forgets the names, places and contacts that no other observation supports, so a later sighting may make a record of its own, with a match review.",
    );
  return notes;
}

function optOutNotes({ records, optedOut }: ErasurePlan): string[] {
  if (optedOut === undefined) return [];
  const notes = [
    "From now on intake refuses observations under these names in this city (opted_out). The same source references stay refused, too.",
  ];
  if (records.length > 1)
    notes.push("Records that were merged opt out together, all their public ids answer 404.");
  if (optedOut.sameName.length > 0)
    notes.push(
      `Other records of the same name in the city stay and get no more observations under it: ${optedOut.sameName.join(", ")}.`,
    );
  return notes;
}

function rowCount(count: number): string {
  return count === 1 ? "1 row" : `${count} rows`;
}
