import type { Store } from "./store.ts";

/** The newest time that the service wrote into the state by itself: its creation, a matched release, a counted request (ms). */
export async function newestTime({ db }: Pick<Store, "db">): Promise<number> {
  const created = await db.selectFrom("store").select("created_at").executeTakeFirst();
  const matched = await db
    .selectFrom("publications")
    .select(({ fn }) => fn.max("matched_at").as("at"))
    .executeTakeFirst();
  const counted = await db
    .selectFrom("usage_counters")
    .select(({ fn }) => fn.max("latest_at").as("at"))
    .where("utc_day", "=", (counters) =>
      counters.selectFrom("usage_counters").select(({ fn }) => fn.max("utc_day").as("utc_day")),
    )
    .executeTakeFirst();
  // PostgreSQL returns a maximum of bigints as text.
  return Math.max(created?.created_at ?? 0, Number(matched?.at ?? 0), Number(counted?.at ?? 0));
}
