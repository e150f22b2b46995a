/** What the desk hands over becomes rows, once each, whatever lies in the folder and whenever the taking is killed. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MadeUpQueue, madeUpQueue } from "../../../tests/support/desk/made-up-queue.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import { type DeskDecision, readQueue, readResults, writeDecision } from "../../desk/crossing.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { deskPaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { openLedgerWriter } from "../../ledger/writer.ts";
import type { ReviewQueue } from "../../review/queue/model.ts";
import { applyDeskDecisions } from "./apply-decisions.ts";

let it: MadeUpQueue;
let paths: ReturnType<typeof deskPaths>;

beforeEach(async () => {
  it = await madeUpQueue();
  paths = deskPaths(it.home);
  await presence("desk", "view");
  mkdirSync(paths.decisions, { recursive: true });
});
afterEach(() => it[Symbol.dispose]());

const presence = (...typed: string[]) => presenceAt(it.home, typed, { clock: () => it.clock.time });
const apply = (options: Parameters<typeof applyDeskDecisions>[1] = {}) =>
  applyDeskDecisions({ ...contextFor(it.home), clock: () => it.clock.time }, options);

function queue(): ReviewQueue {
  const read = readQueue(paths.queue);
  if (read === undefined) throw new Error("there is no view");
  return read;
}

/** The first item that is asked by itself, and nothing but a match. */
function pair(): ReviewQueue["items"][number] {
  const found = queue().items.find(({ kind }) => kind === "match");
  if (found === undefined) throw new Error("no pair waits");
  return found;
}

let made = 0;

function rejectionOf({ id, version }: Pick<ReviewQueue["items"][number], "id" | "version">): DeskDecision {
  made += 1;
  return {
    format: 1,
    kind: "item",
    id: made.toString(16).padStart(32, "0"),
    at: made,
    by: "reviewer",
    action: "reject",
    subject: id,
    value: null,
    reason: "different_businesses",
    expect: version,
  };
}

function reviews(): { readonly target: number; readonly reviewer: string; readonly reason: string }[] {
  using ledger = openLedgerReader(it.home.ledger);
  return [...ledger.deskRows.rows()].flatMap((row) => (row.kind === "review" ? [row.body] : []));
}

test("a decision becomes the row that the command line would write; its item leaves the view", async () => {
  const item = pair();
  writeDecision(paths.decisions, rejectionOf(item));
  expect(await apply()).toEqual({ decided: 1, already: 0, waits: 0, refused: 0, discarded: 0 });
  expect(reviews()).toMatchObject([
    { decision: "settle_match", reviewer: "review-desk", reason: "different_businesses" },
  ]);
  expect(queue().items.map(({ id }) => id)).not.toContain(item.id);
  const [row] = readResults(paths.results).map((result) => result.row);
  expect(readResults(paths.results)).toEqual([
    { id: made.toString(16).padStart(32, "0"), outcome: "decided", row, message: null },
  ]);
  expect(readdirSync(paths.decisions)).toEqual([]);
  expect(await apply()).toMatchObject({ decided: 0, already: 0 });
});

test.each(["written", "shown", "removed"] as const)(
  "killed after the step %s, the same decision is taken once",
  async (step) => {
    const decision = rejectionOf(pair());
    writeDecision(paths.decisions, decision);
    const kill = (done: string) => {
      if (done === step) throw new Error("killed");
    };
    await expect(apply({ after: kill })).rejects.toThrow("killed");
    writeDecision(paths.decisions, decision); // as a desk does that was killed before it noted that it had
    await apply();
    expect(reviews()).toHaveLength(1);
    expect(readResults(paths.results)).toMatchObject([{ id: decision.id, outcome: "decided" }]);
    expect(readdirSync(paths.decisions)).toEqual([]);
  },
);

