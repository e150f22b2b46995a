import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from "vitest";
import { ObservationsResponse } from "../../src/contract/records/observation.ts";
import { nodeHash } from "../../src/kernel/hash.ts";
import { homePaths, releasePaths } from "../../src/kernel/home.ts";
import { parseTreeHead } from "../../src/proof/tlog/note.ts";
import { disclosuresPath, entriesPath, tilePath } from "../../src/proof/tlog/proof.ts";
import { rowProof } from "../../src/proof/tlog/tile-tree.ts";
import { PROJECT } from "../support/operations/presence-process.ts";
import { runShown, type ShellRun, shownBlocks } from "../support/operations/shown-commands.ts";
import { signNote, testKey } from "../support/pages/published-site.ts";
import { OPENSSL_MISSING, TestAuthority } from "../support/timestamp/authority.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { oneOfEach } from "../support/trial.ts";
import { type Replaced, serveFiles } from "../trial/real/plain-file-server.ts";

/** The commands of docs/verify-by-hand.md as they stand there, over a server, a plain file server, and tampered files. */

/** The note with another character at a place: in the signature one of base64, which a flipped bit may not be. */
function withAnother(note: Buffer, at: number, isBase64: boolean): Buffer {
  const changed = Buffer.from(note);
  const byte = note.readUInt8(at);
  const letter = byte === 0x41 ? 0x42 : 0x41;
  changed.writeUInt8(isBase64 ? letter : byte ^ 1, at);
  return changed;
}

const page = readFileSync(join(PROJECT, "docs/verify-by-hand.md"), "utf8");
const [, afterMark = ""] = page.split("<!-- signature: ");
const [signature = ""] = shownBlocks(afterMark, "sh");
const [observation = "", proof = "", , leaf = "", disclosure = "", path = "", history = "", stamp = ""] =
  shownBlocks(page, "sh");
const oneRow = [observation, proof, signature, leaf, disclosure, path].join("\n");
const passes = (script: string) =>
  [...script.matchAll(/^check "(.+?)"/gm)].map(([, what]) => `passed: ${what}`);

