import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { manifestKeyPath, readSigner } from "./keys.ts";
import { manifestEndorsementText, manifestKeySpans, manifestVerifier } from "./manifest-keys.ts";
import { parseVkey, signerFromSeed } from "./note.ts";

const ORIGIN = "example.org/demo";
const [log, later, stranger] = [1, 2, 3].map((seed) => signerFromSeed(ORIGIN, Buffer.alloc(32, seed)));
const key = signerFromSeed(`${ORIGIN}/manifest`, Buffer.alloc(32, 4));

function span(by = log, of = key) {
  const { keyId, vkey } = of;
  const endorsement = by?.sign(manifestEndorsementText(ORIGIN, { vkey, createdAt: 0 })) ?? "";
  return manifestKeySpans([{ keyId, vkey, createdAt: 0, endorsement }]);
}
const known = (...keys: (typeof log)[]) => keys.filter((each) => each !== undefined);

test("the newest key signs manifests, if a key of the log that may do so endorses it", () => {
  expect(manifestVerifier(ORIGIN, span(), known(log, later))?.vkey).toBe(key.vkey);
  expect(manifestVerifier(ORIGIN, span(later), known(log, later))?.vkey).toBe(key.vkey);
  expect(manifestVerifier(ORIGIN, [], known(log))).toBeUndefined();
});

test("the word of a retired key of the log, or of a stranger, counts nothing", () => {
  expect(() => manifestVerifier(ORIGIN, span(log), known(later))).toThrow(FormatError);
  expect(() => manifestVerifier(ORIGIN, span(stranger), known(log, later))).toThrow("endorses it");
});

test.each([
  ["another log's", `example.org/else/manifest`],
  ["a key of tree heads", ORIGIN],
])("%s key is refused", (_, name) => {
  const other = signerFromSeed(name, Buffer.alloc(32, 4));
  expect(() => manifestVerifier(ORIGIN, span(log, other), known(log))).toThrow(`it signs for ${name}`);
});

test("an endorsement of another time or key is none", () => {
  const [published] = span();
  if (published === undefined) throw new Error("no key");
  for (const changed of [
    { created_at: "2026-05-01T00:00:00Z" },
    { endorsement: "" },
    { vkey: `${key.vkey.slice(0, -2)}A=` },
  ])
    expect(() => manifestVerifier(ORIGIN, [{ ...published, ...changed }], known(log))).toThrow(FormatError);
});

test("a rotation replaces the key file, and keeps the earlier key published", () => {
  using ledger = new TestLedger();
  const path = manifestKeyPath(ledger.keysDir, "demo");
  const first = readSigner(path).vkey;
  {
    using writer = ledger.writer();
    writer.rotateManifestKey();
  }
  using reader = ledger.reader();
  expect(reader.manifestKeys().map(({ vkey }) => vkey)).toEqual([first, readSigner(path).vkey]);
  expect(reader.manifestSigner(ledger.keysDir).vkey).not.toBe(first);
});

test("a new key of the log endorses the key of manifests again", () => {
  using ledger = new TestLedger();
  ledger.sealAt("2026-05-01T12:00:00Z");
  ledger.rotateKey();
  ledger.sealAt("2026-05-01T13:00:00Z");
  using reader = ledger.reader();
  const current = parseVkey(reader.keyRing().current.vkey);
  expect(manifestVerifier(ORIGIN, manifestKeySpans(reader.manifestKeys()), [current])?.vkey).toBe(
    reader.manifestSigner(ledger.keysDir).vkey,
  );
});

test("a lost key stops no row, and a rotation replaces it", () => {
  using ledger = new TestLedger();
  rmSync(manifestKeyPath(ledger.keysDir, "demo"));
  ledger.sealAt("2026-05-01T12:00:00Z");
  {
    using reader = ledger.reader();
    expect(() => reader.manifestSigner(ledger.keysDir)).toThrow("the key file is missing");
  }
  {
    using writer = ledger.writer();
    writer.rotateManifestKey();
  }
  using reader = ledger.reader();
  expect(reader.manifestSigner(ledger.keysDir).vkey).toBe(reader.manifestKeys().at(-1)?.vkey);
});
