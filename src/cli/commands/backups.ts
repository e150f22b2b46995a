import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { currentRelease } from "../../build/stages/publish.ts";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import { noteBackup } from "../../kernel/backup-status.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { freeBytes } from "../../kernel/files/free-bytes.ts";
import { readNamedFile } from "../../kernel/files/named-file.ts";
import { isSharedFolder } from "../../kernel/files/secret-file.ts";
import { homePaths } from "../../kernel/home.ts";
import { isoTime } from "../../kernel/time.ts";
import { backupHome } from "../../operations/backup/backup-home.ts";
import { type BackupManifest, readBackupManifest } from "../../operations/backup/backup-manifest.ts";
import { refuseHeldHome } from "../../operations/backup/home-holders.ts";
import { type Part, restoreHome } from "../../operations/backup/restore-home.ts";
import { nextSteps, ownParts, PARTS } from "../../operations/backup/restore-parts.ts";
import { checkObjects, checkWhole } from "../../operations/backup/store/check.ts";
import { fetchBackup } from "../../operations/backup/store/fetch.ts";
import { reportSigner, storeReport } from "../../operations/backup/store/report.ts";
import { createRepositories, removeOldBackups } from "../../operations/backup/store/repositories.ts";
import { backUp } from "../../operations/backup/store/send.ts";
import { storeOf } from "../../operations/backup/store/store.ts";
import { fillFolder, makeFolder } from "../../operations/backup/whole-folder.ts";
import { homeOf } from "../../operations/context.ts";
import { ExitError } from "../../operations/exit-error.ts";
import { checkUpgrade, type UpgradeCheck } from "../../operations/upgrade-check.ts";
import { type Bare, type Call, command, nothing } from "../command.ts";
import { noted, Output } from "../output.ts";
import { publicFiles, withPublicFiles } from "../public-files-option.ts";

const POSTGRES_NOTE = `The state is in PostgreSQL and not in this backup: archive its log, or dump it now, after the ledger:
  pg_dump --format=custom --file=state.pgdump "$STATE_URL"`;

/** As long as a whole first backup may take. */
const WAIT_MS = 3_600_000;

const backup = command({
  path: "backup",
  takes: (bare: Bare) =>
    bare
      .argument("[folder]", "a new folder; left out: the repositories of the configuration")
      .option("--without-keys", "leave the keys out of the folder, to keep them apart"),
  access: "none",
  help: `
  presence backup               off the machine, to BACKUP_REPOSITORY: what changed since the last one
  presence backup FOLDER        a whole one in a new folder
  presence backup init          make the repositories, once
  presence backup check         restore the newest one into scratch space, and prove it
  presence backup prune         remove what BACKUP_KEPT_DAYS no longer keeps

A folder holds private values and, with keys, everything needed to sign in your name: keep it safe.`,
  run: (call, { withoutKeys = false }, folder) =>
    folder === undefined ? send(call) : copyTo(call, folder, !withoutKeys),
});

async function send({ context, progress }: Call<"none">) {
  const { stored, asOf, treeSize } = await progress("copying", (update) =>
    backUp(context, { waitMs: WAIT_MS, progress: update }),
  );
  return { stored, as_of: isoTime(asOf), tree_size: treeSize };
}

async function copyTo({ context, progress }: Call<"none">, target: string, withKeys: boolean) {
  const stateIsElsewhere = context.config.stateUrl !== undefined;
  const refusal = "the folder is not empty: give a new or an empty folder";
  const manifest = await progress("copying", (update) =>
    makeFolder({ target, refusal, what: `making a backup in ${target}` }, (folder) => {
      const options = { stateIsElsewhere, withKeys, madeAt: context.clock(), progress: update };
      return backupHome(homeOf(context), folder, options);
    }),
  );
  const { files, signed_head: _, ...facts } = manifest;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  const fields = { backup: target, ...facts, files: Object.keys(files).length, bytes };
  return noted(fields, ...(stateIsElsewhere ? POSTGRES_NOTE.split("\n") : []));
}

const init = command({
  path: "backup init",
  does: "make the repositories that are not there yet; their password files must be",
  takes: nothing,
  access: "none",
  async run({ context }) {
    const made = await createRepositories(context);
    return new Output({
      json: { made },
      text: { made: made.join(", ") || "nothing: they are there" },
    });
  },
});

