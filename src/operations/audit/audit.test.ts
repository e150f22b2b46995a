import { expect, test } from "vitest";
import { fakeInputs } from "../../../tests/support/release/fake-inputs.ts";
import { sha256 } from "../../kernel/hash.ts";
import { verifyKeyChain } from "../../ledger/keys/key-ring.ts";
import { parseVkey, signerFromSeed } from "../../ledger/keys/note.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";
import { listedFiles } from "./audit.ts";

const ORIGIN = "example.org/demo";
const { keyId, vkey } = parseVkey(signerFromSeed(ORIGIN, Buffer.alloc(32, 1)).vkey);

function releaseOf(paths: readonly string[], size = 300): SignedRelease {
  const inputs = fakeInputs(ORIGIN, size);
  const files = Object.fromEntries(paths.map((path) => [path, `hash of ${path}`]));
  return {
    ring: verifyKeyChain(ORIGIN, [{ keyId, vkey, fromSize: 0, createdAt: 0, endorsement: null }]),
    manifestKey: undefined,
    head: { origin: ORIGIN, size, root: sha256("root") },
    manifest: { files, inputs, release_id: "r", snapshot_sha256: "" },
    manifestSha256: "hash of manifest.json",
  };
}

test("bundles of the tree are left to its audit; others are files like any", () => {
  const bundles = [
    "ledger/disclosures/000.ndjson",
    "ledger/disclosures/001.ndjson",
    "ledger/tile/entries/000",
    "ledger/tile/entries/001.p/44",
  ];
  const others = [
    "ledger/disclosures/002.ndjson",
    "ledger/disclosures/x000/001.ndjson",
    "ledger/tile/0/000",
    "ledger/tile/entries/000.p/7",
    "ledger/tile/entries/001",
  ];
  expect([...listedFiles(releaseOf([...bundles, ...others]))]).toEqual(
    others.map((path) => ({ path, sha256: `hash of ${path}` })),
  );
});
