import type { Command } from "@commander-js/extra-typings";
import { MAX_NAME_LENGTH } from "../../contract/limits.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { fieldLines } from "../../operations/context.ts";
import type { State } from "../../state/open-state.ts";
import type { PartnerClient, PartnerKey } from "../../state/partners.ts";
import { type Bare, command, family, nothing } from "../command.ts";
import { email, whole } from "../options.ts";
import { type Fields, noted, Output, shown } from "../output.ts";

const DAILY_QUOTA = 10_000;
const MONTHLY_QUOTA = 200_000;

const ofClient = (bare: Command) => bare.argument("<client>", "id of the client");

const create = command({
  path: "partner create",
  does: "create a client; it has no key yet",
  takes: (bare: Bare) =>
    bare
      .argument("<name>", "unique name of the client", clientName)
      .option(
        "--contact <address>",
        "email address to notify when a webhook of the client is disabled",
        email("partner create: --contact"),
      )
      .option("--daily <requests>", "requests in a UTC day", whole("--daily"), DAILY_QUOTA)
      .option("--monthly <requests>", "requests in a UTC month", whole("--monthly"), MONTHLY_QUOTA)
      .option("--no-portal", "without access to the partner portal"),
  access: "new state",
  async run({ state }, { contact: contactEmail = null, daily, monthly, portal }, name) {
    const client = await state.partners.createClient({
      name,
      contactEmail,
      dailyQuota: daily,
      monthlyQuota: monthly,
      portalAccess: portal,
    });
    return noted(await clientFields(state, client), `next: presence partner key issue ${client.publicId}`);
  },
});

const listClients = command({
  path: "partner list",
  does: "list all clients with their quotas and usage",
  takes: nothing,
  access: "new state",
  async run({ state }) {
    const clients = await state.partners.listClients();
    return blocks(await Promise.all(clients.map((client) => clientFields(state, client))));
  },
});

const showClient = command({
  path: "partner show",
  does: "show a client with its quotas, keys and webhooks",
  takes: ofClient,
  access: "new state",
  async run({ state }, _, id) {
    const fields = await clientFields(state, await findClient(state, id));
    const keys = (await state.partners.listKeys(id)).map(keyFields);
    const webhooks = await webhookFields(state, id);
    return blocks([fields, ...keys, ...webhooks], { ...fields, keys, webhooks });
  },
});

const statuses = (
  [
    ["disable", "disabled", "reject all requests with a client's keys (403), and stop its webhooks"],
    ["enable", "active", "accept requests with a client's keys again"],
  ] as const
).map(([verb, status, does]) =>
  command({
    path: `partner ${verb}`,
    does,
    takes: ofClient,
    access: "new state",
    run: async ({ state }, _, id) => clientFields(state, await state.partners.updateClient(id, { status })),
  }),
);

const issueKey = command({
  path: "partner key issue",
  does: "create a key and print it once",
  takes: ofClient,
  access: "new state",
  async run({ state }, _, id) {
    const { key, secret } = await state.partners.issueKey(id);
    return noted(
      { ...keyFields(key), api_key: secret },
      "hand over the key now: it is not stored and cannot be shown again",
    );
  },
});

const listKeys = command({
  path: "partner key list",
  does: "list a client's keys by their first characters, revoked ones included",
  takes: ofClient,
  access: "new state",
  async run({ state }, _, id) {
    await findClient(state, id);
    return blocks((await state.partners.listKeys(id)).map(keyFields));
  },
});

const revokeKey = command({
  path: "partner key revoke",
  does: "reject a key from now on (401), permanently",
  takes: (bare: Bare) => bare.argument("<key>", "id of the key"),
  access: "new state",
  run: async ({ state }, _, id) => keyFields(await state.partners.revokeKey(id)),
});

function clientName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new OperatorError(
    `partner create: a name has 1 to ${MAX_NAME_LENGTH} characters, and no control characters`,
  );
}

async function findClient({ partners }: State, id: string): Promise<PartnerClient> {
  const client = await partners.client(id);
  if (client !== undefined) return client;
  throw new OperatorError(`no partner client ${id}: see presence partner list`);
}

async function clientFields({ partners }: State, client: PartnerClient): Promise<Fields> {
  const quota = await partners.quota(client.publicId);
  return {
    client: client.publicId,
    ...shown(client, "name", "status", "portalAccess"),
    contact: client.contactEmail,
    daily_quota: quota?.daily.quota ?? 0,
    used_today: quota?.daily.used ?? 0,
    monthly_quota: quota?.monthly.quota ?? 0,
    used_this_month: quota?.monthly.used ?? 0,
    ...shown(client, "createdAt"),
  };
}

function keyFields(key: PartnerKey): Fields {
  const times = shown(key, "createdAt", "lastUsedAt", "revokedAt");
  return { key: key.publicId, begins_with: key.prefix, ...times };
}

async function webhookFields({ webhooks }: State, client: string): Promise<Fields[]> {
  const of = await webhooks.of({ kind: "client", publicId: client });
  return of.map((webhook) => ({
    webhook: webhook.publicId,
    ...shown(webhook, "endpointUrl", "status"),
    reason: webhook.statusReason,
  }));
}

/** A block of lines for each item; all of them as one line of JSON. */
function blocks(items: readonly Fields[], json: unknown = items): Output {
  return new Output({ json, text: items.flatMap((item) => [...fieldLines(item), ""]) });
}

export const commands = [
  ...[create, listClients, showClient, ...statuses],
  family("partner key", { does: "manage the API keys of a client" }),
  ...[issueKey, listKeys, revokeKey],
];
