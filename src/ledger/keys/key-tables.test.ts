import { copyFileSync } from "node:fs";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { openLedgerReader } from "../reader.ts";
import { openNote } from "./note.ts";

function change({ path }: TestLedger, sql: string): void {
  const database = new Database(path);
  database.exec(sql);
  database.close();
}

/** A ledger with a checkpoint of 4 rows by the first key and one of 8 by the second. */
function rotatedLedger(): TestLedger {
  const ledger = new TestLedger();
  ledger.sealAt("2026-05-01T12:00:00Z");
  ledger.rotateKey();
  ledger.sealAt("2026-05-01T13:00:00Z");
  return ledger;
}

describe("a changed ledger is refused", () => {
  test("the old key may not sign after the rotation", () => {
    using ledger = new TestLedger();
    const old = ledger.signingKey();
    ledger.rotateKey();
    ledger.sealAt("2026-05-01T12:00:00Z");
    using reader = openLedgerReader(ledger.path);
    const note = reader.latestCheckpoint()?.note ?? "";
    const forged = old.sign(openNote(note, ledger.signingKey()));
    change(ledger, `UPDATE checkpoints SET note = '${forged}', key_id = '${old.keyId}'`);
    expect(() => reader.latestCheckpoint()).toThrow("checkpoint 4: not signed by example.org/demo+");
  });

  test("the new key may not sign before it", () => {
    using ledger = rotatedLedger();
    using reader = openLedgerReader(ledger.path);
    const note = reader.checkpointAt(4)?.note ?? "";
    const current = ledger.signingKey();
    const forged = current.sign(openNote(note, reader.keyRing().at(4)));
    change(ledger, `UPDATE checkpoints SET note = '${forged}', key_id = '${current.keyId}' WHERE size = 4`);
    expect(() => reader.checkpointAt(4)).toThrow("checkpoint 4: not signed by example.org/demo+");
    expect(reader.checkpointAt(8)?.keyId).toBe(current.keyId);
  });

  test.each([
    [
      "without an endorsement",
      "UPDATE signing_keys SET endorsement = NULL WHERE from_size = 4",
      "not endorse",
    ],
    [
      "with a changed endorsement",
      "UPDATE signing_keys SET endorsement = replace(endorsement, '4', '5') WHERE from_size = 4",
      "signature",
    ],
    ["with another span", "UPDATE signing_keys SET from_size = 3 WHERE from_size = 4", "another tree size"],
    ["of another name", "UPDATE signing_keys SET key_id = '00000000' WHERE from_size = 4", "00000000: its"],
    ["that was there before", "UPDATE signing_keys SET created_at = 0 WHERE from_size = 4", "it is older"],
  ])("a key %s", (_, sql, message) => {
    using ledger = rotatedLedger();
    change(ledger, sql);
    expect(() => openLedgerReader(ledger.path)).toThrow(OperatorError);
    expect(() => openLedgerReader(ledger.path)).toThrow(message);
    expect(() => openLedgerReader(ledger.path)).toThrow(
      /ledger\.db: signing key [0-9a-f]{8}: .*the ledger was changed/,
    );
    expect(() => ledger.writer()).toThrow(message);
  });

  test("the first key taken away, the last one, or all", () => {
    using ledger = rotatedLedger();
    const copy = `${ledger.path}.copy`;
    copyFileSync(ledger.path, copy);
    change(ledger, "DELETE FROM signing_keys WHERE from_size = 0");
    expect(() => ledger.writer()).toThrow("not the key that the ledger began with");
    copyFileSync(copy, ledger.path);
    change(ledger, "DELETE FROM signing_keys WHERE from_size = 4");
    expect(() => ledger.writer()).toThrow("not the key that signs");
    using reader = openLedgerReader(ledger.path);
    expect(() => reader.latestCheckpoint()).toThrow("checkpoint 8: not signed by");
    change(ledger, "DELETE FROM signing_keys");
    expect(() => openLedgerReader(ledger.path)).toThrow(OperatorError);
  });
});
