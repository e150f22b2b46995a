/** The commands on a small town, and what a release makes of them. Rows: 1 city, then record, asset, observation three times. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { Operator } from "../../../tests/support/operations/operator.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { renderPage } from "../../../tests/support/pages/compiled.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { OperatorError, PublicError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import { entity } from "../../resources/records/entity.ts";
import { contextAt } from "../../resources/release-store.ts";
import { pageAddresses } from "../../site/page-addresses.ts";

const CLOCK = ["--clock", "2026-05-02T12:00:00Z"];
const BY = ["--as", "review-desk", "--reason", "documents_checked", ...CLOCK];

let town: TestTown;

beforeEach(() => {
  town = new TestTown();
  town.city("toronto");
  for (const name of ["Alpha", "Bravo", "Charlie"]) {
    const record = town.record(
      name,
      name === "Alpha" ? {} : { industry: "5610", industry_method: "name_rule" },
    );
    town.see(record, town.asset(record), `${name}-a`, "2026-04-28T10:00:00Z");
  }
  town.writer.close();
});

afterEach(() => town[Symbol.dispose]());

const presence = (...args: string[]) => presenceAt(homePaths(town.ledger.folder), args);

async function json(...args: string[]): Promise<unknown> {
  return JSON.parse((await presence(...args, "--json")).stdout);
}

/** Seals and builds what the ledger holds now. */
function release(time: string) {
  using writer = town.ledger.writer();
  town.ledger.time = Date.parse(time);
  const size = writer.seal({ now: true }).checkpoint?.size ?? 0;
  return contextAt(town.build(size, time).path);
}

/** Previews a correction, and makes it with the code of the preview. */
async function confirmed(...args: string[]): Promise<unknown> {
  const { confirm } = z.object({ confirm: z.string() }).parse(await json(...args));
  return json(...args, "--confirm", confirm);
}

test("join, classify, retire, identity and status take effect in the next release", async () => {
  await confirmed("review", "join", "demo_bravo", "demo_alpha", ...BY);
  await presence("review", "classify", "demo_charlie", "4711", ...BY);
  await presence("review", "retire", "12", ...BY);
  await presence("record", "claim", "demo_charlie", ...BY);
  const said = ["--scope", "local_independent", "--brand", "br_c|Charlie|charlie.example.org"];
  await presence("identity", "set", "demo_charlie", ...said, ...BY);
  const context = release("2026-05-03T12:00:00Z");
  const read = (public_id: string) => entity.read(context, { public_id }, {});
  expect(read("demo_alpha")).toMatchObject({ stats: { observation_count: 2, unique_assets: 2 } });
  expect(read("demo_charlie")).toMatchObject({
    entity: {
      industry: "4711",
      status: "claimed",
      identity_hierarchy: {
        review_state: "reviewed",
        scope: { value: "local_independent" },
        brand: { public_id: "br_c", name: "Charlie", canonical_domain: "charlie.example.org" },
      },
    },
    assets: [{ status: "retired" }],
  });
  expect(() => read("demo_bravo")).toThrow(PublicError);
  const merged = [{ pattern: "/merged/[public_id]", type: "page" }];
  const addresses = [...pageAddresses(merged, context)];
  expect(addresses).toEqual([
    {
      pathname: "/merged/demo_bravo/",
      file: "record/demo_bravo/index.html",
      values: { public_id: "demo_bravo" },
      round: 0,
    },
  ]);
  expect(await renderPage("/merged/demo_bravo/", context)).toContain('<a href="/record/demo_alpha/">');
  context.close();

  await presence("identity", "clear", "demo_charlie", ...BY, "--clock", "2026-05-04T12:00:00Z");
  const later = release("2026-05-05T12:00:00Z");
  expect(entity.read(later, { public_id: "demo_charlie" }, {})).toMatchObject({
    entity: { identity_hierarchy: { review_state: "unreviewed", scope: { value: null }, brand: null } },
  });
  later.close();
});

