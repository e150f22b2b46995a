import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { BUILT_IN } from "../../src/contract/fields.ts";
import { LedgerRedactions } from "../../src/contract/ledger/ledger.ts";
import { classifier, loadClassifierReference } from "../../src/intake/matching/classify.ts";
import { appendReview } from "../../src/intake/matching/decide.ts";
import { takeIn } from "../../src/intake/take-in/take-in.ts";
import { filesBelow } from "../../src/kernel/files/durable-file.ts";
import { releasePaths } from "../../src/kernel/home.ts";
import { systemRandom } from "../../src/kernel/ids.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { openState } from "../../src/state/open-state.ts";
import { openRawWriter, rawLedger } from "../support/ledger/raw-ledger.ts";
import { Operator } from "../support/operations/operator.ts";
import { endGroup } from "../support/operations/presence-process.ts";
import { currentName } from "../support/release/whole-release.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { DAYS, foundTown, ndjson, TOWN_SLUG, townObservations } from "../support/towns/town.ts";
import { isTrial, repetitions } from "../support/trial.ts";

/** A town in which one record, merged from two, opts out, and one observation of another record is redacted. */

const NAMES = ["Quokka Lantern Works", "Quokkalamps Studio"] as const;
const STAYS = "Narwhal Bicycle Kitchen";
const OPT_OUT_CLOCK = "2026-05-02T09:00:00Z";
const CLOCK = ["--clock", OPT_OUT_CLOCK];

const town = [...townObservations({ seed: 21, observations: 120, records: 8 })];

/** The reference of a visit to each of the three. */
function visitRef(name: number, visit: number): string {
  return `visit-${name}-${visit}`;
}

/** Their places are those of the town's own first observations, a few streets apart. */
function* visits() {
  const places = town.filter(({ asset_type }) => asset_type === "storefront").slice(0, 3);
  for (const [at, name] of [...NAMES, STAYS].entries())
    for (const visit of [1, 2, 3])
      yield {
        source_type: "scout",
        source_ref: visitRef(at, visit),
        observer: `scout-zephyrine-${at}-${visit}`,
        observed_at: `2026-04-2${visit}T13:47:23Z`,
        lat: places[at]?.lat,
        lng: places[at]?.lng,
        name,
        asset_type: "storefront",
        phone: `+1 416 555 01${at}${visit}`,
      };
}

interface Row {
  readonly id: number;
  readonly kind: string;
  readonly leafHash: Buffer;
  readonly body: Readonly<Record<string, unknown>>;
}

function rowsOf({ home }: Operator): Row[] {
  using reader = openLedgerReader(home.ledger);
  const size = reader.latestCheckpoint()?.size ?? 0;
  return Array.from(reader.verifiedRows(size), ({ id, kind, leafHash, body }) => ({
    id,
    kind,
    leafHash,
    body: { ...body },
  }));
}

/** Checkpoints and leaves of the first rows, as bytes. */
function treeOf({ home }: Operator, upTo: number): string[] {
  using reader = openLedgerReader(home.ledger);
  const notes = reader.checkpoints().flatMap(({ size, note }) => (size <= upTo ? [note] : []));
  const size = reader.latestCheckpoint()?.size ?? 0;
  const leaves = Array.from(reader.verifiedRows(size), ({ leafHash }) => leafHash.toString("hex"));
  return [...notes, ...leaves.slice(0, upTo)];
}

let operator: Operator;
let server: DemoServer;
let before: Row[];
let treeBefore: string[];
let erased: Row[];
let redactedRow: Row;
let cursor: string;
let firstRelease: string;
let tracesBefore: string[];

const Preview = z.object({
  rows: z.int(),
  rows_by_kind: z.record(z.string(), z.int()),
  records_erased: z.array(z.object({ public_id: z.string(), name: z.string() })),
  confirm: z.string(),
  notes: z.array(z.string()),
});

async function confirmed(args: readonly string[]): Promise<z.infer<typeof Preview>> {
  const preview = Preview.parse(JSON.parse(await operator.ok([...args, "--json"])));
  await operator.ok([...args, "--confirm", preview.confirm, "--json", ...CLOCK]);
  return preview;
}

