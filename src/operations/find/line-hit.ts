/** Lines of suppliers: those that wait, and what became of the others, by source and reference. */

import { SourceType } from "../../contract/enums.ts";
import { parseObservation } from "../../intake/lines/observation-input.ts";
import { lineKeys, namedSource } from "../../intake/lines/sighting.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { isoDate } from "../../kernel/time.ts";
import type { OpenLine } from "../../ledger/matching/pending-lines.ts";
import { heldBecause } from "../../review/moves.ts";
import type { FindSources } from "./sources.ts";

/** What a line waits for, and what ends it. */
const WAITS_FOR: Readonly<Record<OpenLine["state"], (line: OpenLine) => string>> = {
  waiting: () => "it becomes a row with the seal of its day: the next `presence nightly` does that",
  admitted: () => "a reviewer accepted it: it becomes a row with the next `presence nightly`",
  held: ({ reason }) =>
    `a reviewer decides: ${reason === null ? "see `presence review list`" : heldBecause(reason)}`,
  held_back: ({ batch }) => `its batch was held back: see \`presence batch show ${batch}\``,
};

export function lineHit(open: OpenLine, { ledger }: FindSources) {
  const { batch, line, state, day, input: text } = open;
  const input = parseObservation(JSON.parse(text));
  const { source_ref, source_type, observed_at, observer, asset_type, name } = input;
  return {
    found: "line",
    line: `${batch}:${line}`,
    file: ledger.batches.find(batch)?.file ?? null,
    source: namedSource(input) ?? source_type,
    reference: source_ref,
    accepted: isoDate(day),
    observed_at,
    observer,
    said: { name, website: input.website ?? null, address: input.address ?? null },
    asset_type,
    state,
    why: [WAITS_FOR[state](open)],
  };
}

/** Lines without a row that give a name with these letters. Reads all of them. */
export function* openLinesNamed(name: string, { ledger }: FindSources): Generator<OpenLine> {
  const wanted = nameKey(name);
  if (wanted === "") return;
  for (const open of ledger.pending.all())
    if (nameKey(parseObservation(JSON.parse(open.input)).name).includes(wanted)) yield open;
}

/** What the ledger knows of a reference. */
export type KnownReference =
  | { readonly kind: "row"; readonly row: number }
  | { readonly kind: "open"; readonly open: OpenLine }
  | { readonly kind: "gone" } // accepted once, and without line and row now
  | { readonly kind: "look" };

/** Only keyed hashes of references are kept, so a reference is found as a whole, or not at all. */
export function knownReference(
  source: string,
  ref: string,
  { ledger, hashes }: FindSources,
): KnownReference | undefined {
  const keyOf = (...parts: string[]) => Buffer.from(lineKeys(parts, "", hashes).key, "hex");
  const key = keyOf(source, ref);
  const known = ledger.deskRows.lineOf(key.toString("hex"));
  if (known === undefined)
    return ledger.deskRows.lineOf(keyOf("look", source, ref).toString("hex")) && { kind: "look" };
  if (known.row !== null) return { kind: "row", row: known.row };
  const open = ledger.pending.withKey(key);
  return open === undefined ? { kind: "gone" } : { kind: "open", open };
}

/** Registered sources, and the source types for lines that name none. Throws OperatorError for another name. */
export function assertSource(source: string, sources: FindSources): void {
  if (!allSources(sources).includes(source))
    throw new OperatorError(
      `source ${source} is not registered, and not a source type: see \`presence source list\``,
    );
}

/** Other sources that a reference came from. */
export function otherSources(source: string, ref: string, sources: FindSources): string[] {
  return allSources(sources).filter(
    (other) => other !== source && knownReference(other, ref, sources) !== undefined,
  );
}

function allSources({ ledger }: FindSources): string[] {
  return [...ledger.sources().map(({ id }) => id), ...SourceType.options];
}