const prune = command({
  path: "backup prune",
  does: "remove the backups that BACKUP_KEPT_DAYS no longer keeps, and the objects that only they need",
  takes: nothing,
  access: "none",
  run: async ({ context }) => ({ kept_days: await removeOldBackups(context) }),
});

const check = command({
  path: "backup check",
  does: "restore the newest backup into scratch space, prove every row, and replay the published release",
  takes: (bare: Bare) =>
    withPublicFiles(bare)
      .option(
        "--objects",
        "check only that every object is there, and the hashes of a tenth of them, by the day",
      )
      .option("--scratch <folder>", "where there is room for ledger and state twice (default: PRESENCE_HOME)")
      .option(
        "--sign <file>",
        "sign a report with the key in this file, made if missing, and leave it beside the backups",
      ),
  access: "none",
  help: "\nExit code 0: sound. 1: not, with the reason. On another machine give --url and --sign; the machine that serves has\nthe key that it prints as BACKUP_CHECK_VKEY.",
  async run(call, { objects, scratch = homeOf(call.context).night, sign, ...place }) {
    const { context, progress } = call;
    if (objects) {
      const report = await checkObjects(context);
      return { objects: "sound", ...(report && { whole_check: report.at }) };
    }
    const isNamed = place.release !== undefined || place.url !== undefined;
    const isPublished = isNamed || currentRelease(homeOf(context)) !== undefined;
    const published = isPublished ? publicFiles(context, place).files : undefined;
    const result = await progress("checking", (update) =>
      checkWhole(context, { published, scratch, progress: update }),
    );
    const signer = sign === undefined ? undefined : reportSigner(sign, context.random);
    if (signer === undefined) noteBackup(homeOf(context), { restored: result });
    else await storeReport(storeOf(context), scratch, signer, result);
    const fields = { ...result, ...(signer && { vkey: signer.vkey }) };
    return new Output({
      json: fields,
      text: fields,
      ...(result.problem !== null && { failure: new OperatorError("the backup is not sound") }),
    });
  },
});

interface RestoreOptions {
  readonly into: string;
  readonly keys?: string | undefined;
  readonly published?: string | undefined;
}

const restore = command({
  path: "restore",
  takes: (bare: Bare) =>
    bare
      .argument("[folder]", "a backup in a folder; left out: the newest one of the configured repositories")
      .requiredOption(
        "--into <home>",
        "the new PRESENCE_HOME; must not exist, or be empty, or have empty folders night/ and state/ of two users",
      )
      .option("--keys <folder>", "the keys, if they were kept apart from the backup")
      .option("--published <file>", "the newest published /ledger/checkpoint; refuses an older backup"),
  access: "none",
  run: (call, options, backup) => restoreParts(call, backup, options),
});

/** Restores what this user may. Each part of a home is restored whole or not at all. */
async function restoreParts(call: Call<"none">, backup: string | undefined, options: RestoreOptions) {
  const { user } = call.context;
  const { into: target } = options;
  const parts = ownParts(target, user);
  const restored = parts === "whole" ? PARTS : parts;
  refuseHeldHome(homePaths(target), restored);
  const what = `restoring into ${target}`;
  const refusal = "the folder is not empty, and a home is never overwritten: give a new folder";
  const isShared = isSharedFolder(homePaths(target).stateFolder);
  const fill = (part?: Part) => (folder: string, scratch: string) =>
    restoreFrom(call, { ...options, ...(part && { parts: [part] }), isShared, backup, scratch }, folder);
  let manifest: BackupManifest | undefined;
  if (parts === "whole") manifest = await makeFolder({ target, refusal, what }, fill());
  else
    for (const part of parts)
      manifest = await fillFolder({ target: join(target, part), refusal, what }, fill(part));
  if (manifest === undefined) throw new Error("no part was restored");
  const { made_at, environment, origin, rows, tree_size, state } = manifest;
  const facts = { made_at, environment, origin, rows, tree_size, state };
  const notes = [
    ...(restored.includes("night") ? restoreNotes(manifest, options.published !== undefined) : []),
    ...nextSteps(target, parts, state === "sqlite", user),
  ];
  return new Output({
    json: { home: target, parts: restored, ...facts },
    text: { home: target, parts: restored.join(", "), ...facts },
    notes,
  });
}

