import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SignerProcess, signingProgram } from "../../../tests/support/ledger/signer-process.ts";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { seededBytes } from "../../kernel/seeded.ts";
import { createLedger } from "../database/create.ts";
import { headPath } from "../fork-guard.ts";
import { openLedgerReader } from "../reader.ts";
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
    expect(() => openLedgerReader(ledger.path, { keysDir: other })).toThrow("demo.signing.json: not the key");
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
    expect(() => createLedger(ledger.path, options)).toThrow("there is a ledger already");
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
