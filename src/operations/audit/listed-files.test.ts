import { expect, test } from "vitest";
import { fakeInputs } from "../../../tests/support/release/fake-inputs.ts";
import { sha256 } from "../../kernel/hash.ts";
import { verifyKeyChain } from "../../ledger/keys/key-ring.ts";
import { parseVkey, signerFromSeed } from "../../ledger/keys/note.ts";
import type { SignedRelease } from "../../proof/audit/release-manifest.ts";
import { listedFiles } from "./listed-files.ts";

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

const HASH = "a".repeat(64);
const lines = (paths: readonly string[]) => paths.map((path) => `${HASH}  ${path}\n`).join("");
const twins = [".br", ".gz"].map((ending) => ({ ending, sha256: HASH }));
const alone = (path: string, file: string) => ({ path, sha256: HASH, holds: `hash of ${file}` });

test("a file comes with its twins, and the manifest's twins by themselves", () => {
  const list = lines(["a.json.br", "a.json.gz", "manifest.json.gz", "x.html.br", "x.html.gz"]);
  expect([...listedFiles(releaseOf(["a.json", "b.parquet", "x.html"]), list)]).toEqual([
    { path: "a.json", sha256: "hash of a.json", twins },
    { path: "b.parquet", sha256: "hash of b.parquet" },
    alone("manifest.json.gz", "manifest.json"),
    { path: "x.html", sha256: "hash of x.html", twins },
  ]);
});

test("lists in other orders lose nothing", () => {
  const list = lines(["x.json.gz", "a.json.br", "a.json.gz", "x.json.br"]);
  expect([...listedFiles(releaseOf(["x.json", "a.json"]), list)]).toEqual([
    { path: "x.json", sha256: "hash of x.json", twins: [{ ending: ".gz", sha256: HASH }] },
    { path: "a.json", sha256: "hash of a.json", twins },
    alone("x.json.br", "x.json"),
  ]);
});

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
  const listed = [...listedFiles(releaseOf([...bundles, ...others]), lines([`${bundles[0]}.gz`]))];
  expect(listed.map(({ path }) => path)).toEqual([`${bundles[0]}.gz`, ...others]);
});
