/** Files of others: what is taken, what is told, and that a kill at any step loses and doubles nothing. */
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { beforeEach, describe, expect, test } from "vitest";
import { NOW, type TestLedger, testLedger } from "../../../tests/support/ledger/intake-ledger.ts";
import { register, seen } from "../../../tests/support/ledger/source-ledger.ts";
import { contextFor } from "../../../tests/support/towns/demo-view.ts";
import { erase } from "../../intake/erasure/erase.ts";
import { planErasure } from "../../intake/erasure/erasure-plan.ts";
import { standardClassifier } from "../../intake/matching/classify.ts";
import { takeIn } from "../../intake/take-in/take-in.ts";
import { filesBelow } from "../../kernel/files/durable-file.ts";
import { type Home, homePaths } from "../../kernel/home.ts";
import { DAY_MS, SECOND_MS } from "../../kernel/time.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { backupHome } from "../backup/backup-home.ts";
import { type CommandContext, openWriter } from "../context.ts";
import { pendingLine } from "../erasure/requests.ts";
import { preview, takeOut } from "../erasure/take-out.ts";
import { type Entry, lookInto, MAX_BYTES, QUIET_MS } from "./look.ts";
import { toldLines } from "./report.ts";
import { type TakeOptions, takeInbox } from "./take.ts";

let it: TestLedger;
let home: Home;
let context: CommandContext;
let said: string;
beforeEach(() => {
  it = testLedger();
  for (const id of ["east", "west"]) register(it, id);
  it.ledger.close();
  home = homePaths(it.home);
  said = "";
  const stderr = { write: (text: string) => (said += text) };
  context = { ...contextFor(home), clock: () => it.clock.time, stderr };
  for (const source of ["east", "west"]) mkdirSync(join(home.inbox, source), { recursive: true });
  return () => rmSync(it.home, { recursive: true });
});

type Line = ReturnType<typeof seen>;

const lines = (count: number, source: string | null = null, observer = "ann"): Line[] =>
  Array.from({ length: count }, (_, record) => seen(source, observer, { record }));

