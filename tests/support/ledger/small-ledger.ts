import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../../src/contract/enums.ts";
import { homePaths } from "../../../src/kernel/home.ts";
import { seededBytes } from "../../../src/kernel/seeded.ts";
import { createLedger } from "../../../src/ledger/database/ledger-file.ts";
import { readSigner, signingKeyPath } from "../../../src/ledger/keys/keys.ts";
import type { StoredSigner } from "../../../src/ledger/keys/note.ts";
import { type LedgerReader, openLedgerReader } from "../../../src/ledger/reader.ts";
import type { NewRow } from "../../../src/ledger/rows/rows.ts";
import type { LedgerWriter } from "../../../src/ledger/writer.ts";
import { openRawWriter } from "./raw-ledger.ts";

/** For tests: a ledger in a temporary folder, with a clock that only the test moves and repeatable randomness. */
export class TestLedger {
  readonly folder: string;
  readonly path: string;
  readonly keysDir: string;
  readonly random = seededBytes("test ledger");
  time: number;

  constructor(start = "2026-05-01T12:00:00Z", environment: Environment = "demo", parent = tmpdir()) {
    this.folder = mkdtempSync(join(parent, "ledger-"));
    this.path = homePaths(this.folder).ledger;
    this.keysDir = homePaths(this.folder).keys;
    this.time = Date.parse(start);
    const { path, keysDir, random } = this;
    createLedger(path, {
      environment,
      origin: "example.org/demo",
      keysDir,
      clock: () => this.time,
      random,
    });
  }

  writer(): LedgerWriter {
    return openRawWriter(this.path, {
      keysDir: this.keysDir,
      clock: () => this.time,
      random: this.random,
    });
  }

  reader(): LedgerReader {
    return openLedgerReader(this.path, { keysDir: this.keysDir });
  }

  /** Sets the clock and appends that many status rows in one transaction. */
  appendAt(writer: LedgerWriter, instant: string, count: number): void {
    this.time = Date.parse(instant);
    writer.transaction(() => {
      for (let added = 0; added < count; added += 1) writer.append(statusRow(writer.nextId()));
    });
  }

  /** Appends three rows and seals them. */
  sealAt(instant: string): void {
    using writer = this.writer();
    this.appendAt(writer, instant, 3);
    writer.seal({ now: true });
  }

  rotateKey(): void {
    using writer = this.writer();
    writer.rotateSigningKey();
  }

  /** The key of the key file, wherever the ledger is. */
  signingKey(): StoredSigner {
    return readSigner(signingKeyPath(this.keysDir, "demo"));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true });
  }
}

export function statusRow(record: number): NewRow {
  return { kind: "status", body: { record, status: "claimed" }, private: { source_ref: `ref ${record}` } };
}
