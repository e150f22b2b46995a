import { renameSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { SignerProcess, signingProgram } from "../../../tests/support/ledger/signer-process.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { openLedgerReader } from "../reader.ts";
import { openLedgerWriter } from "../writer.ts";
import { manifestKeyPath, readSigner, signingKeyPath } from "./keys.ts";
import { openNote, parseVkey } from "./note.ts";
import type { SignerSource } from "./signer-source.ts";

/** Moves the private keys away, to where only the signers' process reads them. */
function keysElsewhere(ledger: TestLedger): SignerSource {
  const moved = (path: string) => {
    const verifier = parseVkey(readSigner(path).vkey);
    const elsewhere = join(ledger.folder, `${verifier.keyId}.json`);
    renameSync(path, elsewhere);
    return new SignerProcess(verifier, signingProgram(elsewhere));
  };
  const checkpoint = moved(signingKeyPath(ledger.keysDir, "demo"));
  moved(manifestKeyPath(ledger.keysDir, "demo"));
  return { checkpoint: () => checkpoint };
}

test("another process may hold the keys: the writer seals, and never sees one", () => {
  using ledger = new TestLedger();
  const signers = keysElsewhere(ledger);
  const options = { keysDir: ledger.keysDir, clock: () => ledger.time, random: ledger.random };
  expect(() => openLedgerWriter(ledger.path, options)).toThrow("the key file is missing");
  using writer = openLedgerWriter(ledger.path, { ...options, signers });
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
  const { checkpoint } = writer.seal({ now: true });
  using reader = openLedgerReader(ledger.path); // verifies the signature
  expect(reader.latestCheckpoint()?.note).toBe(checkpoint?.note);
});

test("a signer that fails leaves no seal behind", () => {
  using ledger = new TestLedger();
  const verifier = ledger.signingKey();
  keysElsewhere(ledger);
  const broken = new SignerProcess(verifier, "process.exit(3)");
  const options = { keysDir: ledger.keysDir, clock: () => ledger.time, random: ledger.random };
  using writer = openLedgerWriter(ledger.path, {
    ...options,
    signers: { checkpoint: () => broken },
  });
  ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
  expect(() => writer.seal({ now: true })).toThrow("the signer refused");
  expect(writer.nextId()).toBe(4);
});

test("the signer of manifests is no signer of tree heads", () => {
  using ledger = new TestLedger();
  const manifest = readSigner(manifestKeyPath(ledger.keysDir, "demo"));
  expect(manifest.name).toBe("example.org/demo/manifest");
  using reader = ledger.reader();
  expect(() => openNote(manifest.sign("x\n"), reader.keyRing().current)).toThrow("not signed by");
});
