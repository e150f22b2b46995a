/** Each kind of plan, and what the one path promises of it: a code, a preview that changes nothing, and an end after a kill at any step. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import { pendingTarget } from "../../intake/erasure/erase.ts";
import { applyDueChanges } from "../../intake/sources/due-changes.ts";
import { leave, planToLeave } from "../../intake/sources/leaving.ts";
import { enrol, hashOf } from "../../intake/sources/source-desk.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { acquireLock } from "../../ledger/database/lock.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { openState } from "../../state/open-state.ts";
import { type CommandContext, openWriter } from "../context.ts";
import { sealAndStamp } from "../night/seal-and-stamp.ts";
import { PUBLISH_LOCK } from "../publish-lock.ts";
import { leaving, pendingLine, undoneBatch } from "./requests.ts";
import { rowErasure } from "./row-erasure.ts";
import { personalData } from "./subject.ts";
import { preview, type Request, type Step, takeOut, takeOutTonight } from "./take-out.ts";
import { forgetErased } from "./unfinished.ts";

/** Locks as they are, but nobody waits minutes for one, nor seconds for a server. */
vi.mock(import("../../ledger/database/lock.ts"), async (importOriginal) => {
  const real = await importOriginal();
  return { ...real, acquireLock: (path, what) => real.acquireLock(path, what) };
});
vi.mock("node:timers/promises", () => ({ setTimeout: () => Promise.resolve() }));

const PERSON = "jane.subject@person.example";
const ANN = { source: "east", observer: "ann" };

/** What the town has to be known by. */
interface Town {
  readonly home: string;
  readonly now: number;
  readonly ids: ReadonlyMap<string, string>; // name -> public id
  readonly row: number; // of the record that one observation supports
  readonly ann: string; // keyed hash
}

/** Seven records, each with a name of its own, of which the state knows requests; a pending line; a subscriber. */
async function foundTown(): Promise<Town> {
  const it = testLedger();
  for (const source of ["east", "west"]) register(it, source, { operator: "Scouts Ltd" });
  for (const observer of ["ann", "bob"])
    enrol(it.ledger, { ...ANN, observer }, { isVouched: true, principal: `of ${observer}` });
  const line = (source: string, observer: string, record: number, name: string) => ({
    ...seen(source, observer, { record }),
    name,
    phone: `+1 519 555 700${record}`,
  });
  await it.ingest([
    line("east", "bob", 1, "Quokka Lantern Works"),
    line("east", "bob", 2, "Zephyr Candle Yard"),
    line("east", "bob", 3, "Narwhal Bicycle Kitchen"),
    line("east", "ann", 4, "Quiet Harbor Books"),
    line("west", "cid", 5, "Walrus Kettle House"),
  ]);
  await it.ingest([line("east", "bob", 6, "Mistaken Pelican Shop")]);
  await it.accept([line("east", "bob", 7, "Wombat Teahouse")]);
  it.ledger.seal({ now: true });
  const bodies = new Map(it.rows("record").map(({ id, body }) => [id, String(body["public_id"])]));
  const ids = new Map(
    it
      .rows("naming")
      .map(({ body }) => [String(body["name"]), bodies.get(Number(body["record"])) ?? ""] as const),
  );
  const alone = it
    .rows("observation")
    .find(({ private: hidden }) => JSON.stringify(hidden).includes("Quokka"));
  const ann = hashOf(it.ledger, ANN);
  it.ledger.close();
  const home = homePaths(it.home);
  const state = await openState(undefined, home);
  const none = { entityPublicId: null, industryCode: null, eventTypes: null, webhookUrl: null };
  await state.subscriptions.request({
    ...none,
    ...{ email: PERSON, city: "toronto", channel: "email", minConfidence: 0.6 },
  });
  await state.close();
  for (const id of ids.values()) ask(home.state, id);
  return { home: it.home, now: it.clock.time, ids, row: alone?.id ?? 0, ann };
}

/** What a server writes when somebody asks for a record. */
function ask(state: string, publicId: string): void {
  const database = new Database(state);
  database
    .prepare(
      "INSERT OR REPLACE INTO usage_counters (utc_day, dimension, value, requests, latest_at) VALUES ('2026-05-01', 'record', ?, 1, 0)",
    )
    .run(publicId);
  database.close();
}

