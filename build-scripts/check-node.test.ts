import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sha256Hex } from "../src/kernel/hash.ts";
import { publishedNode } from "./check-node.ts";

const RELEASE = { version: "24.1.0", platform: "linux-x64" };
const NAME = "node-v24.1.0-linux-x64";
let folder: string;
let archive: Buffer;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "check-node-"));
  mkdirSync(join(folder, NAME, "bin"), { recursive: true });
  writeFileSync(join(folder, NAME, "bin/node"), "the published binary");
  execFileSync("tar", ["-czf", "release.tar.gz", NAME], { cwd: folder });
  archive = readFileSync(join(folder, "release.tar.gz"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function publish(list: string) {
  return (url: string) => Promise.resolve(url.endsWith("/SHASUMS256.txt") ? Buffer.from(list) : archive);
}

test("the hash is that of the binary in the archive that the release's list names", async () => {
  const list = `${"0".repeat(64)}  ${NAME}.tar.xz\n${sha256Hex(archive)}  ${NAME}.tar.gz\n`;
  const asked: string[] = [];
  const hash = await publishedNode(RELEASE, (url) => {
    asked.push(url);
    return publish(list)(url);
  });
  expect(hash).toBe(sha256Hex("the published binary"));
  expect(asked).toEqual(
    ["SHASUMS256.txt", `${NAME}.tar.gz`].map((file) => `https://nodejs.org/dist/v24.1.0/${file}`),
  );
});

test.each([
  ["another archive", `${"0".repeat(64)}  ${NAME}.tar.gz\n`, "but SHASUMS256.txt says 000"],
  ["no such archive", `${"0".repeat(64)}  x${NAME}.tar.gz\n`, "does not name"],
  ["no hash", `nonsense  ${NAME}.tar.gz\n`, "does not name"],
  ["nothing", "", "does not name"],
])("a list with %s is refused", async (_, list, problem) => {
  await expect(publishedNode(RELEASE, publish(list))).rejects.toThrow(problem);
});
