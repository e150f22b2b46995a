import { z } from "zod";
import type { AccountDeps } from "../../src/accounts/define.ts";
import { ACCOUNT_HANDLERS } from "../../src/accounts/operations.ts";
import { type AccountOperation, accountOperations } from "../../src/contract/accounts/account-operations.ts";
import type { Home } from "../../src/kernel/home.ts";
import { seededBytes } from "../../src/kernel/seeded.ts";
import { HOUR_MS } from "../../src/kernel/time.ts";
import type { ReadContext } from "../../src/resources/define.ts";
import { openState, type State } from "../../src/state/open-state.ts";
import type { PartnerClient } from "../../src/state/partners.ts";

const SEED = "example accounts: their keys are no secret and open nothing";

/** The responses by operation. `home` is a temporary folder. */
export async function accountAnswers(
  { snapshot }: ReadContext,
  home: Home,
): Promise<ReadonlyMap<string, unknown>> {
  const { asOf } = snapshot.release();
  const time = asOf + 9 * HOUR_MS;
  const random = seededBytes(SEED);
  await using state = await openState(undefined, home, { clock: () => time, random });
  const deps: AccountDeps = {
    state: { get: () => Promise.resolve(state), fault: () => undefined, losses: () => 0 },
    snapshot: () => snapshot,
    delivery: () => ({ email: "sent", webhooks: true }),
    endpointProblem: () => undefined, // the hosts of examples are reserved names, which no real endpoint may have
    proveWebsite: async () => [],
    emailBudgets: { mailbox: 5, domain: 500 },
    onWithheld: () => undefined,
    clock: () => time,
    random,
  };
  const client = await examplePartner(state, time);
  const answers = new Map<string, object>();
  const isWrite = ({ request }: AccountOperation) => request !== undefined;
  // Writes first, so that the others have something to show.
  const inOrder = accountOperations.toSorted((a, b) => Number(isWrite(b)) - Number(isWrite(a)));
  for (const { operationId, example } of inOrder) {
    if (example === undefined) continue;
    const { body } = await ACCOUNT_HANDLERS[operationId].answer(deps, {
      path: () => "",
      token: "",
      body: await withToken(state, example.body, answers),
      client: () => client,
      admit: () => Promise.resolve(),
    });
    answers.set(operationId, body);
  }
  return new Map(Array.from(answers, ([id, body]) => [id, fictional(body)]));
}

const Confirmation = z.object({ token: z.string() });
const Confirmed = z.object({ manage_token: z.string() });

/** The body with a token that is good: of the email that waits, then of the answer to it. */
async function withToken(
  { outbox }: State,
  body: object | undefined,
  answers: ReadonlyMap<string, object>,
): Promise<object | undefined> {
  if (body === undefined || !("token" in body)) return body;
  const confirmed = Confirmed.safeParse(answers.get("confirmAlert"));
  if (confirmed.success) return { ...body, token: confirmed.data.manage_token };
  const [mail] = await outbox.list({ kind: "mail" });
  return { ...body, ...Confirmation.parse(JSON.parse(mail?.payload ?? "{}")) };
}

async function examplePartner(state: State, now: number): Promise<PartnerClient> {
  const client = await state.partners.createClient({
    name: "Example Maps",
    contactEmail: "partners@mail.example",
    portalAccess: true,
    dailyQuota: 10_000,
    monthlyQuota: 200_000,
  });
  await state.partners.issueKey(client.publicId);
  await state.partners.charge(client.publicId, 3);
  const asked = { transport: "rest", clientClass: "authenticated_partner", agent: null, tool: null } as const;
  const quiet = { internal: false, timedOut: false, schemaFailure: false, rateLimited: false };
  const requests = ["searchEntities", "getCityIndex", "searchEntities"].map((operation, at) => ({
    ...asked,
    ...quiet,
    at: now - (3 - at) * HOUR_MS,
    times: 1,
    operation,
    status: 200,
    city: "exampleville",
    search: null,
    record: null,
    latencyMs: 4 + at,
    clientId: client.publicId,
    client: "192.0.2.1",
  }));
  await state.usage.record(requests);
  return client;
}

/** Masks ids, keys and secrets, so that none looks real. */
function fictional(answer: object): unknown {
  return JSON.parse(
    JSON.stringify(answer)
      .replace(/"(client|sub|wh|key)_[0-9a-z]{16}"/g, '"ex_$1_1"')
      .replace(/"sub_[0-9a-z]{16}\.[\w-]+"/g, '"ex_sub_1.EXAMPLE-ONLY-NOT-A-TOKEN"')
      .replace(/(rep|rm)_[0-9a-z]{16}/g, "ex_$1_1")
      .replace(/"ppes_live_\w+"/g, '"ppes_live_…"')
      .replace(/"whsec_[^"]+"/g, '"whsec_EXAMPLE+ONLY+NOT+A+SECRET"'),
  );
}
