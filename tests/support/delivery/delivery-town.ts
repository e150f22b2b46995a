import type { DeliveryDeps } from "../../../src/accounts/delivery/attempt.ts";
import { type DeliveryCounts, deliverDue } from "../../../src/accounts/delivery/deliver.ts";
import { openMailer } from "../../../src/accounts/delivery/mailer.ts";
import { webhookSender } from "../../../src/accounts/delivery/webhook-sender.ts";
import type { MailSettings } from "../../../src/kernel/config/config.ts";
import { silentLog } from "../../../src/kernel/log.ts";
import { Secret } from "../../../src/kernel/secret.ts";
import type { SubscriptionWish } from "../../../src/state/delivery/subscription-requests.ts";
import type { Webhook, WebhookWish } from "../../../src/state/delivery/webhooks.ts";
import { fakeCity, fakeEvent, fakeRecord, release } from "../release/fake-rows.ts";
import { TestState } from "../state/stores.ts";

export const BASE_URL = "https://presence.test";
export const LOOPBACK = { allowLoopback: true, ports: [] };

/** Long enough for a busy machine. */
const TIMEOUT_MS = 2000;

type EventChanges = NonNullable<Parameters<typeof fakeEvent>[2]>;

/** A published release with cities Alpha and Beta, as far as matching reads it. */
export function fakeRelease(
  name: string,
  alpha: readonly EventChanges[],
  beta: readonly EventChanges[] = [],
  withdrawn: readonly { readonly erasedBy: number; readonly row: number }[] = [],
) {
  const events = new Map([
    ["alpha", alpha.map((changes, n) => fakeEvent(`a${n}`, 1, { city: "alpha", ...changes }))],
    ["beta", beta.map((changes, n) => fakeEvent(`b${n}`, 1, { city: "beta", ...changes }))],
  ]);
  const cities = [fakeCity(1, "Alpha"), fakeCity(2, "Beta")];
  return {
    release: () => ({ ...release, releaseId: name, baseUrl: BASE_URL }),
    cities: () => cities,
    city: (slug: string) => cities.find((city) => city.slug === slug),
    record: (publicId: string) => fakeRecord(1, { publicId, name: `Name of ${publicId}` }),
    eventsOf: (slug: string, { since, offset, limit }: { since: number; offset: number; limit: number }) =>
      (events.get(slug) ?? []).filter(({ detectedAt }) => detectedAt >= since).slice(offset, offset + limit),
    withdrawals: () => [...withdrawn],
  };
}

export const WISH: SubscriptionWish = {
  email: "reader@mail.test",
  city: "alpha",
  channel: "email",
  entityPublicId: null,
  industryCode: null,
  eventTypes: null,
  minConfidence: 0,
  webhookUrl: null,
};

/** For tests: a state with what sends from it. Time stands still unless the test moves it. */
export class DeliveryWorld implements AsyncDisposable {
  readonly test: TestState;
  readonly parts: DeliveryDeps;

  private constructor(test: TestState, smtpUrl: string | undefined, mail: Partial<MailSettings>) {
    this.test = test;
    const settings = { from: "alerts@presence.test", dkim: undefined, ...mail };
    this.parts = {
      baseUrl: BASE_URL,
      mailer:
        smtpUrl === undefined
          ? undefined
          : openMailer({ ...settings, smtpUrl: new Secret(smtpUrl) }, BASE_URL),
      sendWebhook: webhookSender(LOOPBACK, TIMEOUT_MS),
      clock: () => test.time,
      chance: () => 0,
      log: silentLog,
    };
  }

  static async open(smtpUrl?: string, mail: Partial<MailSettings> = {}): Promise<DeliveryWorld> {
    return new DeliveryWorld(await TestState.open("sqlite"), smtpUrl, mail);
  }

  get state() {
    return this.test.state;
  }

  deliver(): Promise<DeliveryCounts> {
    return deliverDue(this.state, this.parts);
  }

  /** Confirmed already. Returns the public id. */
  async subscribe(changes: Partial<SubscriptionWish> = {}): Promise<string> {
    const answer = await this.state.subscriptions.request({ ...WISH, ...changes });
    await this.state.subscriptions.confirm(answer.token ?? "");
    return answer.publicId;
  }

  /** Verified already, of a partner client with a mail address. */
  async endpoint(endpointUrl: string, changes: Partial<WebhookWish> = {}): Promise<Webhook> {
    const { partners, webhooks } = this.state;
    const [known] = await partners.listClients();
    const client =
      known ??
      (await partners.createClient({
        name: "Partner",
        contactEmail: "partner@mail.test",
        portalAccess: true,
        dailyQuota: 1,
        monthlyQuota: 1,
      }));
    const owner = { kind: "client", publicId: client.publicId } as const;
    const made = await webhooks.upsert({ owner, endpointUrl, eventTypes: null, city: null, ...changes });
    if (made.outcome === "limit_reached") throw new Error(made.outcome);
    const { publicId } = made.webhook;
    await webhooks.answerChallenge(publicId, (await webhooks.startChallenge(publicId)) ?? "");
    return this.webhook(publicId);
  }

  async webhook(publicId: string): Promise<Webhook> {
    const webhook = await this.state.webhooks.get(publicId);
    if (webhook === undefined) throw new Error(`no webhook ${publicId}`);
    return webhook;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.parts.mailer?.close();
    await this.test[Symbol.asyncDispose]();
  }
}
