import { once } from "node:events";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { filesOf, TestReleases } from "../../../tests/support/release/audited-release.ts";
import { TestSite } from "../../../tests/support/release/site.ts";
import { releaseHashes } from "../../../tests/support/release/whole-release.ts";
import { repetitions } from "../../../tests/support/trial.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { portOf } from "../../kernel/port.ts";
import { DAY_MS, isoTime } from "../../kernel/time.ts";
import { Findings } from "../../proof/audit/findings.ts";
import { filesAtUrl, filesInFolder, type PublicFiles } from "../../proof/audit/site-files.ts";
import type { RunningServer } from "../../server/main.ts";
import { auditRelease, releaseFolder } from "./audit.ts";
import { mirrorSite } from "./mirror.ts";

/** A mirror that is kept holds what a fresh one holds: nothing that was withdrawn stays in it. */

const OTHER_KEY = "example.org/ledger+00000000+AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const MAX_BYTES = 100_000_000;
const folder = mkdtempSync(join(tmpdir(), "mirror-"));
let count = 0;
const newFolder = () => {
  count += 1;
  return join(folder, String(count));
};

afterAll(() => rmSync(folder, { recursive: true }));

function hashesOf(mirror: string): Record<string, string> {
  return releaseHashes(realpathSync(join(mirror, "current")));
}

describe("over HTTP", () => {
  let site: TestSite;
  let server: RunningServer;
  let time = Date.parse("2026-05-20T12:00:00Z");

  /** A release of the next day. */
  async function publish(): Promise<void> {
    time += DAY_MS;
    site.town.at(isoTime(time));
    const directory = await site.publishSigned(isoTime(time));
    site.removeAllBut(directory);
    // The server notices a new release within a second; a request for it makes it look at once.
    await expect
      .poll(async () => (await fetch(`${server.url}/manifest.note`)).text(), { timeout: 60_000 })
      .toContain(noteOf(directory));
  }

  const noteOf = (directory: string) => readFileSync(join(directory, "site/manifest.note"), "utf8");
  const files = () => filesAtUrl(server.url);
  const mirror = (into: string, changes: Partial<Parameters<typeof mirrorSite>[0]> = {}) =>
    mirrorSite({ files: files(), folder: into, maxBytes: MAX_BYTES, ...changes });

  beforeAll(async () => {
    site = new TestSite();
    const directory = await site.publishSigned(isoTime(time));
    server = await site.serve();
    expect(existsSync(directory)).toBe(true);
  });
  afterAll(async () => {
    await server.stop();
    site[Symbol.dispose]();
  });

  test("after opt-outs a kept copy equals a fresh one, and holds none of the names", async () => {
    const optOuts = repetitions(50, 3);
    const shops = Array.from({ length: optOuts }, (_, at) => {
      const first = site.town.writer.nextId();
      site.addRecord(`Quokka${at}x`);
      return { name: `Quokka${at}x`, rows: [0, 1, 2, 3].map((row) => first + row) };
    });
    await publish();
    const kept = newFolder();
    expect(await mirror(kept)).toMatchObject({ is_new: true, kept: 0 });
    expect(await mirror(kept)).toMatchObject({ is_new: false, downloaded: 0 });
    for (const { name, rows } of shops) {
      expect(everythingIn(kept)).toContain(name);
      site.town.redact(rows);
      await publish();
      const { removed, kept: same } = await mirror(kept);
      expect(removed).toBeGreaterThan(4);
      expect(same).toBeGreaterThan(10);
      expect(everythingIn(kept)).not.toContain(name);
    }
    const fresh = newFolder();
    await mirror(fresh);
    expect(hashesOf(kept)).toEqual(hashesOf(fresh));
    expect(readdirSync(join(kept, "copies"))).toHaveLength(1);
  });

  test("a copy verifies without its site", async () => {
    const copy = newFolder();
    await mirror(copy);
    const findings = new Findings();
    const held = releaseFolder(join(copy, "current"));
    await auditRelease(filesInFolder(held.site), held, {}, findings);
    expect(findings.faults).toEqual([]);
    writeFileSync(join(held.site, "left-over.html"), "x");
    await auditRelease(filesInFolder(held.site), held, {}, findings);
    expect(findings.faults).toEqual([
      { subject: "left-over.html", problem: expect.stringContaining("not in any") },
    ]);
  });

  test("an interrupted run goes on where it was", async () => {
    const copy = newFolder();
    let reads = 0;
    const dying: PublicFiles = {
      read: async (path) => {
        reads += 1;
        if (reads > 30) throw new OperatorError("the line is dead");
        return files().read(path);
      },
    };
    await expect(mirror(copy, { files: dying })).rejects.toThrow("the line is dead");
    expect(existsSync(join(copy, "current"))).toBe(false);
    const { kept, downloaded, files: total } = await mirror(copy);
    expect(kept).toBeGreaterThan(10);
    expect(kept + downloaded).toBe(total);
  });

  test("a release that is published meanwhile is the one that is copied", async () => {
    const copy = newFolder();
    let published = false;
    const moving: PublicFiles = {
      read: async (path) => {
        if (!published && path.startsWith("api/")) {
          published = true;
          site.addRecord("Latecomer");
          await publish();
        }
        return files().read(path);
      },
    };
    await mirror(copy, { files: moving });
    const fresh = newFolder();
    await mirror(fresh);
    expect(hashesOf(copy)).toEqual(hashesOf(fresh));
  });

  test("a larger site than allowed leaves the copy as it was", async () => {
    const copy = newFolder();
    await mirror(copy);
    const before = hashesOf(copy);
    site.addRecord("Delta");
    await publish();
    await expect(mirror(copy, { maxBytes: 1000 })).rejects.toThrow(/larger than 1,000 bytes/);
    expect(hashesOf(copy)).toEqual(before);
  });

  test("another key than the known one is refused, and a folder with other things in it", async () => {
    const copy = newFolder();
    await expect(mirror(copy, { vkey: OTHER_KEY })).rejects.toThrow(/the key that you gave/);
    expect(existsSync(join(copy, "current"))).toBe(false);
    await expect(mirror(folder)).rejects.toThrow(/which is no part of a mirror/);
  });
});

