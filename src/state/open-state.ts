import { dirname } from "node:path";
import { Kysely, sql } from "kysely";
import { assertStoreVersion } from "../kernel/database-file.ts";
import { OperatorError } from "../kernel/errors.ts";
import { replaceFile } from "../kernel/files/durable-file.ts";
import { isSharedFolder, SECRET_MODE, SHARED_DATABASE_MODE } from "../kernel/files/secret-file.ts";
import type { Home } from "../kernel/home.ts";
import { type RandomBytes, systemRandom } from "../kernel/ids.ts";
import type { Secret } from "../kernel/secret.ts";
import { type Clock, systemClock } from "../kernel/time.ts";
import { assertWhole, damageOf, StateLost } from "./database/database-file.ts";
import { type Engine, postgresEngine, sqliteEngine } from "./database/engines.ts";
import { migrate, stateFormat, storedVersion } from "./database/migrate.ts";
import { Emails } from "./delivery/emails.ts";
import { Outbox } from "./delivery/outbox.ts";
import { Publications } from "./delivery/publications.ts";
import { Subscriptions } from "./delivery/subscriptions.ts";
import { Webhooks } from "./delivery/webhooks.ts";
import { type Forgotten, forgetRecord, type Rewrite } from "./forget-record.ts";
import { Partners } from "./partners.ts";
import { Removals } from "./removals.ts";
import { Reports } from "./reports.ts";
import {
  createStateKey,
  readStateKey,
  rotatedKeyFile,
  type StateKeyPlace,
  type StateKeys,
} from "./state-key.ts";
import { cutLog, insertMany, inTransaction, lockName, newestTime, type Store } from "./store.ts";
import { Subjects } from "./subjects.ts";
import type { StateTables } from "./tables.ts";
import { Usage } from "./usage/usage.ts";

export type StateStores = ReturnType<typeof storesOf>;

/** The mutable data of the service: subscriptions, partners, usage, reports and the outbox. */
export interface State extends StateStores, AsyncDisposable {
  /**
   * Runs `work` in one transaction. It must use the stores passed to it: on SQLite the state itself would wait for
   * this transaction forever.
   */
  transaction<T>(work: (stores: StateStores) => Promise<T>): Promise<T>;
  /** See `rotateStateKey`. */
  rotateKey(): Promise<string>;
  /** See `newestTime` (ms). */
  newestTime(): Promise<number>;
  /** After an opt-out: see forget-record.ts. */
  forgetRecord(publicId: string, rewrite: Rewrite): Promise<Forgotten>;
  /** After a deletion, so that no file of the database keeps what it deleted: see `cutLog`. */
  cutLog(): Promise<boolean>;
  /** Why this connection was given up: its files were replaced, removed or damaged. Undefined while it is good, and for PostgreSQL. */
  loss(): StateLost | undefined;
  close(): Promise<void>;
}

/** Where the database and its key are. */
export type StateHome = Pick<Home, "state" | "stateKey">;

export interface StateOptions {
  readonly clock?: Clock;
  readonly random?: RandomBytes;
  /** Refuses to make a database where there is none. */
  readonly mustExist?: boolean;
}

/**
 * Opens the PostgreSQL database at `url`, or without one `state.db` in the home, and brings it to this program's form. The key file is made
 * with a new database. Throws OperatorError when the database cannot be had or belongs to another key.
 */
