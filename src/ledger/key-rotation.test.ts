import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { describe, expect, test } from "vitest";
import { rawLedger } from "../../tests/support/ledger/raw-ledger.ts";
import { TestLedger } from "../../tests/support/ledger/small-ledger.ts";
import { createLedger } from "./database/create.ts";
import { headPath } from "./fork-guard.ts";
import { nextFile, signingKeyPath } from "./keys/keys.ts";
import { openNote } from "./keys/note.ts";

/** A ledger with a checkpoint of 4 rows by the first key and one of 8 by the second. */
function rotatedLedger(): TestLedger {
  const ledger = new TestLedger();
  ledger.sealAt("2026-05-01T12:00:00Z");
  ledger.rotateKey();
  ledger.sealAt("2026-05-01T13:00:00Z");
  return ledger;
}

describe("after a rotation", () => {
  test("old and new checkpoints verify, each with the key of its time", () => {
    using ledger = rotatedLedger();
    using reader = ledger.reader();
    const [first, second] = reader.keyRing().all();
    const [old, current] = reader.checkpoints();
    expect(first).toMatchObject({ vkey: reader.meta.vkey, fromSize: 0, untilSize: 4 });
    expect(second).toMatchObject({ vkey: ledger.signingKey().vkey, fromSize: 4, untilSize: null });
    expect([old?.keyId, current?.keyId]).toEqual([first?.keyId, second?.keyId]);
    expect(openNote(old?.note ?? "", reader.keyRing().at(4))).toMatch(/^example\.org\/demo\n4\n/);
    expect(openNote(current?.note ?? "", reader.keyRing().at(8))).toMatch(/^example\.org\/demo\n8\n/);
    expect(reader.seals(8).map(({ body }) => body.signing_key_id)).toEqual([first?.keyId, second?.keyId]);
    expect(Array.from(reader.verifiedRows(8))).toHaveLength(8);
  });

  test("a reader that was open before sees the new key and what it signed", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    using reader = ledger.reader();
    ledger.rotateKey();
    ledger.sealAt("2026-05-01T13:00:00Z");
    expect(reader.latestCheckpoint()?.keyId).toBe(ledger.signingKey().keyId);
    reader.advanceHead(ledger.keysDir);
  });

  test("one file holds the new key, for its owner alone, and nothing holds the old one", () => {
    using ledger = new TestLedger();
    const old = ledger.signingKey().skey;
    ledger.rotateKey();
    expect(readdirSync(ledger.keysDir).filter((name) => name.includes("signing"))).toEqual([
      "demo.signing.json",
    ]);
    expect(statSync(signingKeyPath(ledger.keysDir, "demo")).mode & 0o777).toBe(0o600);
    for (const name of readdirSync(ledger.folder, { recursive: true, encoding: "utf8" })) {
      const path = `${ledger.folder}/${name}`;
      if (statSync(path).isFile()) expect(readFileSync(path, "latin1")).not.toContain(old);
    }
  });

  test("the same writer seals with the new key", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
    writer.rotateSigningKey();
    writer.seal({ now: true });
    using reader = ledger.reader();
    expect(reader.latestCheckpoint()?.keyId).toBe(ledger.signingKey().keyId);
    expect(reader.keyRing().at(0).vkey).toBe(reader.meta.vkey);
  });

  test("a second one before the next seal leaves the key between them nothing to sign", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    ledger.time += 30_000;
    ledger.rotateKey();
    ledger.time -= 30_000; // the clock steps back, the keys' times do not
    ledger.rotateKey();
    ledger.sealAt("2026-05-01T13:00:00Z");
    using reader = ledger.reader();
    expect(
      reader
        .keyRing()
        .all()
        .map(({ fromSize, untilSize }) => [fromSize, untilSize]),
    ).toEqual([
      [0, 4],
      [4, 4],
      [4, null],
    ]);
    expect(reader.checkpoints().map(({ keyId }) => keyId)).toEqual([
      reader.keyRing().all()[0]?.keyId,
      ledger.signingKey().keyId,
    ]);
  });

  test("the head of the key before is taken on, and one of the wrong span is not", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const old = ledger.signingKey();
    const path = headPath(ledger.keysDir, "demo");
    const head = readFileSync(path, "utf8");
    ledger.rotateKey();
    expect(readFileSync(path, "utf8")).toBe(head);
    ledger.sealAt("2026-05-01T13:00:00Z");
    const text = openNote(readFileSync(path, "utf8"), ledger.signingKey());
    writeFileSync(path, old.sign(text));
    expect(() => ledger.sealAt("2026-05-01T14:00:00Z")).toThrow(/demo\.head: .*missing or damaged/);
    writeFileSync(path, head);
    ledger.sealAt("2026-05-01T14:00:00Z");
  });

  test("an older copy of the ledger is not rotated", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    copyFileSync(ledger.path, `${ledger.path}.backup`);
    ledger.sealAt("2026-05-01T13:00:00Z");
    copyFileSync(`${ledger.path}.backup`, ledger.path);
    const before = ledger.signingKey().vkey;
    expect(() => ledger.rotateKey()).toThrow("a head of 8 rows was signed, which this ledger does not hold");
    expect(ledger.signingKey().vkey).toBe(before);
  });

  test("keys that were rotated before anything was signed may begin a new ledger", () => {
    using ledger = new TestLedger();
    ledger.rotateKey();
    rmSync(ledger.path);
    const { path, keysDir } = ledger;
    createLedger(path, {
      environment: "demo",
      origin: "example.org/demo",
      keysDir,
      clock: () => ledger.time,
    });
    ledger.sealAt("2026-05-01T12:00:00Z");
    using reader = ledger.reader();
    expect(reader.meta.vkey).toBe(ledger.signingKey().vkey);
  });
});

