import { timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";
import { sql } from "kysely";
import { OperatorError } from "../kernel/errors.ts";
import { sha256Hex } from "../kernel/hash.ts";
import { newPublicId, type RandomBytes } from "../kernel/ids.ts";
import { answerer } from "../kernel/table.ts";
import { DAY_MS, isoDate, monthOfDay, utcDayStart } from "../kernel/time.ts";
import { affected, insertMany, inTransaction, type Store } from "./store.ts";
import { type Row, STATE_TABLES } from "./tables.ts";

const { partner_clients, partner_keys } = STATE_TABLES;
const clientOf = answerer(partner_clients);
const keyOf = answerer(partner_keys);

export type PartnerClient = ReturnType<typeof clientOf>;
export type PartnerKey = ReturnType<typeof keyOf>;

export interface Quotas {
  readonly dailyQuota: number;
  readonly monthlyQuota: number;
}

export interface NewPartnerClient extends Quotas {
  readonly name: string;
  readonly contactEmail: string | null;
  readonly portalAccess: boolean;
}

export type ClientChanges = Partial<Pick<PartnerClient, "contactEmail" | "status" | "portalAccess"> & Quotas>;

/** A disabled client is included, because it has shown its own key and may know. */
export type Authentication =
  | { readonly outcome: "ok" | "disabled"; readonly client: PartnerClient; readonly key: PartnerKey }
  | { readonly outcome: "malformed" | "unknown" | "revoked" };

/** How often a key's last-used time is updated. */
const LAST_USE_STEP_MS = 60_000;

/** Clients, their keys and quotas. A key is shown once, when it is issued; the store has its hash. */
export class Partners {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Throws OperatorError when the name is taken. */
  createClient(client: NewPartnerClient): Promise<PartnerClient> {
    const { dailyQuota: daily, monthlyQuota: monthly, ...given } = client;
    return inTransaction(this.#store, async (store) => {
      const now = store.clock();
      const publicId = newPublicId("client", store.random);
      const row = { ...given, publicId, status: "active", createdAt: now, disabledAt: null } as const;
      if ((await insertMany(store, "partner_clients", [row], "on conflict (name) do nothing")) === 0)
        throw new OperatorError(`a partner client named ${client.name} already exists: choose another name`);
      const used = { utcDay: isoDate(now), usedToday: 0, utcMonth: utcMonth(now), usedThisMonth: 0 };
      await insertMany(store, "partner_quotas", [{ clientId: publicId, daily, monthly, ...used }]);
      return row;
    });
  }

  async listClients(): Promise<PartnerClient[]> {
    const rows = await this.#store.db.selectFrom("partner_clients").selectAll().orderBy("name").execute();
    return rows.map(clientOf);
  }

  async client(publicId: string): Promise<PartnerClient | undefined> {
    const row = await this.#store.db
      .selectFrom("partner_clients")
      .selectAll()
      .where("public_id", "=", publicId)
      .executeTakeFirst();
    return row && clientOf(row);
  }

  /** Omitted fields stay unchanged. Throws OperatorError for an unknown client. */
  updateClient(publicId: string, changes: ClientChanges): Promise<PartnerClient> {
    const { contactEmail, status, portalAccess, dailyQuota, monthlyQuota } = changes;
    return inTransaction(this.#store, async ({ db, clock }) => {
      const row = await db
        .updateTable("partner_clients")
        .set({
          public_id: publicId, // a statement without a change would be none
          ...(contactEmail !== undefined && { contact_email: contactEmail }),
          ...(status !== undefined && { status, disabled_at: status === "disabled" ? clock() : null }),
          ...(portalAccess !== undefined && { portal_access: portalAccess ? 1 : 0 }),
        })
        .where("public_id", "=", publicId)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw unknownClient(publicId);
      await db
        .updateTable("partner_quotas")
        .set({
          client_id: publicId,
          ...(dailyQuota !== undefined && { daily: dailyQuota }),
          ...(monthlyQuota !== undefined && { monthly: monthlyQuota }),
        })
        .where("client_id", "=", publicId)
        .execute();
      return clientOf(row);
    });
  }

  /** Deletes the contact addresses of clients that were disabled so many days ago; returns their number. */
  pruneContacts(days: number): Promise<number> {
    const { db, clock } = this.#store;
    return affected(
      db
        .updateTable("partner_clients")
        .set({ contact_email: null })
        .where("contact_email", "is not", null)
        .where("disabled_at", "<=", clock() - days * DAY_MS),
    );
  }

  /** The secret is returned here and never again. Throws OperatorError for an unknown client. */
  async issueKey(clientId: string): Promise<{ readonly key: PartnerKey; readonly secret: string }> {
    const { clock, random } = this.#store;
    if ((await this.client(clientId)) === undefined) throw unknownClient(clientId);
    const secret = newPartnerKey(random);
    const key = {
      publicId: newPublicId("key", random),
      clientId,
      prefix: keyPrefix(secret),
      createdAt: clock(),
      lastUsedAt: null,
      revokedAt: null,
    };
    await insertMany(this.#store, "partner_keys", [{ ...key, keyHash: keyHash(secret) }]);
    return { key, secret };
  }

  /** Oldest first, revoked ones too. */
  async listKeys(clientId: string): Promise<PartnerKey[]> {
    const rows = await this.#store.db
      .selectFrom("partner_keys")
      .selectAll()
      .where("client_id", "=", clientId)
      .orderBy("created_at")
      .orderBy("public_id")
      .execute();
    return rows.map(keyOf);
  }

  /** A key that is revoked stays so, with its first time. Throws OperatorError for an unknown key. */
  async revokeKey(keyId: string): Promise<PartnerKey> {
    const { db, clock } = this.#store;
    const row = await db
      .updateTable("partner_keys")
      .set((set) => ({ revoked_at: set.fn.coalesce("revoked_at", set.val(clock())) }))
      .where("public_id", "=", keyId)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined)
      throw new OperatorError(`no partner key ${keyId}: see the list of the client's keys`);
    return keyOf(row);
  }

  /** `text` is the part after `Bearer `. The checksum rejects junk without a query. */
  async authenticate(text: string): Promise<Authentication> {
    if (!isPartnerKey(text)) return { outcome: "malformed" };
    const hash = keyHash(text);
    const candidates = await this.#store.db
      .selectFrom("partner_keys")
      .selectAll()
      .where("prefix", "=", keyPrefix(text))
      .execute();
    const row = candidates.find((candidate) => isSameHash(candidate.key_hash, hash));
    if (row === undefined) return { outcome: "unknown" };
    if (row.revoked_at !== null) return { outcome: "revoked" };
    const client = await this.client(row.client_id);
    if (client === undefined) return { outcome: "unknown" };
    await this.#noteUse(row);
    return { outcome: client.status === "active" ? "ok" : "disabled", client, key: keyOf(row) };
  }

  /**
   * Counts `requests` for a client in the UTC day and month of now, or refuses and counts nothing if either quota has no room for all of them.
   * One statement decides, so clients on many connections cannot pass a quota together. Undefined for an unknown client.
   */
  async charge(clientId: string, requests: number): Promise<Charge | undefined> {
    const { db, clock } = this.#store;
    const now = clock();
    const day = isoDate(now);
    const month = utcMonth(now);
    const today = sql<number>`case when utc_day = ${day} then used_today else 0 end`;
    const thisMonth = sql<number>`case when utc_month = ${month} then used_this_month else 0 end`;
    const charged = await db
      .updateTable("partner_quotas")
      .set({
        utc_day: day,
        used_today: sql`${today} + ${requests}`,
        utc_month: month,
        used_this_month: sql`${thisMonth} + ${requests}`,
      })
      .where("client_id", "=", clientId)
      .where(sql<boolean>`${today} + ${requests} <= daily`)
      .where(sql<boolean>`${thisMonth} + ${requests} <= monthly`)
      .returningAll()
      .executeTakeFirst();
    if (charged !== undefined) return { allowed: true, ...windows(charged, now) };
    const state = await this.quota(clientId);
    return state && { allowed: false, ...state };
  }

  /** Undefined for an unknown client. */
  async quota(clientId: string): Promise<QuotaState | undefined> {
    const { db, clock } = this.#store;
    const row = await db
      .selectFrom("partner_quotas")
      .selectAll()
      .where("client_id", "=", clientId)
      .executeTakeFirst();
    return row && windows(row, clock());
  }

  async #noteUse({ public_id, last_used_at }: Row<"partner_keys">): Promise<void> {
    const { db, clock } = this.#store;
    const now = clock();
    if (last_used_at !== null && now - last_used_at < LAST_USE_STEP_MS) return;
    await db
      .updateTable("partner_keys")
      .set({ last_used_at: now })
      .where("public_id", "=", public_id)
      .execute();
  }
}

