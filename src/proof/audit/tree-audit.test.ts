import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import {
  auditOf,
  filesOf,
  type TestRelease,
  TestReleases,
} from "../../../tests/support/release/audited-release.ts";
import { changedSeal, DishonestOperator } from "../../../tests/support/release/dishonest-operator.ts";
import { OPENSSL_MISSING, TestAuthority } from "../../../tests/support/timestamp/authority.ts";
import type { ExternalProof } from "../../contract/ledger/ledger.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { exampleAnswer } from "../../render/reference/examples.ts";
import { ledgerCheckpoints } from "../../resources/service/ledger.ts";
import { timestampQuery } from "../timestamp/authority.ts";
import { trustAnchorsFromPem } from "../timestamp/certificates.ts";
import { joinEntries, splitEntries } from "../tlog/leaf.ts";
import { Findings } from "./findings.ts";
import { openRelease } from "./release-manifest.ts";
import { filesInFolder } from "./site-files.ts";
import { auditTimestamps } from "./tree-audit.ts";

describe("tree audit", () => {
  /** Sealed with that many rows on three days, the last of them still open, one row of the first redacted, the key changed. */
  function livedLedger(rows: number): TestLedger {
    const ledger = new TestLedger();
    {
      using writer = ledger.writer();
      ledger.appendAt(writer, "2026-05-01T12:00:00Z", rows);
      ledger.appendAt(writer, "2026-05-02T12:00:00Z", rows);
      writer.seal({ now: false });
      writer.erase({ reason: "safety", rows: [2] });
      writer.rotateSigningKey();
      ledger.appendAt(writer, "2026-05-03T12:00:00Z", rows);
      writer.seal({ now: false });
    }
    return ledger;
  }

  function sealedLedger(...nights: readonly number[]): TestLedger {
    const ledger = new TestLedger();
    for (const [at, rows] of nights.entries()) {
      using writer = ledger.writer();
      ledger.appendAt(writer, `2026-05-0${at + 1}T12:00:00Z`, rows);
      writer.seal({ now: true });
    }
    return ledger;
  }

  async function faultsOf(release: TestRelease, remembered?: string) {
    return (await auditOf(release, remembered === undefined ? {} : { remembered })).faults;
  }

  const text = ({ site }: TestRelease, path: string) => readFileSync(join(site, path), "utf8");

  test.each([1, 4, 128, 300])(
    "a ledger with %i rows a day verifies, and all of it is looked at",
    async (rows) => {
      using ledger = livedLedger(rows);
      using releases = new TestReleases();
      const release = await releases.release(ledger);
      const { faults, counts } = await auditOf(release);
      expect(faults).toEqual([]);
      const size = 3 * rows + 3; // with two seals and a redaction
      expect(counts).toMatchObject({
        "signing keys": 2,
        leaves: size,
        // All but the redacted row and the rows of today.
        disclosures: size - 1 - rows,
        seals: 2,
        redactions: 1,
        "signed tree heads": 3,
        "redacted rows": 1,
        "rows that wait for a seal": rows,
        "tiles and bundles": [...filesOf(release.site).keys()].filter((path) =>
          path.startsWith("ledger/tile/"),
        ).length,
      });
    },
  );

  describe("any published file of the ledger, changed or gone, is named", async () => {
    using ledger = livedLedger(90);
    const releases = new TestReleases();
    const release = await releases.release(ledger);
    const files = [...filesOf(release.site)].filter(
      ([path]) => path.startsWith("ledger/") && !/\.(br|gz)$/.test(path),
    );

    test.each(files)("%s", async (path, bytes) => {
      const flipped = Buffer.from(bytes.length === 0 ? Buffer.of(0) : bytes);
      const at = Math.floor(flipped.length / 3);
      flipped[at] = (flipped[at] ?? 0) ^ 1;
      for (const changed of [flipped, bytes.subarray(0, -1), Buffer.concat([bytes, Buffer.of(10)]), null]) {
        if (changed?.equals(bytes)) continue;
        const { faults } = await auditOf(release, { replaced: new Map([[path, changed]]) });
        expect(faults.map(({ subject }) => subject)).toContain(path);
      }
    });
  });

  describe("a release that is signed as it is, and is not what its leaves lead to", () => {
    const lies: [string, string, (bytes: Buffer) => Buffer | undefined, string[]][] = [
      ["a tile of leaves", "ledger/tile/0/000", flipped(40), ["ledger/tile/0/000", "row 2"]],
      ["a partial tile", "ledger/tile/0/000.p/201", flipped(0), ["ledger/tile/0/000.p/201", "row 1"]],
      ["a tile above", "ledger/tile/1/000.p/1", flipped(0), ["ledger/tile/1/000.p/1"]],
      ["a tile that is not there", "ledger/tile/0/001.p/47", () => undefined, ["ledger/tile/0/001.p/47"]],
      [
        "a bundle of a smaller tree",
        "ledger/tile/entries/000.p/201",
        flipped(9),
        ["ledger/tile/entries/000.p/201"],
      ],
      [
        "a bundle that is not there",
        "ledger/tile/entries/000.p/201",
        () => undefined,
        ["ledger/tile/entries/000.p/201"],
      ],
      ["a tile of no tree", "ledger/tile/0/000.p/3", () => Buffer.alloc(96), ["ledger/tile/0/000.p/3"]],
      [
        "disclosures of no rows",
        "ledger/disclosures/002.ndjson",
        () => Buffer.alloc(0),
        ["ledger/disclosures/002.ndjson"],
      ],
    ];

    test.each(lies)("%s", async (_, path, change, named) => {
      using ledger = sealedLedger(200, 101);
      using releases = new TestReleases();
      const bytes = change(Buffer.from(filesOf(releases.publish(ledger).site).get(path) ?? Buffer.alloc(0)));
      const release = await releases.release(
        ledger,
        bytes === undefined ? { without: [path] } : { files: { [path]: bytes } },
      );
      const subjects = (await faultsOf(release)).map(({ subject }) => subject);
      expect([...new Set(subjects)]).toEqual(named);
    });

    test("heads that are missing, unsigned, too large or in the wrong place", async () => {
      using ledger = sealedLedger(3, 3);
      using releases = new TestReleases();
      const honest = releases.publish(ledger);
      const [small, newest] = [text(honest, "ledger/checkpoints/4"), text(honest, "ledger/checkpoint")];
      const faults = async (files: Readonly<Record<string, string>>, without: string[] = []) =>
        faultsOf(await releases.release(ledger, { files, without }));
      expect(await faults({ "ledger/checkpoints/5": small })).toEqual([
        { subject: "ledger/checkpoints/5", problem: "holds the tree head of 4 rows" },
      ]);
      expect(await faults({ "ledger/checkpoints/4": newest })).toContainEqual({
        subject: "ledger/checkpoints/4",
        problem: "holds the tree head of 8 rows",
      });
      expect(await faults({ "ledger/checkpoints/4": small.replace("\n4\n", "\n5\n") })).toContainEqual(
        expect.objectContaining({ subject: "ledger/checkpoints/4" }),
      );
      expect(await faults({}, ["ledger/checkpoints/8"])).toEqual([
        { subject: "ledger/checkpoints/8", problem: "the newest checkpoint is not among those kept" },
      ]);
      ledger.sealAt("2026-05-05T12:00:00Z");
      const larger = text(releases.publish(ledger), "ledger/checkpoint");
      const early = { treeSize: 8, files: { "ledger/checkpoints/12": larger } };
      expect(await faultsOf(await releases.release(ledger, early))).toEqual([
        { subject: "ledger/checkpoints/12", problem: "is larger than the newest tree head of 8 rows" },
      ]);
    });

    test("leaves that are none, or of another row", async () => {
      using ledger = sealedLedger(3);
      using releases = new TestReleases();
      const path = "ledger/tile/entries/000.p/4";
      const [one, two, ...rest] = splitEntries(
        filesOf(releases.publish(ledger).site).get(path) ?? Buffer.alloc(0),
      );
      if (one === undefined || two === undefined) throw new Error("no leaves");
      const withLeaves = async (entries: readonly Uint8Array[]) =>
        (await faultsOf(await releases.release(ledger, { files: { [path]: joinEntries(entries) } })))
          .filter(({ problem }) => problem.includes("leaf of row") || problem.includes("canonical"))
          .map(({ subject, problem }) => `${subject}: ${problem}`);
      expect(await withLeaves([two, one, ...rest])).toEqual([
        "row 1: it is the leaf of row 2, not of row 1",
        "row 2: it is the leaf of row 1, not of row 2",
      ]);
      expect(await withLeaves([one, Buffer.from("{}"), ...rest])).toEqual([
        "row 2: not a leaf in canonical form",
      ]);
    });

    test("disclosures that their leaf does not commit to, or that are no body", async () => {
      using ledger = sealedLedger(3);
      using releases = new TestReleases();
      const path = "ledger/disclosures/000.ndjson";
      const lines = text(releases.publish(ledger), path).split("\n");
      const [, second = ""] = lines;
      const swapped = [second.replace('"i":2', '"i":1'), ...lines.slice(1)].join("\n");
      expect(await faultsOf(await releases.release(ledger, { files: { [path]: swapped } }))).toEqual([
        { subject: "row 1", problem: "its disclosure: the leaf does not commit to the disclosed text" },
      ]);
    });

    test("a last sealed row that is not", async () => {
      using ledger = sealedLedger(3);
      using releases = new TestReleases();
      expect(await faultsOf(await releases.release(ledger, { lastSealedRow: 2 }))).toEqual([
        { subject: "manifest.json", problem: "says that row 2 is the last sealed one, but it is 4" },
      ]);
    });
  });

  describe("whoever holds the key", () => {
    test.each([
      ["merkle_root", { merkle_root: "0".repeat(64) }, ["its Merkle root is not that of its range"]],
      [
        "last_ledger_hash",
        { last_ledger_hash: "0".repeat(64) },
        ["its last hash is not that of its last row"],
      ],
      ["previous seal", { previous_manifest_sha256: null }, ["it does not name the seal before it"]],
      ["key", { signing_key_id: "00000000" }, ["its key is not a key of the log"]],
      ["time", { created_at: "2026-04-30T00:00:00Z" }, ["it is older than the seal before it"]],
      [
        "number of leaves",
        { leaf_count: 2 },
        [
          "its number of leaves is not that of its range",
          "its Merkle root is not that of its range",
          "its last hash is not that of its last row",
        ],
      ],
      [
        "range",
        { first_observation_id: 6 },
        ["rows 6 to 7 do not follow those sealed before", "its number of leaves is not that of its range"],
      ],
    ])("cannot seal with a wrong %s", async (_, change, problems) => {
      using ledger = sealedLedger(3, 3);
      using releases = new TestReleases();
      const release = await releases.release(ledger);
      const liar = new DishonestOperator(join(release.site, ".."), ledger.signingKey());
      await liar.rewrite(8, (json) => changedSeal(json, change));
      expect(await faultsOf(release)).toEqual(
        problems.map((problem) => ({ subject: "row 8", problem: `seal of 2026-05-02: ${problem}` })),
      );
    });

    test("cannot seal with a hash that is not the seal's", async () => {
      using ledger = sealedLedger(3);
      using releases = new TestReleases();
      const release = await releases.release(ledger);
      const liar = new DishonestOperator(join(release.site, ".."), ledger.signingKey());
      await liar.rewrite(4, (json) => json.replace('"rfc8785-v1"', '"rfc8785-v2"'));
      expect(await faultsOf(release)).toEqual([
        { subject: "row 4", problem: "seal of 2026-05-01: its hash is not that of its content" },
      ]);
    });
  });

  describe("a checkpoint that somebody kept", () => {
    test("is led to by the same log, whatever its size", async () => {
      using ledger = livedLedger(100);
      using releases = new TestReleases();
      const release = await releases.release(ledger);
      for (const path of filesOf(join(release.site, "ledger/checkpoints")).keys())
        expect(await faultsOf(release, text(release, `ledger/checkpoints/${path}`))).toEqual([]);
    });

    test("shows that the log has become shorter", async () => {
      using ledger = sealedLedger(3, 3);
      using releases = new TestReleases();
      const kept = text(await releases.release(ledger), "ledger/checkpoint");
      expect(await faultsOf(await releases.release(ledger, { treeSize: 4 }), kept)).toEqual([
        { subject: "the checkpoint that you kept", problem: "has 8 rows, but the log now shows 4" },
      ]);
    });

    test.each([
      ["of another log", (note: string) => note.replaceAll("example.org/demo", "example.org/else")],
      ["that was changed", (note: string) => note.replace("\n4\n", "\n3\n")],
      ["that is none", () => "hello"],
      ["that is empty", () => ""],
    ])("%s is refused", async (_, change) => {
      using ledger = sealedLedger(3);
      using releases = new TestReleases();
      const release = await releases.release(ledger);
      const faults = await faultsOf(release, change(text(release, "ledger/checkpoint")));
      expect(faults.map(({ subject }) => subject)).toEqual(["the checkpoint that you kept"]);
    });
  });

  function flipped(at: number) {
    return (bytes: Buffer) => {
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes;
    };
  }
});

