import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { rawLedger } from "../../../tests/support/ledger/raw-ledger.ts";
import { SignerProcess, signingProgram } from "../../../tests/support/ledger/signer-process.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { seededBytes } from "../../kernel/seeded.ts";
import { createLedger } from "../database/ledger-file.ts";
import { openLedgerReader } from "../reader.ts";
import { headPath } from "../tree/checkpoints.ts";
import { openLedgerWriter } from "../writer.ts";
import {
  createKeys,
  intakeKeyPath,
  loadIntakeKey,
  manifestKeyPath,
  newSigner,
  nextFile,
  PURPOSES,
  readSigner,
  type SignerSource,
  signingFileText,
  signingKeyPath,
} from "./keys.ts";
import { openNote, parseVkey } from "./note.ts";

describe("keys", () => {
  describe("keys", () => {
    test("key files are readable by their owner alone", () => {
      using ledger = new TestLedger();
      for (const path of [signingKeyPath(ledger.keysDir, "demo"), intakeKeyPath(ledger.keysDir, "demo")])
        expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(statSync(ledger.keysDir).mode & 0o777).toBe(0o700);
    });

    test("existing keys are kept", () => {
      using ledger = new TestLedger();
      const before = readFileSync(signingKeyPath(ledger.keysDir, "demo"), "utf8");
      createKeys(ledger.keysDir, "demo", "example.org/demo", seededBytes("other"));
      expect(readFileSync(signingKeyPath(ledger.keysDir, "demo"), "utf8")).toBe(before);
    });

    test("a process killed just after its key was in place does no harm to that key later", () => {
      using ledger = new TestLedger();
      const path = signingKeyPath(ledger.keysDir, "demo");
      const before = readFileSync(path, "utf8");
      linkSync(path, `${path}.tmp`);
      createKeys(ledger.keysDir, "demo", "example.org/demo", seededBytes("other"));
      expect(readFileSync(path, "utf8")).toBe(before);
      expect(existsSync(`${path}.tmp`)).toBe(false);
    });

    test("each purpose and each environment has a key of its own, and no key shows the secret", () => {
      using ledger = new TestLedger();
      createKeys(ledger.keysDir, "production", "example.org/demo", seededBytes("test ledger"));
      const demo = loadIntakeKey(ledger.keysDir, "demo");
      const production = loadIntakeKey(ledger.keysDir, "production");
      const all = [demo, production].flatMap((key) =>
        PURPOSES.map((purpose) => key.purposeKey(purpose).toString("hex")),
      );
      expect(new Set(all).size).toBe(2 * PURPOSES.length);
      expect(demo.purposeKey("observer")).toHaveLength(32);
      expect(all.some((hex) => hex.startsWith(demo.check))).toBe(false);
    });

    test.each([0o640, 0o604, 0o660, 0o644])("a key file of mode %o is refused with the remedy", (mode) => {
      using ledger = new TestLedger();
      const path = intakeKeyPath(ledger.keysDir, "demo");
      chmodSync(path, mode);
      expect(() => ledger.writer()).toThrow(OperatorError);
      expect(() => ledger.writer()).toThrow(`chmod 600 ${path}`);
    });

    test.each(["signing", "intake"])("a missing %s key is refused by name", (which) => {
      using ledger = new TestLedger();
      rmSync(`${ledger.keysDir}/demo.${which}.json`);
      expect(() => ledger.writer()).toThrow(`demo.${which}.json: the key file is missing`);
    });

    test.each([
      ["signing", "signs for example.org/demo now"],
      ["intake", ".*ledger.db was created with"],
    ])("another ledger's %s key is refused by name", (which, role) => {
      using ledger = new TestLedger();
      const other = `${ledger.folder}/other`;
      createKeys(other, "demo", "example.org/demo", seededBytes("other"));
      writeFileSync(`${ledger.keysDir}/demo.${which}.json`, readFileSync(`${other}/demo.${which}.json`));
      expect(() => ledger.writer()).toThrow(new RegExp(`demo\\.${which}\\.json: not the key that ${role}`));
    });

    test("a reader that is given keys refuses another key", () => {
      using ledger = new TestLedger();
      const other = `${ledger.folder}/other`;
      createKeys(other, "demo", "example.org/demo", seededBytes("other"));
      expect(() => openLedgerReader(ledger.path, { keysDir: other })).toThrow(
        "demo.signing.json: not the key",
      );
      using reader = openLedgerReader(ledger.path);
      expect(reader.meta.origin).toBe("example.org/demo");
    });

    test.each(["", "{", "[]", '{"skey":"PRIVATE+KEY+a+00000000+AAAA","vkey":""}', '{"skey":1,"vkey":""}'])(
      "a damaged key file is refused: %j",
      (content) => {
        using ledger = new TestLedger();
        writeFileSync(signingKeyPath(ledger.keysDir, "demo"), content);
        expect(() => readSigner(signingKeyPath(ledger.keysDir, "demo"))).toThrow(
          /demo\.signing\.json: .*backup/,
        );
      },
    );

    test("an aborted creation leaves nothing in the way, and a leftover is never written into", () => {
      using ledger = new TestLedger();
      const path = signingKeyPath(ledger.keysDir, "demo");
      const key = readFileSync(path, "utf8");
      rmSync(ledger.path);
      writeFileSync(`${ledger.path}.new`, "half a ledger");
      writeFileSync(`${intakeKeyPath(ledger.keysDir, "demo")}.tmp`, "half a key");
      const options = { environment: "demo", keysDir: ledger.keysDir, clock: () => ledger.time } as const;
      expect(() => createLedger(ledger.path, { ...options, origin: "example.org/else" })).toThrow(
        "not for example.org/else",
      );
      createLedger(ledger.path, { ...options, origin: "example.org/demo" });
      expect(readFileSync(path, "utf8")).toBe(key);
      using writer = ledger.writer();
      expect(writer.nextId()).toBe(1);
    });

    test("creating refuses a ledger that exists, a bad origin, and keys that have signed", () => {
      using ledger = new TestLedger();
      const options = {
        environment: "demo",
        origin: "example.org/demo",
        keysDir: ledger.keysDir,
        clock: () => 0,
      } as const;
      expect(() => createLedger(ledger.path, options)).toThrow("a ledger already exists");
      const other = `${ledger.folder}/other.db`;
      expect(() => createLedger(other, { ...options, origin: "two words" })).toThrow('origin "two words"');
      {
        using writer = ledger.writer();
        ledger.appendAt(writer, "2026-05-01T12:00:00Z", 3);
        writer.seal({ now: true });
      }
      expect(() => createLedger(other, options)).toThrow(
        `${headPath(ledger.keysDir, "demo")}: these keys have already signed`,
      );
    });

    test("the same randomness gives the same keys", () => {
      using first = new TestLedger();
      using second = new TestLedger();
      using reader = first.reader();
      using other = second.reader();
      expect(reader.meta).toEqual(other.meta);
    });

    describe("after a rotation the wrong key file", () => {
      test("of the time before the rotation is refused, for reading and for writing", () => {
        using ledger = new TestLedger();
        const path = signingKeyPath(ledger.keysDir, "demo");
        const old = readFileSync(path);
        ledger.rotateKey();
        writeFileSync(path, old);
        expect(() => ledger.writer()).toThrow(OperatorError);
        expect(() => ledger.writer()).toThrow(
          "demo.signing.json: not the key that signs for example.org/demo now",
        );
        expect(() => ledger.reader()).toThrow(
          "demo.signing.json: not the key that signs for example.org/demo now",
        );
      });

      test("of the time after it is refused by an older copy of the ledger", () => {
        using ledger = new TestLedger();
        copyFileSync(ledger.path, `${ledger.path}.before`);
        ledger.rotateKey();
        copyFileSync(`${ledger.path}.before`, ledger.path);
        expect(() => ledger.writer()).toThrow("not the key that signs for example.org/demo now");
      });

      test("beside a left-over that is no better is refused, and one that others may read is named", () => {
        using ledger = new TestLedger();
        const path = signingKeyPath(ledger.keysDir, "demo");
        const stranger = newSigner("example.org/demo", seededBytes("stranger"));
        writeFileSync(path, signingFileText(stranger), { mode: 0o600 });
        const next = nextFile(signingKeyPath(ledger.keysDir, "demo"));
        writeFileSync(next, signingFileText(newSigner("example.org/demo", seededBytes("other"))), {
          mode: 0o600,
        });
        expect(() => ledger.writer()).toThrow("not the key that signs");
        rmSync(next);
        writeFileSync(next, signingFileText(stranger), { mode: 0o644 });
        expect(() => ledger.writer()).toThrow(`chmod 600 ${next}`);
      });
    });
  });

  describe("signer source", () => {
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
  });
});

describe("key rotation", () => {
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
      expect(() => ledger.rotateKey()).toThrow(
        "a head of 8 rows was signed, which this ledger does not hold",
      );
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
});