interface FromOptions extends RestoreOptions {
  readonly parts?: readonly Part[];
  readonly isShared: boolean;
  readonly backup: string | undefined; // undefined: the newest one of the repositories
  readonly scratch: string;
}

async function restoreFrom(
  { context, progress }: Call<"none">,
  { scratch, ...options }: FromOptions,
  folder: string,
): Promise<BackupManifest> {
  const fetched =
    options.backup === undefined
      ? await fetchBackup(storeOf(context, join(scratch, "cache")), scratch)
      : undefined;
  const backup = fetched?.backup ?? options.backup ?? "";
  const keys = options.keys ?? fetched?.keys;
  const published =
    options.published === undefined ? undefined : readNamedFile(options.published, "--published");
  const manifest = readBackupManifest(backup);
  await progress("verifying", (update) =>
    restoreHome(folder, {
      ...options,
      backup,
      manifest,
      keys,
      published,
      clock: context.clock,
      progress: update,
    }),
  );
  if (fetched !== undefined) context.stderr.write(`The state is as of ${isoTime(fetched.stateAt)}.\n`);
  return manifest;
}

function* restoreNotes(
  { tree_size: treeSize, state }: BackupManifest,
  isCompared: boolean,
): Generator<string> {
  if (!isCompared)
    yield `WARNING: a checkpoint of more than ${treeSize} rows may have been published after this backup. Compare with the last published /ledger/checkpoint (--published) before you seal: two histories under one key destroy the trust in the log.`;
  if (state === "postgresql")
    yield 'The state is in PostgreSQL: pg_restore --clean --if-exists --dbname="$STATE_URL" state.pgdump';
}

const NOT_TRIED = 2;
const MIB = 1 << 20;

const upgrade = command({
  path: "upgrade check",
  does: "try this version on a copy of the home, verify it, and remove it",
  takes: (bare: Bare) =>
    bare.option(
      "--scratch <folder>",
      "where the copies go; they hold private values, and are removed",
      tmpdir(),
    ),
  access: "none",
  help: "\nChanges nothing in PRESENCE_HOME. Exit code 0: this version can go on with it. 1: it cannot. 2: the state in PostgreSQL would be migrated, which was not tried.",
  async run({ context }, { scratch }) {
    const checked = await checkUpgrade(homeOf(context), {
      scratch,
      stateUrl: context.config.stateUrl,
      clock: context.clock,
      freeBytes,
      say: (line) => context.stderr.write(`upgrade    ${line}\n`),
      onFolder: removeWhenStopped,
    });
    return new Output({
      json: { version: PROGRAM_VERSION, ...checked },
      text: [`version ${PROGRAM_VERSION}`, ...upgradeLines(checked)],
      failure: untriedState(checked),
    });
  },
});

function untriedState({ state: { from, to, tried } }: UpgradeCheck): ExitError | undefined {
  if (tried || from === null || from === to) return undefined;
  return new ExitError(
    NOT_TRIED,
    `STATE_URL: the state has format ${from}, and the first program of this version makes format ${to} of it; that was not tried: copy it with pg_dump first`,
  );
}

/** The copies hold private values, so a run that is stopped removes them as well. */
function removeWhenStopped(folder: string): void {
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)
    process.once(signal, () => {
      rmSync(folder, { recursive: true, force: true });
      process.exit(code);
    });
}

function upgradeLines({ ledger, state, rows, bytes, seconds }: UpgradeCheck): string[] {
  const step = ({ from, to }: Pick<UpgradeCheck["state"], "from" | "to">) =>
    from === null ? "there is none" : from === to ? `format ${from} stays` : `format ${from} becomes ${to}`;
  return [
    `ledger: ${step(ledger)}; all ${rows} rows of the copy were verified`,
    `state: ${step(state)}${state.tried ? "" : " (in PostgreSQL: its version was read, nothing was tried)"}`,
    `time: copy ${seconds.copy} s, open ${seconds.open} s, verify ${seconds.verify} s`,
    `space: ${mebibytes(bytes.before)} before, ${mebibytes(bytes.after)} after`,
  ];
}

function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

export const commands = [backup, init, prune, check, restore, upgrade];