describe("timestamp audit", () => {
  const LIST = "api/v1/ledger-checkpoints.json";
  const STAMP = "ledger/timestamps/4.tsr";

  describe.skipIf(OPENSSL_MISSING !== undefined)(
    `time stamps (openssl: ${OPENSSL_MISSING ?? "there"})`,
    () => {
      let authority: TestAuthority;
      let ledger: TestLedger;
      let releases: TestReleases;
      let token: Buffer;

      beforeAll(() => {
        [authority, ledger, releases] = [new TestAuthority(), new TestLedger(), new TestReleases()];
        ledger.sealAt("2026-05-01T12:00:00Z");
        const { site } = releases.publish(ledger);
        token = stampOver(readFileSync(join(site, "ledger/checkpoint")));
      });
      afterAll(() => {
        for (const each of [authority, ledger, releases]) each[Symbol.dispose]();
      });

      function stampOver(message: Buffer): Buffer {
        return authority.reply(timestampQuery(message, (size) => Buffer.alloc(size, 9)).body);
      }

      /** The published list, with that said of its one seal. */
      function list(proof: Partial<ExternalProof>): string {
        const example = exampleAnswer(ledgerCheckpoints);
        const checkpoints = example.checkpoints.slice(0, 1).map((checkpoint) => ({
          ...checkpoint,
          external_proof: { provider: "t", status: "none", proof_sha256: null, verified_at: null, ...proof },
        }));
        return JSON.stringify({ ...example, checkpoints });
      }

      const verified = () => list({ status: "verified", proof_sha256: sha256Hex(token) });

      async function audited(release: TestRelease, anchors = trustAnchorsFromPem(authority.caPem)) {
        const [files, findings] = [filesInFolder(release.site), new Findings()];
        const opened = await openRelease(files, {}, findings);
        if (opened === undefined) throw new Error(JSON.stringify(findings.faults));
        await auditTimestamps(files, opened, anchors.length === 0 ? undefined : anchors, findings);
        return { faults: findings.faults, counts: findings.counts() };
      }

      test("over their tree heads verify, with the chain of their signer where its roots are known", async () => {
        const release = await releases.release(ledger, { files: { [STAMP]: token, [LIST]: verified() } });
        expect(await audited(release)).toMatchObject({ faults: [], counts: { timestamps: 1 } });
        const unknown = await audited(release, []);
        expect(unknown).toMatchObject({ faults: [], counts: { "timestamps, their signers unchecked": 1 } });
        expect(unknown.counts).not.toHaveProperty("timestamps");
      });

      test("by a signer whom nobody vouches for are refused", async () => {
        const release = await releases.release(ledger, { files: { [STAMP]: token, [LIST]: verified() } });
        using other = new TestAuthority();
        const { faults } = await audited(release, trustAnchorsFromPem(other.caPem));
        expect(faults.map(({ subject }) => subject)).toEqual([STAMP]);
      });

      test("over something else, damaged, or of a head that is not there, are refused", async () => {
        const flipped = Buffer.from(token);
        flipped[200] = (flipped[200] ?? 0) ^ 1;
        const bad: Record<string, Buffer>[] = [
          { [STAMP]: stampOver(Buffer.from("else")) },
          { [STAMP]: flipped },
          { [STAMP]: token.subarray(0, 100) },
          { [STAMP]: Buffer.alloc(0) },
          { "ledger/timestamps/5.tsr": token },
        ];
        for (const files of bad) {
          const release = await releases.release(ledger, { files: { ...files, [LIST]: list({}) } });
          const { faults } = await audited(release);
          expect(faults.map(({ subject }) => subject)).toEqual(Object.keys(files));
          expect(faults[0]?.problem).not.toContain("\n");
        }
      });

      test("that a seal claims and that are not there are missed", async () => {
        for (const proof of [
          { status: "verified", proof_sha256: sha256Hex("another") },
          { status: "verified", proof_sha256: null },
        ] as const) {
          const release = await releases.release(ledger, { files: { [STAMP]: token, [LIST]: list(proof) } });
          expect((await audited(release)).faults).toEqual([
            {
              subject: LIST,
              problem: "the checkpoint of 2026-06-28 claims a timestamp that is not published",
            },
          ]);
        }
        for (const status of ["none", "pending", "failed"] as const) {
          const release = await releases.release(ledger, { files: { [LIST]: list({ status }) } });
          expect((await audited(release)).faults).toEqual([]);
        }
      });

      test("are claimed in a list that is there and can be read", async () => {
        const { faults } = await audited(await releases.release(ledger));
        expect(faults).toEqual([{ subject: LIST, problem: "the file is missing" }]);
        for (const text of ["", "[]", "{}", "no JSON"]) {
          const release = await releases.release(ledger, { files: { [LIST]: text } });
          expect((await audited(release)).faults.map(({ subject }) => subject)).toEqual([LIST]);
        }
      });
    },
  );
});
