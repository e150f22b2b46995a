/** Plays thefts of sightings through the real intake: the same town with and without the thief's lines. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import {
  type Found,
  type FoundLine,
  feed,
  gazetteerCity,
  type Intruder,
  type MatchLine,
  type MatchSet,
  SOURCE,
} from "../../../../build-scripts/match/feed.ts";
import type { GazetteerCity } from "../../../../src/contract/cities/city.ts";
import { INDUSTRIES } from "../../../../src/contract/cities/industry.ts";
import { cleanName } from "../../../../src/intake/lines/name.ts";
import type { Classifier } from "../../../../src/intake/matching/classify.ts";
import { applyDueChanges } from "../../../../src/intake/sources/due-changes.ts";
import { judgeLedger, MAX_DELAY_DAYS } from "../../../../src/intake/sources/judge-ledger.ts";
import { setSuspended } from "../../../../src/intake/sources/source-desk.ts";
import { nameKey } from "../../../../src/kernel/text/name-key.ts";
import type { LedgerWriter } from "../../../../src/ledger/writer.ts";
import { buildSnapshot } from "../../../../src/snapshot/build.ts";
import { ReleaseSettings } from "../../../../src/snapshot/release-settings.ts";
import { Chance } from "../chance.ts";
import type { Own, Rival, Theft } from "./thefts.ts";

/** Who sends the thief's lines: newcomers and lines without a source, or an observer who is established. */
export type Thief =
  | "newcomers"
  | "newcomers-and-built-in"
  | "established"
  | "established-and-built-in"
  | "set-aside";

const ESTABLISHED = "established-thief";

const RIVAL_SHARE = 0.25;
const NIGHTS = 5;
const QUIET_DAYS = MAX_DELAY_DAYS; // until what waits for its day is in effect
const NIGHTS_OF_ATTACK = [-1, 1];
const JUDGED_AFTER_NIGHT = 2;
const METERS_AWAY = 400;
const METERS_PER_DEGREE = 111_320;

/** What became of the honest sightings. */
export interface Toll {
  readonly sightings: number;
  /** Rows that checks set aside without the thief: next to none, or the checks would do the thief's work. */
  readonly setAside: number;
  /** Sightings that are of another record or asset than without the thief: of vouched observers, and of others. */
  readonly diverted: readonly FoundLine[];
  readonly divertedOthers: readonly FoundLine[];
  /** Diverted ones whose record no reviewer is asked about. */
  readonly unlisted: readonly FoundLine[];
  /** What is published of records that vouched observers saw, where it is not what it is without the thief. */
  readonly changed: readonly string[];
  /**
   * The same of records that honest newcomers saw whose rows count in one of the two worlds alone: what a thief listed first is no
   * discovery of theirs. That is a matter of their standing, not of whose evidence it is.
   */
  readonly changedStanding: readonly string[];
  /** Items that reviewers have only because of the thief. */
  readonly items: number;
}

function intruders(set: MatchSet, { signs }: Theft, thief: Thief, chance: Chance): Intruder[] {
  const rivals = rivalsOf(set).filter(() => chance.is(RIVAL_SHARE));
  const hasBuiltIn = thief.endsWith("built-in");
  return rivals.flatMap((rival, at) => {
    const own = ownOf(rival, at, chance);
    return signs(rival, own, chance).flatMap((sign) =>
      NIGHTS_OF_ATTACK.map((night): Intruder => {
        const isBuiltIn = hasBuiltIn && chance.is(0.5);
        const isNew = isBuiltIn || thief.startsWith("newcomers");
        return {
          night,
          isBuiltIn,
          truth: { asset: "thief", record: "thief" },
          address: "",
          input: {
            source_type: "scout",
            observer: isNew ? `thief-${chance.whole(1, 50)}` : ESTABLISHED,
            observed_at: `2026-05-0${chance.whole(1, 9)}`,
            asset_type: rival.type,
            ...sign,
          },
        };
      }),
    );
  });
}

function ownOf({ places: [place], name }: Rival, at: number, chance: Chance): Own {
  const away = (METERS_AWAY / METERS_PER_DEGREE) * chance.within(1, 2);
  return {
    name: `Evil ${name.split(" ").at(-1)} ${String.fromCodePoint(65 + (at % 26))}${at}`,
    lat: (place?.lat ?? 0) + away,
    lng: place?.lng ?? 0,
    contact: { website: `https://evil${at}.example`, phone: `+3199${1_000_000 + at}` },
  };
}

