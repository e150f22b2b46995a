import { gridDisk, isValidCell } from "h3-js";
import type { AssetType } from "../../contract/enums.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { nameKey } from "../../kernel/text/name-key.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import type { OptOutEntries } from "../../ledger/matching/intake-store.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import type { Scope } from "../erasure/cascade.ts";
import { isGenericName } from "../lines/name.ts";
import type { IntakeHashes } from "../lines/sighting.ts";
import { type CityRow, cityRows } from "./city-rows.ts";
import { entriesSource, optOutEntries } from "./entries.ts";
import { OptOutJudge } from "./judge.ts";
import { CityFacts, type KnownBy, type Point } from "./known-by.ts";
import { areNearNames } from "./near-name.ts";
import { type JudgedLines, judgedLines } from "./waiting-lines.ts";

/** Records that opt out together, in one city, and what of theirs goes. */
export interface OptOutSubject {
  readonly scope: Scope;
  readonly group: readonly number[];
  readonly erased: ReadonlySet<number>; // all rows that go
  readonly asset: number | undefined; // the row of the one asset that opts out
  readonly isWhole: boolean; // false: one asset or one place
  readonly also: readonly string[]; // names that the operator adds
}

/** Where intake refuses a name, and why there. */
export interface OptOutName {
  readonly key: string; // the form in which names are compared
  readonly reach: "city" | "places" | "nowhere";
  readonly because: "taught" | "borne_by_others" | "generic" | "part" | "untaught" | "also";
}

/** A live record of others, and how many of its rows a line like them would be refused, or wait for review. */
export interface TouchedRecord {
  readonly public_id: string;
  readonly name: string;
  readonly refused: number;
  readonly review: number;
}

export interface OptOutPlan {
  readonly names: readonly OptOutName[];
  readonly knownBy: KnownBy;
  readonly places: readonly Point[];
  readonly touched: readonly TouchedRecord[];
  readonly entries: OptOutEntries;
  readonly pending: JudgedLines;
}

const ID_DIGITS = 32;

/** What intake is to refuse from now on. Reads the ledger through. Throws OperatorError when no record is left to opt out. */
export function planOptedOut(ledger: LedgerWriter, subject: OptOutSubject, hashes: IntakeHashes): OptOutPlan {
  const { scope, group, isWhole } = subject;
  const city = group.map((id) => scope.records.get(id)).find((body) => body !== undefined)?.city;
  if (city === undefined) throw new OperatorError("there is no record to opt out");
  const state = LedgerState.of(ledger.deskRows.rows());
  const rows = () => cityRows(ledger, city, state, hashes);
  const facts = factsOf(rows(), subject, { state, city, hashes });
  const names = namesOf(facts, subject);
  const places = facts.places();
  const at = [...new Set([...places.keys()].flatMap(withRing))].sort();
  const knownBy = facts.knownBy();
  const text = JSON.stringify(["opt_out", group, isWhole, at, ledger.live.last().row]);
  const optedOut = {
    id: Buffer.from(hashes.optOut(text).slice(0, ID_DIGITS), "hex"),
    ...{ city, places: at, isWhole, knownBy, assetType: assetType(subject) },
    names: names.flatMap(({ key, reach }) => (reach === "nowhere" ? [] : [{ key, reach }])),
  };
  const entries = optOutEntries(optedOut, hashes, ledger.now());
  const source = entriesSource(entries);
  const judge = new OptOutJudge(source, hashes, ledger.now());
  return {
    ...{ names, knownBy, entries, places: [...places.values()] },
    touched: touchedBy(rows(), subject, { state, city, judge, names }),
    pending: judgedLines(ledger, source, hashes),
  };
}

interface InCity {
  readonly state: LedgerState;
  readonly city: string;
}

function factsOf(
  rows: Iterable<CityRow>,
  { group, erased }: OptOutSubject,
  { state, city, hashes }: InCity & { readonly hashes: IntakeHashes },
): CityFacts {
  const isOwn = (record: number) => group.includes(record);
  const facts = new CityFacts({ isOwn, isGone: (row) => erased.has(row) }, hashes);
  for (const row of rows) facts.add(row);
  for (const { id, body, merge, naming } of state.records.values())
    if (body.city === city && naming?.reviewer !== undefined && (isOwn(id) || merge === undefined))
      facts.addNaming(naming);
  return facts;
}

/** Every name of the records, and those that the operator adds. */
function namesOf(facts: CityFacts, { isWhole, also }: OptOutSubject): OptOutName[] {
  const added = new Set(also.map(nameKey));
  const taught = facts.names();
  return [...new Set([...taught.keys(), ...added])]
    .filter(Boolean)
    .sort()
    .map((key) => {
      const isAdded = added.has(key);
      return { key, ...(taught.get(key) === true ? reach(key, isAdded) : untaught(isAdded)) };
    });

  function reach(key: string, isAdded: boolean): Omit<OptOutName, "key"> {
    if (!isWhole) return { reach: "places", because: "part" };
    if (isGenericName(key)) return { reach: "places", because: "generic" };
    if (!facts.isBorneByOthers(key)) return { reach: "city", because: "taught" };
    return isAdded ? { reach: "city", because: "also" } : { reach: "places", because: "borne_by_others" };
  }
}

function untaught(isAdded: boolean): Omit<OptOutName, "key"> {
  return isAdded ? { reach: "places", because: "also" } : { reach: "nowhere", because: "untaught" };
}

/** A cell with those around it; what stands for the place of a vehicle has nothing around it. */
function withRing(place: string): string[] {
  return isValidCell(place) ? gridDisk(place, 1) : [place];
}

function assetType({ asset, scope }: OptOutSubject): AssetType | null {
  return (asset === undefined ? undefined : scope.assets.get(asset)?.asset_type) ?? null;
}

interface Judging extends InCity {
  readonly judge: OptOutJudge;
  readonly names: readonly OptOutName[];
}

/** The records whose rows intake would treat otherwise if they came again. */
function touchedBy(
  rows: Iterable<CityRow>,
  { erased }: OptOutSubject,
  { state, city, judge, names }: Judging,
): TouchedRecord[] {
  const banned = names.filter(({ reach }) => reach !== "nowhere");
  const near = new Map<string, boolean>(); // nothing else can be refused
  const isNear = (key: string) => {
    const known = near.get(key) ?? banned.some((name) => areNearNames(name.key, key));
    near.set(key, known);
    return known;
  };
  const counts = new Map<number, { refused: number; review: number }>();
  for (const row of rows) {
    if (erased.has(row.row) || !isNear(row.nameKey)) continue;
    const verdict = judge.judge(row, city);
    if (verdict === "pass") continue;
    const known = counts.get(row.record) ?? { refused: 0, review: 0 };
    counts.set(row.record, known);
    known[verdict === "refuse" ? "refused" : "review"] += 1;
  }
  return [...counts].flatMap(([record, counted]) => {
    const known = state.records.get(record);
    return known === undefined ? [] : [{ public_id: known.body.public_id, name: known.name, ...counted }];
  });
}
