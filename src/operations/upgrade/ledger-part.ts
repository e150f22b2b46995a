import { readdirSync } from "node:fs";
import { OperatorError } from "../../kernel/errors.ts";
import type { Home } from "../../kernel/home.ts";
import { ledgerShape, shapeChanges } from "../../ledger/database/describe.ts";
import { ledgerDamage } from "../../ledger/database/quick-check.ts";
import { openLedgerReader } from "../../ledger/reader.ts";
import { openLedgerWriter } from "../../ledger/writer.ts";
import { copyDatabase } from "../backup/copy-database.ts";
import { databaseBytes, secondsSince } from "./measures.ts";
import type { Part, UpgradeOptions } from "./part.ts";

const FORMAT_CHANGES =
  "the version before refuses the ledger once a command of this version has written to it (ingest, a decision, seal, night); then restore the backup, and only while this version has published no checkpoint";
const FORMAT_STAYS = "the version before opens the ledger";

/** Opens a copy for writing, which migrates it, and verifies every row of it. */
export async function rehearseLedger(
  home: Home,
  copy: Home,
  { clock, elapsed, say }: UpgradeOptions,
): Promise<Part> {
  const before = ledgerShape(home.ledger);
  say("copying the ledger");
  const started = elapsed();
  await copyDatabase(home.ledger, copy.ledger, () => undefined);
  const copied = secondsSince(started, elapsed);
  const [bytes, keys] = [databaseBytes(copy.ledger), readdirSync(copy.keys)];

  say("migrating the copy");
  const begun = elapsed();
  openLedgerWriter(copy.ledger, { keysDir: copy.keys, clock }).close();
  const migrated = secondsSince(begun, elapsed);
  const after = ledgerShape(copy.ledger);

  say(`verifying ${after.rows} rows`);
  const done = elapsed();
  if (before.rows !== after.rows)
    throw new OperatorError(
      `${home.ledger}: the migration turned ${before.rows} rows into ${after.rows}: stay with the version before, and report it`,
    );
  verifyCopy(copy);
  const newKeys = readdirSync(copy.keys).filter((name) => name.endsWith(".json") && !keys.includes(name));
  return {
    part: "ledger",
    from: `format ${before.format}`,
    to: `format ${after.format}`,
    changes: [...shapeChanges(before, after), ...newKeys.map((name) => `the key keys/${name} is made`)],
    seconds: { copy: copied, migrate: migrated, verify: secondsSince(done, elapsed) },
    bytes: { before: bytes, after: databaseBytes(copy.ledger) },
    going_back: before.format === after.format ? FORMAT_STAYS : FORMAT_CHANGES,
    not_rehearsed: null,
  };
}

/** Throws OperatorError for a damaged file, a lost head, or a row that does not lead to the newest checkpoint. */
function verifyCopy({ ledger, keys }: Home): void {
  const [damage] = ledgerDamage(ledger);
  if (damage !== undefined) throw new OperatorError(`${ledger} is damaged: ${damage}`);
  using reader = openLedgerReader(ledger, { keysDir: keys });
  reader.assertHoldsHead(keys);
  const verified = reader.verifiedRows(reader.latestCheckpoint()?.size ?? 0);
  while (verified.next().done !== true);
}