function unknownClient(publicId: string): OperatorError {
  return new OperatorError(`no partner client ${publicId}: see the list of clients`);
}

/** `resetsAt`: ms, the next UTC day or month. */
export type QuotaWindow = ReturnType<typeof window>;

export interface QuotaState {
  readonly daily: QuotaWindow;
  readonly monthly: QuotaWindow;
}

export interface Charge extends QuotaState {
  readonly allowed: boolean;
}

function utcMonth(now: number): string {
  return monthOfDay(isoDate(now));
}

function windows(row: Row<"partner_quotas">, now: number): QuotaState {
  const date = new Date(now);
  const nextMonth = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
  return {
    daily: window(row.daily, row.utc_day === isoDate(now) ? row.used_today : 0, utcDayStart(now) + DAY_MS),
    monthly: window(row.monthly, row.utc_month === utcMonth(now) ? row.used_this_month : 0, nextMonth),
  };
}

function window(quota: number, used: number, resetsAt: number) {
  return { quota, used, remaining: Math.max(0, quota - used), resetsAt };
}

/**
 * The form of an API key: `ppes_live_`, 30 random base-62 digits (178 bits), and their CRC-32 in 6 more. The fixed beginning lets scanners find
 * leaked keys, the checksum lets anyone refuse junk without asking a database.
 */

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const START = "ppes_live_";
const BODY_LENGTH = 30;
const CHECK_LENGTH = 6;
const KEY_FORM = new RegExp(`^${START}([0-9A-Za-z]{${BODY_LENGTH}})([0-9A-Za-z]{${CHECK_LENGTH}})$`);

