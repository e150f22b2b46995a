import { CONFIRMATION_HOURS } from "../../contract/limits.ts";
import { serviceName } from "../../contract/records/claim-boundary.ts";
import { DAY_MS, HOUR_MS, isoDate } from "../../kernel/time.ts";
import type { Delivery, Outcome } from "../../state/delivery/outbox.ts";
import type { Webhook } from "../../state/delivery/webhooks.ts";
import type { State } from "../../state/open-state.ts";
import type { Report } from "../../state/reports.ts";
import {
  type Attempt,
  dropped,
  outageDelay,
  type ReceiverHealth,
  retryDelay,
  retryOrDead,
  timed,
  type WorkerDeps,
} from "./attempt.ts";
import type { MailAnswer, Mailer } from "./mailer.ts";
import {
  confirmationMail,
  digestMail,
  endpointDisabledMail,
  type MailContent,
  reportResolvedMail,
  type Sender,
} from "./mails.ts";
import { MailMessage, type ReportResolvedMail, readJson } from "./messages.ts";

/** Age at which undelivered email is abandoned. */
const MAX_OUTAGE_MS = 5 * DAY_MS;

const HEALTH: Readonly<Record<MailAnswer["kind"], ReceiverHealth>> = {
  sent: "fine",
  refused: "failing",
  address_refused: "gone",
  unreachable: "silent",
};

type Prepared = { readonly to: string; readonly content: MailContent } | { readonly refusal: string };

/** One try. Whom it goes to, and whether at all, is looked up now and not when it was put in. */
export async function deliverMail(deps: WorkerDeps, mailer: Mailer, delivery: Delivery): Promise<Attempt> {
  const message = MailMessage.safeParse(readJson(delivery.payload));
  if (!message.success) return dropped(delivery, deps.clock(), "nothing is left to send");
  const prepared = await prepare(deps, delivery, message.data);
  if ("refusal" in prepared) return dropped(delivery, deps.clock(), prepared.refusal);
  const { to, content } = prepared;
  if (await deps.state.subscriptions.isSuppressed(to))
    return dropped(delivery, deps.clock(), "the address is suppressed");
  const { result: answer, tried } = await timed(deps.clock, () =>
    mailer.send({ ...content, to, key: delivery.key, sentAt: delivery.createdAt }),
  );
  return {
    delivery,
    health: HEALTH[answer.kind],
    outcome: {
      delivery,
      isPrivate: message.data.message === "confirmation",
      attemptedAt: tried.startedAt,
      durationMs: tried.durationMs,
      statusCode: answer.status,
      error: answer.kind === "sent" ? null : answer.error,
      ...next(deps, delivery, answer),
    },
  };
}

async function prepare(
  { state, clock, ...sender }: WorkerDeps,
  { target, createdAt }: Delivery,
  message: MailMessage,
): Promise<Prepared> {
  const from = { baseUrl: sender.baseUrl, service: serviceName({ siteName: sender.siteName ?? null }) };
  switch (message.message) {
    case "confirmation":
      if (clock() - createdAt >= CONFIRMATION_HOURS * HOUR_MS) return { refusal: "the confirmation expired" };
      return {
        to: message.address,
        content: confirmationMail(from, message, state.subscriptions.neverToken(message.address)),
      };
    case "digest": {
      const subscription = await state.subscriptions.get(target);
      if (!subscription?.email) return { refusal: "the subscription has ended" };
      if (subscription.status !== "active") return { refusal: `the subscription is ${subscription.status}` };
      const links = {
        manage: state.subscriptions.linkToken("manage", target),
        unsubscribe: state.subscriptions.linkToken("unsubscribe", target),
      };
      return { to: subscription.email, content: digestMail(from, message, links) };
    }
    case "endpoint_disabled": {
      const webhook = await state.webhooks.get(target);
      const address = webhook && (await ownerAddress(state, webhook));
      if (!address) return { refusal: "the owner has no address" };
      return { to: address, content: endpointDisabledMail(from, message) };
    }
    case "report_resolved":
      return prepareResolved(await state.reports.get(target), message, state, from);
  }
}

function prepareResolved(
  report: Report | undefined,
  { outcome, decision }: ReportResolvedMail,
  state: State,
  from: Sender,
): Prepared {
  if (!report?.email) return { refusal: "the address of the report is deleted" };
  if (report.resolutions.length !== decision) return { refusal: "the report was decided about again" };
  const { publicId: id, receivedAt } = report;
  const resolved = { id, receivedOn: isoDate(receivedAt), outcome, isChange: decision > 1 };
  const never = state.subscriptions.neverToken(report.email);
  return { to: report.email, content: reportResolvedMail(from, resolved, never) };
}

async function ownerAddress(
  state: State,
  { ownerKind, ownerId }: Webhook,
): Promise<string | null | undefined> {
  if (ownerKind === "client") return (await state.partners.client(ownerId))?.contactEmail;
  return (await state.subscriptions.get(ownerId))?.email;
}

function next(
  { clock, chance }: WorkerDeps,
  delivery: Delivery,
  answer: MailAnswer,
): Pick<Outcome, "result"> {
  const now = clock();
  switch (answer.kind) {
    case "sent":
      return { result: "done" };
    case "address_refused":
      return { result: "dead" };
    case "refused":
      return retryOrDead(retryDelay(delivery.tries, chance()), now);
    case "unreachable": {
      const isNews = now - delivery.createdAt < MAX_OUTAGE_MS;
      return retryOrDead(isNews ? outageDelay(delivery.tries, chance()) : undefined, now);
    }
  }
}
