/**
 * Changes of what records are called: each night those that something new was said of are looked at, and what is to change waits for
 * its keyed day, mixed with other changes. What is written then is chosen anew.
 */
import { sha256Hex } from "../../kernel/hash.ts";
import { utcDayStart } from "../../kernel/time.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { NamingBody, NewRow } from "../../ledger/rows/rows.ts";
import type { RaisedItem } from "../../ledger/sources/source-store.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseWebsite } from "../lines/contact.ts";
import { checkedName } from "../lines/name.ts";
import { intakeHashes } from "../lines/sighting.ts";
import { standardClassifier } from "../matching/classify.ts";
import { delayOf } from "../sources/judge-ledger.ts";
import { Teaching } from "../sources/teaching.ts";
import { type ChosenNaming, chooseNaming, type Said } from "./choose-naming.ts";

/** The check under which an item is raised when equally many principals declared two industries. */
export const INDUSTRY_TIE = "industry_tie";

const NAMING = { naming: true } as const;

/**
 * Queues the changes that the unsettled records need. Those of a leaver stay unsettled until its rows are erased. Writes at once, dated the
 * last finished day, what cannot wait (see `rowAtOnce`), and returns how many rows that were.
 */
export function queueNamings(ledger: LedgerWriter): number {
  const { intake, purposeKey, sources } = ledger;
  const unsettled = intake.unsettled();
  if (unsettled.length === 0) return 0;
  const chosen = chosenNamings(ledger, new Set(unsettled.map(({ record }) => record)));
  const near = Map.groupBy(intake.nearConfirmed(), ({ record }) => record);
  const today = utcDayStart(ledger.now());
  const hashes = intakeHashes(purposeKey);
  const ties = sources.openItems().filter(({ check }) => check === INDUSTRY_TIE);
  const open = unsettled.flatMap(({ record, adopted }) => {
    const known = chosen.get(record);
    return known?.isHeld === true
      ? []
      : [{ record, known, isAtOnce: adopted === 1 && known?.isChange === true }];
  });
  return ledger.transactionDated(today - 1, () => {
    const settled = open.map(({ record }) => record);
    intake.settleNames(settled);
    intake.settleNear(settled);
    for (const { record, known, isAtOnce } of open) {
      if (known === undefined) continue;
      if (known.isChange && !isAtOnce)
        sources.delay({ target: record, change: NAMING, due: today + delayOf(record, NAMING, hashes) });
      raiseTie(sources, record, known.tied, { today, ties });
    }
    const rows = open.flatMap(({ record, known, isAtOnce }) => {
      const others = (near.get(record) ?? []).map(({ other }) => other);
      return known === undefined ? [] : (rowAtOnce(known, isAtOnce, others) ?? []);
    });
    for (const row of rows) ledger.append(row);
    return rows.length;
  });
}

/**
 * What is written the same night: what counts says of a record that nothing counted for, so that nobody's spelling stays; and that a match
 * review is due, as the second line of a near name says. A reviewer who named the record has looked at it.
 */
function rowAtOnce(
  { row, present, candidates }: Chosen,
  isAtOnce: boolean,
  near: readonly number[],
): Chosen["row"] | undefined {
  const asks = near.length > 0 && present !== undefined && present.reviewer === undefined;
  if (!asks) return isAtOnce ? row : undefined;
  return {
    kind: "naming",
    body: { ...(isAtOnce ? row.body : present), match_review: true },
    private: { match_candidates: [...new Set([...candidates, ...near])] },
  };
}

/** Within a transaction: the rows of those of these changes that are still needed. */
export function dueNamings(ledger: LedgerWriter, records: readonly number[]): Map<number, NewRow> {
  const chosen = chosenNamings(ledger, new Set(records));
  ledger.intake.unsettle(...[...chosen].flatMap(([record, { isHeld }]) => (isHeld ? [record] : [])));
  const needed = [...chosen].filter(([, { isChange, isHeld }]) => isChange && !isHeld);
  return new Map(needed.map(([record, { row }]) => [record, row]));
}

interface OpenTies {
  readonly today: number;
  readonly ties: readonly RaisedItem[];
}

/** A tie that is over needs no reviewer any more. */
function raiseTie(
  sources: LedgerWriter["sources"],
  record: number,
  tied: Chosen["tied"],
  { today, ties }: OpenTies,
): void {
  const key = tied.length === 0 ? undefined : tieKey(record, tied);
  for (const item of ties)
    if (item.record === record && item.key !== key) sources.closeItem(item.key, "harmless");
  if (key !== undefined)
    sources.raise({ key, check: INDUSTRY_TIE, record, rows: tied.map(({ row }) => row), day: today });
}

