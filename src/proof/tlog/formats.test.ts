import fc from "fast-check";
import { expect, test } from "vitest";
import { sha256 } from "../../../tests/support/ledger/small-tree.ts";
import { equalBytes, FormatError, fromBase64, fromBase64url, toBase64, toBase64url, toHex } from "./bytes.ts";
import { joinEntries, parseDisclosure, parseLeaf, splitEntries } from "./leaf.ts";
import { formatTreeHead, keyIdInput, parseNote, parseNoteKey, parseTreeHead, signaturesBy } from "./note.ts";
import { formatTlogProof, parseTlogProof } from "./proof.ts";

// The key and note of the specification's own example (C2SP signed-note).
const EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k";
const digest = "A".repeat(43);
const LEAF = `{"_sd":["${Array.from({ length: 5 }, () => digest).join('","')}"],"_sd_alg":"sha-256","i":7,"k":"observation","v":1}`;

test("bytes survive base64 and base64url, as Node's own codec has them", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const buffer = Buffer.from(bytes);
      expect(toBase64(bytes)).toBe(buffer.toString("base64"));
      expect(toBase64url(bytes)).toBe(buffer.toString("base64url"));
      expect(toHex(bytes)).toBe(buffer.toString("hex"));
      expect(equalBytes(fromBase64(toBase64(bytes)) ?? Uint8Array.of(1), bytes)).toBe(true);
      expect(equalBytes(fromBase64url(toBase64url(bytes)) ?? Uint8Array.of(1), bytes)).toBe(true);
    }),
  );
});

test.each(["A", "AA", "AB==", "AA=A", "AA==\n", " AAAA", "AAA-", "A==="])(
  "base64 %j is not taken",
  (text) => {
    expect(fromBase64(text)).toBeUndefined();
  },
);

test.each(["A", "AB", "AA==", "AA\n", "AAA+"])("base64url %j is not taken", (text) => {
  expect(fromBase64url(text)).toBeUndefined();
});

test("the key id of the specification's example is the hash of its name, type and key", () => {
  const key = parseNoteKey(EXAMPLE_KEY);
  expect(key.name).toBe("example.com/foo");
  expect(key.type).toBe(1);
  expect(sha256(keyIdInput(key)).toString("hex", 0, 4)).toBe(key.keyId);
});

test.each([
  "",
  "a+530d903a",
  "a+530d903+AQ==",
  "a b+530d903a+AQ==",
  "+530d903a+AQ==",
  "a+530D903A+AQ==",
  "a+530d903a+AQ",
])("%j is no verification key", (vkey) => {
  expect(() => parseNoteKey(vkey)).toThrow(FormatError);
});

test("a note's text ends at the last empty line, and signatures are told apart by name and id", () => {
  const line = (name: string, id: string) =>
    `— ${name} ${Buffer.concat([Buffer.from(id, "hex"), Buffer.alloc(64)]).toString("base64")}\n`;
  const note = parseNote(
    `first\n\nsecond\n\n${line("a", "00000001")}${line("b", "00000002")}${line("a", "00000003")}`,
  );
  expect(note.text).toBe("first\n\nsecond\n");
  expect(note.signatures).toHaveLength(3);
  expect(signaturesBy(note, { name: "a", keyId: "00000003" })).toHaveLength(1);
  expect(signaturesBy(note, { name: "b", keyId: "00000003" })).toHaveLength(0);
});

test.each([
  "",
  "text",
  "text\n",
  "text\n\n",
  "text\n\n— a\n",
  "text\n\n— a AAAA\n",
  "te\u0001xt\n\n— a AAAAAAA=\n",
  "text\n\n- a AAAAAAA=\n",
])("%j is no note", (note) => {
  expect(() => parseNote(note)).toThrow(FormatError);
});

test("tree heads and proofs are read as they were written", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 63 }),
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      (index, path, root) => {
        const checkpoint = `${formatTreeHead({ origin: "example.org/log", size: index + 1, root })}\n— example.org/log AAAAAAA=\n`;
        const proof = parseTlogProof(formatTlogProof({ index, path, checkpoint }));
        expect(proof).toEqual({ index, path, checkpoint });
        expect(parseTreeHead(parseNote(proof.checkpoint).text)).toEqual({
          origin: "example.org/log",
          size: index + 1,
          root,
        });
      },
    ),
  );
});

test.each([
  ["no header", "index 1\n\nnote"],
  ["a negative index", "c2sp.org/tlog-proof@v1\nindex -1\n\nnote"],
  ["leading zeros", "c2sp.org/tlog-proof@v1\nindex 01\n\nnote"],
  ["no index", "c2sp.org/tlog-proof@v1\n\nnote"],
  ["a short hash", "c2sp.org/tlog-proof@v1\nindex 1\nAAAA\n\nnote"],
  ["no empty line", "c2sp.org/tlog-proof@v1\nindex 1\n"],
  ["too many hashes", `c2sp.org/tlog-proof@v1\nindex 1\n${`${"A".repeat(43)}=\n`.repeat(64)}\nnote`],
])("a proof with %s is refused", (_, text) => {
  expect(() => parseTlogProof(text)).toThrow(FormatError);
});

test("an extra line before the index is passed over", () => {
  expect(parseTlogProof("c2sp.org/tlog-proof@v1\nextra AAAA\nindex 4\n\nnote").index).toBe(4);
});

test.each([
  "\n1\nx\n",
  "o\n01\nAAAA\n",
  "o\n-1\nAAAA\n",
  "o\n9007199254740993\nAAAA\n",
  "o\n1\nAAAA\n",
  "o\n1\n",
])("%j is no tree head", (text) => {
  expect(() => parseTreeHead(text)).toThrow(FormatError);
});

test("a leaf is read in its canonical form only", () => {
  expect(parseLeaf(LEAF)).toEqual({
    row: 7,
    kind: "observation",
    digests: Array.from({ length: 5 }, () => digest),
  });
  const wrong = [
    LEAF.replace('"i":7', '"i":07'),
    LEAF.replace(",", ", "),
    `${LEAF}\n`,
    LEAF.replace(digest, "A"),
    LEAF.replace('"v"', '"w"'),
    "",
  ];
  for (const text of wrong) expect(() => parseLeaf(text)).toThrow(FormatError);
});

test("a disclosure gives salt, name and the value's exact text", () => {
  const text = '["AAAAAAAAAAAAAAAAAAAAAA","body",{"b":1.0,"a":"é"}]';
  const read = parseDisclosure(Buffer.from(text).toString("base64url"));
  expect(read).toEqual({
    salt: "A".repeat(22),
    name: "body",
    json: '{"b":1.0,"a":"é"}',
    value: { b: 1, a: "é" },
  });
});

test.each([
  "",
  "!",
  "[]",
  '["AAAAAAAAAAAAAAAAAAAAAA","body"]',
  '["short","body",1]',
  '["AAAAAAAAAAAAAAAAAAAAAA","body",1,2]',
  '["AAAAAAAAAAAAAAAAAAAAAA","body",{]',
])("the disclosure of %j is refused", (text) => {
  expect(() => parseDisclosure(Buffer.from(text).toString("base64url"))).toThrow(FormatError);
});

test("entry bundles hold what was put in, and one cut short is refused", () => {
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 400 }), { maxLength: 20 }), (entries) => {
      const bundle = joinEntries(entries);
      expect(splitEntries(bundle)).toEqual(entries);
      if (bundle.length > 0) expect(() => splitEntries(bundle.subarray(0, -1))).toThrow(FormatError);
    }),
  );
});
