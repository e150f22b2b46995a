import type { Command } from "commander";
import { EmailAddress } from "../../../contract/accounts/alerts.ts";
import { MAX_NAME_LENGTH } from "../../../contract/limits.ts";
import { OperatorError } from "../../../kernel/errors.ts";
import { isoTime } from "../../../kernel/time.ts";
import { type CommandContext, homeOf, printResult } from "../../../operations/context.ts";
import { openState, type State } from "../../../state/open-state.ts";
import type { PartnerClient, PartnerKey } from "../../../state/partners/partners.ts";
import { wholeNumber } from "../../whole-number.ts";

interface JsonOption {
  readonly json?: boolean;
}

interface ClientOptions extends JsonOption {
  readonly contact?: string;
  readonly daily: string;
  readonly monthly: string;
  readonly portal: boolean;
}

const DAILY_QUOTA = "10000";
const MONTHLY_QUOTA = "200000";

const AS_JSON = ["--json", "print the result as JSON"] as const;

export function definePartner(partner: Command, context: CommandContext): void {
  addClientCommands(partner, context);
  addKeyCommands(partner.command("key").description("API keys of a client"), context);
}

function addClientCommands(partner: Command, context: CommandContext): void {
  partner
    .command("create")
    .argument("<name>", "what the client is called; once")
    .description("make a client; it has no key yet")
    .option("--contact <address>", "mail address that is told when one of its webhooks is disabled")
    .option("--daily <requests>", "requests in a UTC day", DAILY_QUOTA)
    .option("--monthly <requests>", "requests in a UTC month", MONTHLY_QUOTA)
    .option("--no-portal", "without access to the partner portal")
    .option(...AS_JSON)
    .action((name: string, options: ClientOptions) => createClient(context, name, options));

  partner
    .command("list")
    .description("all clients with their quotas and what they have used")
    .option(...AS_JSON)
    .action((options: JsonOption) =>
      withState(context, async (state) => {
        const clients = await state.partners.listClients();
        printList(context, options, await Promise.all(clients.map((client) => clientFields(state, client))));
      }),
    );

  partner
    .command("show")
    .argument("<client>", "id of the client")
    .description("a client with its quotas, keys and webhooks")
    .option(...AS_JSON)
    .action((id: string, options: JsonOption) => showClient(context, id, options));

  for (const [verb, status, what] of [
    ["disable", "disabled", "refuse all requests with a client's keys (403), and send its webhooks nothing"],
    ["enable", "active", "take requests with a client's keys again"],
  ] as const)
    partner
      .command(verb)
      .argument("<client>", "id of the client")
      .description(what)
      .option(...AS_JSON)
      .action((id: string, options: JsonOption) =>
        withState(context, async (state) => {
          const client = await state.partners.updateClient(id, { status });
          printResult(context, options.json, await clientFields(state, client));
        }),
      );
}

function createClient(context: CommandContext, name: string, options: ClientOptions): Promise<void> {
  const client = {
    name: clientName(name),
    contactEmail: contactOf(options) ?? null,
    dailyQuota: wholeNumber(options.daily, "--daily"),
    monthlyQuota: wholeNumber(options.monthly, "--monthly"),
    portalAccess: options.portal,
  };
  return withState(context, async (state) => {
    const made = await state.partners.createClient(client);
    printResult(context, options.json, await clientFields(state, made));
    context.stderr.write(`next: presence partner key issue ${made.publicId}\n`);
  });
}

function showClient(context: CommandContext, id: string, options: JsonOption): Promise<void> {
  return withState(context, async (state) => {
    const fields = await clientFields(state, await knownClient(state, id));
    const keys = (await state.partners.listKeys(id)).map(keyFields);
    const webhooks = await state.webhooks.of({ kind: "client", publicId: id });
    const endpoints = webhooks.map(({ publicId, endpointUrl, status, statusReason }) => ({
      webhook: publicId,
      endpoint_url: endpointUrl,
      status,
      reason: statusReason,
    }));
    if (options.json === true) printResult(context, true, { ...fields, keys, webhooks: endpoints });
    else printList(context, options, [fields, ...keys, ...endpoints]);
  });
}

function addKeyCommands(key: Command, context: CommandContext): void {
  key
    .command("issue")
    .argument("<client>", "id of the client")
    .description("make a key and print it, this once")
    .option(...AS_JSON)
    .action((id: string, options: JsonOption) =>
      withState(context, async (state) => {
        const { key, secret } = await state.partners.issueKey(id);
        printResult(context, options.json, { ...keyFields(key), api_key: secret });
        context.stderr.write("hand the key over now: it is not stored, and cannot be shown again\n");
      }),
    );

  key
    .command("list")
    .argument("<client>", "id of the client")
    .description("a client's keys, revoked ones too, by how they begin")
    .option(...AS_JSON)
    .action((id: string, options: JsonOption) =>
      withState(context, async (state) => {
        await knownClient(state, id);
        printList(context, options, (await state.partners.listKeys(id)).map(keyFields));
      }),
    );

  key
    .command("revoke")
    .argument("<key>", "id of the key")
    .description("refuse a key for good (401), at once")
    .option(...AS_JSON)
    .action((id: string, options: JsonOption) =>
      withState(context, async (state) => {
        printResult(context, options.json, keyFields(await state.partners.revokeKey(id)));
      }),
    );
}

async function withState(context: CommandContext, work: (state: State) => Promise<void>): Promise<void> {
  const { clock, random } = context;
  await using state = await openState(context.config.stateUrl, homeOf(context), { clock, random });
  await work(state);
}

function clientName(name: string): string {
  const trimmed = name.trim();
  if (trimmed !== "" && trimmed.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new OperatorError(
    `partner create: a name has 1 to ${MAX_NAME_LENGTH} characters, and no control characters`,
  );
}

function contactOf({ contact }: ClientOptions): string | undefined {
  if (contact === undefined || EmailAddress.safeParse(contact).success) return contact;
  throw new OperatorError("partner create --contact: must be one mail address, such as name@example.org");
}

async function knownClient({ partners }: State, id: string): Promise<PartnerClient> {
  const client = await partners.client(id);
  if (client === undefined)
    throw new OperatorError(`no partner client ${id}: presence partner list shows all of them`);
  return client;
}

async function clientFields({ partners }: State, client: PartnerClient) {
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

function keyFields({ publicId, prefix, createdAt, lastUsedAt, revokedAt }: PartnerKey) {
  return {
    key: publicId,
    begins_with: prefix,
    created_at: isoTime(createdAt),
    last_used_at: lastUsedAt === null ? null : isoTime(lastUsedAt),
    revoked_at: revokedAt === null ? null : isoTime(revokedAt),
  };
}

/** `--json`: one line with all of them; for people a block each. */
function printList(
  context: CommandContext,
  { json }: JsonOption,
  items: readonly Readonly<Record<string, unknown>>[],
): void {
  if (json === true) {
    context.stdout.write(`${JSON.stringify(items)}\n`);
    return;
  }
  for (const item of items) {
    printResult(context, false, item);
    context.stdout.write("\n");
  }
}
