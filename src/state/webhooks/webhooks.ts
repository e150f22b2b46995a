import { WEBHOOK_DELIVERY } from "../../contract/limits.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import type { Store } from "../store.ts";
import { ownRows, type Webhook, type WebhookOwner, webhookOf } from "./webhook-row.ts";
import { webhookSecret } from "./webhook-secret.ts";
import { upsertWebhook, type WebhookUpsert, type WebhookWish } from "./webhook-upsert.ts";

/** How long an endpoint may take to answer a challenge. */
const CHALLENGE_MS = WEBHOOK_DELIVERY.challengeMinutes * 60 * SECOND_MS;
const CHALLENGE_BYTES = 24;

export class Webhooks {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  upsert(wish: WebhookWish): Promise<WebhookUpsert> {
    return upsertWebhook(this.#store, wish);
  }

  async of(owner: WebhookOwner): Promise<Webhook[]> {
    return (await ownRows(this.#store, owner)).map(webhookOf);
  }

  async get(publicId: string): Promise<Webhook | undefined> {
    const row = await this.#store.db
      .selectFrom("webhooks")
      .selectAll()
      .where("public_id", "=", publicId)
      .executeTakeFirst();
    return row && webhookOf(row);
  }

  /** Verified endpoints of active clients and active subscriptions: those that events are matched to. */
  async deliverable(): Promise<Webhook[]> {
    const rows = await this.#store.db
      .selectFrom("webhooks")
      .selectAll("webhooks")
      .leftJoin("partner_clients", "partner_clients.public_id", "webhooks.owner_id")
      .leftJoin("subscriptions", "subscriptions.public_id", "webhooks.owner_id")
      .where("webhooks.status", "=", "active")
      .where((where) =>
        where.or([
          where("partner_clients.status", "=", "active"),
          where("subscriptions.status", "=", "active"),
        ]),
      )
      .orderBy("webhooks.public_id")
      .execute();
    return rows.map(webhookOf);
  }

  /**
   * The current one first, then the one before while it is valid: a delivery is signed with each. After a rotation of the state's
   * key the same of the previous key follow, which is what receivers have until they get a new secret.
   */
  signingSecrets({
    publicId,
    rotation,
    previousValidUntil,
  }: Pick<Webhook, "publicId" | "rotation" | "previousValidUntil">): string[] {
    const { keys, clock } = this.#store;
    const previous = keys.previousKey("webhooks");
    const masters = [keys.purposeKey("webhooks"), ...(previous === undefined ? [] : [previous])];
    const isOverlap = previousValidUntil !== null && clock() < previousValidUntil;
    const rotations = isOverlap ? [rotation, rotation - 1] : [rotation];
    return masters.flatMap((master) => rotations.map((one) => webhookSecret(master, publicId, one)));
  }

  /** A new challenge for a pending endpoint to echo; the one before is void. Undefined when it is not pending. */
  async startChallenge(publicId: string): Promise<string | undefined> {
    const { db, clock, random } = this.#store;
    const challenge = random(CHALLENGE_BYTES).toString("base64url");
    const { numUpdatedRows } = await db
      .updateTable("webhooks")
      .set({ challenge_hash: sha256Hex(challenge), challenge_expires_at: clock() + CHALLENGE_MS })
      .where("public_id", "=", publicId)
      .where("status", "=", "pending")
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0 ? challenge : undefined;
  }

  /** Activates the endpoint if it echoed its challenge in time. A challenge is good for one answer. */
  async answerChallenge(publicId: string, echoed: string): Promise<boolean> {
    const { db, clock } = this.#store;
    const now = clock();
    const { numUpdatedRows } = await db
      .updateTable("webhooks")
      .set({ status: "active", status_reason: null, verified_at: now, updated_at: now, failures: 0 })
      .set({ failing_since: null, challenge_hash: null, challenge_expires_at: null })
      .where("public_id", "=", publicId)
      .where("challenge_hash", "=", sha256Hex(echoed))
      .where("challenge_expires_at", ">", now)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }

  /** A success resets the failures of an endpoint. */
  async noteSuccess(publicIds: readonly string[]): Promise<void> {
    if (publicIds.length === 0) return;
    const { db, clock } = this.#store;
    await db
      .updateTable("webhooks")
      .set({ failures: 0, failing_since: null, last_success_at: clock() })
      .where("public_id", "in", [...new Set(publicIds)])
      .execute();
  }

  /** Counts a failure and returns the endpoint: the caller decides whether to disable it. */
  async noteFailure(publicId: string): Promise<Webhook | undefined> {
    const { db, clock } = this.#store;
    const row = await db
      .updateTable("webhooks")
      .set((set) => ({
        failures: set("failures", "+", 1),
        failing_since: set.fn.coalesce("failing_since", set.val(clock())),
      }))
      .where("public_id", "=", publicId)
      .returningAll()
      .executeTakeFirst();
    return row && webhookOf(row);
  }

  /** True only for the call that disabled it, so that the owner gets one email. */
  async disable(publicId: string, reason: string): Promise<boolean> {
    const { db, clock } = this.#store;
    const { numUpdatedRows } = await db
      .updateTable("webhooks")
      .set({ status: "disabled", status_reason: reason, updated_at: clock() })
      .set({ challenge_hash: null, challenge_expires_at: null })
      .where("public_id", "=", publicId)
      .where("status", "!=", "disabled")
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0;
  }

  async remove(publicId: string): Promise<boolean> {
    const { numDeletedRows } = await this.#store.db
      .deleteFrom("webhooks")
      .where("public_id", "=", publicId)
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0;
  }
}