function text(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

/** As a program delivers: under another name first. */
function deliver(path: string, content: string | Uint8Array): string {
  const whole = join(home.inbox, path);
  const draft = join(home.root, "draft");
  writeFileSync(draft, content);
  utimesSync(draft, 1_000_000_000, 1_000_000_000);
  renameSync(draft, whole);
  return whole;
}

let notes: string[];
/** What became of each file, as a person reads it, without what is noted of it. */
async function take(options: Partial<TakeOptions> = {}): Promise<string[]> {
  const told = await takeInbox(context, { waitMs: 0, sleep: () => Promise.resolve(), ...options });
  notes = told.flatMap((each) => each.notes);
  return told.flatMap((each) => toldLines(each).slice(0, 1));
}

function accepted(): number {
  using reader = openLedgerReader(home.ledger);
  return reader.pendingLines(it.clock.time);
}

const kept = () =>
  (existsSync(home.kept) ? filesBelow(home.kept) : [])
    .map((path) => path.slice(home.kept.length + 1))
    .filter((path) => !path.startsWith("taking.lock"));

const waiting = () => filesBelow(home.inbox).map((path) => path.slice(home.inbox.length + 1));

function putMap(source: string, map: object | null, encoding: string | null = null): void {
  using ledger = openWriter(context);
  const text = map === null ? null : JSON.stringify(map);
  ledger.transaction(() => ledger.inbox.putMap({ source, map: text, encoding }));
}

const MAP = {
  columns: { naam: "name", lat: "lat", lon: "lng", dag: "observed_at", wie: "observer", nr: "source_ref" },
  constants: { source_type: "scout", asset_type: "storefront" },
  date_formats: ["YYYY-MM-DD"],
  delimiter: ";",
};

describe("what is delivered", () => {
  test("lines get the source of the folder, and those of another one are refused", async () => {
    const mixed = [...lines(3), seen("east", "bob", { record: 4 }), seen("west", "eve", { record: 5 })];
    deliver("east/may.ndjson", text(mixed));
    deliver("west/may.ndjson.gz", gzipSync(text(lines(2, null, "cid"))));
    expect(await take()).toEqual([
      "inbox/east/may.ndjson: accepted (batch b1: 5 read, 4 accepted, 0 known, 1 rejected: 1 other_source)",
      "inbox/west/may.ndjson.gz: accepted (batch b2: 2 read, 2 accepted, 0 known, 0 rejected)",
    ]);
    expect(accepted()).toBe(6);
    using reader = openLedgerReader(home.ledger);
    expect(reader.batches.linesOf(["b1", "b2"]).map(({ source, lines }) => [source, lines])).toEqual([
      ["east", 4],
      ["west", 2],
    ]);
    expect(waiting()).toEqual([]);
    expect(kept()).toEqual([
      "east/archive/20260510T120000Z-1-may.ndjson",
      "east/rejects/20260510T120000Z-1-may.ndjson.rejects.ndjson",
      "west/archive/20260510T120000Z-2-may.ndjson.gz",
    ]);
    const [rejected] = filesBelow(join(home.kept, "east", "rejects"));
    expect(readFileSync(rejected ?? "", "utf8")).toContain("the file is one of source east");
    expect(readFileSync(rejected ?? "", "utf8")).not.toContain("eve");
  });

  test("CSV is read by the map and in the encoding of its source, and told where there is none", async () => {
    const csv = "naam;lat;lon;dag;wie;nr\nCafé Été;40.001;-75.001;2026-05-04;ann;1\n";
    const latin = Buffer.from(csv, "latin1");
    const path = join(home.inbox, "east", "a.csv");
    const why = `left: source east has no column map, which CSV needs: \`presence map suggest ${path} --source east > map.json\` writes one, \`presence source map east map.json\` hands it over`;
    deliver("east/a.csv", latin);
    expect(await take()).toEqual([`inbox/east/a.csv: ${why}`]);
    expect(waiting()).toEqual(["east/a.csv"]);
    expect(kept()).toEqual([]);
    putMap("east", MAP, "windows-1252");
    deliver("east/b", Buffer.from(csv.replace(";1\n", ";2\n"), "latin1")); // no ending says what it is
    expect(await take()).toEqual([
      "inbox/east/a.csv: accepted (batch b1: 1 read, 1 accepted, 0 known, 0 rejected)",
      "inbox/east/b: accepted (batch b2: 1 read, 1 accepted, 0 known, 0 rejected)",
    ]);
    using ledger = openWriter(context);
    expect(ledger.pending.find("b1", 2)?.input).toContain("Café Été");
  });

  test("the same content is known, whatever it is called, until its batch is undone", async () => {
    deliver("east/a.ndjson", text(lines(2)));
    await take();
    deliver("east/b.ndjson", text(lines(2)));
    expect(await take()).toEqual([
      "inbox/east/b.ndjson: known: the same content came as a.ndjson on 2026-05-10 (batch b1)",
    ]);
    using ledger = openWriter(context);
    ledger.transaction(() => {
      ledger.batches.takeBack("b1", NOW);
      ledger.batches.decide("b1", "undone", NOW);
    });
    ledger.close();
    deliver("east/c.ndjson", text(lines(2)));
    expect(await take()).toEqual([
      "inbox/east/c.ndjson: accepted (batch b2: 2 read, 2 accepted, 0 known, 0 rejected)",
    ]);
  });

  test("a file that fails goes to the rejects with its reason, and the others come in", async () => {
    const good = gzipSync(text(lines(40, null, "cid")));
    deliver("east/cut.ndjson.gz", good.subarray(0, good.length - 12));
    deliver("east/empty.ndjson", "");
    deliver("east/noise.ndjson", "no json\n".repeat(4));
    deliver("east/sheet.ndjson", "PK\u0003\u0004........");
    deliver("west/good.ndjson", text(lines(1)));
    const told = await take();
    expect(told[0]).toMatch(
      /^inbox\/east\/cut.ndjson.gz: failed \(batch b1: .*the file is truncated or damaged/,
    );
    expect(told.slice(1)).toEqual([
      "inbox/east/empty.ndjson: failed: the file is empty",
      "inbox/east/noise.ndjson: failed (4 read, 0 accepted, 0 known, 4 rejected: 4 invalid_json): nothing came in: all 4 lines were rejected",
      expect.stringContaining("failed: the file is a ZIP archive or an Excel workbook"),
      "inbox/west/good.ndjson: accepted (batch b4: 1 read, 1 accepted, 0 known, 0 rejected)",
    ]);
    expect(waiting()).toEqual([]);
    expect(kept().filter((path) => path.startsWith("east/archive"))).toEqual([]);
    using reader = openLedgerReader(home.ledger);
    expect(reader.inbox.files("east", 9).map(({ name, outcome }) => [name, outcome])).toEqual([
      ["sheet.ndjson", "failed"],
      ["noise.ndjson", "failed"],
      ["empty.ndjson", "failed"],
      ["cut.ndjson.gz", "failed"],
    ]);
    deliver("east/again.ndjson", "no json\n".repeat(4)); // the map may have been mended meanwhile
    expect(await take()).toEqual([expect.stringContaining("again.ndjson: failed")]);
  });
});

describe("what is noted of a file", () => {
  test("a first delivery says that it waits, and with which commands it goes on", async () => {
    const [line] = lines(1);
    context = { ...context, config: { ...context.config, strictness: "normal" } };
    deliver("east/a.ndjson", text([line, "no observation"]));
    expect(await take()).toEqual([expect.stringContaining("accepted (batch b1")]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^b1 waits for your approval: first delivery of east for [a-z]+: `presence batch show b1`, then `presence batch approve b1`$/,
      ),
      expect.stringMatching(/^its rejected lines, each with the reason: .*\.rejects\.ndjson$/),
    ]);
    expect(existsSync(notes[1]?.split(": ")[1] ?? "")).toBe(true);
  });

  test("categories that the map lacks are counted, and the command that names them is given", async () => {
    putMap("east", { ...MAP, columns: { ...MAP.columns, soort: "industry" }, industry_map: {} });
    const csv = "naam;lat;lon;dag;wie;nr;soort\nBella;40.001;-75.001;2026-05-04;ann;1;brood\n";
    deliver("east/a.csv", csv);
    expect(await take()).toEqual([expect.stringContaining("1 read, 1 accepted")]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^lines without an industry, .*: 1; `presence map check \S+a\.csv --map MAP\.json` names the categories$/,
      ),
    ]);
  });

  test.for([
    ["", "the file is empty"],
    ["\n\n", "the file is empty"],
    [
      "PK\u0003\u0004....",
      "the file is a ZIP archive or an Excel workbook: unpack it, or save the sheet as CSV",
    ],
    ["%PDF-1.7\n", "the file is a PDF: ask for the table as CSV"],
    ["<!DOCTYPE html>\n", "the file is a web page or XML: ask for CSV, or lines of JSON"],
  ] as const)("what is no table fails as that before a map is asked for: %j", async ([content, reason]) => {
    deliver("east/a.csv", content);
    expect(await take()).toEqual([`inbox/east/a.csv: failed: ${reason}`]);
  });
});

