import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../../../kernel/errors.ts";
import { isoTime } from "../../../kernel/time.ts";
import { keysDocument, type LedgerKey } from "../../../ledger/keys/key-ring.ts";
import type { ManifestKey } from "../../../ledger/keys/manifest-keys.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import {
  type CommandContext,
  homeOf,
  printJson,
  printLines,
  printResult,
} from "../../../operations/context.ts";
import { ROTATIONS, type Rotated } from "../../../operations/keys/rotate-keys.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";

export function define(key: Command, context: CommandContext): void {
  key
    .command("rotate")
    .description("replace a key by a new one; without --yes, only describe what that does")
    .option("--manifest", "the key that signs the manifests of releases")
    .option("--state", "the key of the state: links in emails, secrets of webhooks")
    .option("--yes", "rotate the key")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ manifest, state, yes, clock, json }) => {
      if (manifest && state) throw new OperatorError("key rotate: give one of --manifest and --state");
      const rotation = ROTATIONS[manifest ? "manifest" : state ? "state" : "checkpoint"];
      if (!yes) throw new OperatorError(`key rotate: nothing was changed. ${await rotation.effect(context)}`);
      printRotated(context, json, await rotation.rotate(context, clock));
    });

  key
    .command("list")
    .description("list the keys that sign checkpoints and manifests")
    .option("--json", "print the content of /ledger/keys.json")
    .action(({ json }) => {
      using reader = openLedgerReader(homeOf(context).ledger);
      const { origin, environment } = reader.meta;
      const [ring, manifestKeys] = [reader.keyRing(), reader.manifestKeys()];
      if (json) printJson(context, keysDocument(origin, environment, ring, manifestKeys));
      else printLines(context, [...ring.all().map(keyLine), ...manifestKeys.map(manifestKeyLine)]);
    });
}

function printRotated(context: CommandContext, json: boolean | undefined, { facts, notes }: Rotated): void {
  printResult(context, json, facts);
  for (const note of notes) context.stderr.write(`${note}\n`);
}

function keyLine({ vkey, fromSize, untilSize, createdAt, retiredAt }: LedgerKey): string {
  const sizes = `above ${fromSize}${untilSize === null ? "" : ` up to ${untilSize}`}`;
  const times = `${isoTime(createdAt)} ${retiredAt === null ? "in use" : `to ${isoTime(retiredAt)}`}`;
  return `${vkey}  ${sizes}, ${times}`;
}

function manifestKeyLine({ vkey, createdAt }: ManifestKey, at: number, all: readonly ManifestKey[]): string {
  const next = all[at + 1];
  const end = next === undefined ? "in use" : `to ${isoTime(next.createdAt)}`;
  return `${vkey}  manifests, ${isoTime(createdAt)} ${end}`;
}
