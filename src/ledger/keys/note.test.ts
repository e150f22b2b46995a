import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EMPTY_ROOT } from "../../kernel/hash.ts";
import { FormatError } from "../../proof/tlog/bytes.ts";
import { formatTreeHead, parseTreeHead } from "../../proof/tlog/note.ts";
import { openNote, parseSkey, parseVkey, signerFromSeed } from "./note.ts";

const SPEC_VKEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
// The test key that the Tessera log publishes.
const TESSERA_SKEY =
  "PRIVATE+KEY+example.com/log/testdata+33d7b496+AeymY/SZAX0jZcJ8enZ5FY1Dz+wTML2yWSkK+9DSF3eg";

const signer = signerFromSeed("example.org/log", Buffer.alloc(32, 7));
const TEXT = "example.org/log\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n";
const note = signer.sign(TEXT);

test("the key of the specification", () => {
  const verifier = parseVkey(SPEC_VKEY);
  expect(verifier).toMatchObject({ name: "example.com/foo", keyId: "530d903a", vkey: SPEC_VKEY });
});

test("Go's form of a private key", () => {
  const tessera = parseSkey(TESSERA_SKEY);
  expect(tessera.skey).toBe(TESSERA_SKEY);
  expect(tessera.keyId).toBe("33d7b496");
  expect(openNote(tessera.sign(TEXT), parseVkey(tessera.vkey))).toBe(TEXT);
});

test.each([
  "",
  "example.com/foo+530d903a",
  SPEC_VKEY.replace("530d903a", "530d903b"),
  SPEC_VKEY.replace("+Ae", "+Be"),
  SPEC_VKEY.replace("foo", "fo o"),
  SPEC_VKEY.slice(0, -4),
])("refuses the verification key %j", (vkey) => {
  expect(() => parseVkey(vkey)).toThrow(FormatError);
});

describe("opening a note", () => {
  test("gives the signed text, and ignores signatures of unknown keys", () => {
    const stranger = signerFromSeed("stranger", Buffer.alloc(32, 8))
      .sign(TEXT)
      .slice(TEXT.length + 1);
    expect(openNote(note, signer)).toBe(TEXT);
    expect(openNote(note + stranger, signer)).toBe(TEXT);
    expect(openNote(`${TEXT}\n${stranger}${note.slice(TEXT.length + 1)}`, signer)).toBe(TEXT);
  });

  test("splits at the last empty line", () => {
    const text = "a\n\nb\n";
    expect(openNote(signer.sign(text), signer)).toBe(text);
  });

  test.each([
    ["without a signature", TEXT],
    ["with an empty signature part", `${TEXT}\n`],
    ["cut off", note.slice(0, -1)],
    ["with a changed text", note.replace("\n0\n", "\n1\n")],
    ["signed by another key", signerFromSeed("example.org/log", Buffer.alloc(32, 9)).sign(TEXT)],
    ["signed under another name", signerFromSeed("example.org/log2", Buffer.alloc(32, 7)).sign(TEXT)],
    ["with a malformed line", note.replace("— ", "- ")],
    ["with a control character", note.replace("example", "exam\u0007ple")],
    [
      "with a good and a bad signature",
      `${note}${note.slice(TEXT.length + 1).replace(/.{6}\n$/, "AAAA==\n")}`,
    ],
  ])("refuses one %s", (_, bad) => {
    expect(() => openNote(bad, signer)).toThrow(FormatError);
  });

  test("no changed byte passes", () => {
    const bytes = Buffer.from(note);
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ flip;
        const text = changed.toString();
        // Base64 has spare bits at its end: another text of the same signature is the same signature.
        if (Buffer.from(text.slice(0, -3).split(" ").at(-1) ?? "", "base64").equals(signatureOf(note)))
          return;
        expect(() => openNote(text, signer)).toThrow(FormatError);
      }),
      { numRuns: 300 },
    );
  });
});

function signatureOf(text: string): Buffer {
  return Buffer.from(text.slice(0, -3).split(" ").at(-1) ?? "", "base64");
}

test.each(["", "two words", "a+b", "line\nfeed", "bell\u0007"])("refuses the key name %j", (name) => {
  expect(() => signerFromSeed(name, Buffer.alloc(32))).toThrow(FormatError);
});

describe("tree head text", () => {
  test("round trip", () => {
    const head = { origin: "example.org/log", size: 1234067, root: Uint8Array.from(EMPTY_ROOT) };
    expect(parseTreeHead(formatTreeHead(head))).toEqual(head);
    expect(formatTreeHead({ ...head, size: 0 })).toBe(TEXT);
  });

  test.each([
    "",
    "origin\n01\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    "origin\n-1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    "origin\n9007199254740993\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
    "origin\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU\n",
    "origin\n1\n47DE\n",
    "\n1\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n",
  ])("refuses %j", (text) => {
    expect(() => parseTreeHead(text)).toThrow(FormatError);
  });
});

const openssl = spawnSync("openssl", ["version"]).status === 0;

test.skipIf(!openssl)("openssl verifies a signature (skipped where openssl is absent)", () => {
  const folder = mkdtempSync(join(tmpdir(), "note-"));
  try {
    const path = (name: string) => join(folder, name);
    writeFileSync(path("key.pem"), signer.publicKey.export({ format: "pem", type: "spki" }));
    writeFileSync(path("text"), openNote(note, signer));
    writeFileSync(path("changed"), `${TEXT}changed\n`);
    const signature = Buffer.from(note.trimEnd().split(" ").at(-1) ?? "", "base64").subarray(4);
    writeFileSync(path("signature"), signature);
    const verified = (text: string) =>
      spawnSync("openssl", [
        ...["pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", path("key.pem")],
        ...["-in", path(text), "-sigfile", path("signature")],
      ]).status;
    expect(verified("text")).toBe(0);
    expect(verified("changed")).not.toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
