import { Turns } from "../../kernel/concurrency.ts";
import { insertMany, inTransaction, lockName, SKIP_KNOWN, type Store } from "../store.ts";

/** Events marked by one statement. */
const CHUNK = 100;

/** Which releases were matched to subscriptions, and which events: an event stays in releases for weeks and is new in one. */
export class Publications {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Marks a release as matched and returns those of its events that no release before had, in the given order; undefined when the release was
   * matched already. Called in the transaction that puts the deliveries into the outbox, so that a crash takes back both.
   */
  match(releaseId: string, eventIds: readonly string[]): Promise<string[] | undefined> {
    return inTransaction(this.#store, async (store) => {
      await lockName(store, "publications");
      const publication = { releaseId, matchedAt: store.clock() };
      if ((await insertMany(store, "publications", [publication], SKIP_KNOWN)) === 0) return undefined;
      return markNew(store, releaseId, [...new Set(eventIds)]);
    });
  }

  /** Forgets releases matched before `before` (ms) with their events, which releases have not held for long. The newest release stays known. */
  prune(before: number): Promise<void> {
    return inTransaction(this.#store, async (store) => {
      await lockName(store, "publications");
      const newest = store.db
        .selectFrom("publications")
        .select(({ fn }) => fn.max("matched_at").as("newest"));
      const old = store.db
        .selectFrom("publications")
        .select("release_id")
        .where("matched_at", "<", before)
        .where("matched_at", "<", newest);
      await store.db.deleteFrom("matched_events").where("release_id", "in", old).execute();
      await store.db.deleteFrom("publications").where("release_id", "in", old).execute();
    });
  }

  async isMatched(releaseId: string): Promise<boolean> {
    const row = await this.#store.db
      .selectFrom("publications")
      .select("release_id")
      .where("release_id", "=", releaseId)
      .executeTakeFirst();
    return row !== undefined;
  }
}

async function markNew({ db }: Store, releaseId: string, eventIds: readonly string[]): Promise<string[]> {
  const marked = new Set<string>();
  const turns = new Turns();
  for (let start = 0; start < eventIds.length; start += CHUNK) {
    const rows = await db
      .insertInto("matched_events")
      .values(eventIds.slice(start, start + CHUNK).map((event_id) => ({ event_id, release_id: releaseId })))
      .onConflict((conflict) => conflict.doNothing())
      .returning("event_id")
      .execute();
    for (const row of rows) marked.add(row.event_id);
    await turns.next();
  }
  return eventIds.filter((id) => marked.has(id));
}
