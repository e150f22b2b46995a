import { copyFileSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TestLedger } from "../../../tests/support/ledger/small-ledger.ts";
import { LedgerKeys } from "../../contract/ledger/ledger.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { EMPTY_ROOT } from "../../kernel/hash.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { formatTreeHead } from "../../proof/tlog/note.ts";
import { openLedgerReader } from "../reader.ts";
import {
  endorsementText,
  keysDocument,
  manifestEndorsementText,
  manifestKeySpans,
  manifestVerifier,
  openTreeHead,
  publishedKeyRing,
  type SigningKey,
  verifyKeyChain,
} from "./key-ring.ts";
import { manifestKeyPath, readSigner } from "./keys.ts";
import { type NoteSigner, openNote, parseVkey, signerFromSeed } from "./note.ts";

describe("key ring", () => {
  describe("key ring", () => {
    const ORIGIN = "example.org/log";
    const signers = [1, 2, 3, 4].map((seed) => signerFromSeed(ORIGIN, Buffer.alloc(32, seed)));
    const [FIRST = signer(0), SECOND = signer(1), THIRD = signer(2), STRANGER = signer(3)] = signers;

    function signer(index: number): NoteSigner {
      return signerFromSeed(ORIGIN, Buffer.alloc(32, index + 1));
    }

    function key({ keyId, vkey }: NoteSigner, fromSize: number, by?: NoteSigner): SigningKey {
      const endorsement = by?.sign(endorsementText(ORIGIN, { vkey, fromSize })) ?? null;
      return { keyId, vkey, fromSize, createdAt: Date.parse("2026-05-01T12:00:00Z") + fromSize, endorsement };
    }

    function head(by: NoteSigner, size: number): string {
      return by.sign(formatTreeHead({ origin: ORIGIN, size, root: EMPTY_ROOT }));
    }

    const CHAIN = [key(FIRST, 0), key(SECOND, 10, FIRST), key(THIRD, 25, SECOND)];

    describe("spans", () => {
      const ring = verifyKeyChain(ORIGIN, CHAIN);

      test.each([
        [0, FIRST],
        [1, FIRST],
        [10, FIRST],
        [11, SECOND],
        [25, SECOND],
        [26, THIRD],
        [Number.MAX_SAFE_INTEGER, THIRD],
      ])("of %i rows", (size, { vkey }) => {
        expect(ring.at(size).vkey).toBe(vkey);
      });

      test("end where the next key begins", () => {
        expect(ring.all().map(({ fromSize, untilSize }) => [fromSize, untilSize])).toEqual([
          [0, 10],
          [10, 25],
          [25, null],
        ]);
        expect(ring.all().map(({ retiredAt }) => retiredAt)).toEqual([
          CHAIN[1]?.createdAt,
          CHAIN[2]?.createdAt,
          null,
        ]);
        expect(ring.current.vkey).toBe(THIRD.vkey);
      });

      test("a key that was replaced before it signed has no size; the empty tree stays the first key's", () => {
        const quick = verifyKeyChain(ORIGIN, [key(FIRST, 0), key(SECOND, 0, FIRST), key(THIRD, 0, SECOND)]);
        expect([0, 1, 2].map((size) => quick.at(size).keyId)).toEqual([
          FIRST.keyId,
          THIRD.keyId,
          THIRD.keyId,
        ]);
      });

      function rightful(size: number) {
        if (size <= 10) return FIRST;
        return size <= 25 ? SECOND : THIRD;
      }

      test("a tree head is opened by the key of its size alone", () => {
        fc.assert(
          fc.property(fc.nat(40), fc.constantFrom(FIRST, SECOND, THIRD, STRANGER), (size, by) => {
            if (by === rightful(size)) expect(openTreeHead(head(by, size), ring).size).toBe(size);
            else expect(() => openTreeHead(head(by, size), ring)).toThrow(FormatError);
          }),
        );
      });

      test("a size that was changed to reach another key's span is refused", () => {
        const moved = head(FIRST, 10).replace("\n10\n", "\n11\n");
        expect(() => openTreeHead(moved, ring)).toThrow(`not signed by ${ORIGIN}+${SECOND.keyId}`);
        const origin = FIRST.sign(formatTreeHead({ origin: "example.org/else", size: 5, root: EMPTY_ROOT }));
        expect(() => openTreeHead(origin, ring)).toThrow("signed for example.org/else");
      });
    });

    describe("a broken chain names the key", () => {
      const other = signerFromSeed("example.org/else", Buffer.alloc(32, 2));
      const second = key(SECOND, 10, FIRST);
      test.each<[string, readonly SigningKey[], string]>([
        ["no key", [], "no signing key"],
        [
          "no endorsement",
          [key(FIRST, 0), key(SECOND, 10)],
          `${SECOND.keyId}: the key before does not endorse`,
        ],
        ["by a stranger", [key(FIRST, 0), key(SECOND, 10, STRANGER)], `${SECOND.keyId}: not signed by`],
        ["by itself", [key(FIRST, 0), key(SECOND, 10, SECOND)], `${SECOND.keyId}: not signed by`],
        [
          "by the key before the one before",
          [key(FIRST, 0), second, key(THIRD, 25, FIRST)],
          `${THIRD.keyId}: not signed by`,
        ],
        [
          "another size",
          [key(FIRST, 0), { ...second, fromSize: 9 }],
          `${SECOND.keyId}: the endorsement is for another`,
        ],
        [
          "another key's endorsement",
          [key(FIRST, 0), { ...second, endorsement: key(THIRD, 10, FIRST).endorsement }],
          `${SECOND.keyId}: the endorsement is for another`,
        ],
        [
          "a changed signature",
          [key(FIRST, 0), { ...second, endorsement: changed(second.endorsement) }],
          `${SECOND.keyId}: wrong signature`,
        ],
        ["backwards", [key(FIRST, 0), second, key(THIRD, 9, SECOND)], `${THIRD.keyId}: it begins before`],
        ["half a row", [key(FIRST, 0), key(SECOND, 0.5, FIRST)], `${SECOND.keyId}: it begins before`],
        ["older", [key(FIRST, 0), { ...second, createdAt: 0 }], `${SECOND.keyId}: it is older`],
        ["twice", [key(FIRST, 0), second, key(FIRST, 25, SECOND)], `${FIRST.keyId}: it comes twice`],
        ["the first left out", [second], `${SECOND.keyId}: the first key begins`],
        [
          "the first endorsed",
          [{ ...key(FIRST, 0), endorsement: "x" }],
          `${FIRST.keyId}: the first key has no`,
        ],
        [
          "another id",
          [{ ...key(FIRST, 0), keyId: "00000000" }],
          `00000000: its verification key has the id`,
        ],
        ["no key at all", [{ ...key(FIRST, 0), vkey: "x" }], `${FIRST.keyId}: not a note verification key`],
        [
          "another log's",
          [key(FIRST, 0), key(other, 10, FIRST)],
          `${other.keyId}: it signs for example.org/else`,
        ],
      ])("%s", (_, keys, message) => {
        expect(() => verifyKeyChain(ORIGIN, keys)).toThrow(FormatError);
        expect(() => verifyKeyChain(ORIGIN, keys)).toThrow(message);
      });
    });

    function changed(note: string | null): string {
      return (note ?? "").replace(/.(?=.{8}\n$)/, (letter) => (letter === "A" ? "B" : "A"));
    }

    describe("keys.json", () => {
      const document = keysDocument(ORIGIN, "demo", verifyKeyChain(ORIGIN, CHAIN));

      test("has every key with its span, and can be read back as it stands", () => {
        expect(document.keys[1]).toEqual({
          key_id: SECOND.keyId,
          vkey: SECOND.vkey,
          from_tree_size: 10,
          created_at: "2026-05-01T12:00:00Z",
          until_tree_size: 25,
          retired_at: "2026-05-01T12:00:00Z",
          endorsement: CHAIN[1]?.endorsement,
        });
        const read = LedgerKeys.parse(JSON.parse(JSON.stringify(document)));
        expect(read).toEqual(document);
        const ring = publishedKeyRing(read);
        expect(ring.current.vkey).toBe(THIRD.vkey);
        expect(keysDocument(ORIGIN, "demo", ring)).toEqual(document);
      });

      test.each([
        { until_tree_size: 24 },
        { until_tree_size: null },
        { retired_at: null },
        { retired_at: "2026-05-01T12:00:01Z" },
        { from_tree_size: 11 },
        { endorsement: null },
        { vkey: STRANGER.vkey },
        { key_id: STRANGER.keyId },
      ])("a changed %j of the second key is refused", (change) => {
        const keys = document.keys.map((span, index) => (index === 1 ? { ...span, ...change } : span));
        expect(() => publishedKeyRing({ ...document, keys })).toThrow(FormatError);
      });

      test("a last key that was cut off is missed by those who hold a newer head, and its end by all", () => {
        const keys = document.keys.slice(0, 2);
        expect(() => publishedKeyRing({ ...document, keys })).toThrow(`signing key ${SECOND.keyId}: its end`);
        expect(() => publishedKeyRing({ ...document, origin: "example.org/else" })).toThrow("signs for");
      });
    });
  });

  describe("manifest keys", () => {
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
        expect(() => manifestVerifier(ORIGIN, [{ ...published, ...changed }], known(log))).toThrow(
          FormatError,
        );
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
  });
});

describe("key tables", () => {
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
});
