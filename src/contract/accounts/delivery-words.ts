import { CONFIRMATION_HOURS } from "../limits.ts";
import { type DeliverySetup, EMAIL_FOLDER, type EmailDelivery } from "./delivery-setup.ts";

/** What answers and pages say of deliveries: one source, so that no surface promises what another does not. */

interface EmailWords {
  /** Last segment of the page that follows a request. */
  readonly page: string;
  readonly title: string;
  /** Where the email is that confirms a request. */
  readonly confirmation: string;
  readonly more: string;
  /** What to expect before anything is asked for; empty where email is sent as everywhere. */
  readonly setup: string;
}

const FOLDER = `the folder ${EMAIL_FOLDER}/ of its home (PRESENCE_HOME, or var/ where that is not set)`;

export const EMAIL_WORDS: Readonly<Record<EmailDelivery, EmailWords>> = {
  sent: {
    page: "check-your-mail",
    title: "Check your email",
    confirmation: `If the address may be written to, an email with a link to confirm is on its way. Nothing else is sent before that. The link works for ${CONFIRMATION_HOURS} hours.`,
    more: "No email after some minutes? Look in the spam folder, or ask once more. An address that has refused all email gets none.",
    setup: "",
  },
  written_to_files: {
    page: "email-in-a-file",
    title: "The email is a file",
    confirmation: `This demonstration sends no email. It writes the email with the link that confirms the request as an .eml file into ${FOLDER}. The link works for ${CONFIRMATION_HOURS} hours.`,
    more: "Open the newest file there with an email program, and follow its link.",
    setup: `This demonstration sends no email: it writes each one as an .eml file into ${FOLDER}, so that the whole way can be tried.`,
  },
  waiting: {
    page: "email-waits",
    title: "The email waits",
    confirmation: `The request is kept, but no email is sent now: delivery waits until the operator configures email. A request that is not confirmed within ${CONFIRMATION_HOURS} hours lapses.`,
    more: "Ask once more when email is available. The same changes are in the feeds of each city.",
    setup:
      "No email is sent at present: the operator has not configured it. Requests are kept, and their delivery waits.",
  },
};

/** Where the one email about a report goes. */
export const REPORT_EMAIL_WORDS: Readonly<Record<EmailDelivery, string>> = {
  sent: "If it is decided about, one email to your address says how.",
  written_to_files: `If it is decided about, one email says how. This demonstration writes it as an .eml file into ${FOLDER} and sends none.`,
  waiting:
    "If it is decided about, one email to your address says how, but only once the operator has configured email.",
};

/** `message` is the subject of a sentence: `A webhook.test message`. */
export function queuedWebhookWords(message: string, { webhooks }: DeliverySetup): string {
  return webhooks
    ? `${message} is on its way.`
    : `${message} is queued. It waits: the operator runs no delivery at present.`;
}

/** What the webhook contract adds when not everything that it describes is sent. */
export function webhookContractWords({ email, webhooks }: DeliverySetup): string {
  if (!webhooks)
    return " At present the operator runs no delivery: registrations are kept, and deliveries wait.";
  if (email !== "waiting") return "";
  return " At present the operator sends no email: a registration through alerts/subscribe waits for its confirmation, one with a partner key does not.";
}