function recordNamed(name: string): Row | undefined {
  const naming = before.find(({ kind, body }) => kind === "naming" && body["name"] === name);
  return before.find(({ id }) => id === naming?.body["record"]);
}

async function statusOf(path: string): Promise<number> {
  const answer = await fetch(server.url + path);
  await answer.arrayBuffer();
  return answer.status;
}

beforeAll(async () => {
  operator = new Operator();
  await foundTown(operator);
  const ingest = ["--synthetic", "--clock", DAYS.ingest];
  await operator.ok(["ingest", operator.write("visits.ndjson", ndjson(visits())), ...ingest]);
  await mergeQuokkas();
  // What comes last is not erased: a seal names the hash of its last row.
  await operator.ok(["ingest", operator.write("town.ndjson", ndjson(town)), ...ingest]);
  await operator.ok(["seal", "--now", "--clock", DAYS.seal]);
  before = rowsOf(operator);
  treeBefore = treeOf(operator, before.length);
  await operator.ok(["build"]);
  firstRelease = currentName(operator.home) ?? "";
  server = await serveHome(operator.home.root);
  const page = await fetch(`${server.url}/api/v1/city/${TOWN_SLUG}/index?limit=2`);
  cursor = z.object({ next_cursor: z.string() }).parse(await page.json()).next_cursor;
  await subscribe(String(recordNamed(NAMES[0])?.body["public_id"]));
  await subscribe(null);
  const copy = join(operator.folder, "before");
  cpSync(join(operator.home.night, firstRelease), copy, { recursive: true });
  await eraseBoth();
  tracesBefore = traces(copy);
  await operator.ok(["build"]);
});

afterAll(async () => {
  await server.stop();
  operator[Symbol.dispose]();
});

/** Somebody who confirmed alerts for a record, or for the whole city. */
async function subscribe(entityPublicId: string | null): Promise<void> {
  await using state = await openState(undefined, operator.home);
  const asked = await state.subscriptions.request({
    email: "reader@example.org",
    city: TOWN_SLUG,
    channel: "email",
    entityPublicId,
    industryCode: null,
    eventTypes: null,
    minConfidence: 0.6,
    webhookUrl: null,
  });
  const token = "token" in asked ? asked.token : undefined;
  expect(await state.subscriptions.confirm(token ?? "")).toMatchObject({ outcome: "confirmed" });
}

async function mergeQuokkas(): Promise<void> {
  const clock = () => Date.parse(DAYS.ingest);
  using ledger = openRawWriter(operator.home.ledger, { keysDir: operator.home.keys, clock });
  const names = classifier(loadClassifierReference());
  await takeIn({ ledger, classifier: () => names, random: systemRandom, now: true });
  const rows = rawLedger(ledger).prepare<[string], number>(
    "SELECT body ->> '$.record' FROM rows JOIN openings ON row = id WHERE kind = 'naming' AND body ->> '$.name' = ?",
  );
  const [into = 0, target = 0] = NAMES.map((name) => rows.pluck().get(name));
  appendReview(ledger, { decision: "merge", target, into, reason: "same owner", reviewer: "desk" });
}

async function eraseBoth(): Promise<void> {
  const merged = String(recordNamed(NAMES[1])?.body["public_id"]);
  const { rows } = await confirmed(["opt-out", merged, "--reason", "owner_request"]);
  const record = recordNamed(STAYS)?.id;
  const found = before.filter(({ kind, body }) => kind === "observation" && body["record"] === record);
  redactedRow =
    found[1] ??
    (() => {
      throw new Error("no observation to redact");
    })();
  await confirmed(["redact", String(redactedRow.id), "--reason", "privacy_request"]);
  const left = new Set(
    rowsOf(operator).flatMap(({ id, body }) => (Object.keys(body).length > 0 ? [id] : [])),
  );
  erased = before.filter(({ id }) => !left.has(id));
  expect(erased).toHaveLength(rows + 1);
}

/** What may be found nowhere, and where leaves lie only there. */
function needles(): { values: Buffer[]; hashes: Buffer[] } {
  const texts = new Set<string>(["Quokka", "quokka"]);
  for (const { body } of erased)
    for (const name of ["public_id", "observer_tag"])
      if (typeof body[name] === "string" && body[name] !== BUILT_IN) texts.add(body[name]);
  const hashes = erased.flatMap(({ leafHash }) => [
    leafHash,
    Buffer.from(leafHash.toString("hex")),
    Buffer.from(leafHash.toString("base64").replace(/=+$/, "")),
    Buffer.from(leafHash.toString("base64url")),
  ]);
  return { values: [...texts].map((text) => Buffer.from(text)), hashes };
}

