/** For tests of the review desk: a town whose lines left pairs to compare, names to judge and a rule to confirm. */

import { type Home, homePaths } from "../../../src/kernel/home.ts";
import { NOW, sighting, type TestLedger, testLedger } from "../ledger/intake-ledger.ts";

export interface MadeUpQueue extends Disposable {
  readonly home: Home;
  readonly clock: { time: number };
}

export const PAIRS = 6;
const GENERIC = ["Restaurant", "Hotel", "Pharmacy"];
const RULED = 12;

/** Pairs share a telephone and a place under two names; some names could be anyone's; the word bakery proposes an industry. */
export async function madeUpQueue(now = NOW): Promise<MadeUpQueue> {
  const it = testLedger();
  it.clock.time = now;
  const near = (place: number) => ({ lat: 40 + place * 0.002, lng: -75 });
  const line = (ref: string, changes: object) =>
    sighting(ref, { source: "scout", observer: "ann@x", ...changes });
  const first = Array.from({ length: PAIRS }, (_, at) =>
    line(`first-${at}`, { name: `Quince ${WORDS[at]}`, phone: `+1 215 555 01${10 + at}`, ...near(at) }),
  );
  const second = Array.from({ length: PAIRS }, (_, at) =>
    line(`second-${at}`, { name: `Larkspur ${WORDS[at]}`, phone: `+1 215 555 01${10 + at}`, ...near(at) }),
  );
  const generic = GENERIC.map((name, at) => line(`generic-${at}`, { name, ...near(at) }));
  const ruled = Array.from({ length: RULED }, (_, at) =>
    line(`ruled-${at}`, { name: `${NAMES[at]} Bakery`, lat: 39.99, lng: -75 + at * 0.003 }),
  );
  await it.ingest(first);
  await it.ingest([...second, ...generic, ...ruled]);
  proposePairs(it);
  it.ledger.close();
  return { home: homePaths(it.home), clock: it.clock, [Symbol.dispose]: () => it[Symbol.dispose]() };
}

/** As intake proposes them where two records share a place and a contact. */
function proposePairs(it: TestLedger): void {
  const records = new Map(
    it.rows("naming").map(({ body }) => [String(body["name"]), Number(body["record"])]),
  );
  it.ledger.transaction(() => {
    for (const word of WORDS) {
      const [one, other] = [`Larkspur ${word}`, `Quince ${word}`];
      const naming = {
        industry: "4759",
        industry_method: "declared",
        match_review: true,
        name: one,
      } as const;
      it.ledger.append({
        kind: "naming",
        body: { ...naming, record: records.get(one) ?? 0, website: null },
        private: { match_candidates: [records.get(other) ?? 0] },
      });
    }
  });
}

const WORDS = ["Lamps", "Boots", "Kites", "Drums", "Clocks", "Ropes"];
const NAMES = [
  "Ash",
  "Birch",
  "Cedar",
  "Dogwood",
  "Elm",
  "Fir",
  "Gum",
  "Hazel",
  "Ivy",
  "Juniper",
  "Kapok",
  "Linden",
];
