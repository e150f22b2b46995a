/**
 * `npm run check:node`, after an installation: compares the Node that the project brings along with the release that nodejs.org
 * publishes. npm has checked the package against the lockfile, but somebody else packed it. Needs about 60 MB from nodejs.org.
 */

import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sha256Hex } from "../src/kernel/hash.ts";

export interface NodeRelease {
  readonly version: string; // 24.1.0
  readonly platform: string; // linux-x64
}

export type Download = (url: string) => Promise<Buffer>;

/**
 * SHA-256 of `bin/node` in the published archive of a release, after the archive was checked against the release's own list.
 * Throws when the list does not name the archive, or the archive is another one.
 */
export async function publishedNode({ version, platform }: NodeRelease, download: Download): Promise<string> {
  const base = `https://nodejs.org/dist/v${version}`;
  const name = `node-v${version}-${platform}`;
  const expected = listedHash(String(await download(`${base}/SHASUMS256.txt`)), `${name}.tar.gz`);
  const archive = await download(`${base}/${name}.tar.gz`);
  if (sha256Hex(archive) !== expected)
    throw new Error(
      `${name}.tar.gz: its SHA-256 is ${sha256Hex(archive)}, but SHASUMS256.txt says ${expected}`,
    );
  return sha256Hex(unpacked(archive, `${name}/bin/node`));
}

function listedHash(list: string, file: string): string {
  const line = list.split("\n").find((each) => each.endsWith(`  ${file}`));
  const hash = line?.slice(0, 64) ?? "";
  if (!/^[0-9a-f]{64}$/.test(hash)) throw new Error(`SHASUMS256.txt does not name ${file}`);
  return hash;
}

function unpacked(archive: Buffer, path: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "node-release-"));
  try {
    const file = join(folder, "release.tar.gz");
    writeFileSync(file, archive);
    return execFileSync("tar", ["-xzOf", file, path], { maxBuffer: 1 << 29 });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function overHttps(url: string): Promise<Buffer> {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: status ${answer.status}`);
  return Buffer.from(await answer.arrayBuffer());
}

async function main(): Promise<void> {
  const [path] = globSync(join(import.meta.dirname, "../node_modules/node-*-*/bin/node"));
  if (path === undefined) throw new Error("there is no Node: run npm ci first");
  const release = { version: process.versions.node, platform: `${process.platform}-${process.arch}` };
  const [installed, published] = [sha256Hex(readFileSync(path)), await publishedNode(release, overHttps)];
  if (installed !== published)
    throw new Error(
      `${path}: its SHA-256 is ${installed}, but Node ${release.version} as published has ${published}`,
    );
  process.stdout.write(`${path} is Node ${release.version} as published (${published})\n`);
}

if (import.meta.main) await main();
