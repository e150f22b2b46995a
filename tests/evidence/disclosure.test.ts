import { cpSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { LedgerDisclosure } from "../../src/contract/ledger/ledger.ts";
import { homePaths } from "../../src/kernel/home.ts";
import { portOf } from "../../src/kernel/port.ts";
import { openLedgerReader } from "../../src/ledger/reader.ts";
import { Operator } from "../support/operations/operator.ts";

/** One private value on its way from the operator to an auditor, who has nothing but the document and what is public. */

const home = homePaths(inject("townHome"));
const town = new Operator({ PRESENCE_HOME: home.root });
const auditor = new Operator();
let vkey: string;
let row: number; // an observation
let size: number;

beforeAll(() => {
  using reader = openLedgerReader(home.ledger);
  vkey = reader.meta.vkey;
  size = reader.latestCheckpoint()?.size ?? 0;
  for (const found of reader.verifiedRows(size)) if (found.kind === "observation") row = found.id;
});

afterAll(() => {
  town[Symbol.dispose]();
  auditor[Symbol.dispose]();
});

/** Hands the document of one field to the auditor; returns its path there. */
async function handedOver(field = "source_ref"): Promise<string> {
  return auditor.write(`${field}.json`, await town.ok(["disclose", String(row), "--field", field]));
}

test("the list names the fields of a row and no value", async () => {
  const listed = await town.ok(["disclose", String(row), "--list", "--json"]);
  expect(JSON.parse(listed)).toEqual({
    row,
    kind: "observation",
    fields: ["body", "observer", "exact", "source_ref", "seen"],
  });
  expect(await town.ok(["disclose", String(row), "--list"])).toContain(
    "body, observer, exact, source_ref, seen\n",
  );
});

test("a document is written for its owner alone, and never over another file", async () => {
  const args = ["disclose", String(row), "--field", "exact", "--out", "exact.json"];
  expect(JSON.parse(await town.ok([...args, "--json"]))).toEqual({ row, field: "exact", file: "exact.json" });
  const path = join(town.folder, "exact.json");
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const text = readFileSync(path, "utf8");
  expect(LedgerDisclosure.parse(JSON.parse(text))).toMatchObject({
    row,
    field: "exact",
    environment: "demo",
  });
  expect(text).toBe(await town.ok(["disclose", String(row), "--field", "exact"]));
  expect(await town.refused(args)).toBe(
    "presence: --out exact.json: the file already exists: choose another name",
  );
  expect(readFileSync(path, "utf8")).toBe(text);
  expect(await town.refused([...args.slice(0, -1), "nowhere/exact.json"])).toBe(
    "presence: --out nowhere/exact.json: the file cannot be written: check that the folder exists",
  );
});

test("the document is in no file that the service keeps", async () => {
  const { disclosure } = LedgerDisclosure.parse(JSON.parse(readFileSync(await handedOver(), "utf8")));
  const files = readdirSync(home.root, { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  );
  expect(files.length).toBeGreaterThan(50);
  const traces = files.filter((file) => readFileSync(join(file.parentPath, file.name)).includes(disclosure));
  expect(traces).toEqual([]);
});

test.each([
  [["999999", "--field", "body"], /^presence: row 999999: the ledger has only the rows 1 to \d+$/],
  [["none", "--field", "body"], /^presence: <row> must be a whole number from 1 \(got none\)$/],
  [["ROW"], /^presence: disclose \d+: --field is missing; --list prints the names of the row's fields$/],
  [
    ["ROW", "--field", "contact"],
    /it has no field "contact", only: body, observer, exact, source_ref, seen$/,
  ],
  [
    ["ROW", "--field", "body", "--size", "7"],
    /^presence: --size 7: no signed tree has that size; the newest has \d+$/,
  ],
  [["ROW", "--field", "body", "--size", "x"], /^presence: --size must be a whole number from 1 \(got x\)$/],
])("disclose %j is refused", async (args, text) => {
  expect(await town.refused(["disclose", ...args.map((arg) => (arg === "ROW" ? String(row) : arg))])).toMatch(
    text,
  );
});

test("a redacted row has nothing left, and a document of before still proves", async () => {
  using copy = new Operator();
  cpSync(home.root, copy.home.root, { recursive: true, verbatimSymlinks: true });
  const before = await handedOver();
  const redact = ["redact", String(row), "--reason", "privacy_request", "--clock", "2026-06-30T09:00:00Z"];
  const [, code = ""] = /--confirm ([0-9a-f]+)/.exec(await copy.ok(redact)) ?? [];
  await copy.ok([...redact, "--confirm", code]);
  for (const args of [["--list"], ["--field", "source_ref"]])
    expect(await copy.refused(["disclose", String(row), ...args])).toMatch(
      /: its values and salts are deleted, and nothing is left to disclose$/,
    );
  await auditor.ok(["check-disclosure", before, "--vkey", vkey]);
});

describe("the auditor", () => {
  let server: Server;
  let url: string;

  beforeAll(async () => {
    const site = join(home.current, "site");
    server = createServer((request, response) => {
      try {
        response.end(readFileSync(join(site, request.url ?? "")));
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${portOf(server)}`;
  });

  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });

  test("checks with a key, a site or a release, and reads what it proves", async () => {
    const file = await handedOver();
    const published = ["published leaf", "published checkpoint"];
    const steps = ["document", "leaf", "disclosure", "proof", "key", "signature", "path"];
    for (const [trust, more] of [
      [["--vkey", vkey], []],
      [["--url", url], published],
      [["--url", url, "--vkey", vkey], published],
      [["--release", home.current], published],
    ] as const) {
      const report = JSON.parse(await auditor.ok(["check-disclosure", file, ...trust, "--json"]));
      expect(report).toMatchObject({
        verified: true,
        origin: "test.example/presence",
        row,
        field: "source_ref",
      });
      expect(report.tree_size).toBe(size);
      expect(report.value).toMatchObject({ source: expect.any(String), ref: expect.any(String) });
      expect(
        report.steps.map(({ step, state }: { step: string; state: string }) => `${step} ${state}`),
      ).toEqual([...steps, ...more].map((step) => `${step} passed`));
    }
    const plain = await auditor.ok(["check-disclosure", file, "--vkey", vkey]);
    expect(plain).toMatch(
      new RegExp(`^row    ${row} \\(observation\\)\\nfield  source_ref\\nvalue  \\{`, "m"),
    );
    expect(plain).toContain("This proves that the operator of test.example/presence committed to this value");
    expect(plain).toMatch(/does not prove that the\s+value is true/);
  });

  test("reads standard input", async () => {
    const file = await handedOver();
    const args = ["check-disclosure", "-", "--vkey", vkey, "--json"];
    const { code, stdout } = await auditor.run(args, { shell: `"$@" < ${file}` });
    expect([code, JSON.parse(stdout).verified]).toEqual([0, true]);
  });

  test("is told each step that fails, and no value", async () => {
    const document = JSON.parse(readFileSync(await handedOver(), "utf8"));
    const file = auditor.write(
      "changed.json",
      JSON.stringify({ ...document, field: "observer", origin: "other\u001b[2J" }),
    );
    const { code, stdout, stderr } = await auditor.run(["check-disclosure", file, "--vkey", vkey]);
    expect([code, stderr]).toEqual([1, `presence: ${file}: does not verify: disclosure, signature\n`]);
    expect(stdout).toMatch(/^failed {7}disclosure: it discloses the field source_ref, not observer$/m);
    expect(stdout).toMatch(/^failed {7}signature: .* the document says other\\u\{1b\}\[2J$/m);
    expect(stdout).toMatch(/^not checked {2}path: it needs a step that did not pass$/m);
    expect(stdout).not.toContain("\nvalue");
    const report = JSON.parse(
      (await auditor.run(["check-disclosure", file, "--vkey", vkey, "--json"])).stdout,
    );
    expect(report).toMatchObject({ verified: false });
    expect(report).not.toHaveProperty("value");
  });

  test.each([
    [["--vkey", "nonsense"], "does not verify: key"],
    [
      ["--release", "nowhere"],
      "nowhere: not a release: expected a folder with manifest.json or site/manifest.json",
    ],
    [["--url", "ftp://x"], "--url ftp://x: give the address of the site, for example https://example.org"],
    [[], "check-disclosure needs a key to check the signature: give --vkey, --url or --release"],
  ])("%j is refused", async (trust, text) => {
    expect(await auditor.refused(["check-disclosure", await handedOver(), ...trust])).toContain(text);
  });

  test("cannot read a file that is missing, a folder, or too large a file", async () => {
    const check = (file: string) => auditor.refused(["check-disclosure", file, "--vkey", vkey]);
    expect(await check("missing.json")).toBe("presence: missing.json: the file cannot be read");
    expect(await check(".")).toBe("presence: .: the file cannot be read");
    expect(await check(auditor.write("huge.json", Buffer.alloc(3_000_000, " ")))).toBe(
      "presence: FOLDER/huge.json: does not verify: document",
    );
    expect(await check("/dev/zero")).toBe("presence: /dev/zero: does not verify: document");
  });
});
