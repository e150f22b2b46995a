/** What a subscriber and a mirror see of the year, night by night. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { VERIFICATION_TYPE } from "../../../src/contract/accounts/delivery.ts";
import type { ReceivedWebhook } from "../../support/delivery/sinks.ts";
import { TOWN_SLUG } from "../../support/towns/town.ts";
import { readJson } from "../week/published.ts";
import { filesWith } from "./erased.ts";
import { type Service, YEAR_URL } from "./service.ts";

const SUBSCRIBER = "reader@mail.example.org";

const Message = z.looseObject({ type: z.string(), data: z.looseObject({}) });
const Event = z.looseObject({
  id: z.string(),
  entity_public_id: z.string(),
  asset_public_id: z.string().nullable(),
  entity_name: z.string(),
  detected_at: z.string(),
  type: z.string(),
});
const Pulse = z.looseObject({ events: z.array(Event) });

/** A partner's endpoint and a person's mailbox, with the same filters. */
export class Subscriber {
  readonly #service: Service;
  readonly #sent = new Map<string, string>(); // what each delivery said, by its id
  readonly #delivered = new Map<string, string>(); // the delivery of each event
  readonly #told = new Map<string, string>(); // the event of each change
  #known = new Set<string>(); // events of the release before
  #oldest = ""; // of them: an erasure lets older ones back into the list
  #webhooks = 0;
  #mails = 0;
  #isOn = false;

  constructor(service: Service) {
    this.#service = service;
    service.hook.answer = ({ body }, response) => {
      const { type, data } = Message.parse(JSON.parse(body));
      if (type === VERIFICATION_TYPE) response.end(JSON.stringify({ challenge: data["challenge"] }));
      else response.writeHead(204).end();
    };
  }

  /** From now on each new event must arrive. */
  async subscribe(): Promise<void> {
    const service = this.#service;
    const Client = z.looseObject({ client: z.string() });
    const { client } = await service.json(["partner", "create", "Year Maps"], Client);
    const Key = z.looseObject({ api_key: z.string() });
    const { api_key } = await service.json(["partner", "key", "issue", client], Key);
    const authorization = { Authorization: `Bearer ${api_key}` };
    const asked = { endpoint_url: service.hook.url, city: TOWN_SLUG };
    const answer = await service.post("/api/v1/partner/webhooks", asked, authorization);
    if (answer.status !== 201)
      throw new Error(`the endpoint was refused: ${answer.status} ${await answer.text()}`);
    const { status } = await service.post("/api/v1/alerts/subscribe", {
      email: SUBSCRIBER,
      city: TOWN_SLUG,
      min_confidence: 0,
    });
    if (status !== 201) throw new Error(`the subscription was refused: ${status}`);
    await service.ok(["deliver", "--once"]);
    await this.#confirm();
    this.#isOn = true;
  }

  async #confirm(): Promise<void> {
    const { mailbox, url } = this.#service;
    const link = new RegExp(`${YEAR_URL}(/alerts/confirm/\\?token=[\\w.-]+)`);
    const path = link.exec(mailbox.to(SUBSCRIBER)[0]?.text ?? "")?.[1];
    const confirmation = { method: "POST", body: new URLSearchParams(), redirect: "manual" } as const;
    const { status } = await fetch(`${url}${path}`, confirmation);
    if (status >= 400) throw new Error(`the subscription was not confirmed: ${status}`);
    this.#mails = mailbox.to(SUBSCRIBER).length;
  }

  get counts() {
    return { events: this.#delivered.size, deliveries: this.#webhooks, emails: this.#mails };
  }

  /** What is wrong with what arrived since the last release. */
  look(site: string): string[] {
    const { hook, mailbox } = this.#service;
    const fresh = hook.received.slice(this.#webhooks);
    this.#webhooks = hook.received.length;
    const mails = mailbox.to(SUBSCRIBER).slice(this.#mails);
    this.#mails += mails.length;
    const { events } = Pulse.parse(readJson(site, `api/v1/pulse/${TOWN_SLUG}.json`));
    const added = events.filter(({ id, detected_at }) => !this.#known.has(id) && detected_at > this.#oldest);
    const isFirst = this.#known.size === 0;
    this.#known = new Set(events.map(({ id }) => id));
    this.#oldest = events.map(({ detected_at }) => detected_at).sort()[0] ?? "";
    const faults = fresh.flatMap((message) => this.#faultsOf(message));
    if (!this.#isOn || isFirst) return faults;
    const text = mails.map((mail) => mail.text).join("\n");
    return [
      ...faults,
      ...added
        .filter(({ id }) => !this.#delivered.has(id))
        .map(({ id, type, entity_name }) => `${type} of ${entity_name} (${id}) was published and not sent`),
      ...added
        .filter(({ entity_name }) => !text.includes(entity_name))
        .map(({ type, entity_name }) => `${type} of ${entity_name} is in no email`),
    ];
  }

  #faultsOf({ id, body }: ReceivedWebhook): string[] {
    const { type, data } = Message.parse(JSON.parse(body));
    const said = JSON.stringify({ type, data });
    const before = this.#sent.get(id) ?? said;
    this.#sent.set(id, said);
    const event = Event.safeParse(data);
    if (type === VERIFICATION_TYPE) return [];
    const faults = before === said ? [] : [`delivery ${id} says something else the second time`];
    return event.success ? [...faults, ...this.#repeats(id, event.data)] : faults;
  }

  /** An event that was sent under two ids, or a change under two events. */
  #repeats(delivery: string, event: z.infer<typeof Event>): string[] {
    const change = [event.type, event.entity_public_id, event.asset_public_id, event.detected_at].join(" ");
    const [first, told] = [this.#delivered.get(event.id) ?? delivery, this.#told.get(change) ?? event.id];
    this.#delivered.set(event.id, first);
    this.#told.set(change, told);
    return [
      ...(first === delivery ? [] : [`event ${event.id} was sent as ${first} and as ${delivery}`]),
      ...(told === event.id ? [] : [`${change} was sent as event ${told} and as ${event.id}`]),
    ];
  }
}

/** A stranger's copy, which began once and only goes forward. */
export class Mirror {
  readonly #service: Service;
  readonly #folder: string;

  constructor(service: Service) {
    this.#service = service;
    this.#folder = join(service.own("mirror"), "copy");
  }

  /** Copies what is served, and compares it with the published release. */
  async look(site: string, erased: readonly Buffer[]): Promise<string[]> {
    const { code, stderr } = await this.#service.run(["mirror", this.#service.url, this.#folder]);
    if (code !== 0) return [`presence mirror ended with ${code}: ${stderr}`];
    const manifest = (folder: string) => readFileSync(join(folder, "manifest.json"));
    return [
      ...(manifest(join(this.#folder, "current")).equals(manifest(site))
        ? []
        : ["the copy of the mirror is of another release"]),
      ...filesWith(this.#folder, erased).map((file) => `the mirror has something erased in ${file}`),
    ];
  }
}
