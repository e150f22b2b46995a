import { brotliCompressSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { sha256Hex } from "../../kernel/hash.ts";
import { auditFile } from "./file-audit.ts";
import { Findings } from "./findings.ts";

const BODY = Buffer.from("the file");
const WRONG_HASH = "its hash is not the one in the signed list";

async function problemOfFile(path: string, bytes: Buffer | undefined, sha256: string, holds?: string) {
  const findings = new Findings();
  const files = { read: () => Promise.resolve(bytes) };
  await auditFile(files, { path, sha256, ...(holds !== undefined && { holds }) }, findings);
  expect(findings.faults.every(({ subject }) => subject === path)).toBe(true);
  return { problems: findings.faults.map(({ problem }) => problem), counts: findings.counts() };
}

test("a file is there and has its hash", async () => {
  const hash = sha256Hex(BODY);
  expect(await problemOfFile("a.json", BODY, hash)).toEqual({ problems: [], counts: { files: 1 } });
  expect((await problemOfFile("a.json", Buffer.from("another"), hash)).problems).toEqual([WRONG_HASH]);
  expect((await problemOfFile("a.json", undefined, hash)).problems).toEqual(["the file is missing"]);
});

test.each([
  [".br", brotliCompressSync(BODY)],
  [".gz", gzipSync(BODY)],
])("a twin %s also holds what its file holds", async (ending, twin) => {
  const [path, holds] = [`a.json${ending}`, sha256Hex(BODY)];
  expect(await problemOfFile(path, twin, sha256Hex(twin), holds)).toEqual({
    problems: [],
    counts: { "compressed twins": 1 },
  });
  expect((await problemOfFile(path, twin, sha256Hex(twin), sha256Hex("else"))).problems).toEqual([
    "it does not hold what the file without its ending holds",
  ]);
  const broken = twin.subarray(0, -1);
  expect((await problemOfFile(path, broken, sha256Hex(twin), holds)).problems).toEqual([WRONG_HASH]);
  // Signed as it is, and no compressed file at all.
  expect((await problemOfFile(path, broken, sha256Hex(broken), holds)).problems).toHaveLength(1);
});