describe("what is left", () => {
  test("everything that is no file of the source, each with its reason; the others come in", async () => {
    const secret = join(home.root, "secret");
    writeFileSync(secret, text(lines(1)));
    symlinkSync(secret, join(home.inbox, "east", "link.ndjson"));
    linkSync(secret, join(home.inbox, "east", "hard.ndjson"));
    mkdirSync(join(home.inbox, "east", "folder"));
    for (const name of [".hidden", "half.ndjson.part", "half.tmp", "half.csv.filepart", "half~"])
      deliver(`east/${name}`, text(lines(1)));
    mkdirSync(join(home.inbox, "north"));
    deliver("north/x.ndjson", text(lines(1)));
    symlinkSync(join(home.inbox, "west"), join(home.inbox, "linked"));
    writeFileSync(join(home.inbox, "beside.csv"), "x");
    deliver("west/good.ndjson", text(lines(1)));
    const half = "left: its name says that it is not whole: rename it when it is";
    expect((await take()).sort()).toEqual([
      expect.stringContaining("inbox/beside.csv: left: it is a link, or no folder of a source"),
      `inbox/east/.hidden: ${half}`,
      "inbox/east/folder: left: it is a folder: files lie in the source's folder itself",
      `inbox/east/half.csv.filepart: ${half}`,
      `inbox/east/half.ndjson.part: ${half}`,
      `inbox/east/half.tmp: ${half}`,
      `inbox/east/half~: ${half}`,
      "inbox/east/hard.ndjson: left: it has another name (a hard link): copy it there",
      "inbox/east/link.ndjson: left: it is a link: put the file itself there",
      expect.stringContaining("inbox/linked: left: it is a link, or no folder of a source"),
      "inbox/north: left: no source north is registered, so nothing of the folder is read (1 entry): register it (presence source add), or rename the folder",
      "inbox/west/good.ndjson: accepted (batch b1: 1 read, 1 accepted, 0 known, 0 rejected)",
    ]);
    expect(waiting()).toHaveLength(8); // without links
    expect(accepted()).toBe(1);
  });

  test("a file of somebody else, one that may not be read, and one that is too large", () => {
    const path = deliver("east/a.ndjson", text(lines(1)));
    const options = { sources: new Set(["east"]), now: NOW };
    const look = (uid: number) => lookInto(home.inbox, { ...options, uid }).map(({ problem }) => problem);
    expect(look(process.getuid?.() ?? 0)).toContain(null);
    truncateSync(path, MAX_BYTES + 1);
    expect(look(process.getuid?.() ?? 0)).toContain(
      `it has ${MAX_BYTES + 1} bytes, more than ${MAX_BYTES}: divide it`,
    );
    truncateSync(path, 1);
    if (process.getuid?.() === 0) {
      chownSync(path, 64_103, 64_103);
      expect(look(0)).toContain("it belongs to user 64103, and the folder to another");
    } else {
      chmodSync(path, 0o200);
      expect(look(process.getuid?.() ?? 0)).toContain(
        "this user may not read it: let the group of the folder read it (chmod g+r)",
      );
    }
  });
});

