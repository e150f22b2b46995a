/** An erasure empties the view and leaves nothing in the desk's database, in the same command and whenever it is killed. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type MadeUpQueue, madeUpQueue } from "../../../tests/support/desk/made-up-queue.ts";
import { presenceAt } from "../../../tests/support/operations/presence-here.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import { DeskDecision, generationOf, readQueue, writeDecision } from "../../desk/crossing.ts";
import { openDeskStore } from "../../desk/desk-store.ts";
import { deskPaths } from "../../kernel/home.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { openState } from "../../state/open-state.ts";
import { refreshDeskView, withoutDeskView, writeDeskView } from "./desk-view.ts";

let it: MadeUpQueue;
let paths: ReturnType<typeof deskPaths>;

beforeEach(async () => {
  it = await madeUpQueue();
  paths = deskPaths(it.home);
});
afterEach(() => it[Symbol.dispose]());

const presence = (...typed: string[]) => presenceAt(it.home, typed, { clock: () => it.clock.time });
const context = () => ({ ...contextFor(it.home), clock: () => it.clock.time });

/** Every byte below the desk's folder, whatever file it is in. */
function bytes(): string {
  const files = readdirSync(paths.folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), "latin1")).join("\n");
}

/** A reviewer decided about the record, and somebody else's command made that stale: its answer names rows and reasons. */
function decideAbout(subject: string): void {
  const decision = DeskDecision.parse({
    ...{ format: 1, kind: "item", id: "ab".repeat(16), at: 1, by: "reviewer", action: "reject" },
    ...{ subject, value: null, reason: "different_businesses", expect: 1 },
  });
  using store = openDeskStore(paths.database);
  store.invite("Anna", "reviewer", { token: "t", until: 1, now: 0 });
  store.decide(1, 1, decision);
  writeDecision(paths.decisions, decision);
}

async function confirmed(...typed: string[]): Promise<void> {
  const { confirm } = JSON.parse((await presence(...typed, "--json")).stdout);
  await presence(...typed, "--confirm", confirm);
}

const itemOf = (kind: string) => readQueue(paths.queue)?.items.find((item) => item.kind === kind);

test("after an opt-out nothing of the record is in any file of the desk", async () => {
  await presence("desk", "view");
  for (const folder of [paths.own, paths.decisions]) mkdirSync(folder, { recursive: true });
  const item = itemOf("match");
  const { name = "", public_id } = item?.subject ?? {};
  const gone = [name, public_id ?? ""];
  decideAbout(item?.id ?? "");
  await presence("desk", "apply");
  for (const value of gone) expect(bytes()).toContain(value);
  await confirmed("opt-out", public_id ?? "", "--reason", "owner_request");
  for (const value of gone) expect(bytes()).not.toContain(value);
  expect(readQueue(paths.queue)?.items.length).toBeGreaterThan(0);
});

/** Every other command that erases -> what the view must not have afterwards. */
const ERASURES: readonly (readonly [
  string,
  () => Promise<{ readonly typed: string[]; readonly gone: string }>,
])[] = [
  [
    "redact of a row",
    async () => {
      const { row, name = "" } = itemOf("match")?.subject ?? {};
      using ledger = openLedgerReader(it.home.ledger);
      const [observation] = ledger.deskRows.observations({ records: new Set([row ?? 0]) });
      return { typed: ["redact", String(observation?.row), "--reason", "data_error"], gone: name };
    },
  ],
  [
    "redact of a batch",
    async () => ({ typed: ["redact", "--batch", "b2", "--reason", "data_error"], gone: "Larkspur Lamps" }),
  ],
  [
    "redact of a line that is no row yet",
    async () => ({ typed: ["redact", "b2:7", "--reason", "data_error"], gone: "Restaurant" }),
  ],
  ["observer erase", async () => ({ typed: ["observer", "erase", "scout", "ann@x"], gone: "Restaurant" })],
  ["source withdraw", async () => ({ typed: ["source", "withdraw", "scout"], gone: "Restaurant" })],
  ["batch undo", async () => ({ typed: ["batch", "undo", "b2"], gone: "Restaurant" })],
  [
    "subject erase",
    async () => {
      await using state = await openState(undefined, it.home, { clock: () => it.clock.time });
      const email = "ann@x.example";
      await state.reports.file({ kind: "other", about: null, record: null, text: "it is wrong", email });
      await presence("desk", "view");
      return { typed: ["subject", "erase", email], gone: email };
    },
  ],
];

test.each(ERASURES)("the view is made anew by %s, without anything of it", async (what, prepare) => {
  await presence("desk", "view");
  const { typed, gone } = await prepare();
  expect(bytes().includes(gone)).toBe(what !== "subject erase"); // no view has anything of a person
  const before = generationOf(paths.queue);
  await confirmed(...typed);
  expect([undefined, before]).not.toContain(generationOf(paths.queue));
  expect(bytes().includes(gone)).toBe(false);
});

test("an erasure that is killed leaves no view, and the next one has nothing of it", async () => {
  await presence("desk", "view");
  const killed = withoutDeskView(it.home, () => {
    expect([existsSync(paths.queue), existsSync(paths.results)]).toEqual([false, false]);
    throw new Error("killed");
  });
  await expect(killed).rejects.toThrow("killed");
  expect(readdirSync(paths.view)).toEqual([]);
  await refreshDeskView(context());
  expect(readdirSync(paths.view).sort()).toEqual(["queue.json", "results.json"]);
});

test("no view that was read before an erasure is written after it", async () => {
  await presence("desk", "view");
  let isErasing = true;
  const erasure = withoutDeskView(it.home, async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    isErasing = false;
  });
  await expect(writeDeskView(context(), { lockWaitMs: 0 })).rejects.toThrow(/is writing the view/);
  expect(isErasing).toBe(true);
  await erasure;
  expect(existsSync(paths.queue)).toBe(false);
});

test("without a desk nothing is written; backups have nothing of one", async () => {
  expect(await refreshDeskView(context())).toBeUndefined();
  expect(existsSync(paths.folder)).toBe(false);
  await presence("desk", "view");
  const to = join(it.home.root, "copy");
  await presence("backup", to);
  const names = readdirSync(to, { recursive: true }).map(String);
  expect(names.filter((name) => /desk|queue/.test(name))).toEqual([]);
});

test("the view is for the desk's group alone, and a command that changes what waits changes it", async () => {
  await presence("desk", "view");
  expect(statSync(paths.queue).mode & 0o777).toBe(0o640);
  const item = readQueue(paths.queue)?.items.find(({ kind }) => kind === "match");
  await presence("review", "reject", item?.id ?? "", "--as", "team", "--reason", "different_businesses");
  expect(readQueue(paths.queue)?.items.map(({ id }) => id)).not.toContain(item?.id);
});
