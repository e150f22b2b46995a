import { Turns } from "../../kernel/concurrency.ts";
import { insertMany, inTransaction, lockName, SKIP_KNOWN, type Store } from "../store.ts";

/** Events marked by one statement. */
const CHUNK = 100;

/** New events of a release, and the deliveries that were queued for it. */
export interface Queued {
  readonly events: number;
  readonly digests: number;
  readonly webhooks: number; // deliveries of events
  readonly withdrawals: number; // deliveries of withdrawals
}

/** An event of a release. */
export interface Matched {
  readonly id: string;
  readonly confidence: number;
}

/** Events that are new, or more certain than in any release before: id -> the highest confidence before; undefined for new ones. */
export type Raised = ReadonlyMap<string, number | undefined>;

const NOTHING_QUEUED: Queued = { events: 0, digests: 0, webhooks: 0, withdrawals: 0 };

/** Which releases were matched to subscriptions, and which events: an event stays in releases for weeks and is new in one. */
export class Publications {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Marks a release as matched and returns those of its events that no release before had, or that had less confidence in each of them, with the
   * highest that they had; undefined when the release was matched already. Called in the transaction that puts the deliveries into the outbox, so
   * that a crash takes back both.
   */
  match(releaseId: string, events: readonly Matched[]): Promise<Raised | undefined> {
    return inTransaction(this.#store, async (store) => {
      await lockName(store, "publications");
      const publication = { releaseId, matchedAt: store.clock(), ...NOTHING_QUEUED };
      if ((await insertMany(store, "publications", [publication], SKIP_KNOWN)) === 0) return undefined;
      return markRaised(store, releaseId, events);
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

  /** In the same transaction: what was queued for the release. */
  async note(releaseId: string, queued: Queued): Promise<void> {
    await this.#store.db
      .updateTable("publications")
      .set({ ...queued })
      .where("release_id", "=", releaseId)
      .execute();
  }

  /** What was queued for a release, whoever matched it; undefined for one that was not matched. */
  queued(releaseId: string): Promise<Queued | undefined> {
    return this.#store.db
      .selectFrom("publications")
      .select(["events", "digests", "webhooks", "withdrawals"])
      .where("release_id", "=", releaseId)
      .executeTakeFirst();
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

const KEEP_HIGHEST = "on conflict (event_id) do update set confidence = excluded.confidence";

async function markRaised(store: Store, releaseId: string, events: readonly Matched[]): Promise<Raised> {
  const raised = new Map<string, number | undefined>();
  const turns = new Turns();
  for (let start = 0; start < events.length; start += CHUNK) {
    const chunk = new Map(events.slice(start, start + CHUNK).map(({ id, confidence }) => [id, confidence]));
    const before = await highest(store, [...chunk.keys()]);
    const higher = [...chunk].filter(([id, confidence]) => confidence > (before.get(id) ?? -1));
    const rows = higher.map(([eventId, confidence]) => ({ eventId, releaseId, confidence }));
    await insertMany(store, "matched_events", rows, KEEP_HIGHEST);
    for (const [id] of higher) if (!raised.has(id)) raised.set(id, before.get(id));
    await turns.next();
  }
  return raised;
}

async function highest({ db }: Store, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom("matched_events")
    .select(["event_id", "confidence"])
    .where("event_id", "in", ids)
    .execute();
  return new Map(rows.map(({ event_id, confidence }) => [event_id, confidence]));
}