describe("a process that dies", () => {
  /** Before and after a rotation: the key file, and the ledger. */
  function rotation(ledger: TestLedger) {
    const path = signingKeyPath(ledger.keysDir, "demo");
    const old = readFileSync(path);
    copyFileSync(ledger.path, `${ledger.path}.before`);
    ledger.rotateKey();
    return { path, old, fresh: readFileSync(path), next: nextFile(signingKeyPath(ledger.keysDir, "demo")) };
  }

  test("before the ledger took the key: the old one goes on, and the next rotation replaces the left-over", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const { path, old, fresh, next } = rotation(ledger);
    copyFileSync(`${ledger.path}.before`, ledger.path);
    writeFileSync(path, old);
    writeFileSync(next, fresh, { mode: 0o600 });
    ledger.sealAt("2026-05-01T13:00:00Z");
    expect(readFileSync(path)).toEqual(old);
    ledger.rotateKey();
    expect(existsSync(next)).toBe(false);
    expect(ledger.signingKey().vkey).not.toBe(readSignerText(fresh));
    ledger.sealAt("2026-05-01T14:00:00Z");
  });

  test("after the ledger took the key: readers sign with it where it lies, the next writer moves it", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const { path, old, fresh, next } = rotation(ledger);
    writeFileSync(path, old);
    writeFileSync(next, fresh, { mode: 0o600 });
    {
      using reader = ledger.reader();
      expect(reader.signer(ledger.keysDir).vkey).toBe(reader.keyRing().current.vkey);
      expect(existsSync(next)).toBe(true);
    }
    ledger.sealAt("2026-05-01T13:00:00Z");
    expect(readFileSync(path)).toEqual(fresh);
    expect(existsSync(next)).toBe(false);
  });

  test("after the ledger took the key, and then rotates again: the key is not lost", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const { path, old, fresh, next } = rotation(ledger);
    writeFileSync(path, old);
    writeFileSync(next, fresh, { mode: 0o600 });
    ledger.rotateKey();
    ledger.sealAt("2026-05-01T13:00:00Z");
    using reader = ledger.reader();
    expect(reader.keyRing().all()).toHaveLength(3);
    expect(reader.keyRing().current.vkey).toBe(ledger.signingKey().vkey);
  });

  test("a key that could not be moved is used where it lies, and no later failure loses it", () => {
    using ledger = new TestLedger();
    using writer = ledger.writer();
    const [path, next] = [
      signingKeyPath(ledger.keysDir, "demo"),
      nextFile(signingKeyPath(ledger.keysDir, "demo")),
    ];
    const old = readFileSync(path);
    const notMoved = () => {
      writeFileSync(next, readFileSync(path), { mode: 0o600 });
      writeFileSync(path, old);
    };
    writer.rotateSigningKey();
    notMoved();
    ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
    writer.seal({ now: true });
    const { keyId } = writer.keyRing().current;
    expect(rawLedger(writer).prepare("SELECT key_id FROM checkpoints").pluck().all()).toEqual([keyId]);
    notMoved();
    ledger.time -= 3_600_000;
    expect(() => writer.rotateSigningKey()).toThrow("clock set back");
    expect(ledger.signingKey().keyId).toBe(keyId);
  });

  test("while it wrote the key: half a file is in nobody's way", () => {
    using ledger = new TestLedger();
    writeFileSync(`${nextFile(signingKeyPath(ledger.keysDir, "demo"))}.tmp`, "half a k");
    ledger.rotateKey();
    ledger.sealAt("2026-05-01T12:00:00Z");
    expect(readdirSync(ledger.keysDir).some((name) => name.endsWith(".tmp"))).toBe(false);
  });

  test("a rotation whose transaction fails changes nothing, and can be tried again", () => {
    using ledger = new TestLedger();
    ledger.sealAt("2026-05-01T12:00:00Z");
    const before = ledger.signingKey().vkey;
    using writer = ledger.writer();
    const [time, path] = [ledger.time, headPath(ledger.keysDir, "demo")];
    ledger.time -= 3_600_000;
    expect(() => writer.rotateSigningKey()).toThrow("clock set back");
    ledger.time = time;
    expect(ledger.signingKey().vkey).toBe(before);
    expect(writer.keyRing().all()).toHaveLength(1);
    ledger.appendAt(writer, "2026-05-01T13:00:00Z", 1);
    writer.seal({ now: true });
    expect(openNote(readFileSync(path, "utf8"), ledger.signingKey())).toMatch(/\n6\n/);
    writer.rotateSigningKey();
    expect(ledger.signingKey().vkey).not.toBe(before);
  });
});

function readSignerText(file: Buffer): string {
  return JSON.parse(file.toString()).vkey;
}