function traces(folder: string): string[] {
  const { values, hashes } = needles();
  return filesBelow(folder).flatMap((file) => {
    const path = relative(folder, file);
    const sought = path.startsWith(join("site", "ledger", "tile") + sep) ? values : [...values, ...hashes];
    const bytes = readFileSync(file);
    return sought.some((needle) => bytes.includes(needle)) ? [path] : [];
  });
}

/** The bodies in a bundle of disclosures. */
function disclosedBodies(ndjson: string): Record<string, unknown>[] {
  const Line = z.object({ i: z.int(), d: z.string() });
  const lines = ndjson.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const { d } = Line.parse(JSON.parse(line));
    return JSON.parse(Buffer.from(d, "base64url").toString())[2];
  });
}

describe("the release after an opt-out and a redaction", () => {
  test("has no trace of them in any file", () => {
    const current = join(operator.home.night, currentName(operator.home) ?? "");
    expect(filesBelow(current).length).toBeGreaterThan(60);
    expect(traces(current)).toEqual([]);
    // The same search finds them where they were.
    expect(tracesBefore.length).toBeGreaterThan(15);
    expect(tracesBefore).toContain("snapshot.db");
    const index = readFileSync(
      join(releasePaths(current).site, "api", "v1", "city", TOWN_SLUG, "index.json"),
      "utf8",
    );
    expect(index).toContain(STAYS);
  });

  test("ends what was subscribed for the record alone, one that it was merged with included", async () => {
    await using state = await openState(undefined, operator.home);
    expect(await state.subscriptions.active()).toMatchObject([{ entityPublicId: null }]);
  });

  test("says nowhere why, and no public row leads to an erased one", () => {
    const { site } = releasePaths(join(operator.home.night, currentName(operator.home) ?? ""));
    const bodies = filesBelow(join(site, "ledger", "disclosures"))
      .filter((file) => file.endsWith(".ndjson"))
      .flatMap((file) => disclosedBodies(readFileSync(file, "utf8")));
    const naming = bodies.filter((body) => "rows" in body);
    expect(naming.map(Object.keys)).toEqual([["rows"], ["rows"]]);
    const gone = new Set(erased.map(({ id }) => id));
    const references = bodies.flatMap((body) =>
      ["record", "asset", "target", "into"].map((field) => body[field]),
    );
    expect(references.filter((row) => typeof row === "number" && gone.has(row))).toEqual([]);
    expect(JSON.stringify(bodies)).not.toContain("match_candidates");
    const counts = readFileSync(join(site, "ledger", "redactions.json"), "utf8");
    expect(LedgerRedactions.parse(JSON.parse(counts))).toMatchObject({
      counts: [{ kind: "redaction", reason: null, redactions: 2 }],
      reasons_by_month: [{ month: "2026-05", reasons: [], reasons_withheld: true }],
    });
  });

  test("is left with none from before the erasures", () => {
    const release = currentName(operator.home) ?? "";
    expect(release).not.toBe(firstRelease);
    const left = readdirSync(operator.home.releases).map((name) => join("releases", name));
    expect(left).toContain(release);
    expect(left).not.toContain(firstRelease);
    expect(left.flatMap((name) => traces(join(operator.home.night, name)))).toEqual([]);
  });

  test("answers 404 for the record and what was merged into it, and 410 to cursors from before", async () => {
    for (const name of NAMES) {
      const id = String(recordNamed(name)?.body["public_id"]);
      await expect.poll(() => statusOf(`/api/v1/entity/${id}`), { timeout: 10_000 }).toBe(404);
      expect(await statusOf(`/record/${id}`)).toBe(404);
    }
    const stays = String(recordNamed(STAYS)?.body["public_id"]);
    expect(await statusOf(`/api/v1/entity/${stays}`)).toBe(200);
    expect(await statusOf(`/api/v1/city/${TOWN_SLUG}/index?limit=2&cursor=${cursor}`)).toBe(410);
  });

  test("cannot be built as it was before", async () => {
    const size = before.length;
    const refused = await operator.refused(["build", "--tree-size", String(size)]);
    expect(refused).toMatch(
      /row \d+: redacted later, by row \d+: only a release of at least \d+ rows can be built/,
    );
  });
});

