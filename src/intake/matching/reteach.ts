/**
 * Teaches the look-up tables of intake anew. What they hold of a record is what its rows teach in their order, so that they can be made
 * from the rows and the private registry at any time; this is done wherever either changes by anything but new rows.
 */
import { nameKey } from "../../kernel/text/name-key.ts";
import { LedgerState } from "../../ledger/decisions/ledger-state.ts";
import { relatedRecords } from "../../ledger/decisions/merges.ts";
import type { NamingBody } from "../../ledger/rows/rows.ts";
import type { Seen, StoredObservation } from "../../ledger/sources/stored-observations.ts";
import type { LedgerWriter } from "../../ledger/writer.ts";
import { contactKeys } from "../lines/contact.ts";
import { checkedName } from "../lines/name.ts";
import { anchorPlace, type IntakeHashes, intakeHashes } from "../lines/sighting.ts";
import { BUILT_IN, type Level, NOWHERE, TAUGHT, UNTAUGHT } from "../places/anchors.ts";
import { Teaching } from "../sources/teaching.ts";
import { type Lesson, levelOf, Matcher, type MatchSubject, REVIEWER } from "./match.ts";

export type TaughtLedger = Pick<
  LedgerWriter,
  "deskRows" | "intake" | "live" | "purposeKey" | "sources" | "storedObservations"
>;

/** Within a transaction, for these records and all that decisions ever connected with them. Reads the ledger through. */
export function reteach(ledger: TaughtLedger, records: Iterable<number>): void {
  const asked = [...records];
  if (asked.length === 0) return;
  const { intake, live } = ledger;
  const state = LedgerState.of(ledger.deskRows.rows());
  const related = relatedRecords(asked, live.merges());
  const observations = [...ledger.storedObservations({ records: related })];
  intake.replaceApart(apartPairs(state));
  intake.forgetTaught([...related]);
  intake.forgetVehicleSightings(observations.map(({ row }) => row));
  new Lessons(ledger, state).teach(observations, related);
  intake.unsettle(...[...related].filter((record) => state.records.has(record)));
  const standsAlone = (record: number) => state.records.has(record) && state.merges.root(record) === record;
  intake.forgetNear([...related].filter((record) => !standsAlone(record)));
}

/** Within a transaction: the same for all records that observers of a principal saw. Reads the ledger through. */
export function reteachPrincipal(ledger: TaughtLedger, principal: string): void {
  const teaching = new Teaching(ledger, LedgerState.of(ledger.deskRows.rows()));
  const records = new Set<number>();
  for (const stored of ledger.storedObservations())
    if (teaching.of(stored).principal === principal) records.add(stored.body.record);
  reteach(ledger, records);
}

/** Within a transaction: the same for the records of these observations. */
export function reteachRows(ledger: TaughtLedger, rows: readonly number[]): void {
  if (rows.length === 0) return;
  const stored = [...ledger.storedObservations({ rows })];
  reteach(
    ledger,
    stored.map(({ body }) => body.record),
  );
}

/** Each both ways, of records that stand by themselves. */
function* apartPairs({ apart, merges }: LedgerState): Generator<{ record: number; other: number }> {
  for (const [one, two] of apart.all()) {
    const [record, other] = [merges.root(one), merges.root(two)];
    if (record === other) continue;
    yield { record, other };
    yield { record: other, other: record };
  }
}

/** A row of an observation or a reviewer's naming, which teaches when it is its turn. */
interface Turn {
  readonly row: number;
  readonly teach: () => void;
}

type Taught = Omit<Lesson, "known">;

class Lessons {
  readonly #ledger: TaughtLedger;
  readonly #state: LedgerState;
  readonly #teaching: Teaching;
  readonly #matcher: Matcher;
  readonly #hashes: IntakeHashes;
  readonly #refs: ReadonlyMap<number, string>;
  /** Record -> the level of what it was taught by now. */
  readonly #levels = new Map<number, Level>();
  /** Of records that a reviewer named: what they were taught by now. */
  readonly #learnt = new Map<number, Taught[]>();