describe("a file that is being written", () => {
  const entry = (now: number): Entry | undefined =>
    lookInto(home.inbox, { sources: new Set(["east"]), now, uid: process.getuid?.() ?? 0 })[0];

  test("is whole when it was renamed into place, or when nobody wrote to it for a minute", () => {
    const path = join(home.inbox, "east", "a.ndjson");
    writeFileSync(path, "x");
    const changedAt = entry(0)?.changedAt ?? 0;
    expect(entry(changedAt + 1000)?.isYoung).toBe(true);
    expect(entry(changedAt + QUIET_MS)?.isYoung).toBe(false);
    utimesSync(path, 1_000_000_000, 1_000_000_000); // a status that is newer than the content
    expect(entry(0)?.isYoung).toBe(false);
  });

  test("is not taken while it grows between two looks, and is taken when it stops", async () => {
    const path = deliver("east/a.ndjson", text(lines(1)));
    const rest = lines(4).slice(1);
    const sleep = () => {
      const next = rest.shift();
      if (next !== undefined) appendFileSync(path, text([next]));
      utimesSync(path, 1_000_000_000 - rest.length, 1_000_000_000 - rest.length);
      return Promise.resolve();
    };
    expect(await take({ sleep })).toEqual(["inbox/east/a.ndjson: waits: somebody may still be writing it"]);
    expect(await take({ sleep, waitMs: 60 * SECOND_MS })).toEqual([
      "inbox/east/a.ndjson: accepted (batch b1: 4 read, 4 accepted, 0 known, 0 rejected)",
    ]);
  });

  test("is not taken when it is written to after the second look", async () => {
    deliver("east/a.ndjson", text(lines(1)));
    const path = deliver("west/b.ndjson", text(lines(1, null, "bob")));
    const told = await take({ after: (step) => step === "ended" && appendFileSync(path, "x") });
    expect(told).toEqual([
      expect.stringContaining("inbox/east/a.ndjson: accepted"),
      "inbox/west/b.ndjson: waits: somebody may still be writing it",
    ]);
    expect(kept()).toEqual(["east/archive/20260510T120000Z-1-a.ndjson"]);
    expect(accepted()).toBe(1);
  });

  test("another file that takes its name meanwhile stays and comes next", async () => {
    const path = deliver("east/a.ndjson", text(lines(1)));
    const after = (step: string) => {
      if (step === "ended") deliver("east/a.ndjson", text(lines(3)));
    };
    expect(await take({ after })).toEqual([
      "inbox/east/a.ndjson: accepted (batch b1: 1 read, 1 accepted, 0 known, 0 rejected): another file took its name meanwhile, and is taken next",
    ]);
    expect(readFileSync(path, "utf8")).toBe(text(lines(3)));
    expect(await take()).toEqual([
      "inbox/east/a.ndjson: accepted (batch b2: 3 read, 2 accepted, 1 known, 0 rejected)",
    ]);
  });
});

