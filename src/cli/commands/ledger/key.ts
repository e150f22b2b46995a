import type { Command } from "commander";
import { OperatorError } from "../../../kernel/errors.ts";
import type { Home } from "../../../kernel/home.ts";
import { isoTime } from "../../../kernel/time.ts";
import { keysDocument, type LedgerKey } from "../../../ledger/keys/key-ring.ts";
import { signingKeyPath } from "../../../ledger/keys/keys.ts";
import { openLedgerReader } from "../../../ledger/reader.ts";
import { type CommandContext, homeOf, openWriter, printResult } from "../../../operations/context.ts";
import { lockReleases } from "../../../operations/release.ts";

interface RotateOptions {
  readonly yes?: boolean;
  readonly clock?: string;
  readonly json?: boolean;
}

export function defineKey(key: Command, context: CommandContext): void {
  key
    .command("rotate")
    .description("sign with a new key from now on; without --yes only say what that does")
    .option("--yes", "do it")
    .option("--clock <time>", "time of the rotation; not for production ledgers")
    .option("--json", "print the result as JSON")
    .action((options: RotateOptions) => {
      if (options.yes !== true) throw unconfirmed(homeOf(context));
      rotateKey(context, options);
    });

  key
    .command("list")
    .description("all signing keys with the tree sizes they sign")
    .option("--json", "print the content of /ledger/keys.json")
    .action((options: { json?: boolean }) => listKeys(context, options.json));
}

function unconfirmed(home: Home): OperatorError {
  using reader = openLedgerReader(home.ledger, { keysDir: home.keys });
  const { name, keyId } = reader.keyRing().current;
  const size = (reader.latestCheckpoint()?.size ?? 0).toLocaleString("en-US");
  return new OperatorError(
    `key rotate: nothing was changed. With --yes a new key is made that signs every tree of ${name} above ${size} rows. ` +
      `Key ${keyId} endorses it and is deleted from ${signingKeyPath(home.keys, reader.meta.environment)}; its public part stays published, ` +
      `and what it signed stays valid. Back up ${home.keys} at once afterwards: the new key is nowhere else`,
  );
}

function rotateKey(context: CommandContext, { clock, json }: RotateOptions): void {
  const home = homeOf(context);
  using writer = openWriter(context, clock);
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

function listKeys(context: CommandContext, json: boolean | undefined): void {
  using reader = openLedgerReader(homeOf(context).ledger);
  const { origin, environment } = reader.meta;
  const ring = reader.keyRing();
  if (json === true) {
    context.stdout.write(`${JSON.stringify(keysDocument(origin, environment, ring))}\n`);
    return;
  }
  for (const key of ring.all()) context.stdout.write(`${keyLine(key)}\n`);
}

function keyLine({ vkey, fromSize, untilSize, createdAt, retiredAt }: LedgerKey): string {
  const sizes = `above ${fromSize}${untilSize === null ? "" : ` up to ${untilSize}`}`;
  const times = `${isoTime(createdAt)} ${retiredAt === null ? "in use" : `to ${isoTime(retiredAt)}`}`;
  return `${vkey}  ${sizes}, ${times}`;
}