export async function openState(
  url: Secret | undefined,
  home: StateHome,
  { clock = systemClock, random = systemRandom, mustExist = false }: StateOptions = {},
): Promise<State> {
  if (url === undefined) assertWhole(home.state, mustExist);
  const { db, engine, held } = await openStateDatabase(url, home);
  try {
    const keys = await tiedKey(
      { db, engine, clock, random },
      home,
      url === undefined ? home.state : "STATE_URL",
    );
    return stateOver({ db, engine, clock, random, keys }, home, () => held?.loss);
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Opens the database as it is. Throws OperatorError when it cannot be had. */
export async function openStateDatabase(
  url: Secret | undefined,
  home: StateHome,
): Promise<Pick<Store, "db" | "engine"> & Pick<Engine, "held">> {
  const { state: path } = home;
  try {
    const mode = isSharedFolder(dirname(path)) ? SHARED_DATABASE_MODE : SECRET_MODE;
    const { name, dialect, held } = url === undefined ? sqliteEngine(path, mode) : postgresEngine(url);
    const db = new Kysely<StateTables>({ dialect });
    await sql`select 1`.execute(db);
    return { db, engine: name, held };
  } catch (cause) {
    const damage = url === undefined ? damageOf(cause, path) : undefined;
    if (damage !== undefined || cause instanceof StateLost) throw damage ?? cause;
    const where =
      url === undefined ? path : `STATE_URL: PostgreSQL at ${URL.parse(url.reveal())?.host || "its socket"}`;
    throw new OperatorError(`${where} cannot be opened: ${reasonOf(cause)}`, { cause });
  }
}

/** The version of the state at `url`, which is not migrated; undefined for an empty database. Throws OtherStoreVersion. */
export async function versionInPostgres(url: Secret, home: StateHome): Promise<number | undefined> {
  const database = await openStateDatabase(url, home);
  try {
    const version = await storedVersion(database);
    if (version !== undefined) assertStoreVersion("STATE_URL", stateFormat("postgres"), version);
    return version;
  } finally {
    await database.db.destroy();
  }
}

/** A refused connection to a host with two addresses has no message, only a code. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ("code" in cause ? String(cause.code) : cause.name);
}

function stateOver(store: Store, home: StateHome, loss: State["loss"]): State {
  const close = () => store.db.destroy();
  return {
    ...storesOf(store),
    transaction: (work) => inTransaction(store, (within) => work(storesOf(within))),
    newestTime: () => newestTime(store),
    rotateKey: () => rotateStateKey(store, home, store.random),
    forgetRecord: (publicId, rewrite) => forgetRecord(store, publicId, rewrite),
    cutLog: () => cutLog(store),
    loss,
    close,
    [Symbol.asyncDispose]: close,
  };
}

function storesOf(store: Store) {
  return {
    subscriptions: new Subscriptions(store),
    subjects: new Subjects(store),
    emails: new Emails(store),
    outbox: new Outbox(store),
    publications: new Publications(store),
    partners: new Partners(store),
    webhooks: new Webhooks(store),
    usage: new Usage(store),
    reports: new Reports(store),
    removals: new Removals(store),
  };
}

/**
 * Makes or migrates the tables, and reads the key. A database and its key file belong together: with another key no secret, link or suppressed address would be known again. A key
 * file that a rotation has just replaced names the key of the database as its previous one; the rotation is completed here.
 */
function tiedKey(open: Omit<Store, "keys">, home: StateHome, where: string): Promise<StateKeys> {
  return inTransaction(open, async ({ db, engine, clock, random }) => {
    await lockName({ db, engine }, "state");
    const version = await migrate({ db, engine }, where);
    const tie = await db.selectFrom("store").select("key_check").executeTakeFirst();
    if (tie === undefined) createStateKey(home, random);
    const keys = readStateKey(home);
    if (tie === undefined)
      await insertMany({ db, engine }, "store", [
        { id: 1, version, keyCheck: keys.check, createdAt: clock() },
      ]);
    else if (tie.key_check === keys.previousCheck)
      await db.updateTable("store").set({ key_check: keys.check }).execute();
    else if (tie.key_check !== keys.check)
      throw new OperatorError(
        `${home.stateKey}: this is not the key that the state database was made with: restore it from your backup, or copy it from the machine that has it`,
      );
    return keys;
  });
}

/**
 * Replaces the secret of the state. The file comes first, and names both secrets; the database follows, and a process that opens
 * it in between completes the step (see `tiedKey`). Returns what identifies the new key. Running processes keep the previous one
 * until they are restarted.
 */
function rotateStateKey(
  store: Pick<Store, "db" | "engine">,
  place: StateKeyPlace,
  random: RandomBytes,
): Promise<string> {
  return inTransaction(store, async ({ db, engine }) => {
    await lockName({ db, engine }, "state key");
    const { text, mode, keys } = rotatedKeyFile(place, random);
    replaceFile(place.stateKey, text, mode);
    await db.updateTable("store").set({ key_check: keys.check }).execute();
    return keys.check;
  });
}
