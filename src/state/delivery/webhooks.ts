import { hkdfSync } from "node:crypto";
import type { EventType } from "../../contract/enums.ts";
import {
  MAX_WEBHOOKS_PER_CLIENT,
  WEBHOOK_DELIVERY,
  WEBHOOK_SECRET_OVERLAP_HOURS,
} from "../../contract/limits.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { newPublicId } from "../../kernel/ids.ts";
import { answerer } from "../../kernel/table.ts";
import { HOUR_MS, SECOND_MS } from "../../kernel/time.ts";
import { affected, inTransaction, lockName, type Store } from "../store.ts";
import { type Row, STATE_TABLES, storedEventTypes } from "../tables.ts";
import { cancelDeliveries } from "./outbox.ts";

export interface WebhookOwner {
  readonly kind: Row<"webhooks">["owner_kind"];
  readonly publicId: string;
}

const webhookOf = answerer(STATE_TABLES.webhooks);
export type Webhook = ReturnType<typeof webhookOf>;

/** Oldest first. */
function ownRows({ db }: Store, { kind, publicId }: WebhookOwner): Promise<Row<"webhooks">[]> {
  return db
    .selectFrom("webhooks")
    .selectAll()
    .where("owner_kind", "=", kind)
    .where("owner_id", "=", publicId)
    .orderBy("created_at")
    .orderBy("public_id")
    .execute();
}

/** Removes the endpoints of an owner, with their waiting deliveries. */
export async function removeWebhooksOf(store: Store, owner: WebhookOwner, reason: string): Promise<void> {
  for (const { public_id } of await ownRows(store, owner)) {
    await cancelDeliveries(store, public_id, reason);
    await store.db.deleteFrom("webhooks").where("public_id", "=", public_id).execute();
  }
}

/** Endpoints of an owner get events of these types alone from now on; null: of all. */
export async function filterWebhooksOf(
  { db, clock }: Store,
  { kind, publicId }: WebhookOwner,
  eventTypes: readonly EventType[] | null,
): Promise<void> {
  await db
    .updateTable("webhooks")
    .set({ event_types: storedEventTypes(eventTypes), updated_at: clock() })
    .where("owner_kind", "=", kind)
    .where("owner_id", "=", publicId)
    .execute();
}

/** How long an endpoint may take to answer a challenge. */
const CHALLENGE_MS = WEBHOOK_DELIVERY.challengeMinutes * 60 * SECOND_MS;
const CHALLENGE_BYTES = 24;
const NO_CHALLENGE = { challenge_hash: null, challenge_expires_at: null };
const NO_FAILURES = { status_reason: null, failures: 0, failing_since: null };

export class Webhooks {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /**
   * Makes a pending endpoint, or gives the one that exists a new secret and these filters. A disabled one is pending again: its owner
   * has asked for it. The secret before stays valid for a day.
   */
  upsert(wish: WebhookWish): Promise<WebhookUpsert> {
    return inTransaction(this.#store, async (store) => {
      const { kind, publicId } = wish.owner;
      await lockName(store, `webhooks of ${kind} ${publicId}`);
      const rows = await ownRows(store, wish.owner);
      const known = rows.find((row) => row.endpoint_url === wish.endpointUrl);
      if (known !== undefined) return rotated(store, known, wish);
      if (rows.length >= MAX_WEBHOOKS_PER_CLIENT)
        return { outcome: "limit_reached", limit: MAX_WEBHOOKS_PER_CLIENT };
      return created(store, wish);
    });
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
    const started = await affected(
      db
        .updateTable("webhooks")
        .set({ challenge_hash: sha256Hex(challenge), challenge_expires_at: clock() + CHALLENGE_MS })
        .where("public_id", "=", publicId)
        .where("status", "=", "pending"),
    );
    return started > 0 ? challenge : undefined;
  }

  /** Activates the endpoint if it echoed its challenge in time. A challenge is good for one answer. */
  async answerChallenge(publicId: string, echoed: string): Promise<boolean> {
    const { db, clock } = this.#store;
    const now = clock();
    const activated = await affected(
      db
        .updateTable("webhooks")
        .set({ status: "active", verified_at: now, updated_at: now, ...NO_FAILURES, ...NO_CHALLENGE })
        .where("public_id", "=", publicId)
        .where("challenge_hash", "=", sha256Hex(echoed))
        .where("challenge_expires_at", ">", now),
    );
    return activated > 0;
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
    const disabled = await affected(
      db
        .updateTable("webhooks")
        .set({ status: "disabled", status_reason: reason, updated_at: clock(), ...NO_CHALLENGE })
        .where("public_id", "=", publicId)
        .where("status", "!=", "disabled"),
    );
    return disabled > 0;
  }

  async remove(publicId: string): Promise<boolean> {
    return (await affected(this.#store.db.deleteFrom("webhooks").where("public_id", "=", publicId))) > 0;
  }
}

export interface WebhookWish extends Pick<Webhook, "endpointUrl" | "eventTypes" | "city"> {
  readonly owner: WebhookOwner;
}

/** The only place that returns the signing secret. */
export type WebhookUpsert =
  | { readonly outcome: "created" | "rotated"; readonly webhook: Webhook; readonly signingSecret: string }
  | { readonly outcome: "limit_reached"; readonly limit: number };

async function created({ db, clock, random, keys }: Store, wish: WebhookWish): Promise<WebhookUpsert> {
  const now = clock();
  const publicId = newPublicId("wh", random);
  const signingSecret = webhookSecret(keys.purposeKey("webhooks"), publicId, 1);
  const row = await db
    .insertInto("webhooks")
    .values({
      public_id: publicId,
      owner_kind: wish.owner.kind,
      owner_id: wish.owner.publicId,
      endpoint_url: wish.endpointUrl,
      event_types: storedEventTypes(wish.eventTypes),
      city: wish.city,
      status: "pending",
      rotation: 1,
      secret_hash: sha256Hex(signingSecret),
      failures: 0,
      created_at: now,
      updated_at: now,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { outcome: "created", webhook: webhookOf(row), signingSecret };
}

async function rotated(store: Store, known: Row<"webhooks">, wish: WebhookWish): Promise<WebhookUpsert> {
  const { db, clock, keys } = store;
  const now = clock();
  const rotation = known.rotation + 1;
  const signingSecret = webhookSecret(keys.purposeKey("webhooks"), known.public_id, rotation);
  const row = await db
    .updateTable("webhooks")
    .set({
      event_types: storedEventTypes(wish.eventTypes),
      city: wish.city,
      rotation,
      secret_hash: sha256Hex(signingSecret),
      previous_valid_until: now + WEBHOOK_SECRET_OVERLAP_HOURS * HOUR_MS,
      updated_at: now,
      ...(known.status === "disabled" && { status: "pending", ...NO_FAILURES }),
    })
    .where("public_id", "=", known.public_id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { outcome: "rotated", webhook: webhookOf(row), signingSecret };
}

const SECRET_BYTES = 32;

/**
 * The signing secret of a webhook (Standard Webhooks form: `whsec_` and base64). It is derived from the master key, the webhook's public id and its
 * rotation, so the store needs no more than a hash of it and deliveries can still be signed.
 */
export function webhookSecret(master: Uint8Array, publicId: string, rotation: number): string {
  const bytes = hkdfSync("sha256", master, publicId, `webhook-signing/v${rotation}`, SECRET_BYTES);
  return `whsec_${Buffer.from(bytes).toString("base64")}`;
}