describe.skipIf(OPENSSL_MISSING !== undefined)(`by hand (openssl: ${OPENSSL_MISSING ?? "there"})`, () => {
  const site = releasePaths(homePaths(inject("demoHome")).current).site;
  const folder = mkdtempSync(join(tmpdir(), "by-hand-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  let cwd: string; // empty for each test
  beforeEach(() => {
    cwd = mkdtempSync(join(folder, "reader-"));
  });

  const read = (address: string) => readFileSync(join(site, address));
  const { size } = parseTreeHead(read("ledger/checkpoint").toString());
  const published = readdirSync(join(site, "api/v1/observations"))
    .filter((name) => name.endsWith(".json"))
    .flatMap((name) => {
      const { public_id, observations } = ObservationsResponse.parse(
        JSON.parse(read(`api/v1/observations/${name}`).toString()),
      );
      return observations.map(({ id }) => ({ record: public_id, row: id }));
    })
    .sort((a, b) => a.row - b.row);

  interface Asked {
    readonly record: string;
    readonly row: number;
  }

  /** Runs commands with the reader's own site, record and row put in. Returns what the checks say. */
  async function run(script: string, url: string, asked?: Asked, shell: ShellRun["shell"] = "bash") {
    const put = (text: string, name: string, value: string | number) =>
      text.replace(new RegExp(`^${name}=.*$`, "m"), `${name}=${value}`);
    let filled = put(script, "SITE", url);
    if (asked !== undefined) filled = put(put(filled, "RECORD", asked.record), "ROW", asked.row);
    const { isOk, stdout, stderr } = await runShown(filled, { cwd, shell });
    return { isOk, says: stdout.match(/^(passed|FAILED): .*$/gm) ?? [], stdout, stderr };
  }

  test("the page has checks in each of its steps", () => {
    expect([signature, leaf, disclosure, path, stamp].map((text) => passes(text).length)).toEqual([
      3, 4, 1, 3, 1,
    ]);
  });

  describe("from the server, with nothing put in but the site", () => {
    let server: DemoServer;
    beforeAll(async () => {
      server = await serveHome(inject("demoHome"));
    });
    afterAll(() => server.stop());

    test.each(["bash", "sh"] as const)("in %s", async (shell) => {
      const { says, stderr, stdout } = await run(oneRow, server.url, undefined, shell);
      expect(says, stderr).toEqual(passes(oneRow));
      expect(stdout).toMatch(/^\["[\w-]{22}","body",\{"accepted_at":/m);
    });
  });

  test("from a plain file server, for the oldest row, the newest, and one at the edge of a tile", async () => {
    await using server = await serveFiles(site);
    const edge = published.find(({ row }) => row % 256 < 2);
    for (const asked of [published.at(0), published.at(-1), edge]) {
      const { says, stderr } = await run(oneRow, server.url, asked);
      expect(says, stderr).toEqual(passes(oneRow));
    }
  });

  test("a checkpoint that was kept is compared with the log of today", async () => {
    await using server = await serveFiles(site);
    const checkpoints = readdirSync(join(site, "ledger/checkpoints"));
    writeFileSync(join(cwd, "checkpoint"), read(`ledger/checkpoints/${checkpoints[0]}`));
    const { isOk, stdout, stderr } = await run(`SITE=\n${history}`, server.url);
    expect(isOk, stderr).toBe(true);
    expect(stdout).toMatch(/: no fault$/m);
  });

  describe("tampered files fail", () => {
    const asked = published.find(({ row }) => row > 300) ?? { record: "", row: 0 };
    const index = asked.row - 1;
    const bundle = Math.floor(index / 256);
    const files = {
      entries: `/ledger/${entriesPath(bundle, 256)}`,
      tile: `/ledger/${tilePath({ level: 0, index: bundle, width: 256 })}`,
      disclosures: `/ledger/${disclosuresPath(bundle)}`,
      list: `/api/v1/observations/${asked.record}.json`,
      proof: `/ledger/proof/${asked.row}`,
    };
    let proofText: string;
    beforeAll(async () => {
      const log = join(site, "ledger");
      proofText = await rowProof({ row: asked.row }, async (name) => readFileSync(join(log, name)), nodeHash);
    });

    const edited = (name: string, edit: (text: string) => string): Replaced => {
      const text = name === files.proof ? proofText : read(name).toString("latin1");
      expect(edit(text)).not.toBe(text);
      return new Map([
        [files.proof, Buffer.from(proofText)],
        [name, Buffer.from(edit(text), name === files.proof ? "utf8" : "latin1")],
      ]);
    };
    const flippedAt = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === "A" ? "B" : "A") + text.slice(at + 1);
    const lineOf = (text: string, line: number) => text.split("\n").slice(0, line).join("\n").length + 1;

    const cases: Record<string, [failed: string, tamper: () => Replaced]> = {
      "the key": [
        "the key signed the checkpoint",
        () => edited("/ledger/vkey", (vkey) => `${testKey("x", vkey.split("+")[0]).vkey}\n`),
      ],
      "the key's id": [
        "the key's id is the hash of its name and bytes",
        () => edited("/ledger/vkey", (vkey) => vkey.replace(/\+[0-9a-f]{8}\+/, "+00000000+")),
      ],
      "the signed size": [
        "the key signed the checkpoint",
        () => edited(files.proof, (text) => text.replace(`\n${size}\n`, `\n${size + 1}\n`)),
      ],
      "the signature": [
        "the key signed the checkpoint",
        () => edited(files.proof, (text) => flippedAt(text, text.length - 20)),
      ],
      "a hash of the path": [
        "the path leads to the signed root",
        () => edited(files.proof, (text) => flippedAt(text, lineOf(text, 3))),
      ],
      "a hash too few": [
        "the path has the right length",
        () => edited(files.proof, (text) => text.replace(/(?<=\nindex \d+\n).*\n/, "")),
      ],
      "a proof of another row": [
        "the proof is of this row",
        () => edited(files.proof, (text) => text.replace(`index ${index}`, `index ${index + 1}`)),
      ],
      "the entry": [
        "its hash is the published ledger_hash",
        () =>
          edited(files.entries, (text) =>
            text.replace(new RegExp(`.(?="\\],"_sd_alg":"sha-256","i":${asked.row},)`), (last) =>
              flippedAt(last, 0),
            ),
          ),
      ],
      "the row's number in the entry": [
        "the leaf is that of the row",
        () => edited(files.entries, (text) => text.replace(`"i":${asked.row},`, `"i":${asked.row + 1},`)),
      ],
      "the tile": [
        "its hash is the one in the tile",
        () => edited(files.tile, (bytes) => flippedAt(bytes, (index % 256) * 32)),
      ],
      "the disclosure": [
        "the leaf committed to the disclosure",
        () =>
          edited(files.disclosures, (text) => flippedAt(text, text.indexOf(`{"i":${asked.row},"d":"`) + 40)),
      ],
      "the published hash": [
        "its hash is the published ledger_hash",
        () => edited(files.list, (text) => text.replaceAll(/(?<="ledger_hash":")..../g, "ffff")),
      ],
    };

    const drawn = oneOfEach(Object.entries(cases), ([, [failed]]) => failed);
    test.each(drawn)("%s", async (_, [failed, tamper]) => {
      await using server = await serveFiles(site, tamper());
      const { isOk, says } = await run(oneRow, server.url, asked);
      const expected = passes(oneRow);
      const at = expected.indexOf(`passed: ${failed}`);
      expect(says).toEqual([...expected.slice(0, at), `FAILED: ${failed}`]);
      expect(isOk).toBe(false);
    });
  });

  describe("a checkpoint's signature, with openssl and coreutils alone", () => {
    const check = observation.match(/^check\(\).*$/m)?.[0] ?? "";
    const checked = (note: string | Uint8Array, vkey: string | Uint8Array) => {
      writeFileSync(join(cwd, "checkpoint"), note);
      writeFileSync(join(cwd, "vkey"), vkey);
      return runShown(`${check}\n${signature}`, { cwd });
    };

    test("takes about twenty lines", () => {
      expect(signature.trim().split("\n").length).toBeLessThanOrEqual(20);
    });

    test("is good for every tree head that is tried", async () => {
      const sizes = readdirSync(join(site, "ledger/checkpoints"));
      for (const each of [sizes.at(0), sizes.at(100), String(size)]) {
        const { isOk, stderr } = await checked(read(`ledger/checkpoints/${each}`), read("ledger/vkey"));
        expect(isOk, stderr).toBe(true);
      }
    });

    test("is not good with a flipped bit anywhere, nor by another key, nor for another log", async () => {
      const note = read("ledger/checkpoint");
      const vkey = read("ledger/vkey");
      const text = note.indexOf("\n\n") + 1;
      const line = note.lastIndexOf(" ") + 1;
      for (const at of [0, text - 4, text - 40, line, line + 20, note.length - 10]) {
        const flipped = withAnother(note, at, at >= line);
        const { isOk, stdout } = await checked(flipped, vkey);
        expect([isOk, stdout.includes("FAILED: the key signed the checkpoint")], `byte ${at}`).toEqual([
          false,
          true,
        ]);
      }
      const origin = vkey.toString().split("+")[0] ?? "";
      const own = testKey("thief", origin);
      expect((await checked(signNote(note.toString("utf8", 0, text), own), vkey)).isOk).toBe(false);
      expect((await checked(signNote("other/log\n1\nAAAA\n", own), own.vkey)).stdout).toContain(
        "FAILED: the checkpoint is of the key's log",
      );
    });
  });

  test("a time stamp over the checkpoint verifies, and one over another does not", async () => {
    using authority = new TestAuthority();
    const checkpoint = read("ledger/checkpoint");
    const answer = (data: Uint8Array) => {
      writeFileSync(join(authority.folder, "note"), data);
      authority.openssl(["ts", "-query", "-data", "note", "-sha256", "-cert", "-out", "note.tsq"]);
      return authority.reply(readFileSync(join(authority.folder, "note.tsq")));
    };
    writeFileSync(join(cwd, "tsa-roots.pem"), authority.caPem);
    const address = `/ledger/timestamps/${size}.tsr`;
    const outcomeOf = async (response: Uint8Array) => {
      await using server = await serveFiles(site, new Map([[address, response]]));
      return await run(`${oneRow}\n${stamp}`, server.url);
    };
    const good = await outcomeOf(answer(checkpoint));
    expect(good.says, good.stderr).toEqual(passes(oneRow + stamp));
    const { isOk, says } = await outcomeOf(answer(checkpoint.subarray(1)));
    expect([isOk, says.at(-1)]).toEqual([false, "FAILED: the stamp is over the checkpoint"]);
  });
});