function tieKey(record: number, tied: Chosen["tied"]): string {
  return sha256Hex(JSON.stringify([INDUSTRY_TIE, record, tied.map(({ industry }) => industry).sort()])).slice(
    0,
    16,
  );
}

/** What the rule says of a record today. */
export interface Chosen extends Pick<ChosenNaming, "tied"> {
  readonly row: Extract<NewRow, { kind: "naming" }>;
  /** What is in effect. */
  readonly present: NamingBody | undefined;
  /** Records that it might be the same as. */
  readonly candidates: readonly number[];
  /** Whether a row is needed: what is shown differs, and no reviewer said it. */
  readonly isChange: boolean;
  /** Whether rows of a leaver wait for their erasure: until then the last choice stays. */
  readonly isHeld: boolean;
}

/** The rows of a record, in order. */
interface Lines {
  readonly first: Said;
  readonly taught: Said[];
  readonly isHeld: boolean;
}

/**
 * The naming of each of these records by the rule, as if the rows in `erased` were gone. Records that are gone or merged, or whose rows
 * lost all that they said, are left out. Reads the ledger through.
 */
export function chosenNamings(
  ledger: LedgerWriter,
  records: ReadonlySet<number>,
  erased: ReadonlySet<number> = new Set(),
): Map<number, Chosen> {
  if (records.size === 0) return new Map();
  const state = new LedgerState();
  const matches = new Map<number, Match>();
  for (const row of ledger.deskRows.rows()) {
    if (row.kind === "naming") matches.set(row.body.record, matchOf(row, erased));
    if (!erased.has(row.id)) state.take(row);
  }
  const lines = linesOf(ledger, state, { records, erased });
  return new Map(
    [...lines].flatMap(([record, said]) => {
      const known = state.records.get(record);
      if (known === undefined) return [];
      return [[record, chosen(record, said, known.naming, matches.get(record))]];
    }),
  );
}

/** Whether a match waits, which another name does not change, and with which records. */
interface Match {
  readonly match_review: boolean;
  readonly candidates: readonly number[];
}

function matchOf(
  { body, candidates }: { readonly body: NamingBody; readonly candidates: readonly number[] },
  erased: ReadonlySet<number>,
): Match {
  return {
    match_review: body.match_review,
    candidates: candidates.filter((candidate) => !erased.has(candidate)),
  };
}

interface Meant {
  readonly records: ReadonlySet<number>;
  readonly erased: ReadonlySet<number>;
}

function linesOf(ledger: LedgerWriter, state: LedgerState, { records, erased }: Meant): Map<number, Lines> {
  const teaching = new Teaching(ledger, state);
  const stripped = ledger.live.strippedSightings().filter(({ id }) => !erased.has(id));
  const held = new Set(stripped.map(({ id, body }) => teaching.recordOf({ row: id, body })));
  const lines = new Map<number, Lines>();
  const own = [...state.records.keys()].filter((record) => records.has(state.merges.root(record)));
  for (const stored of ledger.storedObservations({ records: new Set(own) })) {
    const record = teaching.recordOf(stored);
    if (!records.has(record) || erased.has(stored.row)) continue;
    const { principal, teaches } = teaching.of(stored);
    const said = saidIn(stored, principal);
    const known = lines.get(record) ?? { first: said, taught: [], isHeld: held.has(record) };
    lines.set(record, known);
    if (teaches) known.taught.push(said);
  }
  return lines;
}

/** Intake checked the values when the line came. */
export function saidIn({ row, hidden: { seen } }: StoredObservation, principal: string | undefined): Said {
  const { name, website, industry } = seen;
  return {
    ...{ row, principal, industry, name: checkedName(name) },
    website: website === undefined ? undefined : parseWebsite(website),
  };
}

function chosen(
  record: number,
  { first, taught, isHeld }: Lines,
  present: NamingBody | undefined,
  { match_review, candidates }: Match = { match_review: false, candidates: [] },
): Chosen {
  const { shown, tied } = chooseNaming({ first, taught, present }, (subject) =>
    standardClassifier().classify(subject),
  );
  const isSame =
    present !== undefined &&
    (["name", "website", "industry", "industry_method"] as const).every((key) => present[key] === shown[key]);
  return {
    row: {
      kind: "naming",
      body: { record, ...shown, match_review },
      ...(candidates.length > 0 && { private: { match_candidates: [...candidates] } }),
    },
    ...{ present, candidates },
    isChange: !isSame && present?.reviewer === undefined,
    isHeld,
    tied,
  };
}