describe("a kill", () => {
  const content = text(lines(5));

  test.each(["copied", "noted", "read", "ended", "claimed"] as const)(
    "after a file is %s: the next run goes on, and every line is there once",
    async (killed) => {
      deliver("east/a.ndjson", content);
      const after = (step: string) => {
        if (step === killed) throw new Error("killed");
      };
      await expect(take({ after })).rejects.toThrow("killed");
      const told = await take();
      expect(told).toHaveLength(1);
      expect(told[0]).toContain(": accepted (batch b1: 5 read, ");
      expect(accepted()).toBe(5);
      expect(waiting()).toEqual([]);
      expect(await take()).toEqual([]);
      expect(kept()).toHaveLength(1);
      using reader = openLedgerReader(home.ledger);
      expect(reader.inbox.files(undefined, 9)).toMatchObject([
        { outcome: "accepted", isRemoved: true, batch: "b1" },
      ]);
    },
  );
});

describe("copies", () => {
  beforeEach(async () => {
    deliver("east/a.ndjson", text([...lines(2), ...lines(1, "west")]));
    await take();
    expect(kept()).toHaveLength(2);
  });

  test("are nobody else's, and in no backup", async () => {
    for (const path of kept()) expect(readdirSync(join(home.kept, path, ".."))).toHaveLength(1);
    const folder = join(home.root, "backup");
    mkdirSync(folder);
    writeFileSync(home.review, "{}");
    const options = {
      stateIsElsewhere: false,
      withKeys: true,
      provedRows: 0,
      madeAt: NOW,
      progress: () => undefined,
    };
    const { files } = await backupHome(home, folder, options);
    expect(Object.keys(files).filter((name) => name.includes("inbox"))).toEqual([]);
    expect(Object.keys(files)).toContain("night/ledger.db");
  });

  test("go after seven days, with the inbox as without", async () => {
    it.clock.time += 7 * DAY_MS - 1000;
    await take();
    expect(kept()).toHaveLength(2);
    it.clock.time += 1000;
    rmSync(home.inbox, { recursive: true });
    await take();
    expect(kept()).toEqual([]);
  });

  test("go with every erasure that is confirmed, and with no other", async () => {
    const request = pendingLine({ batch: "b1", line: 1 }, "data_error");
    const { code } = await preview(context, request, undefined);
    expect(kept()).toHaveLength(2);
    await expect(takeOut(context, request, { code: "00000000" })).rejects.toThrow();
    expect(kept()).toHaveLength(2);
    await takeOut(context, request, { code: code ?? "" });
    expect(kept()).toEqual([]);
  });

  test("are not made of a file with lines that an opt-out refuses", async () => {
    using ledger = openWriter(context);
    await takeIn({ ledger, classifier: standardClassifier, random: context.random, now: true });
    const [first] = ledger.storedObservations();
    const [record] = ledger.live.records(new Set([first?.body.record ?? 0]));
    const target = record?.body.public_id ?? "";
    erase(ledger, planErasure(ledger, { kind: "opt_out", target, reason: "owner_request", also: [NAME] }));
    ledger.close();
    rmSync(home.kept, { recursive: true });
    deliver("east/again.ndjson", text(lines(3, null, "bob")));
    expect(await take()).toEqual([expect.stringMatching(/accepted \(.* 1 opted_out\)$/)]);
    expect(kept().filter((path) => path.includes("archive"))).toEqual([]);
  });
});

const NAME = String(seen("east", "ann", { record: 0 }).name);
