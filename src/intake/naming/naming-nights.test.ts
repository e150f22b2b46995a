/** What records are called over nights on a real ledger: changes, leavers, erasures, and what earlier trees say. */
import { describe, expect, test } from "vitest";
import {
  sighting,
  type TestLedger,
  testLedger,
  vouchFor,
} from "../../../tests/support/ledger/intake-ledger.ts";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { folded, nights } from "../../../tests/support/ledger/source-ledger.ts";
import { DAY_MS, isoDate } from "../../kernel/time.ts";
import { erase } from "../erasure/erase.ts";
import { planRedaction } from "../erasure/erasure-plan.ts";
import { MAX_DELAY_DAYS } from "../sources/judge-ledger.ts";
import { leave, planToLeave } from "../sources/leaving.ts";

const MISREAD = "SLAGERIJ TER MUREN";
const RIGHT = "Slagerij Termuren";
const SITE = "https://termuren.example";

type Changes = NonNullable<Parameters<typeof sighting>[1]>;

/** Lines of observers whom the operator vouched for, one each, in files of their own. */
async function see(it: TestLedger, observers: string, changes: Changes): Promise<void> {
  for (const observer of observers) {
    vouchFor(it, observer);
    // Nobody stands at the same place to the digit, and nobody copies a time.
    const step = (observer.codePointAt(0) ?? 0) % 50;
    const day = isoDate(it.clock.time - DAY_MS);
    const here = { lat: 40.001 + step * 1e-6, observed_at: `${day}T14:${10 + step}:10Z` };
    await it.ingest([sighting(`${observer} ${changes.name}`, { observer, ...here, ...changes })]);
  }
}

function names(it: TestLedger): unknown[] {
  return it.rows("naming").map(({ body }) => body["name"]);
}

/** Nights until the longest delay is over. */
function pass(it: TestLedger): number {
  return nights(it, MAX_DELAY_DAYS + 1).reduce((sum, { namings }) => sum + namings, 0);
}

describe("a name that one reader misread", () => {
  test("is corrected by later sightings, days after them, and stays what it was in earlier trees", async () => {
    using it = testLedger();
    await see(it, "a", { name: MISREAD });
    await see(it, "bc", { name: "Slagerij Ter-Muren 🥩", website: SITE });
    expect(names(it)).toEqual([MISREAD]);
    const [before] = it.rows("naming");
    const written = nights(it, MAX_DELAY_DAYS + 1).map(({ namings }) => namings);
    // Never in the night after, in one row, and once.
    expect([written[0], written.reduce((sum, count) => sum + count, 0)]).toEqual([0, 1]);
    expect(it.rows("naming").map(({ body }) => body)).toEqual([
      before?.body,
      expect.objectContaining({ name: "Slagerij Ter-Muren", website: SITE, record: before?.body["record"] }),
    ]);
    expect(it.ledger.intake.unsettled()).toEqual([]);
    expect(pass(it)).toBe(0);
    const { records } = folded(it);
    expect([...records.values()].map(({ name, website }) => [name, website])).toEqual([
      ["Slagerij Ter-Muren", SITE],
    ]);
  });

  test("changes back before its day, and no row is written", async () => {
    using it = testLedger();
    await see(it, "a", { name: RIGHT });
    await see(it, "bc", { name: RIGHT.toUpperCase() });
    nights(it, 1);
    expect(it.ledger.sources.delayed().map(({ change }) => change)).toContainEqual({ naming: true });
    await see(it, "de", { name: RIGHT });
    expect(pass(it)).toBe(0);
    expect(names(it)).toEqual([RIGHT]);
  });

  test("is changed in a ledger without registered sources, too; built-in rows teach no website", async () => {
    using it = testLedger();
    rawLedger(it.ledger).exec("DELETE FROM sources");
    const line = { source: null, website: SITE };
    await it.ingest([sighting("1", { ...line, name: "Termuren 💩" })]);
    await it.ingest([sighting("2", { ...line, name: "Termuren", observer: "other", industry: "4721" })]);
    expect(names(it)).toEqual(["Termuren"]);
    expect(pass(it)).toBe(1);
    expect(it.rows("naming").at(-1)?.body).toMatchObject({
      name: "Termuren",
      website: null,
      industry: "4721",
    });
  });
});

