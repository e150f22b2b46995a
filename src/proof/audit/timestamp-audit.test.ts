import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { type TestRelease, TestReleases } from "../../../tests/support/release/audited-release.ts";
import { OPENSSL_MISSING, TestAuthority } from "../../../tests/support/timestamp/authority.ts";
import type { ExternalProof } from "../../contract/ledger/ledger.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { exampleAnswer } from "../../render/reference/examples.ts";
import { ledgerCheckpoints } from "../../resources/service/ledger.ts";
import { timestampQuery } from "../timestamp/authority.ts";
import { trustAnchorsFromPem } from "../timestamp/certificates.ts";
import { Findings } from "./findings.ts";
import { filesInFolder } from "./public-files.ts";
import { openRelease } from "./release-manifest.ts";
import { auditTimestamps } from "./timestamp-audit.ts";

const LIST = "api/v1/ledger-checkpoints.json";
const STAMP = "ledger/timestamps/4.tsr";

describe.skipIf(OPENSSL_MISSING !== undefined)(`time stamps (openssl: ${OPENSSL_MISSING ?? "there"})`, () => {
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
        { subject: LIST, problem: "the checkpoint of 2026-06-28 claims a timestamp that is not published" },
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
});
