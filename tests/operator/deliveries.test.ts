import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { AlertSubscriptionResponse } from "../../src/contract/accounts/alerts.ts";
import { VERIFICATION_TYPE } from "../../src/contract/accounts/delivery.ts";
import { WebhookList, WebhookResponse } from "../../src/contract/accounts/partner.ts";
import { DOES_NOT_PROVE, NO_RESULT } from "../../src/contract/records/claim-boundary.ts";
import { NightlyStatus } from "../../src/kernel/status-files.ts";
import { verified, WebhookSink } from "../support/delivery/sinks.ts";
import { Operator } from "../support/operations/operator.ts";
import { Mailbox, type ReceivedMail } from "../support/servers/mailbox.ts";
import { describeOnBoth, type EngineName, TestState } from "../support/state/stores.ts";
import { DEMO_BASE_URL, type DemoServer, serveHome } from "../support/towns/demo-home.ts";
import { benchCities } from "../support/towns/observations.ts";
import { foundTown, ndjson, TOWN_SLUG } from "../support/towns/town.ts";

/** What subscribers and partners are promised, from the request to what arrives: real server, real commands, real receivers. */

const READER = "reader@mail.example.org";
const SEEN = ["Quokka Lantern Works", "Narwhal Bicycle Kitchen", "Axolotl Piano Repair"] as const;

const Client = z.looseObject({ client: z.string() });
const IssuedKey = z.looseObject({ api_key: z.string() });
const Delivered = z.looseObject({ delivered: z.int(), to_try_again: z.int(), given_up: z.int() });
const EventMessage = z.looseObject({ type: z.string(), data: z.looseObject({ entity_name: z.string() }) });

/** A business that three people saw, at a place of its own. */
function visits(number: number) {
  const [city] = benchCities(1);
  return [1, 2, 3].map((visit) => ({
    source_type: "scout",
    source_ref: `visit-${number}-${visit}`,
    observer: `scout-${number}-${visit}`,
    observed_at: `2026-04-2${visit}T13:47:23Z`,
    lat: (city?.lat ?? 0) + number / 100,
    lng: city?.lng,
    name: SEEN[number],
    asset_type: "storefront",
  }));
}

/** A small town with its server, a mail server and a receiver of webhooks. What is sent is sent by `presence deliver`. */
class Service implements AsyncDisposable {
  readonly mailbox: Mailbox;
  readonly hook: WebhookSink;
  readonly #database: TestState;
  readonly #operator: Operator;
  #server: DemoServer | undefined;
  #log = "";

  private constructor(mailbox: Mailbox, hook: WebhookSink, database: TestState) {
    this.mailbox = mailbox;
    this.hook = hook;
    this.#database = database;
    this.#operator = new Operator(this.#env());
  }