test("a newcomer's name and website change nothing, however often it says them", async () => {
  using it = testLedger();
  await see(it, "ab", { name: RIGHT, website: SITE });
  expect(pass(it)).toBe(1);
  for (const at of [1, 2, 3, 4])
    await it.ingest([
      sighting(`n${at}`, { name: RIGHT.toUpperCase(), website: "https://evil.example", observer: `n${at}` }),
    ]);
  expect(pass(it)).toBe(0);
  expect(it.rows("naming").at(-1)?.body).toMatchObject({ name: RIGHT, website: SITE });
});

test("the industry that is declared last fills an empty one; a tie asks a reviewer, and the present one stays", async () => {
  using it = testLedger();
  await see(it, "a", { name: RIGHT });
  await see(it, "b", { name: RIGHT, industry: "4721" });
  expect(pass(it)).toBe(1);
  const declared = { industry: "4721", industry_method: "declared" };
  expect(it.rows("naming").at(-1)?.body).toMatchObject(declared);
  await see(it, "c", { name: RIGHT, industry: "5610" });
  expect(pass(it)).toBe(0);
  const items = () => it.ledger.sources.openItems().filter(({ check }) => check === "industry_tie");
  expect(items()).toMatchObject([{ record: it.rows("record")[0]?.id }]);
  await see(it, "d", { name: RIGHT, industry: "5610" });
  expect(pass(it)).toBe(1);
  expect(it.rows("naming").at(-1)?.body).toMatchObject({ ...declared, industry: "5610" });
  expect(items()).toEqual([]);
});

describe("erasures", () => {
  test("of the last row with the name and the website take both along, in the same seal", async () => {
    using it = testLedger();
    await see(it, "ab", { name: RIGHT, website: SITE });
    await see(it, "c", { name: RIGHT.toUpperCase() });
    pass(it);
    const [one, other] = it.rows("observation");
    const redact = (target: number | undefined) => {
      const plan = planRedaction(it.ledger, {
        ...{ kind: "redaction", target: String(target), reason: "privacy_request" },
      } as const);
      erase(it.ledger, plan);
      return plan;
    };
    // The website was taught by two; one row still has it.
    expect(redact(one?.id).renamed).toEqual([]);
    const { renamed, rows } = redact(other?.id);
    expect(renamed).toMatchObject([
      { was: { name: RIGHT, website: SITE }, is: { name: RIGHT.toUpperCase(), website: null } },
    ]);
    expect(names(it)).toEqual([RIGHT.toUpperCase()]);
    expect(it.rows("redaction").at(-1)?.body).toEqual({ rows });
    expect([...folded(it).records.values()].map(({ name }) => name)).toEqual([RIGHT.toUpperCase()]);
  });

  test("of a leaver change nothing until their day: the last choice stays until then", async () => {
    using it = testLedger();
    await see(it, "ab", { name: RIGHT });
    await see(it, "c", { name: RIGHT.toUpperCase() });
    pass(it);
    for (const observer of ["a", "b"])
      leave(it.ledger, planToLeave(it.ledger, { observer: { source: "scout", observer } }));
    expect(names(it)).toEqual([RIGHT]);
    const changes = nights(it, MAX_DELAY_DAYS + 1);
    const erasedOn = changes.findIndex(({ erased }) => erased > 0);
    expect(changes.slice(0, erasedOn).map(({ namings }) => namings)).toEqual(Array(erasedOn).fill(0));
    expect(names(it)).toEqual([RIGHT.toUpperCase()]);
  });
});
