import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, inject, test } from "vitest";
import { nodeHash } from "../../src/kernel/hash.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { SeededNumbers } from "../../src/kernel/seeded.ts";
import { readSigner, signingKeyPath } from "../../src/ledger/keys/keys.ts";
import { formatTreeHead, parseTreeHead } from "../../src/proof/tlog/note.ts";
import { disclosuresPath, entriesPath, tilePath } from "../../src/proof/tlog/proof.ts";
import { rowProof } from "../../src/proof/tlog/tile-tree.ts";
import { Operator } from "../support/operations/operator.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { runShown, shownBlocks } from "../support/operations/shown-commands.ts";
import { testKey } from "../support/pages/published-site.ts";
import { DishonestOperator, linkTree, replaceFile } from "../support/release/dishonest-operator.ts";
import { ForgedLog } from "../support/release/forged-logs.ts";
import { GoVerifier } from "../support/release/go-verifier.ts";
import { foundTown, ndjson, townObservations } from "../support/towns/town.ts";
import { sampleOf } from "../support/trial.ts";
import { serveFiles } from "../trial/real/plain-file-server.ts";

/** Releases as a program in Go sees them (tests/go), which shares no code with the project. */

const go = await GoVerifier.compiled();

describe.skipIf(go === undefined)("the independent verifier", () => {
  if (go === undefined) return;
  const demo = releasePaths(homePaths(inject("demoHome")).current).site;
  const home = homePaths(inject("townHome")); // of a smaller log, which is tampered with
  const release = realpathSync(home.current);
  const site = join(release, "site");
  const signer = readSigner(signingKeyPath(home.keys, "demo"));
  const folder = mkdtempSync(join(home.root, "..", "independent-")); // on the same disk, for links

  afterAll(() => {
    go[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });

  const read = (path: string) => readFileSync(join(site, path));
  const vkey = read("ledger/vkey").toString().trim();
  const { size } = parseTreeHead(read("ledger/checkpoint").toString());
  const sizes = readdirSync(join(site, "ledger/checkpoints"))
    .map(Number)
    .sort((a, b) => a - b);

  /** A row's proof in a file. */
  async function proofFile(row: number, of?: number, edit = (text: string) => text): Promise<string> {
    const published = async (path: string) => readFileSync(join(site, "ledger", path));
    const path = join(folder, `${row}.tlog-proof`);
    writeFileSync(path, edit(await rowProof({ row, size: of }, published, nodeHash)));
    return path;
  }

  function copyOfRelease(): string {
    const copy = mkdtempSync(join(folder, "copy-"));
    linkTree(release, copy);
    return copy;
  }

  describe("finds no fault in the demonstration", () => {
    test("in its folder, and names what it checked", async () => {
      const { code, output } = await go.verify(demo);
      expect(code, output).toBe(0);
      const checked = (what: string) => Number(new RegExp(`(\\d+) {2}${what} checked`).exec(output)?.[1]);
      const heads = readdirSync(join(demo, "ledger/checkpoints"));
      const { size } = parseTreeHead(readFileSync(join(demo, "ledger/checkpoint"), "utf8"));
      expect(checked("leaves")).toBe(size);
      expect(checked("disclosures")).toBe(size);
      expect(checked("tree heads")).toBe(heads.length + 1);
      expect(checked("tiles and bundles")).toBeGreaterThan(2 * heads.length);
      expect(checked("inclusion proofs made of tiles")).toBeGreaterThan(400);
      expect(checked("files")).toBeGreaterThan(5000);
    });
  });

  describe("finds no fault in the town", () => {
    test("at a plain file server, with the command that the manual shows", async () => {
      await using server = await serveFiles(site);
      const page = readFileSync(join(PROJECT, "docs/verify-by-hand.md"), "utf8");
      const [command = ""] = shownBlocks(page.split("<!-- go -->")[1] ?? "", "sh");
      const { isOk, stdout, stderr } = await runShown(command, {
        cwd: PROJECT,
        env: { SITE: server.url, GOCACHE: go.cache },
      });
      expect(isOk, stdout + stderr).toBe(true);
      expect(stdout).toContain(`${server.url}: 0 faults`);
    });

    test.each([
      ["-max-gb", "0.0005", "more than 0.0005 GB came", "raise -max-gb if you trust the site"],
      ["-max-hours", "0", "not read within 0 h", "raise -max-hours, or try again later"],
    ])("but ends at a site that goes beyond %s %s", async (option, most, met, advice) => {
      await using server = await serveFiles(site);
      const { code, subjects, output } = await go.verify(option, most, server.url);
      expect([code, subjects]).toEqual([1, [server.url]]);
      const soFar = /\(\d+ files and \d+ bytes, then [\w./]+\)/.exec(output)?.[0];
      expect(output).toContain(`FAULT  ${server.url}: ${met} ${soFar}: ${advice}\n`);
    });

    test("with a key, a checkpoint and proofs that the reader brings", async () => {
      for (const [row, of] of [
        [1, undefined],
        [size, undefined],
        [257, undefined],
        [3, sizes[10]],
      ] as const) {
        const since = join(site, `ledger/checkpoints/${sizes[20]}`);
        const proof = await proofFile(row, of);
        const { code, output } = await go.verify("-vkey", vkey, "-since", since, "-proof", proof, site);
        expect(code, output).toBe(0);
        expect(output).toContain(`proves row ${row} in the tree of ${of ?? size} rows`);
      }
    });
  });

  describe("names what is tampered with:", () => {
    const row = 300;
    const bundle = Math.floor((row - 1) / 256);
    const files = {
      entries: `ledger/${entriesPath(bundle, 256)}`,
      tile: `ledger/${tilePath({ level: 0, index: bundle, width: 256 })}`,
      upper: `ledger/${tilePath({ level: 1, index: 0, width: Math.floor(size / 256) })}`,
      disclosures: `ledger/${disclosuresPath(bundle)}`,
      old: `ledger/checkpoints/${sizes[30]}`,
    };
    const early = sizes[2] ?? 0;
    const partial = { level: 0, index: Math.floor(early / 256), width: early % 256 };

    const flipped = (at: number) => (bytes: Buffer) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
      return changed;
    };
    const flippedAfter = (text: string, offset: number) => (bytes: Buffer) =>
      flipped(bytes.indexOf(text) + offset)(bytes);

    type Edit = (bytes: Buffer) => Buffer | undefined;
    const cases: Record<string, [path: string, edit: Edit, named: readonly string[], only?: "only"]> = {
      "a byte of an entry": [
        files.entries,
        flippedAfter(`"i":${row},`, -30),
        [`row ${row}`, files.entries, files.tile, `ledger/checkpoints/${size}`],
      ],
      "a row's number": [files.entries, flippedAfter(`"i":${row},`, 6), [`row ${row}`, files.entries]],
      "a tile": [files.tile, flipped(((row - 1) % 256) * 32), [`row ${row}`, files.tile]],
      "an upper tile": [files.upper, flipped(40), [files.upper]],
      "a partial tile of an early size": [
        `ledger/${tilePath(partial)}`,
        flipped(3),
        [`ledger/${tilePath(partial)}`],
        "only",
      ],
      "a partial bundle of an early size": [
        `ledger/${entriesPath(partial.index, partial.width)}`,
        flipped(30),
        [`ledger/${entriesPath(partial.index, partial.width)}`],
        "only",
      ],
      "a tile that is gone": [files.tile, () => undefined, [files.tile]],
      "the checkpoint's root": [
        "ledger/checkpoint",
        flippedAfter(`\n${size}\n`, 10),
        ["ledger/checkpoint"],
        "only",
      ],
      "the checkpoint, for an older one": [
        "ledger/checkpoint",
        () => read(files.old),
        ["manifest.json", `ledger/checkpoints/${size}`],
      ],
      "the checkpoint, for one of more rows than there are files for": [
        "ledger/checkpoint",
        () =>
          Buffer.from(signer.sign(formatTreeHead({ ...parseTreeHead(`${read(files.old)}`), size: 1e15 }))),
        ["manifest.json"],
      ],
      "an old checkpoint": [files.old, flippedAfter(`\n${sizes[30]}\n`, 10), [files.old], "only"],
      "an old checkpoint with another root, and a good signature": [
        files.old,
        (note) => {
          const text = note.toString("utf8", 0, note.indexOf("\n\n") + 1);
          const [origin, own] = text.split("\n");
          return Buffer.from(signer.sign(`${origin}\n${own}\n${Buffer.alloc(32).toString("base64")}\n`));
        },
        [files.old],
        "only",
      ],
      "a disclosure": [
        files.disclosures,
        flippedAfter(`{"i":${row},`, 60),
        [`row ${row}`, files.disclosures],
        "only",
      ],
      "a disclosure at another row": [
        files.disclosures,
        (bytes) => Buffer.from(bytes.toString().replace(`{"i":${row},`, `{"i":${row + 1},`)),
        [files.disclosures],
      ],
      "a page": ["index.html", flipped(100), ["index.html"], "only"],
      "a file that no list names": ["new.html", () => Buffer.from("new"), ["new.html"], "only"],
      "the list of files": ["manifest.json", flippedAfter('"index.html":"', 14), ["manifest.note"]],
      "the list's signature": ["manifest.note", flippedAfter("=\n", -20), ["manifest.note"], "only"],
      "the key": ["ledger/vkey", () => Buffer.from(`${testKey("x", signer.name).vkey}\n`), ["ledger/vkey"]],
      "the list of keys": [
        "ledger/keys.json",
        (bytes) => Buffer.from(bytes.toString().replace(vkey, testKey("x", signer.name).vkey)),
        ["ledger/checkpoint"],
      ],
    };

    const tried = sampleOf(Object.keys(cases), 0.3);
    const drawn = Object.entries(cases).filter(([name]) => tried.includes(name));
    test.each(drawn)("%s", async (_, [path, edit, named, only]) => {
      const copy = join(copyOfRelease(), "site");
      const before = path === "new.html" ? Buffer.alloc(0) : read(path);
      const after = edit(before);
      if (after === undefined) rmSync(join(copy, path));
      else replaceFile(join(copy, path), after);
      expect(after?.equals(before)).not.toBe(true);
      const { code, subjects, output } = await go.verify(copy);
      expect(code).toBe(1);
      expect(only === undefined ? subjects : [...subjects].sort(), output.slice(0, 2000)).toEqual(
        only === undefined ? expect.arrayContaining([...named]) : [...named].sort(),
      );
    });

    test("on the way from a site, too", async () => {
      const replaced = new Map([[`/${files.tile}`, flipped(((row - 1) % 256) * 32)(read(files.tile))]]);
      await using server = await serveFiles(site, replaced);
      const { code, subjects } = await go.verify(server.url);
      expect(code).toBe(1);
      expect(subjects).toEqual(expect.arrayContaining([`row ${row}`, files.tile]));
    });

    test("a hash of a proof, its index, its size, and a hash too many", async () => {
      for (const edit of [
        (text: string) => text.replace(/(?<=\nindex \d+\n)./, (first) => (first === "A" ? "B" : "A")),
        (text: string) => text.replace("index 299\n", "index 300\n"),
        (text: string) => text.replace(`\n${size}\n`, `\n${size + 1}\n`),
        (text: string) => text.replace(/(?<=\nindex \d+\n)(.*\n)/, "$1$1"),
      ]) {
        const proof = await proofFile(row, undefined, edit);
        const { code, subjects } = await go.verify("-proof", proof, site);
        expect([code, subjects], String(edit)).toEqual([1, [proof]]);
      }
    });

    test("a key that is none of the log's", async () => {
      const { code, subjects } = await go.verify("-vkey", testKey("x", signer.name).vkey, site);
      expect([code, subjects]).toEqual([1, ["ledger/checkpoint"]]);
    });

    test("a history written anew by whoever has the key: every earlier tree head speaks against it", async () => {
      const copy = copyOfRelease();
      await new DishonestOperator(copy, signer).rewrite(row, (body) => body.replace("{", '{"a":1,'));
      const since = join(site, "ledger/checkpoint");
      const { code, subjects, output } = await go.verify("-since", since, join(copy, "site"));
      expect(code).toBe(1);
      const later = sizes.filter((each) => each >= row && each < size);
      const named = [...later.map((each) => `ledger/checkpoints/${each}`), since];
      expect(subjects.toSorted()).toEqual(named.toSorted());
      expect(output).toContain("the newest tree does not continue this one");
    });
  });

  test("refuses whatever list of keys a liar publishes to a reader who knows a key of the log", async () => {
    using log = new ForgedLog();
    const numbers = new SeededNumbers("lists of keys");
    const random = Array.from({ length: 20 }, () => log.random(numbers));
    for (const forgery of [...log.forgeries(), ...random]) {
      const { site: lie } = await log.publish(forgery);
      const { code, output } = await go.verify("-vkey", forgery.known, lie);
      expect(code, `${forgery.name}: ${JSON.stringify(forgery.keys)}\n${output}`).toBe(1);
    }
    const [lie] = log.forgeries();
    const { code, output } = await go.verify((await log.publish(lie ?? { keys: [] })).site);
    expect(code, output).toBe(0); // to a reader without a key
  });

  test("follows a log to its second key, and no further than its endorsement", async () => {
    using operator = new Operator();
    await foundTown(operator);
    const [first = [], second = []] = [0, 1].map((part) =>
      [...townObservations({ seed: 5, observations: 60, records: 4 })].filter((_, at) => at % 2 === part),
    );
    const takeIn = async (part: readonly unknown[], hour: number) => {
      const clock = ["--clock", `2026-05-01T${hour}:00:00Z`];
      await operator.ok(["ingest", operator.write("part.ndjson", ndjson(part)), "--synthetic", ...clock]);
      await operator.ok(["seal", "--now", ...clock]);
    };
    await takeIn(first, 10);
    await operator.ok(["key", "rotate", "--yes"]);
    await takeIn(second, 12);
    await operator.ok(["build"]);
    const town = join(operator.home.current, "site");
    const { code, output } = await go.verify(town);
    expect(code, output).toBe(0);
    expect(output).toMatch(/ 2 {2}signing keys checked/);

    const list = readFileSync(join(town, "ledger/keys.json"), "utf8");
    const [oldest = ""] = list.match(/(?<="vkey":")[^"]+/g) ?? [];
    expect((await go.verify("-vkey", oldest, town)).code).toBe(0);
    const changed = new Map([
      ["/ledger/keys.json", Buffer.from(list.replace(/"from_tree_size":[1-9]\d*/, '"from_tree_size":3'))],
    ]);
    await using server = await serveFiles(town, changed);
    expect(await go.verify(server.url)).toMatchObject({ code: 1, subjects: ["ledger/keys.json"] });
  });
});
