import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PROGRAM_VERSION } from "../../contract/versions.ts";
import { freeBytes } from "../../kernel/files/durable-file.ts";
import { readNamedFile } from "../../kernel/files/foreign-file.ts";
import { isSharedFolder } from "../../kernel/files/secret-file.ts";
import { homePaths } from "../../kernel/home.ts";
import { type BackupManifest, backupHome, readBackupManifest } from "../../operations/backup/backup-home.ts";
import {
  nextSteps,
  ownParts,
  PARTS,
  type Part,
  refuseHeldHome,
  restoreHome,
} from "../../operations/backup/restore-home.ts";
import { fillFolder, makeFolder } from "../../operations/backup/whole-folder.ts";
import { homeOf } from "../../operations/context.ts";
import { ExitError } from "../../operations/failure-text.ts";
import { checkUpgrade, type UpgradeCheck } from "../../operations/upgrade-check.ts";
import { type Bare, type Call, command } from "../command.ts";
import { whole } from "../options.ts";
import { noted, Output } from "../output.ts";

const POSTGRES_NOTE = `The state is in PostgreSQL and not in this backup: archive its log, or dump it now, after the ledger:
  pg_dump --format=custom --file=state.pgdump "$STATE_URL"`;

const backup = command({
  path: "backup",
  takes: (bare: Bare) =>
    bare
      .argument("<folder>", "a new folder")
      .option("--without-keys", "leave the keys out")
      .option("--keys-to <folder>", "put the keys into this new folder on the same disk")
      .option(
        "--proved-rows <n>",
        "verify only rows after this one, because an earlier backup verified the others",
        whole("--proved-rows"),
      ),
  access: "none",
  help: `
Every row is proved before the folder is there. It holds private values and, with keys, everything needed to sign in your
name: keep it safe. Off the machine: deploy/backup/presence-backup (docs/operations/backup.md).`,
  run: copyTo,
});

interface BackupOptions {
  readonly withoutKeys?: true | undefined;
  readonly keysTo?: string | undefined;
  readonly provedRows?: number | undefined;
}

async function copyTo({ context, progress }: Call<"none">, options: BackupOptions, target: string) {
  const { withoutKeys = false, keysTo, provedRows = 0 } = options;
  const stateIsElsewhere = context.config.stateUrl !== undefined;
  const withKeys = !withoutKeys && keysTo === undefined;
  const refusal = "the folder is not empty: choose a new or an empty folder";
  const manifest = await progress("copying", (update) =>
    makeFolder({ target, refusal, what: `making a backup in ${target}` }, (folder) => {
      const keys = { withKeys, keysTo };
      const asked = { ...keys, stateIsElsewhere, provedRows, madeAt: context.clock(), progress: update };
      return backupHome(homeOf(context), folder, asked);
    }),
  );
  const { files, signed_head: _, ...facts } = manifest;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  const fields = { backup: target, ...facts, files: Object.keys(files).length, bytes };
  return noted(fields, ...(stateIsElsewhere ? POSTGRES_NOTE.split("\n") : []));
}

const restore = command({
  path: "restore",
  takes: (bare: Bare) =>
    bare
      .argument("<folder>", "a backup, as `presence backup` or `presence-backup fetch` made it")
      .requiredOption(
        "--into <home>",
        "the new PRESENCE_HOME; must not exist, or be empty, or have empty folders night/ and state/ of two users",
      )
      .option("--keys <folder>", "the keys, if they were kept apart from the backup")
      .option("--published <file>", "the newest published /ledger/checkpoint; refuses an older backup"),
  access: "none",
  run: restoreParts,
});

interface RestoreOptions {
  readonly into: string;
  readonly keys?: string | undefined;
  readonly published?: string | undefined;
}

/** Restores what this user may. Each part of a home is restored whole or not at all. */
async function restoreParts(call: Call<"none">, options: RestoreOptions, backup: string) {
  const { user, clock } = call.context;
  const { into: target, keys } = options;
  const parts = ownParts(target, user);
  const restored = parts === "whole" ? PARTS : parts;
  refuseHeldHome(homePaths(target), restored);
  const manifest = readBackupManifest(backup);
  const published =
    options.published === undefined ? undefined : readNamedFile(options.published, "--published");
  const isShared = isSharedFolder(homePaths(target).stateFolder);
  const asked = { backup, manifest, keys, published, isShared, clock };
  const fill = (only?: Part) => (folder: string) =>
    call.progress("verifying", (progress) =>
      restoreHome(folder, { ...asked, ...(only && { parts: [only] }), progress }),
    );
  const what = `restoring into ${target}`;
  const refusal = "the folder is not empty, and a home is never overwritten: give a new folder";
  if (parts === "whole") await makeFolder({ target, refusal, what }, fill());
  else for (const part of parts) await fillFolder({ target: join(target, part), refusal, what }, fill(part));
  const { made_at, environment, origin, rows, tree_size, state } = manifest;
  const facts = { made_at, environment, origin, rows, tree_size, state };
  const notes = [
    ...(restored.includes("night") ? restoreNotes(manifest, published !== undefined) : []),
    ...nextSteps(target, parts, state === "sqlite", user),
  ];
  return new Output({
    json: { home: target, parts: restored, ...facts },
    text: { home: target, parts: restored.join(", "), ...facts },
    notes,
  });
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
      "folder for the copies, which hold private values and are removed afterwards",
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

export const commands = [backup, restore, upgrade];
