import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { z } from "zod";
import { hashOfFile } from "../../build/stages/manifest.ts";
import { Environment } from "../../contract/enums.ts";
import { Sha256Hex } from "../../contract/fields.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { filesBelow } from "../../kernel/files/files-below.ts";
import { SECRET_MODE } from "../../kernel/files/secret-file.ts";
import { assertStoreVersion, type StoreFormat, VERSION_OF_1X } from "../../kernel/store-version.ts";

const FORMAT: StoreFormat = {
  store: "backup",
  version: 1,
  oldest: 1,
  remedy: "restore it with the version that made it",
};
const FILE_NAME = "backup.json";

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
  state_version: z.string().nullable(),
  keys: z.boolean(),
  files: z.record(z.string(), z.object({ bytes: z.int(), sha256: Sha256Hex })),
});
export type BackupManifest = z.infer<typeof BackupManifest>;

/** Writes the manifest of every file in the folder, in the place of an earlier one. */
export async function writeBackupManifest(
  folder: string,
  facts: Omit<BackupManifest, "files" | "backup_format">,
): Promise<BackupManifest> {
  rmSync(join(folder, FILE_NAME), { force: true });
  const files: BackupManifest["files"] = {};
  for (const file of filesBelow(folder))
    files[relative(folder, file)] = { bytes: statSync(file).size, sha256: await hashOfFile(file) };
  const manifest = { backup_format: FORMAT.version, ...facts, files };
  writeFileSync(join(folder, FILE_NAME), `${JSON.stringify(manifest, null, 2)}\n`, { mode: SECRET_MODE });
  return manifest;
}

/** Reads the manifest and checks every file against it. Throws OperatorError naming the first file that differs. */
export async function checkedBackup(
  folder: string,
  onProgress: (bytes: number, total: number) => void,
): Promise<BackupManifest> {
  const manifest = readManifest(folder);
  const total = Object.values(manifest.files).reduce((sum, { bytes }) => sum + bytes, 0);
  let done = 0;
  for (const [name, { bytes, sha256 }] of Object.entries(manifest.files)) {
    const path = join(folder, name);
    if (!existsSync(path)) throw damaged(path, "missing");
    if (statSync(path).size !== bytes || (await hashOfFile(path)) !== sha256)
      throw damaged(path, "it differs from the file that was backed up");
    done += bytes;
    onProgress(done, total);
  }
  return manifest;
}

/** Presence 1.x called the member `format`. */
const Version = z.union([
  z.object({ backup_format: z.int() }).transform((manifest) => manifest.backup_format),
  z.object({ format: z.int() }).transform(() => VERSION_OF_1X),
]);

function readManifest(folder: string): BackupManifest {
  const path = join(folder, FILE_NAME);
  if (!existsSync(path)) throw new OperatorError(`${folder}: not a backup: it has no ${FILE_NAME}`);
  const content = parseJson(readFileSync(path, "utf8"));
  const version = Version.safeParse(content).data;
  if (version !== undefined) assertStoreVersion(path, FORMAT, version);
  const parsed = BackupManifest.safeParse(content);
  if (!parsed.success || Object.keys(parsed.data.files).some((name) => /(^|\/)\.{0,2}(\/|$)/.test(name)))
    throw damaged(path, "not the manifest of a backup");
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function damaged(path: string, how: string): OperatorError {
  return new OperatorError(`${path}: ${how}: the backup is damaged; use another one`);
}
