import type { AccountParts } from "../../src/accounts/account-parts.ts";
import { partnerPortal } from "../../src/accounts/partner-portal.ts";
import { createWebhook, listWebhooks } from "../../src/accounts/partner-webhooks.ts";
import { fileReport, parseReport } from "../../src/accounts/report-problem.ts";
import { checkSubscription, requestSubscription } from "../../src/accounts/subscribe.ts";
import {
  ACCOUNT_OPERATIONS,
  type AccountOperation,
  type AccountOperationId,
} from "../../src/contract/accounts/account-operations.ts";
import type { Home } from "../../src/kernel/home.ts";
import { seededBytes } from "../../src/kernel/seeded.ts";
import { HOUR_MS } from "../../src/kernel/time.ts";
import type { ReadContext } from "../../src/resources/define.ts";
import { openState, type State } from "../../src/state/open-state.ts";
import type { PartnerClient } from "../../src/state/partners/partners.ts";

/** What the operations on alerts and partner accounts answer in the example world: a state of its own, with a fixed clock and a fixed key. */

const SEED = "example accounts: their keys are no secret and open nothing";

/** A name of the answers' files, and what is asked for it. */
type Answer = (parts: AccountParts, client: PartnerClient, body: object | undefined) => Promise<object>;

const ANSWERS: Partial<Record<AccountOperationId, Answer>> = {
  async subscribeAlerts(parts, _, body) {
    return (await requestSubscription(parts, checkSubscription(parts, body))).body;
  },
  createPartnerWebhook: async (parts, client, body) => (await createWebhook(parts, client, body)).body,
  getPartnerPortal: partnerPortal,
  listPartnerWebhooks: listWebhooks,
  createReport: async (parts, _, body) => (await fileReport(parts, parseReport(body))).body,
};

/** The answers by operation. `home` is a folder that is thrown away. */
export async function accountAnswers(
  { snapshot }: ReadContext,
  home: Home,
): Promise<ReadonlyMap<string, unknown>> {
  const { asOf } = snapshot.release();
  const time = asOf + 9 * HOUR_MS;
  const random = seededBytes(SEED);
  await using state = await openState(undefined, home, { clock: () => time, random });
  const parts: AccountParts = {
    state: { get: () => Promise.resolve(state) },
    snapshot: () => snapshot,
    delivery: () => ({ email: "sent", webhooks: true }),
    endpointProblem: () => undefined, // the hosts of examples are reserved names, which no real endpoint may have
    clock: () => time,
    random,
  };
  const client = await examplePartner(state, time);
  const answers = new Map<string, unknown>();
  for (const [id, answer] of Object.entries(ANSWERS)) {
    const operation = Object.entries<AccountOperation>(ACCOUNT_OPERATIONS).find(([name]) => name === id)?.[1];
    answers.set(id, fictional(await answer(parts, client, operation?.example?.body)));
  }
  return answers;
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

/** No id, key or secret of an example may look as if it were in use. */
function fictional(answer: object): unknown {
  return JSON.parse(
    JSON.stringify(answer)
      .replace(/"(client|sub|wh|key)_[0-9a-z]{16}"/g, '"ex_$1_1"')
      .replace(/rep_[0-9a-z]{16}/g, "ex_rep_1")
      .replace(/"ppes_live_\w+"/g, '"ppes_live_…"')
      .replace(/"whsec_[^"]+"/g, '"whsec_EXAMPLE+ONLY+NOT+A+SECRET"'),
  );
}
