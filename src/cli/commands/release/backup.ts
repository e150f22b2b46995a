import type { Command } from "@commander-js/extra-typings";
import { withProgress } from "../../../build/progress.ts";
import { currentRelease } from "../../../build/stages/publish.ts";
import { noteBackup, type RestoreCheck } from "../../../kernel/backup-status.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { writeText } from "../../../kernel/text/terminal.ts";
import { isoTime } from "../../../kernel/time.ts";
import { backupHome } from "../../../operations/backup/backup-home.ts";
import { checkObjects, checkWhole } from "../../../operations/backup/store/check.ts";
import { reportSigner, storeReport } from "../../../operations/backup/store/report.ts";
import { createRepositories, removeOldBackups } from "../../../operations/backup/store/repositories.ts";
import { backUp } from "../../../operations/backup/store/send.ts";
import { storeOf } from "../../../operations/backup/store/store.ts";
import { makeFolder } from "../../../operations/backup/whole-folder.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { JSON_OPTION } from "../../command.ts";
import { publicFiles, withPublicFiles } from "../../public-files-option.ts";

const POSTGRES_NOTE = `The state is in PostgreSQL and not in this backup: archive its log, or dump it now, after the ledger:
  pg_dump --format=custom --file=state.pgdump "$STATE_URL"`;

const ABOUT = `
  presence backup               off the machine, to BACKUP_REPOSITORY: what changed since the last one
  presence backup FOLDER        a whole one in a new folder
  presence backup init          make the repositories, once
  presence backup check         restore the newest one into scratch space, and prove it
  presence backup prune         remove what BACKUP_KEPT_DAYS no longer keeps

A folder holds private values and, with keys, everything needed to sign in your name: keep it safe.`;

/** As long as a whole first backup may take. */
const WAIT_MS = 3_600_000;

export function define(command: Command, context: CommandContext): void {
  command
    .argument("[folder]", "a new folder; left out: the repositories of the configuration")
    .option("--without-keys", "leave the keys out of the folder, to keep them apart")
    .option(...JSON_OPTION)
    .addHelpText("after", ABOUT)
    .action((folder, { withoutKeys = false, json }) =>
      folder === undefined ? send(context, json) : copyTo(context, folder, { withKeys: !withoutKeys, json }),
    );
  defineUpkeep(command, context);
  defineCheck(command, context);
}

async function send(context: CommandContext, json: boolean | undefined): Promise<void> {
  const { stored, asOf, treeSize } = await withProgress(context, "copying", (progress) =>
    backUp(context, { waitMs: WAIT_MS, progress }),
  );
  printResult(context, json, { stored, as_of: isoTime(asOf), tree_size: treeSize });
}

interface CopyOptions {
  readonly withKeys: boolean;
  readonly json: boolean | undefined;
}

async function copyTo(
  context: CommandContext,
  target: string,
  { withKeys, json }: CopyOptions,
): Promise<void> {
  const stateIsElsewhere = context.config.stateUrl !== undefined;
  const refusal = "the folder is not empty: give a new or an empty folder";
  const manifest = await withProgress(context, "copying", (progress) =>
    makeFolder({ target, refusal, what: `making a backup in ${target}` }, (folder) => {
      const options = { stateIsElsewhere, withKeys, madeAt: context.clock(), progress };
      return backupHome(homeOf(context), folder, options);
    }),
  );
  const { files, signed_head: _, ...facts } = manifest;
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  printResult(context, json, { backup: target, ...facts, files: Object.keys(files).length, bytes });
  if (stateIsElsewhere) writeText(context.stderr, POSTGRES_NOTE);
}

function defineUpkeep(command: Command, context: CommandContext): void {
  command
    .command("init")
    .description("make the repositories that are not there yet; their password files must be")
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      const made = await createRepositories(context);
      printResult(context, json, { made: json ? made : made.join(", ") || "nothing: they are there" });
    });
  command
    .command("prune")
    .description(
      "remove the backups that BACKUP_KEPT_DAYS no longer keeps, and the objects that only they need",
    )
    .option(...JSON_OPTION)
    .action(async ({ json }) => printResult(context, json, { kept_days: await removeOldBackups(context) }));
}

function defineCheck(command: Command, context: CommandContext): void {
  withPublicFiles(command.command("check"))
    .description(
      "restore the newest backup into scratch space, prove every row, and replay the published release",
    )
    .option(
      "--objects",
      "check only that every object is there, and the hashes of a tenth of them, by the day",
    )
    .option("--scratch <folder>", "where there is room for ledger and state twice (default: PRESENCE_HOME)")
    .option(
      "--sign <file>",
      "sign a report with the key in this file, made if missing, and leave it beside the backups",
    )
    .option(...JSON_OPTION)
    .addHelpText(
      "after",
      "\nExit code 0: sound. 1: not, with the reason. On another machine give --url and --sign; the machine that serves has\nthe key that it prints as BACKUP_CHECK_VKEY.",
    )
    .action(async ({ objects = false, scratch, sign, json, ...place }) => {
      if (objects) {
        const report = await checkObjects(context);
        printResult(context, json, { objects: "sound", ...(report && { whole_check: report.at }) });
        return;
      }
      const result = await wholeCheck(context, { scratch: scratch ?? homeOf(context).night, place });
      const key = await keepResult(context, { result, sign, scratch: scratch ?? homeOf(context).night });
      printResult(context, json, { ...result, ...(key && { vkey: key }) });
      if (result.problem !== null) throw new OperatorError("the backup is not sound");
    });
}

interface CheckOptions {
  readonly scratch: string;
  readonly place: { readonly release?: string | undefined; readonly url?: string | undefined };
}

async function wholeCheck(context: CommandContext, { scratch, place }: CheckOptions): Promise<RestoreCheck> {
  const isNamed = place.release !== undefined || place.url !== undefined;
  const published =
    isNamed || currentRelease(homeOf(context)) !== undefined ? publicFiles(context, place).files : undefined;
  return await withProgress(context, "checking", (progress) =>
    checkWhole(context, { published, scratch, progress }),
  );
}

interface Kept {
  readonly result: RestoreCheck;
  readonly sign: string | undefined; // file
  readonly scratch: string;
}

/** Returns the verification key of the report, if it was signed. */
async function keepResult(
  context: CommandContext,
  { result, sign, scratch }: Kept,
): Promise<string | undefined> {
  if (sign === undefined) {
    noteBackup(homeOf(context), { restored: result });
    return undefined;
  }
  const signer = reportSigner(sign, context.random);
  await storeReport(storeOf(context), scratch, signer, result);
  return signer.vkey;
}
