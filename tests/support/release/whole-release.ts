import { existsSync, readFileSync, readlinkSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { LedgerKeys } from "../../../src/contract/ledger/ledger.ts";
import { hasErrorCode } from "../../../src/kernel/errors.ts";
import { filesBelow } from "../../../src/kernel/files/durable-file.ts";
import { sha256Hex } from "../../../src/kernel/hash.ts";
import { type Home, releasePaths } from "../../../src/kernel/home.ts";
import { manifestVerifier } from "../../../src/ledger/keys/key-ring.ts";
import { type NoteVerifier, openNote } from "../../../src/ledger/keys/note.ts";

const Manifest = z.object({ release_id: z.string(), files: z.record(z.string(), z.string()) });
const UNLISTED = new Set(["manifest.json", "manifest.note"]);

/** What is not as the signed manifest of a release says; empty when it is whole. */
export function releaseFaults(directory: string, verifier: NoteVerifier): string[] {
  const { site, snapshot, manifest } = releasePaths(directory);
  if (!existsSync(manifest)) return ["there is no manifest"];
  const text = readFileSync(manifest, "utf8");
  const { release_id, files } = Manifest.parse(JSON.parse(text));
  const keys = LedgerKeys.parse(JSON.parse(readFileSync(join(site, "ledger/keys.json"), "utf8")));
  const signer = manifestVerifier(verifier.name, keys.manifest_keys ?? [], [verifier]) ?? verifier;
  const signed = openNote(readFileSync(join(site, "manifest.note"), "utf8"), signer);
  const faults = Object.entries(files).flatMap(([path, hash]) =>
    fileHash(join(site, path)) === hash ? [] : [`${path} is not the file of the manifest`],
  );
  const listed = new Set([...Object.keys(files), ...UNLISTED]);
  for (const path of filesBelow(site).map((file) => relative(site, file)))
    if (!listed.has(path)) faults.push(`${path} is not in the manifest`);
  if (signed !== `${verifier.name}/manifest\n${release_id}\n${sha256Hex(text)}\n`)
    faults.push("the manifest is not the signed one");
  if (!existsSync(snapshot)) faults.push("there is no snapshot");
  return faults;
}

function fileHash(path: string): string | undefined {
  try {
    return sha256Hex(readFileSync(path));
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Where `current` points, or undefined before the first release. */
export function currentName(home: Home): string | undefined {
  try {
    return readlinkSync(home.current);
  } catch (error) {
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** SHA-256 of every file of a release. */
export function releaseHashes(directory: string): Record<string, string> {
  const names = filesBelow(directory);
  return Object.fromEntries(names.map((file) => [relative(directory, file), fileHash(file) ?? ""]));
}