describe("the ledger after them", () => {
  test("keeps its tree, byte for byte, and has no value and no name left", () => {
    expect(treeOf(operator, before.length)).toEqual(treeBefore);
    const files = readdirSync(operator.home.night).filter((name) => name.startsWith("ledger.db"));
    const bytes = Buffer.concat(files.map((name) => readFileSync(join(operator.home.night, name))));
    const { values } = needles();
    const visit = Number(
      String(redactedRow.body["observed_at"]).slice("2026-04-2".length, "2026-04-2".length + 1),
    );
    const refs = [visitRef(0, 1), visitRef(1, 3), visitRef(2, visit)].map((text) => Buffer.from(text));
    expect([...values, ...refs].filter((needle) => bytes.includes(needle)).map(String)).toEqual([]);
    expect(bytes.includes(visitRef(2, 1 + (visit % 3)))).toBe(true);
  });

  test("knows when and why rows went", () => {
    using reader = openLedgerReader(operator.home.ledger);
    const found = reader.redactions(reader.latestCheckpoint()?.size ?? 0);
    expect(found.map(({ reason }) => reason)).toEqual(["owner_request", "privacy_request"]);
  });

  test("refuses the same lines and names", async () => {
    const again = operator.write("again.ndjson", ndjson(visits()));
    const summary = await operator.ok(["ingest", again, "--synthetic", "--json", ...CLOCK]);
    expect(JSON.parse(summary)).toMatchObject({ accepted: 0, rejected: 0 });
    const others = [...visits()].map((line) => ({
      ...line,
      source_ref: `new ${line.source_ref}`,
      observer: `new ${line.observer}`,
    }));
    const more = operator.write("more.ndjson", ndjson(others));
    expect(JSON.parse(await operator.ok(["ingest", more, "--synthetic", "--json", ...CLOCK]))).toMatchObject({
      accepted: 3,
      rejected_by_reason: { opted_out: 6 },
    });
  });
});

test("a release that was built after the erasures stays when the next one is built", async () => {
  const before = readdirSync(operator.home.releases).map((name) => join("releases", name));
  await operator.ok(["seal", "--now", ...CLOCK]);
  await operator.ok(["build"]);
  const kept = readdirSync(operator.home.releases).map((name) => join("releases", name));
  expect(kept.sort()).toEqual([...before, currentName(operator.home)].sort());
  expect(traces(join(operator.home.night, currentName(operator.home) ?? ""))).toEqual([]);
});