let town: Town;
let home: Home;
let context: CommandContext;
let clock: { time: number };
beforeAll(async () => {
  town = await foundTown();
});
afterAll(() => rmSync(town.home, { recursive: true }));
beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "presence-take-out-"));
  cpSync(town.home, root, { recursive: true });
  home = homePaths(root);
  clock = { time: town.now };
  context = { ...contextFor(home), clock: () => clock.time };
  return () => rmSync(root, { recursive: true });
});

/** The ledger and the state, as files. */
function stored(): Buffer {
  const files = [home.ledger, home.state].flatMap((path) => [path, `${path}-wal`]);
  return Buffer.concat(files.filter((path) => existsSync(path)).map((path) => readFileSync(path)));
}

function asked(name: string): number {
  const database = new Database(home.state, { readonly: true });
  const count = database
    .prepare("SELECT count(*) FROM usage_counters WHERE value = ?")
    .pluck()
    .get(town.ids.get(name));
  database.close();
  return Number(count);
}

function size(): number {
  using reader = openLedgerReader(home.ledger);
  return reader.head().lastRow;
}

const idOf = (name: string) => town.ids.get(name) ?? "";

interface Kind {
  readonly request: () => Request<unknown>;
  readonly gone: () => readonly string[]; // that no file has afterwards
  /** The record that the state no longer counts requests for. */
  readonly record?: string;
  readonly steps: readonly Step[];
  readonly added: number; // rows
  /** How the same code is answered once all is done; undefined: as before. */
  readonly afterwards?: string;
}

const IN_LEDGER: readonly Step[] = ["noted", "forgotten", "erased", "overwritten"];
const PUBLIC: readonly Step[] = ["noted", "forgotten", "erased", "published", "purged", "overwritten"];
const WHY = { reason: "privacy_request" } as const;

const KINDS: Readonly<Record<string, Kind>> = {
  "the redaction of a row": {
    request: () => rowErasure({ kind: "redaction", target: String(town.row), ...WHY }),
    gone: () => ["Quokka", idOf("Quokka Lantern Works")],
    record: "Quokka Lantern Works",
    steps: PUBLIC,
    added: 2, // the redaction and its seal
  },
  "an opt-out": {
    request: () =>
      rowErasure({ kind: "opt_out", target: idOf("Zephyr Candle Yard"), reason: "owner_request" }),
    gone: () => ["Zephyr", idOf("Zephyr Candle Yard")],
    record: "Zephyr Candle Yard",
    steps: PUBLIC,
    added: 2,
  },
  "the redaction of a wrong record": {
    request: () =>
      rowErasure({ kind: "redaction", target: idOf("Narwhal Bicycle Kitchen"), reason: "wrong_record" }),
    gone: () => ["Narwhal", idOf("Narwhal Bicycle Kitchen")],
    record: "Narwhal Bicycle Kitchen",
    steps: PUBLIC,
    added: 2,
  },
  "the redaction of a pending line": {
    request: () => pendingLine(pendingTarget("b3:1") ?? { batch: "", line: 0 }, "privacy_request"),
    gone: () => ["Wombat"],
    steps: IN_LEDGER,
    added: 0,
    afterwards: "no such line is pending",
  },
  "an observer who leaves": {
    request: () => leaving("observer erase east ann", { observer: ANN }),
    gone: () => [town.ann, "555 7004"],
    steps: IN_LEDGER,
    added: 0,
  },
  "a source that is withdrawn": {
    request: () => leaving("source withdraw west", { source: "west" }),
    gone: () => ["555 7005"],
    steps: IN_LEDGER,
    added: 1,
  },
  "a batch that is undone": {
    request: () => undoneBatch("b2"),
    gone: () => [],
    record: "Mistaken Pelican Shop", // which only the batch made
    steps: IN_LEDGER,
    added: 3, // that its row stops counting, and that record and asset are withdrawn
  },
  "the redaction of a batch": {
    request: () => rowErasure({ kind: "redaction", target: "b2", reason: "data_error" }),
    gone: () => ["Mistaken Pelican", idOf("Mistaken Pelican Shop")],
    record: "Mistaken Pelican Shop",
    steps: PUBLIC,
    added: 2,
  },
  "the redaction of a batch without rows": {
    request: () => rowErasure({ kind: "redaction", target: "b3", reason: "data_error" }),
    gone: () => ["Wombat"],
    steps: PUBLIC,
    added: 0,
  },
  "what is stored about a person": {
    request: () => personalData(PERSON),
    gone: () => [PERSON],
    steps: ["erased", "overwritten"],
    added: 0,
  },
};