test("list and show say what waits and what was decided; accept takes it off the list", async () => {
  const list = await presence("review", "list", "--kind", "industry", ...CLOCK);
  expect(list.stdout).toBe(
    `industry: 1 decision (2 items, 1 group): records appear under a reviewed industry, and may be ranked\n\n` +
      `rule:5610  since 2026-05-01  2 items: Are these 2 records 5610 (Restaurants and mobile food service activities)? ` +
      `Words in their names: an earlier rule (2).\n`,
  );
  const items = await presence("review", "list", "--kind", "industry", "--items", ...CLOCK);
  expect(items.stdout).toContain(
    "industry-10  since 2026-05-01  toronto: Is “Charlie” 5610 (Restaurants and mobile food service activities)? 5610 was proposed from its name and is not confirmed\n",
  );
  expect(await json("review", "accept", "industry-6", ...BY)).toEqual({
    action: "accept",
    subject: "industry-6",
    done: "decided",
    row: 14,
  });
  expect((await presence("review", "accept", "industry-6", ...BY)).stderr).toContain("nothing was written");
  expect((await presence("review", "list", "--city", "toronto", ...CLOCK)).stdout).toContain(
    "1 item: Is this",
  );
  expect((await presence("review", "list", "--city", "nowhere", ...CLOCK)).stdout).toBe(
    "nothing waits for a decision\n",
  );
  expect(await json("review", "show", "demo_bravo", ...CLOCK)).toMatchObject({
    row: 6,
    kind: "record",
    version: 14,
    known: { name: "Bravo", status: "unclaimed", reviewed_industry: "5610" },
    waiting: [],
    decisions: [
      {
        row: 14,
        date: "2026-05-02",
        decision: "classify",
        reviewer: "review-desk",
        reason: "documents_checked",
      },
    ],
  });
  expect(await json("review", "show", "industry-10", ...CLOCK)).toMatchObject({
    id: "industry-10",
    version: 10,
    subject: { row: 10, name: "Charlie", industry: { code: "5610", method: "name_rule" } },
  });
  const item = (await presence("review", "show", "industry-10", ...CLOCK)).stdout;
  expect(item).toContain("It: “Charlie” (demo_charlie, row 10)");
  expect(item).toContain("  presence review accept industry-10 --as ROLE --reason industry_confirmed\n");
  expect(item).toContain("It is asked in the group rule:5610.\n");
  const group = (await presence("review", "show", "rule:5610", ...CLOCK)).stdout;
  expect(group).toContain(
    "  presence review classify rule:5610 CODE --as ROLE --reason industry_corrected\n",
  );
  await expect(presence("review", "show", "nothing", ...CLOCK)).rejects.toThrow(OperatorError);
});

const Answer = z.looseObject({ confirm: z.string().optional() });

test("a group is previewed, and decided about with the code of the preview", async () => {
  const answer = async (...args: string[]) =>
    Answer.parse(await json("review", "accept", "rule:5610", ...BY, ...args));
  const preview = await answer();
  expect(preview).toMatchObject({
    group: "rule:5610",
    items: 2,
    kind: "industry",
    answer: expect.stringContaining("5610"),
  });
  await expect(answer("--confirm", "00000000")).rejects.toThrow("does not match");
  await presence("review", "accept", "industry-6", ...BY);
  await expect(answer("--confirm", preview.confirm ?? "")).rejects.toThrow(
    "the ledger or the request has changed since",
  );
  const { confirm } = await answer();
  expect(await answer("--confirm", confirm ?? "")).toEqual({
    ...{ group: "rule:5610", decided: 1, already: 0, settled: 0, remembered: 0 },
  });
  await expect(answer()).rejects.toThrow("no item of this group waits");
  await expect(presence("review", "accept", "industry-10", ...BY, "--city", "toronto")).rejects.toThrow(
    "are for groups",
  );
});

test("a list of decisions is applied from a file, once", async () => {
  const file = join(town.ledger.folder, "decisions.csv");
  writeFileSync(file, "action,subject,value,reason\nflag,2,,suspicious_pattern\naccept,13,,picture_clear\n");
  const first = await presence("review", "apply", file, "--as", "review-desk", ...CLOCK, "--json");
  expect(
    first.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  ).toMatchObject([
    { line: 2, action: "flag", done: "decided", row: 14 },
    { line: 3, action: "accept", done: "decided", row: 15 },
  ]);
  const again = await presence("review", "apply", file, "--as", "review-desk", ...CLOCK);
  expect(again.stdout).toMatch(/decided +0\nalready +2\nwaits +0\n$/);
  writeFileSync(file, Buffer.from([0xff, 0xfe, 0x00]));
  await expect(presence("review", "apply", file, "--as", "desk", ...CLOCK)).rejects.toThrow(
    "the file is not UTF-8",
  );
  await expect(presence("review", "apply", `${file}.not`, "--as", "desk")).rejects.toThrow("file not found");
});

test("of two operators at once one decides, and the other is told", { timeout: 60_000 }, async () => {
  using operator = new Operator({ PRESENCE_HOME: town.ledger.folder });
  const decide = (action: string) => operator.run(["review", action, "13", "--expect", "13", ...BY]);
  const outcomes = await Promise.all([decide("accept"), decide("reject")]);
  expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
  const refused = outcomes.find(({ code }) => code === 1)?.stderr;
  expect(refused).toMatch(/another process .* is writing|row 13: stale: you saw it at row 13, but row 14/);
  expect(await json("review", "show", "13", ...CLOCK)).toMatchObject({ version: 14 });
});
