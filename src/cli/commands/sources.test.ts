/** The commands of sources, observers and affiliations on a real ledger. */
import { expect, test } from "vitest";
import { Operator } from "../../../tests/support/operations/operator.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { foundTown, ndjson, townObservations } from "../../../tests/support/towns/town.ts";
import { homePaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";

const ADD = ["--kind", "scout", "--operator", "Scouts Ltd", "--licence", "contract 1", "--consent", "form 3"];

class Desk implements Disposable {
  readonly town = new TestTown();

  constructor() {
    this.town.city("toronto");
    const record = this.town.record("Alpha");
    this.town.see(record, this.town.asset(record), "a", "2026-04-28T10:00:00Z");
    this.town.writer.close();
  }

  async run(...args: string[]): Promise<string> {
    const clock = () => Date.parse("2026-05-02T12:00:00Z");
    return (await presenceAt(homePaths(this.town.ledger.folder), args, { clock })).stdout;
  }

  async json(...args: string[]): Promise<Record<string, unknown>> {
    return JSON.parse(await this.run(...args, "--json"));
  }

  [Symbol.dispose](): void {
    this.town[Symbol.dispose]();
  }
}

test("a source is added, shown, suspended, resumed and withdrawn; names stay private", async () => {
  using desk = new Desk();
  const added = await desk.json("source", "add", "scouts", "--vetting", "individual", ...ADD);
  expect(added).toEqual({ source: "scouts", row: 6, kind: "scout", vetting: "individual", state: "active" });
  expect(await desk.run("source", "list")).toMatch(
    /^scouts {2}scout {2}individual {2}active {2}since \d{4}-\d\d-\d\d {2}last line - {2}0 active observers\n1 source\n$/,
  );
  expect(await desk.json("source", "show", "scouts")).toMatchObject({
    operator: "Scouts Ltd",
    active_observers_30d: 0,
  });
  await desk.run("source", "suspend", "scouts");
  await expect(desk.run("source", "suspend", "scouts")).rejects.toThrow("is already suspended");
  await desk.run("source", "resume", "scouts");
  const { confirm, rows } = await desk.json("source", "withdraw", "scouts");
  expect(rows).toBe(0);
  await expect(desk.run("source", "withdraw", "scouts", "--confirm", "0")).rejects.toThrow(
    "the ledger or the request has changed since",
  );
  await desk.run("source", "withdraw", "scouts", "--confirm", String(confirm));
  const left = { rows_still_leaving: 0, last_leaves_on: null };
  expect(await desk.json("source", "show", "scouts")).toMatchObject({ state: "withdrawn", ...left });
  await expect(desk.run("source", "resume", "scouts")).rejects.toThrow("was withdrawn permanently");
  using reader = openLedgerReader(desk.town.ledger.path);
  const bodies = [...reader.publicRows({ after: 4, upTo: 8, sealed: 8 })].map((row) => JSON.stringify(row));
  expect(bodies).toHaveLength(4);
  expect(bodies.join("")).not.toContain("Scouts Ltd");
});

test("observers are enrolled, linked, suspended and erased", async () => {
  using desk = new Desk();
  await desk.run("source", "add", "scouts", "--vetting", "individual", ...ADD);
  expect(await desk.json("observer", "enrol", "scouts", "ann", "--vouch")).toMatchObject({
    observer: "ann",
    vouched: true,
    own_principal: true,
  });
  expect(await desk.json("observer", "link", "scouts", "ann", "scouts", "bob")).toMatchObject({
    other_observer: "bob",
    own_principal: false,
  });
  expect(await desk.json("observer", "suspend", "scouts", "ann")).toMatchObject({ suspended: true });
  expect(await desk.json("observer", "resume", "scouts", "ann")).toMatchObject({ suspended: false });
  const { confirm } = await desk.json("observer", "erase", "scouts", "ann");
  expect(await desk.json("observer", "erase", "scouts", "ann", "--confirm", String(confirm))).toEqual(
    expect.objectContaining({ rows: 0 }),
  );
});

test("affiliations name a record or a brand, and an observer unless the source is collective", async () => {
  using desk = new Desk();
  await desk.run("source", "add", "scouts", "--vetting", "individual", ...ADD);
  await desk.run("source", "add", "crew", "--vetting", "collective", ...ADD);
  await desk.run("affiliation", "add", "scouts", "ann", "--record", "demo_alpha");
  await desk.run("affiliation", "add", "crew", "--brand", "Alpha");
  expect(await desk.run("affiliation", "list")).toMatch(/^.*\n.*\n2 affiliations\n$/);
  await desk.run("affiliation", "remove", "scouts", "ann", "--record", "demo_alpha");
  expect(await desk.run("affiliation", "list")).toBe("source crew  name alpha\n1 affiliation\n");
  const refused = [
    [["scouts", "--brand", "Alpha"], "give the observer"],
    [["scouts", "ann"], "give what the principal runs"],
    [["scouts", "ann", "--record", "demo_nobody"], "no record has this public id"],
    [["crew", "ann", "--record", "demo_alpha"], "is collective"],
  ] as const;
  for (const [args, message] of refused)
    await expect(desk.run("affiliation", "add", ...args)).rejects.toThrow(message);
});

test("what observers are called is kept where the source says so, listed, and erased when it no longer does", async () => {
  using operator = new Operator();
  await foundTown(operator);
  await operator.ok([
    "source",
    "add",
    "scouts",
    "--vetting",
    "individual",
    "--observer-names",
    "keep",
    ...ADD,
  ]);
  const [line] = townObservations({ seed: 1, observations: 1, records: 1 });
  const walk = { ...line, source: "scouts", source_type: "scout", observer: "ann.of.guelph" };
  await operator.ok(["ingest", operator.write("walk.ndjson", ndjson([walk])), "--synthetic"]);
  await operator.ok(["seal", "--now"]);
  expect(await operator.ok(["observer", "list", "--source", "scouts"])).toContain('"ann.of.guelph"');
  const set = ["source", "set", "scouts", "--observer-names", "hash", "--json"];
  expect(JSON.parse(await operator.ok(set))).toMatchObject({ observer_names: "hash", names_erased: 1 });
  expect(await operator.ok(["observer", "list", "--source", "scouts"])).not.toContain("ann");
});
