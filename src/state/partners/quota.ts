import { sql } from "kysely";
import { DAY_MS, isoDate, utcDayStart } from "../../kernel/time.ts";
import type { Store } from "../store.ts";
import type { Row } from "../tables.ts";

/** `resetsAt`: ms, the next UTC day or month. */
export type QuotaWindow = ReturnType<typeof window>;

export interface QuotaState {
  readonly daily: QuotaWindow;
  readonly monthly: QuotaWindow;
}

export interface Charge extends QuotaState {
  readonly allowed: boolean;
}

/**
 * Counts `requests` for a client in the UTC day and month of now, or refuses and counts nothing if either quota has no room for all of them.
 * One statement decides, so clients on many connections cannot pass a quota together.
 */
export async function charge(store: Store, clientId: string, requests: number): Promise<Charge | undefined> {
  const now = store.clock();
  const day = isoDate(now);
  const month = utcMonth(now);
  const today = sql<number>`case when utc_day = ${day} then used_today else 0 end`;
  const thisMonth = sql<number>`case when utc_month = ${month} then used_this_month else 0 end`;
  const charged = await store.db
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
  const state = await quotaOf(store, clientId);
  return state && { allowed: false, ...state };
}

/** Undefined for an unknown client. */
export async function quotaOf(store: Store, clientId: string): Promise<QuotaState | undefined> {
  const row = await store.db
    .selectFrom("partner_quotas")
    .selectAll()
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return row && windows(row, store.clock());
}

export function utcMonth(now: number): string {
  return isoDate(now).slice(0, 7);
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
