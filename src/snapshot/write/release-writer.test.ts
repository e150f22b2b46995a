import { expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { openSnapshot } from "../snapshot.ts";

const HOST = "tsa.example";
const token = Buffer.from("a token");

/** Two seals, two days; the first was proved a minute after the second was asked for. */
function provenTown() {
  const town = new TestTown("2026-05-01T12:00:00Z");
  town.city("toronto");
  const first = town.seal();
  town.writer.requestProofs(HOST, 20);
  town.at("2026-05-02T12:00:00Z");
  town.record("Bakery");
  const second = town.seal();
  town.writer.requestProofs(HOST, 20);
  town.at("2026-05-02T12:01:00Z");
  town.writer.recordProofs([{ size: first, provider: HOST, status: "verified", token }]);
  return { town, first, second };
}

/** What a release says of the external proofs, the newest seal first. */
function released(town: TestTown, treeSize: number, asOf: string) {
  const { path, releaseId } = town.build(treeSize, asOf, { externalTimestamping: true });
  const snapshot = openSnapshot(path);
  const proofs = snapshot.seals().map((seal) => [seal.treeSize, seal.externalProof.status]);
  const [newest] = snapshot.seals();
  snapshot.close();
  return { releaseId, proofs, newest };
}

test("a release tells the proofs as they stood at its time, each at the smallest tree that holds the seal", () => {
  const { town, first, second } = provenTown();
  using _ = town;
  const at = (asOf: string) => released(town, second, asOf).proofs;
  expect(at("2026-05-02T11:59:59Z")).toEqual([
    [second, "none"],
    [first, "pending"],
  ]);
  expect(at("2026-05-02T12:00:59Z")).toEqual([
    [second, "pending"],
    [first, "pending"],
  ]);
  expect(at("2026-05-02T12:01:00Z")).toEqual([
    [second, "pending"],
    [first, "verified"],
  ]);
  expect(released(town, first, "2026-05-02T12:01:00Z").newest?.externalProof).toEqual({
    provider: HOST,
    status: "verified",
    proofSha256: sha256Hex(token),
    verifiedAt: Date.parse("2026-05-02T12:01:00Z"),
  });
});

test("a proof, and an authority, make another release; what comes later does not", () => {
  const { town, second } = provenTown();
  using _ = town;
  const id = (asOf: string, externalTimestamping = true) =>
    town.build(second, asOf, { externalTimestamping }).releaseId;
  const before = id("2026-05-02T12:01:00Z");
  expect(id("2026-05-02T12:01:00Z", false)).not.toBe(before);
  town.at("2026-05-03T00:00:00Z");
  town.writer.recordProofs([{ size: second, provider: HOST, status: "verified", token }]);
  expect(id("2026-05-02T12:01:00Z")).toBe(before);
  rawLedger(town.writer).prepare("UPDATE external_proofs SET attempted_at = 0, verified_at = 0").run();
  expect(id("2026-05-02T12:01:00Z")).not.toBe(before);
});

test("seals of one night share the tree, and its proof", () => {
  using town = new TestTown("2026-05-01T12:00:00Z");
  town.city("toronto");
  town.at("2026-05-02T12:00:00Z");
  town.record("Bakery");
  town.at("2026-05-03T12:00:00Z");
  const { checkpoint, seals } = town.writer.seal({ now: false });
  expect(seals).toHaveLength(2);
  const size = checkpoint?.size ?? 0;
  town.writer.requestProofs(HOST, 20);
  town.writer.recordProofs([{ size, provider: HOST, status: "failed" }]);
  expect(released(town, size, "2026-05-03T12:00:00Z").proofs).toEqual([
    [size, "failed"],
    [size, "failed"],
  ]);
});