/** What anybody can know of the businesses of a town: the name that most lines give, places, references, contacts. */
function rivalsOf({ lines }: MatchSet): Rival[] {
  return [...Map.groupBy(lines, ({ truth }) => truth.record).values()].flatMap((own): Rival[] => {
    const names = [...Map.groupBy(own, ({ input }) => input.name)].sort(
      ([, a], [, b]) => b.length - a.length,
    );
    const [name] = names[0] ?? [];
    const [first] = own;
    if (name === undefined || first === undefined) return [];
    return [
      {
        name,
        type: first.input.asset_type === "vehicle_wrap" ? "vehicle_wrap" : "storefront",
        places: [...Map.groupBy(own, ({ truth }) => truth.asset).values()].flatMap(placeOf),
        contacts: contactsOf(own),
      },
    ];
  });
}

/** As a map has it: nobody stands at another's place to the digit. */
function placeOf(lines: readonly MatchLine[]): Rival["places"][number][] {
  const [first] = lines;
  if (first === undefined) return [];
  const mean = (of: "lat" | "lng") =>
    lines.reduce((sum, { input }) => sum + input[of], 0) / lines.length + 1e-6;
  const { asset_ref: ref } = first.input;
  return [{ lat: mean("lat"), lng: mean("lng"), ...(typeof ref === "string" && { ref }) }];
}

function contactsOf(lines: readonly MatchLine[]): Rival["contacts"] {
  const known = lines.flatMap(({ input: { website, phone } }) => [
    ...(website ? [{ website }] : []),
    ...(phone ? [{ phone }] : []),
  ]);
  return [...new Map(known.map((contact) => [JSON.stringify(contact), contact])).values()];
}

interface World extends Found {
  /** Rows that checks set aside. */
  readonly setAside: number;
  readonly facts: ReleasedFacts;
}

/** Counts sightings from number `from` on. */
function tollOf(set: MatchSet, [before, after]: readonly [World, World], from: number): Toll {
  const counts = ({ input, isBuiltIn }: MatchLine) => !isBuiltIn && set.vouched.includes(input.observer);
  const sightings = before.lines.filter(({ at }) => at !== undefined && at >= from);
  const moved = (isOwner: (line: FoundLine) => boolean) => {
    const [was, is] = [belongings(before, isOwner), belongings(after, isOwner)];
    return sightings.filter(({ at }) => was(at) !== is(at));
  };
  const diverted = moved(counts).filter(counts);
  const listed = new Set(after.proposed.flat());
  const now = new Map(after.lines.map(({ at, record }) => [at, record]));
  const [said, says] = [published(before, counts), published(after, counts)];
  const changed = [...said].flatMap(([first, facts]) =>
    says.get(first) === facts ? [] : [{ first, text: `${facts} -> ${says.get(first)}` }],
  );
  const standing = Map.groupBy(changed, ({ first }) => haveOtherStanding([before, after], first));
  const textsOf = (isOther: boolean) => (standing.get(isOther) ?? []).map(({ text }) => text);
  return {
    sightings: sightings.length,
    setAside: before.setAside,
    diverted,
    divertedOthers: moved(() => true).filter((line) => !counts(line)),
    unlisted: diverted.filter(({ at }) => !listed.has(now.get(at) ?? 0)),
    changed: textsOf(false),
    changedStanding: textsOf(true),
    items: after.proposed.length - before.proposed.length,
  };
}

/** Row ids differ between worlds: a record or asset is known by the first honest line of an owner, or by the thief's name that made it. */
function belongings(
  { lines }: Found,
  isOwner: (line: FoundLine) => boolean,
): (at: number | undefined) => string | undefined {
  const records = owners(lines, isOwner, ({ record }) => record);
  const assets = owners(lines, isOwner, ({ asset }) => asset);
  const places = new Map(
    lines.map(({ at, record, asset }) => [at, `${records.get(record)} ${assets.get(asset)}`]),
  );
  return (at) => places.get(at);
}

function owners(
  lines: readonly FoundLine[],
  isOwner: (line: FoundLine) => boolean,
  idOf: (line: FoundLine) => number,
): Map<number, string> {
  const owners = new Map<number, string>();
  for (const [id, own] of Map.groupBy(lines, idOf)) {
    const honest = own.find((line) => line.at !== undefined && isOwner(line));
    const [first] = own;
    const isMadeByThief = first?.at === undefined && nameOf(first) !== nameOf(honest);
    owners.set(id, isMadeByThief ? `thief ${nameOf(first)}` : String(honest?.at));
  }
  return owners;
}

