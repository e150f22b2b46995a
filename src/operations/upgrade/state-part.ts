import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { Home } from "../../kernel/home.ts";
import type { Secret } from "../../kernel/secret.ts";
import { type MigrationRehearsal, rehearseMigrations } from "../../state/rehearse-migrations.ts";
import { NoScratchSchema, stateBytes, withScratchSchema } from "../../state/scratch-schema.ts";
import { copyDatabase } from "../backup/copy-database.ts";
import { databaseBytes, secondsSince } from "./measures.ts";
import type { Part, UpgradeOptions } from "./part.ts";

const MIGRATES =
  "the version before refuses the state once a server, worker or command of this version has opened it; then restore the state of the backup, which loses what subscribers and partners did since";
const STAYS = "the version before opens the state";

type Measured = Pick<Part, "seconds" | "bytes"> & { readonly done: MigrationRehearsal };

/** Migrates a copy of the state; undefined where there is none. */
export function rehearseState(home: Home, copy: Home, options: UpgradeOptions): Promise<Part | undefined> {
  if (options.stateUrl !== undefined) return inPostgres(options.stateUrl, home, copy, options);
  if (!existsSync(home.state)) return Promise.resolve(undefined);
  return inFile(home, copy, options);
}

async function inFile(home: Home, copy: Home, { clock, elapsed, say }: UpgradeOptions): Promise<Part> {
  say("copying and migrating the state");
  const started = elapsed();
  await copyDatabase(home.state, copy.state, () => undefined);
  const [copied, before, begun] = [secondsSince(started, elapsed), databaseBytes(copy.state), elapsed()];
  const done = await rehearseMigrations(undefined, keyBeside(home, copy), { clock });
  return partOf({
    done,
    seconds: { copy: copied, migrate: secondsSince(begun, elapsed) },
    bytes: { before, after: databaseBytes(copy.state) },
  });
}

async function inPostgres(
  url: Secret,
  home: Home,
  copy: Home,
  { clock, elapsed, say }: UpgradeOptions,
): Promise<Part> {
  say("copying and migrating the state in a schema of its own");
  const started = elapsed();
  const key = keyBeside(home, copy);
  try {
    return await withScratchSchema(url, key, async (scratch) => {
      const [copied, before, begun] = [
        secondsSince(started, elapsed),
        await stateBytes(scratch, key),
        elapsed(),
      ];
      const done = await rehearseMigrations(scratch, key, { clock });
      const seconds = { copy: copied, migrate: secondsSince(begun, elapsed) };
      return partOf({ done, seconds, bytes: { before, after: await stateBytes(scratch, key) } });
    });
  } catch (error) {
    if (!(error instanceof NoScratchSchema)) throw error;
    const unknown = { from: "unknown", to: "unknown", changes: [], seconds: null, bytes: null };
    return { part: "state", ...unknown, going_back: MIGRATES, not_rehearsed: error.message };
  }
}

/** The key among the copied ones, so that a rotation which the rehearsal completes is that of the copy. */
function keyBeside(home: Home, copy: Home): Home {
  return { ...copy, stateKey: join(copy.keys, basename(home.stateKey)) };
}

function partOf({ done: { migrations, changedTables }, seconds, bytes }: Measured): Part {
  const rows = Array.from(
    changedTables,
    ([table, [before, after]]) => `the table ${table}: ${before ?? "no"} rows become ${after ?? "none"}`,
  );
  return {
    part: "state",
    from: migrations.length === 0 ? "up to date" : `${migrations.length} migrations behind`,
    to: migrations.at(-1) ?? "up to date",
    changes: [...migrations.map((name) => `the migration ${name} runs`), ...rows],
    seconds,
    bytes,
    going_back: migrations.length === 0 ? STAYS : MIGRATES,
    not_rehearsed: null,
  };
}
