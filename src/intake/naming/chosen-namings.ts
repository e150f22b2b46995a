import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { NamingBody, NewRow } from "../../ledger/rows/rows.ts";
import type { StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { parseWebsite } from "../lines/contact.ts";
import { checkedName } from "../lines/name.ts";
import { standardClassifier } from "../matching/classify.ts";
import { Teaching } from "../sources/teaching.ts";
import { type ChosenNaming, chooseNaming, type Said } from "./choose-naming.ts";

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