/** How much of a key may be shown: enough to tell a few keys apart. */
const PREFIX_LENGTH = 12;

export function newPartnerKey(random: RandomBytes): string {
  let body = "";
  while (body.length < BODY_LENGTH) {
    // A byte of 248 or more would make the first digits likelier than the last ones.
    const digits = [...random(BODY_LENGTH)].filter((byte) => byte < 248).map((byte) => BASE62[byte % 62]);
    body += digits.join("").slice(0, BODY_LENGTH - body.length);
  }
  return `${START}${body}${checksum(body)}`;
}

export function isPartnerKey(text: string): boolean {
  const [, body = "", check] = KEY_FORM.exec(text) ?? [];
  return check !== undefined && check === checksum(body);
}

export function keyPrefix(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** A plain hash suffices for 178 random bits. */
export function keyHash(key: string): string {
  return sha256Hex(key);
}

/** Compares hashes in hexadecimal in a time that does not depend on them. */
export function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one, "hex"), Buffer.from(other, "hex")];
  return left.length === right.length && timingSafeEqual(left, right);
}

function checksum(body: string): string {
  let rest = crc32(body);
  let digits = "";
  for (let at = 0; at < CHECK_LENGTH; at += 1) {
    digits = `${BASE62[rest % 62]}${digits}`;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
