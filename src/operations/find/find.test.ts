import { afterAll, beforeAll, expect, test } from "vitest";
import { Operator } from "../../../tests/support/operations/operator.ts";
import { DAYS, foundTown, ndjson, townObservations } from "../../../tests/support/towns/town.ts";

/** What became of a line, a row, a record and a name: the way of an operator whose supplier asks. */

const CLOCK = ["--clock", DAYS.ingest];
const lines = [...townObservations({ seed: 3, observations: 240, records: 12 })];
const published = lines.slice(0, 230);
const waiting = lines.slice(230);

let operator: Operator;
beforeAll(async () => {
  operator = new Operator({ BASE_URL: "https://presence.example" });
  await foundTown(operator);
  await operator.ok(["ingest", operator.write("march.ndjson", ndjson(published)), "--synthetic", ...CLOCK]);
  await operator.ok(["seal", "--now", "--clock", DAYS.seal]);
  await operator.ok(["build"]);
  const later = ["--clock", "2026-05-02T07:00:00Z"];
  await operator.ok(["ingest", operator.write("april.ndjson", ndjson(waiting)), "--synthetic", ...later]);
});
afterAll(() => operator[Symbol.dispose]());

async function found(...args: string[]) {
  return JSON.parse(await operator.ok(["find", ...args, "--json"]));
}

function at(list: readonly (typeof lines)[number][], index: number) {
  const line = list[index];
  if (line === undefined) throw new Error("the town has too few lines");
  return line;
}

test("a supplier's line is found by source and reference, with its row, its record and the page that shows it", async () => {
  const line = at(published, 0);
  const source = line.source ?? line.source_type;
  const { total, hits } = await found(source, line.source_ref);
  expect(total).toBe(1);
  const [hit] = hits;
  expect(hit).toMatchObject({
    found: "observation",
    source,
    reference: line.source_ref,
    batch: "b1",
    said: { name: line.name },
    why_not: [expect.stringContaining("it was received long before or after it was made (clock)")],
    also: [expect.stringMatching(/^from 2026-05-\d\d on it no longer counts$/)],
    counts: true,
    record_why: ["Not ranked yet: the industry classification awaits review."],
    shown_at: `https://presence.example/record/${hit.record.public_id}/`,
  });
  const text = await operator.ok(["find", source, line.source_ref]);
  expect(text).toContain(`  reference      ${line.source_ref}\n`);
  // What is printed can be typed.
  for (const typed of [`row ${hit.row}`, `row-${hit.row}`, String(hit.row)])
    expect((await found(typed)).hits, typed).toEqual(hits);
  expect((await found("row", String(hit.row))).hits).toEqual(hits);
  const [record] = (await found(hit.shown_at)).hits;
  expect(record).toMatchObject({
    found: "record",
    row: hit.record.row,
    ranked: false,
    city: hit.record.city,
  });
  expect((await found(String(hit.asset.row))).hits[0].record).toEqual(record);
  expect(JSON.parse(await operator.ok(["review", "show", `row ${hit.record.row}`, "--json"])).row).toBe(
    hit.record.row,
  );
});

test("a line that waits is found by its reference and by batch and line; a name finds records and lines, with totals", async () => {
  const line = at(waiting, 0);
  const [hit] = (await found(line.source ?? line.source_type, line.source_ref)).hits;
  expect(hit).toMatchObject({
    ...{ found: "line", line: "b2:1", state: "waiting", observer: line.observer },
    why: ["it becomes a row with the seal of its day: the next `presence nightly` does that"],
  });
  expect((await found("line 1 of batch b2")).hits).toEqual([hit]);
  const { total, hits } = await found(line.name.toUpperCase(), "--limit", "1");
  expect([hits.length, hits[0].found, total > 1]).toEqual([1, "record", true]);
  expect(await operator.ok(["find", line.name, "--limit", "1"])).toContain(
    `${total} found; ${total - 1} more: --limit ${total}`,
  );
});

test("where nothing is found, it is said where it was looked for, and the command fails", async () => {
  const line = at(published, 0);
  const nothing = async (...args: string[]) => {
    const { code, stdout, stderr } = await operator.run(["find", ...args]);
    expect([code, stderr]).toEqual([1, "presence: nothing was found\n"]);
    return stdout;
  };
  expect(await nothing("bench-scout", line.source_ref)).toContain(
    `the same reference is known of ${line.source}`,
  );
  expect(await nothing("b2:99")).toContain("FILE.rejects.ndjson");
  expect(await nothing("Nowhere & Sons")).toContain("of an opt-out only keyed hashes are kept");
  expect(await nothing("999999")).toContain("there is no row 999999: the last one is row");
  expect(await operator.refused(["find", "no-such-source", "1"])).toContain(
    "source no-such-source is not registered",
  );
});

test("what was erased, opted out or rejected is told as that", async () => {
  const clock = ["--clock", "2026-05-02T08:00:00Z"];
  const row = async (index: number) => {
    const line = at(published, index);
    return (await found(line.source ?? line.source_type, line.source_ref)).hits[0];
  };
  const [rejected, redacted, optedOut] = [await row(1), await row(2), await row(3)];
  const by = ["--as", "review-desk", "--reason", "wrong_subject", ...clock];
  await operator.ok(["review", "reject", `row ${rejected.row}`, ...by]);
  const erase = async (...args: string[]) => {
    const { confirm } = JSON.parse(await operator.ok([...args, ...clock, "--json"]));
    await operator.ok([...args, "--confirm", confirm, ...clock]);
  };
  await erase("redact", String(redacted.row), "--reason", "privacy_request");
  await erase("opt-out", optedOut.record.public_id, "--reason", "owner_request");
  expect(await found(String(rejected.row))).toMatchObject({
    hits: [
      {
        verdict: "rejected",
        counts: false,
        why_not: [expect.stringMatching(/^a reviewer rejected it/), expect.anything()],
      },
    ],
  });
  expect((await found(String(redacted.row))).hits[0]).toMatchObject({ found: "erased row" });
  const refused = (await operator.run(["find", optedOut.record.name])).stdout;
  expect(refused).toContain(`the name is refused in ${optedOut.record.city} by an opt-out`);
});