  constructor(ledger: TaughtLedger, state: LedgerState) {
    this.#ledger = ledger;
    this.#state = state;
    this.#teaching = new Teaching(ledger, state);
    this.#matcher = new Matcher(ledger.intake);
    this.#hashes = intakeHashes(ledger.purposeKey);
    this.#refs = new Map(Array.from(ledger.live.assetRefs(), ({ id, ref }) => [id, ref]));
  }

  teach(observations: readonly StoredObservation[], records: ReadonlySet<number>): void {
    const turns: Turn[] = observations.map((stored) => ({
      row: stored.row,
      teach: () => this.#observation(stored),
    }));
    for (const record of records) {
      const { naming, namedBy: row = 0 } = this.#state.records.get(record) ?? {};
      if (naming?.reviewer === undefined) continue;
      this.#learnt.set(this.#state.merges.root(record), []);
      turns.push({ row, teach: () => this.#naming(record, row, naming) });
    }
    for (const turn of turns.sort((a, b) => a.row - b.row)) turn.teach();
  }

  #observation(stored: StoredObservation): void {
    const { row, body, hidden } = stored;
    const { asset, asset_type } = body;
    const { record, principal, teaches } = this.#teaching.of(stored);
    if (!this.#state.records.has(record) || !this.#state.assets.has(asset)) return; // withdrawn: nothing is matched with it
    const subject = this.#subject(stored, asset);
    const level = levelOf(teaches, principal);
    this.#learn({ subject, record, row, level, principal });
    this.#matcher.learnAsset(asset_type, subject.place, { record, row, asset, level, principal });
    if (!teaches || subject.place !== NOWHERE || hidden.exact.bare_date === true) return;
    const { lat, lng, observed_at } = hidden.exact;
    this.#ledger.intake.addVehicleSighting(asset, row, { instant: Date.parse(observed_at), lat, lng });
  }

  /**
   * What a reviewer calls a record is its name where it stood then, and the website is the record's. What built-in sources called it until
   * then is its name, too, as if the reviewer had said so.
   */
  #naming(record: number, row: number, { name, website }: NamingBody): void {
    const root = this.#state.merges.root(record);
    const city = this.#state.records.get(record)?.body.city ?? "";
    const contacts = contactsOf(website === null ? {} : { website }, this.#hashes);
    const said = { city, nameKey: nameKey(name), contacts, ...NO_SIGHTING };
    const learnt = [...(this.#learnt.get(root) ?? [])];
    for (const lesson of learnt) if (lesson.level === BUILT_IN) this.#learn({ ...lesson, level: TAUGHT });
    for (const place of new Set(learnt.map(({ subject }) => subject.place)))
      this.#learn({ subject: { ...said, place }, record: root, row, level: TAUGHT, principal: REVIEWER });
  }

  #learn(lesson: Taught): void {
    const { record, level } = lesson;
    const known = this.#levels.get(record) ?? UNTAUGHT;
    this.#matcher.learn({ ...lesson, known });
    if (level < known) return;
    this.#levels.set(record, level);
    const learnt = this.#learnt.get(record);
    if (learnt === undefined) return;
    if (level > known) learnt.length = 0;
    learnt.push(lesson);
  }

  #subject({ body, hidden: { seen, exact } }: StoredObservation, asset: number): MatchSubject {
    const { city, asset_type } = body;
    const { lat, lng } = exact;
    const place = anchorPlace({ asset_type, asset_ref: this.#refs.get(asset), lat, lng }, this.#hashes);
    const contacts = contactsOf(seen, this.#hashes);
    return {
      ...NO_SIGHTING,
      ...{ city, nameKey: nameKey(checkedName(seen.name)), place, lat, lng, contacts },
    };
  }
}

/** Nothing is learnt from what a sighting is of. */
const NO_SIGHTING = { lat: 0, lng: 0, mobile: false, brand: false };

function contactsOf(said: Pick<Seen, "website" | "phone">, { contact }: IntakeHashes): Buffer[] {
  return contactKeys(said, contact).map((key) => Buffer.from(key, "hex"));
}