describe.each(Object.entries(KINDS))("%s", (_, { request, gone, record, steps, added, afterwards }) => {
  const promised = () => {
    const bytes = stored();
    for (const text of gone()) expect(bytes.includes(text), text).toBe(false);
    expect(existsSync(home.toForget)).toBe(false);
    if (record !== undefined) expect(asked(record)).toBe(0);
    expect(size()).toBe(before + added);
  };
  let before: number;
  let code: string;
  beforeEach(async () => {
    before = size();
    code = (await preview(context, request(), undefined)).code ?? "";
  });

  test("is shown without a change, and goes with its code alone", async () => {
    await expect(takeOut(context, request(), { code: "00000000" })).rejects.toThrow("does not match");
    const bytes = stored();
    for (const text of gone()) expect(bytes.includes(text), text).toBe(true);
    if (record !== undefined) expect(asked(record)).toBe(1);
    expect((await preview(context, request(), undefined)).code).toBe(code);
    await takeOut(context, request(), { code });
    promised();
  });

  test.each(steps)("killed when %s, goes with the same code again", async (step) => {
    const after = (done: Step) => {
      if (done === step) throw new Error("killed");
    };
    await expect(takeOut(context, request(), { code, after })).rejects.toThrow("killed");
    const isErased = step !== "noted" && step !== "forgotten";
    const again = takeOut(context, request(), { code });
    if (isErased && afterwards !== undefined) await expect(again).rejects.toThrow(afterwards);
    else await again;
    promised();
  });
});

test("a batch without rows needs no code", async () => {
  const shown = await preview(context, undoneBatch("b3"), undefined);
  expect(shown).toMatchObject({ needsNoCode: true, fields: { lines_deleted: 1, rows: 0 } });
  await takeOut(context, undoneBatch("b3"), { code: undefined });
  expect(stored().includes("Wombat")).toBe(false);
});

test("a public erasure is not done as long as the release still has it; the state forgets it at once and again", async () => {
  mkdirSync(join(home.releases, "broken"), { recursive: true });
  symlinkSync(join("releases", "broken"), home.current);
  const name = "Zephyr Candle Yard";
  const request = rowErasure({ kind: "opt_out", target: idOf(name), reason: "owner_request" });
  const { code } = await preview(context, request, undefined);
  const erase = () => takeOut(context, request, { code: code ?? "" });
  await expect(erase()).rejects.toThrow(/the published release still has them/);
  expect([asked(name), stored().includes("Zephyr")]).toEqual([0, false]);
  ask(home.state, idOf(name)); // until the public no longer gets it
  await forgetErased(context);
  expect(existsSync(home.toForget)).toBe(true);
  ask(home.state, idOf(name));
  rmSync(home.current);
  await erase();
  expect([asked(name), existsSync(home.toForget)]).toEqual([0, false]);
});

describe("rows that leave at night", () => {
  const name = "Quiet Harbor Books";
  beforeEach(() => {
    using ledger = openWriter(context);
    leave(ledger, planToLeave(ledger, { observer: ANN }));
    ledger.scrub();
    clock.time += 15 * DAY_MS; // by then all are due
  });
  const erased = () => {
    using reader = openLedgerReader(home.ledger);
    return reader.redactions(Number.MAX_SAFE_INTEGER).length;
  };

  test("wait for whoever publishes, and their records go from the state", async () => {
    const publishing = acquireLock(PUBLISH_LOCK(home), "publishing a release");
    await expect(sealAndStamp(context, {})).rejects.toThrow(/another process .* is publishing a release/);
    expect([erased(), asked(name)]).toEqual([0, 1]);
    publishing.release();
    await sealAndStamp(context, {});
    expect([erased(), asked(name)]).toEqual([1, 0]);
  });

  test.each(IN_LEDGER.slice(0, 3))("killed when %s, go in the next night", async (step) => {
    await expect(killedNight(step)).rejects.toThrow("killed");
    await sealAndStamp(context, {});
    expect([erased(), asked(name), existsSync(home.toForget)]).toEqual([1, 0, false]);
    expect(stored().includes(idOf(name))).toBe(false);
  });

  async function killedNight(step: Step): Promise<void> {
    using ledger = openWriter(context);
    const plan = applyDueChanges(ledger).leaving;
    if (plan === undefined) throw new Error("nobody leaves");
    await takeOutTonight(context, ledger, plan, (done) => {
      if (done === step) throw new Error("killed");
    });
  }
});
