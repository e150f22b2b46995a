import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { z } from "zod";
import { hashOfFile } from "../../build/stages/manifest.ts";
import { Environment } from "../../contract/enums.ts";
import { Sha256Hex } from "../../contract/fields.ts";
import { hasErrorCode, OperatorError } from "../../kernel/errors.ts";
import { filesBelow } from "../../kernel/files/durable-file.ts";
import { copyForeignFile, readForeignFile } from "../../kernel/files/foreign-file.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { assertStoreVersion, type StoreFormat, VERSION_OF_1X } from "../../kernel/store-version.ts";

const FORMAT: StoreFormat = {
  store: "backup",
  version: 1,
  oldest: 1,
  remedy: "restore it with the version that made it",
};
const FILE_NAME = "backup.json";
const MAX_BYTES = 1 << 20;

/** The description of a backup, `backup.json`. */
export const BackupManifest = z.object({
  backup_format: z.int(),
  made_at: z.iso.datetime(),
  environment: Environment,
  origin: z.string(),
  ledger_format: z.int(),
  rows: z.int(),
  tree_size: z.int(),
  signed_head: z
    .string()
    .nullable()
    .describe("The newest checkpoint of the ledger, null before the first seal."),
  state: z.enum(["sqlite", "postgresql", "none"]),
  state_version: z.int().nullable(),
  keys: z
    .boolean()
    .describe("Whether the keys lie in the backup; their hashes are listed where they are kept apart, too."),
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: Sha256Hex })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** Writes the manifest of every file in the folder. */
export async function writeBackupManifest(
  folder: string,
  facts: Omit<BackupManifest, "files" | "backup_format">,
): Promise<BackupManifest> {
  const files: BackupManifest["files"] = {};
  for (const file of filesBelow(folder)) files[relative(folder, file)] = await listedFile(file);
  const manifest = { backup_format: FORMAT.version, ...facts, files };
  putBackupManifest(folder, manifest);
  return manifest;
}

/** Puts a manifest in the place of an earlier one. */
export function putBackupManifest(folder: string, manifest: BackupManifest): void {
  rmSync(join(folder, FILE_NAME), { force: true });
  writeFileSync(join(folder, FILE_NAME), `${JSON.stringify(manifest, null, 2)}\n`, { mode: SECRET_MODE });
}

/** What the manifest says of a file. */
export async function listedFile(path: string): Promise<BackupManifest["files"][string]> {
  return { bytes: statSync(path).size, sha256: await hashOfFile(path) };
}

/** Presence 1.x called the member `format`. */
const Version = z.union([
  z.object({ backup_format: z.int() }).transform((manifest) => manifest.backup_format),
  z.object({ format: z.int() }).transform(() => VERSION_OF_1X),
]);

/** Throws OperatorError for a folder that is no backup, and one of another version. */
export function readBackupManifest(folder: string): BackupManifest {
  const path = join(folder, FILE_NAME);
  if (!existsSync(path)) throw new OperatorError(`${folder}: not a backup: it has no ${FILE_NAME}`);
  const content = parseJson(readForeignFile(folder, FILE_NAME, { maxBytes: MAX_BYTES }).toString("utf8"));
  const version = Version.safeParse(content).data;
  if (version !== undefined) assertStoreVersion(path, FORMAT, version);
  const parsed = BackupManifest.safeParse(content);
  if (!parsed.success || Object.keys(parsed.data.files).some((name) => /(^|\/)\.{0,2}(\/|$)/.test(name)))
    throw damaged(path, "not the manifest of a backup");
  return parsed.data;
}

/** Copies a file of the manifest for its owner only, whatever permissions it has. Throws OperatorError for another content. */
export function copyListed(
  from: { readonly folder: string; readonly name: string },
  to: string,
  { bytes, sha256, mode = SECRET_MODE }: BackupManifest["files"][string] & { readonly mode?: number },
): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  try {
    copyForeignFile(from.folder, from.name, to, { maxBytes: bytes, sha256, mode });
  } catch (cause) {
    const path = join(from.folder, from.name);
    if (hasErrorCode(cause, "ENOENT")) throw damaged(path, "missing");
    throw cause instanceof OperatorError ? damaged(cause.message) : cause;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(...problem: readonly string[]): OperatorError {
  return new OperatorError(`${problem.join(": ")}: the backup is damaged; use another one`);
}