function nameOf(line: FoundLine | undefined): string {
  const cleaned = cleanName(line?.input.name ?? "");
  return "name" in cleaned ? nameKey(cleaned.name) : "";
}

/** What is published of records that something counts for, by the first such line. */
function published({ lines, facts }: World, counts: (line: MatchLine) => boolean): Map<number, string> {
  const firsts = new Map<number, number>();
  for (const line of lines)
    if (line.at !== undefined && counts(line) && !firsts.has(line.record)) firsts.set(line.record, line.at);
  return new Map([...firsts].map(([record, at]) => [at, facts.get(record) ?? "unpublished"]));
}

/** Whether one of the honest lines of the record of a line counts in one world and not in the other. */
function haveOtherStanding([before, after]: readonly [World, World], first: number): boolean {
  const counted = new Map(after.lines.map(({ at, counts }) => [at, counts]));
  const record = before.lines.find(({ at }) => at === first)?.record;
  return before.lines.some((line) => line.record === record && counted.get(line.at) !== line.counts);
}

/** Each theft in a world of its own, and what it did. */
export async function playThefts(
  town: MatchSet,
  thefts: readonly Theft[],
  thief: Thief,
  { classifier, seed }: { readonly classifier: Classifier; readonly seed: number },
): Promise<Toll[]> {
  const vouched = thief.startsWith("newcomers") ? town.vouched : [...town.vouched, ESTABLISHED];
  const set = { ...town, vouched, lines: town.lines.map(withDate) };
  const isSetAside = thief === "set-aside";
  const from = isSetAside ? Math.ceil(set.lines.length / NIGHTS) * (JUDGED_AFTER_NIGHT + 1) : 0;
  const before = await play(set, [], { classifier, isSetAside });
  const tolls: Toll[] = [];
  for (const theft of thefts) {
    const lines = intruders(set, theft, thief, new Chance(seed));
    tolls.push(tollOf(set, [before, await play(set, lines, { classifier, isSetAside })], from));
  }
  return tolls;
}

/** A town's observers are anywhere at any time, which checks of ways and clocks would find: a date alone says nothing of it. */
function withDate(line: MatchLine): MatchLine {
  return { ...line, input: { ...line.input, observed_at: line.input.observed_at.slice(0, 10) } };
}

async function play(
  set: MatchSet,
  lines: readonly Intruder[],
  { classifier, isSetAside }: { readonly classifier: Classifier; readonly isSetAside: boolean },
): Promise<World> {
  let [facts, setAside]: [ReleasedFacts, number] = [new Map(), 0];
  const afterNight = (ledger: LedgerWriter, night: number) => {
    if (isSetAside && night === JUDGED_AFTER_NIGHT)
      setSuspended(ledger, { source: SOURCE, observer: ESTABLISHED }, true);
    judgeLedger(ledger);
    applyDueChanges(ledger);
    setAside = ledger.sources.setAside().size;
    if (night === NIGHTS) facts = releasedFacts(ledger, gazetteerCity(set));
  };
  const found = await feed(set, {
    classifier,
    intruders: lines,
    nights: NIGHTS,
    quietDays: QUIET_DAYS,
    afterNight,
  });
  return { ...found, facts, setAside };
}

const FACTS = `
SELECT id, json_array(name, website, gate_status, ranking_state, standing ->> 'pps', (
  SELECT json_group_array(json_array(type, detected_at, confidence) ORDER BY type, detected_at) FROM events WHERE record = records.id
)) AS facts FROM records`;

/** What a release says of each record, by ledger row: name, website, gate, score, events. */
type ReleasedFacts = ReadonlyMap<number, string>;

function releasedFacts(ledger: LedgerWriter, city: GazetteerCity): ReleasedFacts {
  const folder = mkdtempSync(join(tmpdir(), "presence-released-"));
  try {
    const out = join(folder, "snapshot.db");
    ledger.seal({ now: true });
    buildSnapshot({
      ledgerPath: ledger.path,
      out,
      treeSize: ledger.nextId() - 1,
      asOf: ledger.now(),
      settings: ReleaseSettings.parse({ baseUrl: "https://example.org", sourceRevision: "test" }),
      reference: { gazetteer: [city], industries: INDUSTRIES },
    });
    const database = new Database(out, { readonly: true });
    const rows = database.prepare<[], { id: number; facts: string }>(FACTS).all();
    database.close();
    return new Map(rows.map(({ id, facts }) => [id, facts]));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