  /** Serving a first release, with the first business in it. */
  static async start(engine: EngineName): Promise<Service> {
    const [mailbox, hook, database] = await Promise.all([
      Mailbox.open(),
      WebhookSink.start(),
      TestState.unopened(engine),
    ]);
    const service = new Service(mailbox, hook, database);
    await foundTown(service.#operator);
    await service.publish(0);
    service.#server = await serveHome(service.#operator.home.root, {
      env: service.#env(),
      onLog: (text) => {
        service.#log += text;
      },
    });
    return service;
  }

  get log(): string {
    return this.#log;
  }

  /** Whether it has made itself a state of its own. */
  get hasOwnState(): boolean {
    return existsSync(this.#operator.home.state);
  }

  /** A night with one more business. Returns how many messages it got through to somebody. */
  async publish(number: number): Promise<number> {
    const day = `2026-05-0${number + 1}`;
    const file = this.#operator.write(`visits-${number}.ndjson`, ndjson(visits(number)));
    await this.#operator.ok(["ingest", file, "--synthetic", "--clock", `${day}T07:00:00Z`]);
    const { steps } = await this.says(NightlyStatus, "nightly", "--now", "--clock", `${day}T08:00:00Z`);
    return Number(steps.find(({ name }) => name === "deliver")?.facts["delivered"] ?? 0);
  }

  /** What a command of the operator says. */
  async says<T extends z.ZodType>(schema: T, ...command: readonly string[]): Promise<z.output<T>> {
    return schema.parse(JSON.parse(await this.#operator.ok([...command, "--json"])));
  }

  /** How many messages `presence deliver` got through to somebody; each must be taken at once. */
  async deliver(): Promise<number> {
    const said = await this.says(Delivered, "deliver", "--once");
    expect(said).toMatchObject({ to_try_again: 0, given_up: 0 });
    return said.delivered;
  }

  fetch(path: string, options: RequestInit = {}): Promise<Response> {
    return fetch(`${this.#server?.url}${path}`, { redirect: "manual", ...options });
  }

  post(path: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return this.fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server?.stop();
    await this.mailbox[Symbol.asyncDispose]();
    await this.hook[Symbol.asyncDispose]();
    await this.#database[Symbol.asyncDispose]();
    this.#operator[Symbol.dispose]();
  }

  #env(): Record<string, string> {
    return {
      DELIVERY: "worker", // so that the tests say when
      BASE_URL: DEMO_BASE_URL,
      SMTP_URL: this.mailbox.url,
      MAIL_FROM: "alerts@demo.test",
      WEBHOOKS_ALLOW_LOOPBACK: "true",
      STATE_URL: this.#database.url ?? "", // empty counts as unset
    };
  }
}

/** Where a link in a mail leads to, on the server. */
function linkIn(mail: ReceivedMail | undefined, kind: "confirm" | "unsubscribe"): string {
  const path = new RegExp(`${DEMO_BASE_URL}(/alerts/${kind}/\\?token=[\\w.-]+)`).exec(mail?.text ?? "")?.[1];
  if (path === undefined) throw new Error(`no link to ${kind} in: ${mail?.text}`);
  return path;
}

describeOnBoth("from the request to what arrives", (engine) => {
  let service: Service;
  let bearer: { readonly Authorization: string };
  let secret: string;
  let newSecret: string;

  beforeAll(async () => {
    service = await Service.start(engine);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  const mails = () => service.mailbox.to(READER);
  const received = () => service.hook.received;
  const registerEndpoint = () =>
    service.post("/api/v1/partner/webhooks", { endpoint_url: service.hook.url }, bearer);

  /** The newest message, as the receiver's library reads it. */
  function newest(withSecret: string): unknown {
    const message = received().at(-1);
    if (message === undefined) throw new Error("nothing was received");
    return verified(withSecret, message);
  }

  test("an alert is asked for and confirmed, and the first mail says what is there", async () => {
    const request = {
      email: READER,
      city: TOWN_SLUG,
      event_types: ["new_public_record"],
      min_confidence: 0,
    };
    const answers = [
      await service.post("/api/v1/alerts/subscribe", request),
      await service.post("/api/v1/alerts/subscribe", request),
    ];
    expect(answers.map(({ status }) => status)).toEqual([201, 200]);
    expect(service.hasOwnState).toBe(engine === "sqlite");
    for (const answer of answers)
      expect(AlertSubscriptionResponse.parse(await answer.json())).toMatchObject({
        subscription: { status: "pending" },
        preview: { matched_events: 1, latest_events: [{ entity_name: SEEN[0] }] },
      });
    expect(await service.deliver()).toBe(2);
    expect(mails()).toHaveLength(2);
    const confirm = linkIn(mails()[0], "confirm");
    expect((await service.fetch(confirm)).status).toBe(200); // a mail scanner looks, and nothing happens
    expect(await service.deliver()).toBe(0);
    const confirmed = await service.fetch(confirm, { method: "POST", body: new URLSearchParams() });
    expect([confirmed.status, confirmed.headers.get("location")]).toEqual([303, "/alerts/confirmed/"]);
    expect(await service.deliver()).toBe(1);
    expect(mails().at(-1)?.text).toContain(SEEN[0]);
  });

  test("an endpoint is registered, and verified by its answer to a signed challenge", async () => {
    const { client } = await service.says(Client, "partner", "create", "Maps");
    const { api_key } = await service.says(IssuedKey, "partner", "key", "issue", client);
    bearer = { Authorization: `Bearer ${api_key}` };
    service.hook.answer = ({ body }, response) => {
      const { type, data } = JSON.parse(body);
      if (type === VERIFICATION_TYPE) response.end(JSON.stringify({ challenge: data.challenge }));
      else response.writeHead(204).end();
    };
    const created = await registerEndpoint();
    expect(created.status).toBe(201);
    const { webhook, signing_secret } = WebhookResponse.parse(await created.json());
    expect(webhook.status).toBe("pending");
    secret = signing_secret;
    expect(await service.deliver()).toBe(1);
    expect(newest(secret)).toMatchObject({ type: VERIFICATION_TYPE });
    const list = await service.fetch("/api/v1/partner/webhooks", { headers: bearer });
    expect(WebhookList.parse(await list.json()).webhooks).toMatchObject([
      { public_id: webhook.public_id, status: "active" },
    ]);
  });

  test("a release with a new record brings one mail and one signed event, once", async () => {
    expect(await service.publish(1)).toBe(2);
    expect(await service.deliver()).toBe(0);
    expect(mails()).toHaveLength(4);
    const text = mails().at(-1)?.text ?? "";
    expect(text).toContain(SEEN[1]);
    expect(text).not.toContain(SEEN[0]);
    expect(text).toContain(NO_RESULT.meaning);
    for (const claim of DOES_NOT_PROVE) expect(text).toContain(claim.replace(/\.$/, ""));
    expect(text).toContain("List-Unsubscribe-Post: List-Unsubscribe=One-Click");
    expect(text).toContain(`List-Unsubscribe: <${DEMO_BASE_URL}${linkIn(mails().at(-1), "unsubscribe")}>`);
    expect(received()).toHaveLength(2);
    expect(EventMessage.parse(newest(secret))).toMatchObject({
      type: "new_public_record",
      data: { entity_name: SEEN[1] },
    });
  });

  test("one click ends the mails; for a day after a rotation both secrets verify", async () => {
    const ended = await service.fetch(linkIn(mails().at(-1), "unsubscribe"), {
      method: "POST",
      body: new URLSearchParams({ "List-Unsubscribe": "One-Click" }),
    });
    expect(ended.status).toBe(200);
    const rotated = await registerEndpoint();
    expect(rotated.status).toBe(200);
    newSecret = WebhookResponse.parse(await rotated.json()).signing_secret;
    expect(newSecret).not.toBe(secret);
    expect(await service.deliver()).toBe(0);

    expect(await service.publish(2)).toBe(1);
    expect(await service.deliver()).toBe(0);
    expect(mails()).toHaveLength(4);
    expect(received()).toHaveLength(3);
    for (const known of [secret, newSecret])
      expect(EventMessage.parse(newest(known)).data.entity_name).toBe(SEEN[2]);
    const foreign = `whsec_${Buffer.alloc(32).toString("base64")}`;
    expect(() => newest(foreign)).toThrow("No matching signature");
  });

  test("the log names no address, no key, no token and no secret", () => {
    const key = bearer.Authorization.replace("Bearer ", "");
    const tokens = mails().flatMap(({ text }) => text.match(/(?<=token=)[\w.-]+/g) ?? []);
    expect(tokens.length).toBeGreaterThan(4);
    expect(service.log).toContain("release_");
    for (const hidden of [READER, key, secret, newSecret, ...tokens])
      expect(service.log).not.toContain(hidden);
  });
});
