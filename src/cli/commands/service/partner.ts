import type { Command } from "@commander-js/extra-typings";
import { EmailAddress } from "../../../contract/accounts/alerts.ts";
import { MAX_NAME_LENGTH } from "../../../contract/limits.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type CommandContext, printJson, printResult } from "../../../operations/context.ts";
import { stateOf } from "../../../operations/existing-state.ts";
import type { State } from "../../../state/open-state.ts";
import type { PartnerClient, PartnerKey } from "../../../state/partners/partners.ts";
import { JSON_OPTION, whole } from "../../command.ts";

const DAILY_QUOTA = 10_000;
const MONTHLY_QUOTA = 200_000;

type Fields = Readonly<Record<string, unknown>>;

export function define(partner: Command, context: CommandContext): void {
  definePartner(partner, context);
  defineStatus(partner, context);
  defineKeys(partner.command("key").description("manage the API keys of a client"), context);
}

function definePartner(partner: Command, context: CommandContext): void {
  partner
    .command("create")
    .argument("<name>", "unique name of the client", clientName)
    .description("create a client; it has no key yet")
    .option(
      "--contact <address>",
      "email address to notify when a webhook of the client is disabled",
      contactAddress,
    )
    .option("--daily <requests>", "requests in a UTC day", whole("--daily"), DAILY_QUOTA)
    .option("--monthly <requests>", "requests in a UTC month", whole("--monthly"), MONTHLY_QUOTA)
    .option("--no-portal", "without access to the partner portal")
    .option(...JSON_OPTION)
    .action(async (name, { contact: contactEmail = null, daily, monthly, portal, json }) => {
      await using state = await stateOf(context);
      const quotas = { dailyQuota: daily, monthlyQuota: monthly };
      const client = await state.partners.createClient({
        name,
        contactEmail,
        ...quotas,
        portalAccess: portal,
      });
      printResult(context, json, await clientFields(state, client));
      context.stderr.write(`next: presence partner key issue ${client.publicId}\n`);
    });

  partner
    .command("list")
    .description("list all clients with their quotas and usage")
    .option(...JSON_OPTION)
    .action(async ({ json }) => {
      await using state = await stateOf(context);
      const clients = await state.partners.listClients();
      printList(context, json, await Promise.all(clients.map((client) => clientFields(state, client))));
    });

  partner
    .command("show")
    .argument("<client>", "id of the client")
    .description("show a client with its quotas, keys and webhooks")
    .option(...JSON_OPTION)
    .action(async (id, { json }) => {
      await using state = await stateOf(context);
      const fields = await clientFields(state, await findClient(state, id));
      const keys = (await state.partners.listKeys(id)).map(keyFields);
      const webhooks = await webhookFields(state, id);
      if (json) printJson(context, { ...fields, keys, webhooks });
      else printList(context, false, [fields, ...keys, ...webhooks]);
    });
}

function defineStatus(partner: Command, context: CommandContext): void {
  for (const [verb, status, description] of [
    ["disable", "disabled", "reject all requests with a client's keys (403), and send its webhooks nothing"],
    ["enable", "active", "accept requests with a client's keys again"],
  ] as const)
    partner
      .command(verb)
      .argument("<client>", "id of the client")
      .description(description)
      .option(...JSON_OPTION)
      .action(async (id, { json }) => {
        await using state = await stateOf(context);
        const client = await state.partners.updateClient(id, { status });
        printResult(context, json, await clientFields(state, client));
      });
}

function defineKeys(key: Command, context: CommandContext): void {
  key
    .command("issue")
    .argument("<client>", "id of the client")
    .description("create a key and print it once")
    .option(...JSON_OPTION)
    .action(async (id, { json }) => {
      await using state = await stateOf(context);
      const { key, secret } = await state.partners.issueKey(id);
      printResult(context, json, { ...keyFields(key), api_key: secret });
      context.stderr.write("pass the key on now: it is not stored and cannot be shown again\n");
    });

  key
    .command("list")
    .argument("<client>", "id of the client")
    .description("list a client's keys by their first characters, revoked ones included")
    .option(...JSON_OPTION)
    .action(async (id, { json }) => {
      await using state = await stateOf(context);
      await findClient(state, id);
      printList(context, json, (await state.partners.listKeys(id)).map(keyFields));
    });

  key
    .command("revoke")
    .argument("<key>", "id of the key")
    .description("reject a key from now on (401), permanently")
    .option(...JSON_OPTION)
    .action(async (id, { json }) => {
      await using state = await stateOf(context);
      printResult(context, json, keyFields(await state.partners.revokeKey(id)));
    });
}

function clientName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new OperatorError(
    `partner create: a name has 1 to ${MAX_NAME_LENGTH} characters, and no control characters`,
  );
}

function contactAddress(text: string): string {
  const { data } = EmailAddress.safeParse(text);
  if (data !== undefined) return data;
  throw new OperatorError("partner create: --contact must be one email address, such as name@example.org");
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
    name: client.name,
    status: client.status,
    portal_access: client.portalAccess,
    contact: client.contactEmail,
    daily_quota: quota?.daily.quota ?? 0,
    used_today: quota?.daily.used ?? 0,
    monthly_quota: quota?.monthly.quota ?? 0,
    used_this_month: quota?.monthly.used ?? 0,
    created_at: isoTime(client.createdAt),
  };
}

function keyFields({ publicId, prefix, createdAt, lastUsedAt, revokedAt }: PartnerKey): Fields {
  return {
    key: publicId,
    begins_with: prefix,
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
    revoked_at: revokedAt === null ? null : isoTime(revokedAt),
  };
}

async function webhookFields({ webhooks }: State, client: string): Promise<Fields[]> {
  return (await webhooks.of({ kind: "client", publicId: client })).map(
    ({ publicId, endpointUrl, status, statusReason }) => ({
      webhook: publicId,
      endpoint_url: endpointUrl,
      status,
      reason: statusReason,
    }),
  );
}

/** Prints one line of JSON, or a block for each item. */
function printList(context: CommandContext, json: boolean | undefined, items: readonly Fields[]): void {
  if (json) printJson(context, items);
  else
    for (const item of items) {
      printResult(context, false, item);
      context.stdout.write("\n");
    }
}