describe("the two steps", () => {
  test("say what will go, and take no code but the one for exactly that", async () => {
    const row = String(
      before.find(({ kind, body }) => kind === "observation" && body["record"] === recordNamed(STAYS)?.id)
        ?.id,
    );
    const text = await operator.ok(["redact", row, "--reason", "safety"]);
    const named = text
      .replace(/(confirm )[0-9a-f]{8}/, "$1CODE")
      .replaceAll(/demo_[0-9a-z]{16}/g, "demo_ID")
      .replaceAll(/2026-04-2\dT/g, "2026-04-2dT")
      .replaceAll(new RegExp(`\\b${row}\\b(?=\n| --reason)`, "g"), "ROW");
    expect(named).toMatchInlineSnapshot(`
      "command         redact
      target          ROW
      reason          safety
      record          demo_ID "Narwhal Bicycle Kitchen" in bench-city-1
      rows            1
      rows by kind    observation: 1
      records erased  -
      observed from   2026-04-2dT10:00:00Z
      observed to     2026-04-2dT10:00:00Z
      online checks   0
      renamed         -

      - This cannot be undone.
      - Copies made by others cannot be recalled: downloaded releases, feeds, search engines, archives.
      - Checkpoints, tiles and proofs stay unchanged. They hold salted digests, which reveal nothing once the salts are deleted. The row numbers are published; the reason is not, except in counts by month.
      - A patch release without it is published at once. Earlier releases are deleted, and paging cursors into its city answer 410.
      - 2 rows from this observation keep their public values and lose their private ones (exact place, telephone, address, reference).
      - Intake learns the names, places and contacts of the record again from the remaining observations.

      To erase this: presence redact ROW --reason safety --confirm CODE
      "
    `);
    const refused = await operator.refused(["redact", row, "--reason", "safety", "--confirm", "00000000"]);
    expect(refused).toMatchInlineSnapshot(
      `"presence: --confirm 00000000 does not match: the ledger or the request has changed since. Run the command without --confirm, read the preview, and use the code that it prints"`,
    );
    expect(rowsOf(operator).find(({ id }) => String(id) === row)?.body).not.toEqual({});
  });

  test("refuse what is not erased this way", async () => {
    const record = recordNamed(STAYS);
    const texts = [
      await operator.refused(["redact", String(record?.id), "--reason", "safety"]),
      await operator.refused(["redact", String(redactedRow.id), "--reason", "safety"]),
      await operator.refused(["opt-out", "demo_nobody", "--reason", "safety"]),
      await operator.refused(["opt-out", "demo_nobody", "--reason", "whim"]),
      await operator.refused(["opt-out", "demo_nobody"]),
    ];
    expect(texts.map((text) => text.replaceAll(/row \d+/g, "row N"))).toMatchInlineSnapshot(`
      [
        "presence: row N is of kind record and is not redacted by itself: a record goes as a whole: use \`presence opt-out\` with its public id, or \`presence redact\` with its public id and --reason wrong_record",
        "presence: row N was already erased, by row N: if that command was interrupted, run it again as it was, with its code",
        "presence: demo_nobody: no record has this public id: it is wrong, or the record has already opted out (if that command was interrupted, run it again as it was, with its code)",
        "error: option '--reason <code>' argument 'whim' is invalid. Allowed choices are privacy_request, owner_request, legal_order, safety, data_error.
      (run with --help for usage)",
        "error: required option '--reason <code>' not specified
      (run with --help for usage)",
      ]
    `);
  });
});

const OPT_OUT_KILLS = repetitions(8, 2);

test(`kill -9 at ${OPT_OUT_KILLS} moments: nothing is half done, and the same command again finishes`, async () => {
  using ledger = new Operator();
  await foundTown(ledger);
  const file = ledger.write(
    "town.ndjson",
    ndjson(townObservations({ seed: 5, observations: isTrial ? 6000 : 1500, records: 12 })),
  );
  await ledger.ok(["ingest", file, "--synthetic", "--clock", DAYS.ingest]);
  await ledger.ok(["seal", "--now", "--clock", DAYS.seal]);
  const ids = rowsOf(ledger).flatMap(({ kind, body }) =>
    kind === "record" ? [String(body["public_id"])] : [],
  );
  let duration = 0;
  for (const [at, id] of ids.slice(0, 1 + OPT_OUT_KILLS).entries()) {
    const args = ["opt-out", id, "--reason", "safety", "--json"];
    const { rows, confirm } = Preview.parse(JSON.parse(await ledger.ok(args)));
    const command = [...args, "--confirm", confirm, ...CLOCK];
    const openings = openingsOf(ledger);
    if (at > 0) {
      const running = ledger.start(command);
      setTimeout(() => endGroup(running), (duration * at) / (1 + OPT_OUT_KILLS));
      await running.done;
      expect([openings, openings - rows + 1, openings - rows + 2]).toContain(openingsOf(ledger));
    }
    const { stdout, seconds } = await (at === 0 ? ledger.start(command).done : ledger.run(command));
    expect(JSON.parse(stdout)).toMatchObject({ rows_erased: rows });
    if (at === 0) duration = seconds * 1000; // of a process, as those that are killed
    expect(openingsOf(ledger)).toBe(openings - rows + 2); // without the erased ones, with the opt-out and its seal
    const bytes = readFileSync(ledger.home.ledger);
    expect(bytes.includes(id)).toBe(false);
  }
  expect(rowsOf(ledger).filter(({ kind }) => kind === "redaction")).toHaveLength(1 + OPT_OUT_KILLS);
});

function openingsOf({ home }: Operator): number {
  const database = new Database(home.ledger, { readonly: true });
  const count = database.prepare<[], number>("SELECT count(*) FROM openings").pluck().get();
  database.close();
  return count ?? 0;
}
