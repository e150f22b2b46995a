import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { describeOnBoth, sharedState } from "../../../tests/support/state/stores.ts";
import { HOUR_MS } from "../../kernel/time.ts";
import { type WebhookOwner, type WebhookUpsert, type WebhookWish, webhookSecret } from "./webhooks.ts";

describe("webhooks", () => {
  let owners = 0;
  function newOwner(): WebhookOwner {
    owners += 1;
    return { kind: "client", publicId: `client_${owners}` };
  }

  function wish(owner: WebhookOwner, changes: Partial<WebhookWish> = {}): WebhookWish {
    return { owner, endpointUrl: "https://receiver.test/hook", eventTypes: null, city: null, ...changes };
  }

  function made(upsert: WebhookUpsert) {
    if (upsert.outcome === "limit_reached") throw new Error("limit reached");
    return upsert;
  }

  describeOnBoth("webhooks", (engine) => {
    const shared = sharedState(engine);

    test("an endpoint is made pending, and rotated when it is asked for again; the old secret stays for a day", async () => {
      const { webhooks } = shared.test.state;
      const owner = newOwner();
      const first = made(await webhooks.upsert(wish(owner, { city: "toronto" })));
      expect(first).toMatchObject({
        outcome: "created",
        webhook: { status: "pending", rotation: 1, city: "toronto" },
      });
      expect(webhooks.signingSecrets(first.webhook)).toEqual([first.signingSecret]);
      const second = made(await webhooks.upsert(wish(owner, { eventTypes: ["stale_asset", "stale_asset"] })));
      expect(second.outcome).toBe("rotated");
      expect(second.webhook).toMatchObject({
        publicId: first.webhook.publicId,
        eventTypes: ["stale_asset"],
        city: null,
      });
      expect(webhooks.signingSecrets(second.webhook)).toEqual([second.signingSecret, first.signingSecret]);
      shared.test.pass(24 * HOUR_MS);
      expect(webhooks.signingSecrets(second.webhook)).toEqual([second.signingSecret]);
      expect(await webhooks.of(owner)).toEqual([second.webhook]);
      expect(await webhooks.get(first.webhook.publicId)).toEqual(second.webhook);
    });

    test("an owner has ten endpoints at most, whoever else has how many", async () => {
      const { webhooks } = shared.test.state;
      const owner = newOwner();
      const at = (path: number) => wish(owner, { endpointUrl: `https://receiver.test/${path}` });
      for (let path = 0; path < 10; path += 1)
        expect((await webhooks.upsert(at(path))).outcome).toBe("created");
      expect(await webhooks.upsert(at(10))).toEqual({ outcome: "limit_reached", limit: 10 });
      expect((await webhooks.upsert(at(9))).outcome).toBe("rotated");
      expect((await webhooks.upsert(wish(newOwner()))).outcome).toBe("created");
      const [one] = await webhooks.of(owner);
      expect(await webhooks.remove(one?.publicId ?? "")).toBe(true);
      expect(await webhooks.remove(one?.publicId ?? "")).toBe(false);
      expect((await webhooks.upsert(at(10))).outcome).toBe("created");
    });

    test("only the echo of the last challenge in time activates, and once", async () => {
      const { webhooks } = shared.test.state;
      const { webhook } = made(await webhooks.upsert(wish(newOwner())));
      const old = (await webhooks.startChallenge(webhook.publicId)) ?? "";
      const late = (await webhooks.startChallenge(webhook.publicId)) ?? "";
      expect(await webhooks.answerChallenge(webhook.publicId, old)).toBe(false);
      expect(await webhooks.answerChallenge(webhook.publicId, "")).toBe(false);
      shared.test.pass(HOUR_MS);
      expect(await webhooks.answerChallenge(webhook.publicId, late)).toBe(false);
      const challenge = (await webhooks.startChallenge(webhook.publicId)) ?? "";
      expect(await webhooks.answerChallenge("wh_other", challenge)).toBe(false);
      expect(await webhooks.answerChallenge(webhook.publicId, challenge)).toBe(true);
      expect(await webhooks.answerChallenge(webhook.publicId, challenge)).toBe(false);
      expect(await webhooks.get(webhook.publicId)).toMatchObject({
        status: "active",
        verifiedAt: shared.test.time,
      });
      expect(await webhooks.startChallenge(webhook.publicId)).toBeUndefined();
      expect(await webhooks.startChallenge("wh_none")).toBeUndefined();
    });

    test("failures are counted in a row; a disabled endpoint comes back as pending when its owner asks", async () => {
      const { webhooks } = shared.test.state;
      const owner = newOwner();
      const { publicId } = made(await webhooks.upsert(wish(owner))).webhook;
      await webhooks.noteFailure(publicId);
      const since = shared.test.time;
      shared.test.pass(HOUR_MS);
      expect(await webhooks.noteFailure(publicId)).toMatchObject({ failures: 2, failingSince: since });
      await webhooks.noteSuccess([publicId, publicId]);
      expect(await webhooks.get(publicId)).toMatchObject({
        failures: 0,
        failingSince: null,
        lastSuccessAt: shared.test.time,
      });
      await webhooks.noteFailure(publicId);
      expect(await webhooks.disable(publicId, "410 gone")).toBe(true);
      expect(await webhooks.disable(publicId, "again")).toBe(false);
      expect(await webhooks.get(publicId)).toMatchObject({ status: "disabled", statusReason: "410 gone" });
      const back = made(await webhooks.upsert(wish(owner)));
      expect(back.webhook).toMatchObject({ publicId, status: "pending", statusReason: null, failures: 0 });
      expect(await webhooks.noteFailure("wh_none")).toBeUndefined();
      await webhooks.noteSuccess([]);
    });

    test("events go to verified endpoints of active owners alone", async () => {
      const { webhooks, partners } = shared.test.state;
      const client = { name: `Receiver ${engine}`, contactEmail: null, portalAccess: true };
      const { publicId } = await partners.createClient({ ...client, dailyQuota: 1, monthlyQuota: 1 });
      const { webhook } = made(await webhooks.upsert(wish({ kind: "client", publicId })));
      const ids = async () => (await webhooks.deliverable()).map((one) => one.publicId);
      expect(await ids()).not.toContain(webhook.publicId);
      await webhooks.answerChallenge(
        webhook.publicId,
        (await webhooks.startChallenge(webhook.publicId)) ?? "",
      );
      expect(await ids()).toContain(webhook.publicId);
      await partners.updateClient(publicId, { status: "disabled" });
      expect(await ids()).not.toContain(webhook.publicId);
    });

    test("a secret is nowhere in the store", async () => {
      const { webhooks } = shared.test.state;
      const { webhook, signingSecret } = made(await webhooks.upsert(wish(newOwner())));
      expect(JSON.stringify(await webhooks.get(webhook.publicId))).not.toContain(signingSecret.slice(6));
    });
  });
});

describe("webhook secret", () => {
  const MASTER = Buffer.alloc(32, 7);

  test("is HKDF-SHA256 by the book (RFC 5869), in the form of Standard Webhooks", () => {
    const extracted = createHmac("sha256", "wh_1").update(MASTER).digest();
    const expanded = createHmac("sha256", extracted).update("webhook-signing/v3\x01").digest("base64");
    expect(webhookSecret(MASTER, "wh_1", 3)).toBe(`whsec_${expanded}`);
  });

  test("differs by master key, webhook and rotation", () => {
    const all = [
      webhookSecret(MASTER, "wh_1", 1),
      webhookSecret(MASTER, "wh_1", 2),
      webhookSecret(MASTER, "wh_2", 1),
      webhookSecret(Buffer.alloc(32, 8), "wh_1", 1),
    ];
    expect(new Set(all).size).toBe(4);
  });
});