test("what changed meanwhile is refused with its reason, and waits again", async () => {
  const item = pair();
  const subject = item.subject?.public_id ?? "";
  await presence("review", "flag", subject, "--as", "team", "--reason", "suspicious_pattern");
  writeDecision(paths.decisions, rejectionOf(item));
  expect(await apply()).toMatchObject({ decided: 0, refused: 1 });
  expect(readResults(paths.results)).toMatchObject([
    {
      outcome: "refused",
      message: expect.stringMatching(/stale: you saw it at row \d+, but row \d+ \(flag/),
    },
  ]);
  expect(queue().items.map(({ id }) => id)).toContain(item.id);
});

test("a group is decided whole, by a lead, as it was seen", async () => {
  const group = queue().groups.find(({ items }) => items > 10);
  if (group === undefined) throw new Error("no group waits");
  const { kind: _, expect: __, ...common } = { ...rejectionOf({ id: group.key, version: 0 }), expect: 0 };
  const decide = (more: Partial<DeskDecision>) => {
    made += 1;
    const id = made.toString(16).padStart(32, "0");
    const decision = {
      ...common,
      kind: "group",
      version: group.version,
      action: "accept",
      reason: "industry_confirmed",
    };
    writeDecision(paths.decisions, { ...decision, ...more, id } as DeskDecision);
  };
  decide({ by: "reviewer" });
  decide({ by: "lead", version: "00000000" } as Partial<DeskDecision>);
  expect(await apply()).toMatchObject({ decided: 0, refused: 2 });
  expect(
    readResults(paths.results)
      .map(({ message }) => message)
      .join(),
  ).toMatch(/stale: its items have changed.*decided by a lead|decided by a lead.*stale/s);
  expect(reviews()).toEqual([]);
  decide({ by: "lead" });
  expect(await apply()).toMatchObject({ decided: 1, refused: 0 });
  expect(reviews()).toHaveLength(group.items);
  expect(new Set(reviews().map(({ reviewer }) => reviewer))).toEqual(new Set(["review-lead"]));
});

const ID = "ab".repeat(16);
const good = () => JSON.stringify({ ...rejectionOf(pair()), id: ID });

const PLANTED: readonly (readonly [string, (path: string) => void])[] = [
  ["a link", (path) => symlinkSync(it.home.ledger, path)],
  [
    "a hard link",
    (path) => {
      writeFileSync(join(paths.folder, "other"), good());
      linkSync(join(paths.folder, "other"), path);
    },
  ],
  ["a pipe", (path) => execFileSync("mkfifo", [path])],
  ["a folder", (path) => mkdirSync(path)],
  ["a large file", (path) => writeFileSync(path, good() + " ".repeat(3000))],
  ["no JSON", (path) => writeFileSync(path, "{")],
  [
    "a member that throws when it is measured",
    (path) => writeFileSync(path, good().replace(/"match-\d+"/, '{"length":{"toString":1}}')),
  ],
  ["another id", (path) => writeFileSync(path, good().replace(ID, "cd".repeat(16)))],
  ["a member too many", (path) => writeFileSync(path, good().replace("{", '{"role":"root",'))],
  ["an action that is none", (path) => writeFileSync(path, good().replace('"reject"', '"redact"'))],
  ["a path for a subject", (path) => writeFileSync(path, good().replace(/"match-\d+"/, '"../../etc"'))],
];

test("what is no decision is thrown away, whatever lies in its place, and nothing is decided", async () => {
  writeFileSync(join(paths.decisions, ".draft"), "half"); // of a desk that is writing
  for (const [name, plant] of PLANTED) {
    plant(join(paths.decisions, `${ID}.json`));
    expect(await apply(), name).toEqual({ decided: 0, already: 0, waits: 0, refused: 0, discarded: 1 });
    expect(
      readdirSync(paths.decisions).filter((each) => !each.startsWith(".refused-")),
      name,
    ).toEqual([".draft"]);
  }
  expect(reviews()).toEqual([]);
  expect(existsSync(it.home.ledger)).toBe(true);
});

test.skipIf(process.getuid?.() !== 0)("a file of another user is no decision of the desk", async () => {
  const path = join(paths.decisions, `${ID}.json`);
  writeFileSync(path, good());
  chownSync(path, 64_199, 64_199);
  expect(await apply()).toMatchObject({ decided: 0, discarded: 1 });
});

test("what cannot be taken away or opened stops no other decision, and starts no unit again", async () => {
  mkdirSync(join(paths.decisions, "full"));
  writeFileSync(join(paths.decisions, "full", "file"), "");
  writeDecision(paths.decisions, rejectionOf(pair()));
  expect(await apply()).toMatchObject({ decided: 1, discarded: 1 });
  expect(readdirSync(paths.decisions).filter((name) => !name.startsWith("."))).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)("a file that its user closed to the ledger's is no decision", () => {
  chmodSync(paths.folder, 0o755);
  for (let folder = paths.decisions; folder !== "/"; folder = dirname(folder)) chmodSync(folder, 0o777);
  chownSync(paths.decisions, 64_199, 64_199);
  writeFileSync(join(paths.decisions, `${ID}.json`), good(), { mode: 0o000 });
  chownSync(join(paths.decisions, `${ID}.json`), 64_199, 64_199);
  const script = `import { readDecisions } from "./src/desk/crossing.ts"; console.log(JSON.stringify(readDecisions(${JSON.stringify(paths.decisions)}, 9)))`;
  const as = { uid: 64_198, gid: 64_198, encoding: "utf8" } as const;
  expect(execFileSync(process.execPath, ["--input-type=module", "--eval", script], as)).toBe(
    `{"decisions":[],"refused":["${ID}.json"]}\n`,
  );
});

test("a reason of the ledger's list alone is taken", async () => {
  writeDecision(paths.decisions, { ...rejectionOf(pair()), reason: "no_such_reason" });
  expect(await apply()).toMatchObject({ decided: 0, refused: 1 });
});

test("while another command writes, decisions wait, and say so when it lasts too long", async () => {
  writeDecision(paths.decisions, rejectionOf(pair()));
  {
    using _writer = openLedgerWriter(it.home.ledger, { keysDir: it.home.keys, clock: () => it.clock.time });
    await expect(apply({ waitMs: 0 })).rejects.toThrow(OperatorError);
    expect(readdirSync(paths.decisions)).toHaveLength(1);
  }
  expect(await apply()).toMatchObject({ decided: 1 });
});

test("the view is another user's to read: nothing of an observer's name or a secret is in it", () => {
  expect(readFileSync(paths.queue, "utf8")).not.toContain("ann@x");
});