function everythingIn(mirror: string): string {
  return [...filesOf(mirror)].map(([path, bytes]) => `${path}\n${bytes.toString("latin1")}`).join("\n");
}

describe("against a dishonest site", () => {
  /** A signed release whose files are read as `change` has them. */
  async function withRelease(
    work: (
      site: string,
      read: (replaced: ReadonlyMap<string, Buffer | null>) => PublicFiles,
    ) => Promise<void>,
    options: Parameters<TestReleases["release"]>[1] = {},
  ): Promise<void> {
    using ledger = new TestLedger();
    using releases = new TestReleases();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const { site } = await releases.release(ledger, options);
    const real = filesInFolder(site);
    await work(site, (replaced) => ({
      read: async (path) => {
        const other = replaced.get(path);
        return other === undefined ? real.read(path) : (other ?? undefined);
      },
    }));
  }

  const HOSTILE = [
    "../outside.txt",
    "a/../../outside.txt",
    "/etc/outside.txt",
    "a//b",
    "a/./b",
    "..",
    "a\\..\\b",
    "a/",
    "",
    "nul\u0000byte",
    "manifest.json",
  ];

  test.each(HOSTILE)("a signed manifest that lists %j is refused, and nothing is written", async (path) => {
    using ledger = new TestLedger();
    using releases = new TestReleases();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const { site } = await releases.release(ledger);
    const manifest = JSON.parse(readFileSync(join(site, "manifest.json"), "utf8"));
    manifest.files[path] = sha256Hex("x");
    const text = JSON.stringify(manifest);
    const note = readFileSync(join(site, "manifest.note"), "utf8");
    const body = `${note.split("\n")[0]}\n${manifest.release_id}\n${sha256Hex(text)}\n`;
    const real = filesInFolder(site);
    const replaced = new Map([
      ["manifest.json", Buffer.from(text)],
      ["manifest.note", Buffer.from(ledger.signingKey().sign(body))],
    ]);
    const files: PublicFiles = {
      read: async (asked) => replaced.get(asked) ?? (asked === path ? Buffer.from("x") : real.read(asked)),
    };
    const copy = newFolder();
    await expect(mirrorSite({ files, folder: copy, maxBytes: MAX_BYTES })).rejects.toThrow(OperatorError);
    expect(readdirSync(copy, { recursive: true }).sort()).toEqual(["copies", "lock"]);
  });

  test("an unsigned manifest, another file and a missing file are refused", async () => {
    await withRelease(async (site, read) => {
      const manifest = readFileSync(join(site, "manifest.json"), "utf8");
      const attempts: [string, Buffer | null, RegExp][] = [
        [
          "manifest.json",
          Buffer.from(manifest.replace("release-", "other-")),
          /not the one that manifest.note signs/,
        ],
        ["manifest.note", Buffer.from("no note"), /^manifest.note: /],
        ["ledger/redactions.json", Buffer.from("{}"), /its hash is not the one in the manifest/],
        ["ledger/redactions.json", null, /the server does not have it/],
      ];
      for (const [path, bytes, problem] of attempts) {
        const copy = newFolder();
        const files = read(new Map([[path, bytes]]));
        await expect(mirrorSite({ files, folder: copy, maxBytes: MAX_BYTES })).rejects.toThrow(problem);
        expect(existsSync(join(copy, "current")), path).toBe(false);
      }
    });
  });

  test("an older release, which would bring back what was withdrawn, is refused", async () => {
    using ledger = new TestLedger();
    using releases = new TestReleases();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const old = await releases.release(ledger);
    ledger.sealAt("2026-05-02T12:00:00Z");
    const now = await releases.release(ledger);
    const copy = newFolder();
    const from = (site: string) =>
      mirrorSite({ files: filesInFolder(site), folder: copy, maxBytes: MAX_BYTES });
    await from(now.site);
    const before = hashesOf(copy);
    await expect(from(old.site)).rejects.toThrow(/an older release/);
    expect(hashesOf(copy)).toEqual(before);
  });

  test("a later run trusts the key of the first one, not the one that the site shows by then", async () => {
    await withRelease(async (site) => {
      const copy = newFolder();
      const task = { files: filesInFolder(site), folder: copy, maxBytes: MAX_BYTES };
      const { vkey } = await mirrorSite(task);
      expect(JSON.parse(readFileSync(join(copy, "mirror.json"), "utf8"))).toEqual({ vkey });
      writeFileSync(join(copy, "mirror.json"), JSON.stringify({ vkey: OTHER_KEY }));
      await expect(mirrorSite(task)).rejects.toThrow(/the key that you gave is not a key of the log/);
    });
  });

  test.each<[string, RequestListener, string]>([
    ["never ends a file", (_, response) => endless(response), "it is larger than any file of a release"],
    [
      "asks to wait for ever",
      (_, response) => response.writeHead(429, { "Retry-After": "60" }).end(),
      "the server asked to wait (429) for more than 10 minutes",
    ],
  ])("a server that %s is left, by mirror and verify", async (_, listener, problem) => {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await once(server, "listening");
    const site = () =>
      filesAtUrl(`http://127.0.0.1:${portOf(server)}`, { maxFileBytes: 1e6, pause: async () => undefined });
    const mirrored = mirrorSite({ files: site(), folder: newFolder(), maxBytes: MAX_BYTES });
    await expect(mirrored).rejects.toThrow(problem);
    const findings = new Findings();
    const verified = auditRelease(site(), undefined, {}, findings).then(
      () => findings.faults.map((fault) => fault.problem).join(" "),
      String,
    );
    expect(await verified).toContain(problem);
    server.closeAllConnections();
    server.close();
  });
});

function endless(response: ServerResponse): void {
  response.once("drain", () => endless(response));
  while (response.write(Buffer.alloc(65_536)));
}
