import type { Command } from "@commander-js/extra-typings";
import { OperatorError } from "../../../kernel/errors.ts";
import type { Home } from "../../../kernel/home.ts";
import { isoTime } from "../../../kernel/time.ts";
import { keysDocument, type LedgerKey } from "../../../ledger/keys/key-ring.ts";
import { signingKeyPath } from "../../../ledger/keys/keys.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import {
  type CommandContext,
  homeOf,
  printJson,
  printLines,
  printResult,
} from "../../../operations/context.ts";
import { lockReleases } from "../../../operations/release.ts";
import { openCurrentWriter } from "../../../operations/take-in.ts";
import { CLOCK_OPTION, JSON_OPTION } from "../../command.ts";

export function define(key: Command, context: CommandContext): void {
  key
    .command("rotate")
    .description("sign with a new key from now on; without --yes, only describe what that does")
    .option("--yes", "rotate the key")
    .option(...CLOCK_OPTION)
    .option(...JSON_OPTION)
    .action(async ({ yes, clock, json }) => {
      if (!yes) throw unconfirmed(homeOf(context));
      await rotateKey(context, clock, json);
    });

  key
    .command("list")
    .description("list all signing keys with the tree sizes that they sign")
    .option("--json", "print the content of /ledger/keys.json")
    .action(({ json }) => {
      using reader = openLedgerReader(homeOf(context).ledger);
      const { origin, environment } = reader.meta;
      const ring = reader.keyRing();
      if (json) printJson(context, keysDocument(origin, environment, ring));
      else printLines(context, ring.all().map(keyLine));
    });
}

function unconfirmed(home: Home): OperatorError {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  const { name, keyId } = reader.keyRing().current;
  const size = (reader.latestCheckpoint()?.size ?? 0).toLocaleString("en-US");
  return new OperatorError(
    `key rotate: nothing was changed. With --yes, a new key signs every tree of ${name} above ${size} rows. ` +
      `Key ${keyId} endorses it and is deleted from ${signingKeyPath(home.keys, reader.meta.environment)}; its public key stays published, ` +
      `and its signatures stay valid. Back up ${home.keys} immediately afterwards: no other copy of the new key exists`,
  );
}

async function rotateKey(
  context: CommandContext,
  clock: string | undefined,
  json: boolean | undefined,
): Promise<void> {
  const home = homeOf(context);
  using writer = await openCurrentWriter(context, clock);
  const lock = lockReleases(home);
  try {
    const retired = writer.keyRing().current;
    writer.rotateSigningKey();
    const [added] = writer.keyRing().all().slice(-1);
    printResult(context, json, {
      retired_key: retired.keyId,
      signing_key: added?.keyId,
      vkey: added?.vkey,
      signs_above: added?.fromSize,
      key_file: signingKeyPath(home.keys, writer.meta.environment),
    });
  } finally {
    lock.release();
  }
  context.stderr.write(`back up ${home.keys} now, apart from the ledger; the next build publishes the key\n`);
}

function keyLine({ vkey, fromSize, untilSize, createdAt, retiredAt }: LedgerKey): string {
  const sizes = `above ${fromSize}${untilSize === null ? "" : ` up to ${untilSize}`}`;
  const times = `${isoTime(createdAt)} ${retiredAt === null ? "in use" : `to ${isoTime(retiredAt)}`}`;
  return `${vkey}  ${sizes}, ${times}`;
}
