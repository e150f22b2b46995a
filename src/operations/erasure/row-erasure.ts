/** `presence redact` of rows and records, and `presence opt-out`: the values go, the public gets another release at once. */

import { isBatchName } from "../../intake/batches.ts";
import type { Renamed } from "../../intake/erasure/cascade.ts";
import { doneBefore, type ErasureResult, erase, finish } from "../../intake/erasure/erase.ts";
import { type ErasurePlan, type ErasureRequest, planErasure } from "../../intake/erasure/erasure-plan.ts";
import type { KnownValue } from "../../intake/opt-outs/known-by.ts";
import type { OptOutName, OptOutPart, OptOutPlan } from "../../intake/opt-outs/plan-opt-out.ts";
import { shellWord } from "../../kernel/text/terminal.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { backupsAfterErasure } from "../backup/backup-gate.ts";
import type { LedgerRequest, Preview, Shown } from "./take-out.ts";

export function rowErasure(request: ErasureRequest): LedgerRequest<ErasureResult> {
  return {
    store: "ledger",
    isPublic: true,
    plan(ledger) {
      const plan = planErasure(ledger, request);
      const records = plan.records.map(({ public_id }) => public_id);
      return {
        ...previewOf(plan),
        code: plan.code,
        forgets: { records, rows: plan.rows },
        erase: () => erase(ledger, plan),
      };
    },
    doneBefore(ledger, code) {
      const done = doneBefore(ledger, request, code);
      if (done !== undefined) return finish(ledger, done);
      return isErasedBatch(ledger, request) ? finish(ledger, []) : undefined;
    },
    done({ named, erasedRows, seal }, { patch, purge }, context): Shown {
      const backups = backupsAfterErasure(context, seal.checkpoint?.size ?? 0);
      return {
        fields: {
          ...requestFields(request),
          rows_erased: erasedRows,
          named_by_rows: named,
          tree_size: seal.checkpoint?.size ?? null,
          release: patch?.summary.releaseId ?? null,
          release_kind: patch?.kind ?? null,
          release_seconds: patch?.summary.seconds ?? null,
          files_made: patch?.summary.filesWritten ?? null,
          files_linked: patch?.summary.filesLinked ?? null,
          purge: purge ?? null,
          ...(backups && { backed_up: backups.isBackedUp, backups_gone_by: backups.goneBy }),
        },
        texts: { named_by_rows: joined(named.map(String)) },
        notes: DONE_NOTES,
      };
    },
  };
}

/** Its lines leave no row that could say so. */
function isErasedBatch({ batches }: LedgerWriter, { target }: ErasureRequest): boolean {
  if (!isBatchName(target) || batches.find(target)?.decision !== "undone") return false;
  return batches.rowsOf(target).length + batches.lineIds(target).length === 0;
}

const DONE_NOTES = [
  "Scores, ranks and coverage of the city keep their values until the next nightly release.",
  "Outside the ledger, find and delete the same values: input files, their `<input>.rejects.ndjson`, backups in folders (those off the machine are gone by the date above), logs and caches of front servers, exports that were passed on.",
];

function previewOf(plan: ErasurePlan): Preview {
  const { command, target, reason, also = [], ...part } = requestFields(plan.request);
  const { optedOut } = plan;
  const refused = optedOut && refusedFields(optedOut);
  const limits = [
    ...Object.entries(part).map(([name, value]) => ` --${name} ${value}`),
    ...also.map((name) => ` --also ${shellWord(name)}`),
  ];
  return {
    fields: {
      ...{ command, target, reason, ...part },
      ...(also.length > 0 && { also }),
      record: plan.about ?? null,
      rows: plan.rows.length,
      rows_by_kind: plan.rowsByKind,
      records_erased: plan.records,
      observed_from: plan.observed?.first ?? null,
      observed_to: plan.observed?.last ?? null,
      online_checks: plan.onlineChecks,
      renamed: plan.renamed,
      ...refused,
      ...(plan.batch !== undefined && { pending_lines: plan.pending.length }),
    },
    texts: {
      record: plan.about && recordText(plan.about),
      records_erased: joined(plan.records.map(recordText)),
      renamed: joined(plan.renamed.map(({ was, is }) => `"${was.name}" becomes "${is.name}"`)),
      ...(refused && refusedTexts(refused)),
    },
    notes: erasureNotes(plan),
    code: plan.code,
    next: `To erase this: presence ${command} ${plan.batch === undefined ? target : `--batch ${target}`}${limits.join("")} --reason ${reason}`,
  };
}

/** What intake is to refuse: each name and contact, where, and why there. */
function refusedFields({ names, knownBy, places, touched, pending }: OptOutPlan) {
  const contacts = (known: readonly KnownValue[]) =>
    known.map(({ text, isShared }) => ({ value: text, where: isShared ? "places" : "city" }));
  return {
    names: names.map(({ key, reach, because }) => ({ name: key, where: reach, because })),
    websites: contacts(knownBy.websites),
    telephones: contacts(knownBy.phones),
    places: places.map(({ lat, lng }) => `${lat},${lng}`),
    touched_records: touched,
    pending_lines: pending.refused.length,
  };
}

const WHERE = { city: "in the city", places: "at its places", nowhere: "nowhere" } as const;

function refusedTexts(fields: ReturnType<typeof refusedFields>) {
  const contacts = (known: typeof fields.websites) =>
    joined(known.map(({ value, where }) => `${value} (${where === "city" ? WHERE.city : WHERE.places})`));
  return {
    names: joined(fields.names.map(({ name, where }) => `"${name}" (${WHERE[where]})`)),
    websites: contacts(fields.websites),
    telephones: contacts(fields.telephones),
    places: joined(fields.places),
    touched_records: joined(fields.touched_records.map(({ public_id, name }) => `${public_id} "${name}"`)),
  };
}

function requestFields({ kind, target, reason, part, also }: ErasureRequest) {
  const command = kind === "opt_out" ? "opt-out" : "redact";
  return { command, target, reason, ...partField(part), ...(also && { also }) };
}

function partField(part: OptOutPart | undefined): { asset?: string; place?: string } {
  if (part === undefined) return {};
  return "asset" in part ? { asset: part.asset } : { place: `${part.place.lat},${part.place.lng}` };
}

function recordText({ public_id, name, city }: { public_id: string; name: string; city: string }): string {
  return `${public_id} "${name}" in ${city}`;
}

function joined(texts: readonly string[]): string | null {
  return texts.length === 0 ? null : texts.join(", ");
}

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
      "Intake learns the names, places and contacts of the record again from the remaining observations.",
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
