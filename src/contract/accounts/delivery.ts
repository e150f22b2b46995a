import { z } from "zod";
import { CONFIRMATION_HOURS } from "../limits.ts";

/** How the service handles outgoing email. */
export const EmailDelivery = z.enum(["sent", "written_to_files", "waiting"]);
export type EmailDelivery = z.infer<typeof EmailDelivery>;

/** Delivery as configured by the operator. It does not tell whether delivery is running at this moment. */
export const DeliverySetup = z.object({
  email: EmailDelivery,
  webhooks: z.boolean(), // webhooks are delivered
});
export type DeliverySetup = z.infer<typeof DeliverySetup>;

export const NO_DELIVERY: DeliverySetup = { email: "waiting", webhooks: false };

/** Folder below PRESENCE_HOME for the email of a demonstration without a mail server. */
export const EMAIL_FOLDER = "state/mail";

/** Delivery texts shared by responses and pages, so that all surfaces promise the same. */

interface EmailWords {
  /** Last path segment of the page shown after a request. */
  readonly page: string;
  readonly title: string;
  /** How the subscriber gets the confirmation email. */
  readonly confirmation: string;
  readonly more: string;
  /** Note shown next to the form; empty where email is sent normally. */
  readonly setup: string;
}

const FOLDER = `the folder ${EMAIL_FOLDER}/ of its home (PRESENCE_HOME, by default var/)`;

export const EMAIL_WORDS: Readonly<Record<EmailDelivery, EmailWords>> = {
  sent: {
    page: "check-your-mail",
    title: "Check your email",
    confirmation: `A confirmation link, good for ${CONFIRMATION_HOURS} hours, is on its way, unless the address refused our email or reached today's limit. Nothing else is sent until you confirm.`,
    more: "No email after a few minutes? Check the spam folder, or subscribe again.",
    setup: "",
  },
  written_to_files: {
    page: "email-in-a-file",
    title: "The email is in a file",
    confirmation: `This demonstration sends no email. It writes the confirmation email as an .eml file into ${FOLDER}. The link works for ${CONFIRMATION_HOURS} hours.`,
    more: "Open the newest file in that folder with an email program and follow its link.",
    setup: `This demonstration sends no email: it writes each one as an .eml file into ${FOLDER}, so you can try the whole process.`,
  },
  waiting: {
    page: "email-waits",
    title: "The email is waiting",
    confirmation: `Your request is stored, but the operator has not configured email yet, so the confirmation email is waiting. Unconfirmed requests expire after ${CONFIRMATION_HOURS} hours.`,
    more: "Subscribe again when email is available. Each city's feed has the same changes.",
    setup: "The operator has not configured email yet. Requests are stored, and their delivery waits.",
  },
};

/** How a reporter learns about a decision. */
export const REPORT_EMAIL_WORDS: Readonly<Record<EmailDelivery, string>> = {
  sent: "When the operator decides, you get one email with the decision.",
  written_to_files: `When the operator decides, this demonstration writes one email with the decision as an .eml file into ${FOLDER}.`,
  waiting:
    "When the operator decides, you get one email with the decision, provided that the operator has configured email by then.",
};

/** Returns the delivery sentence. `message` is its subject: `A webhook.test message`. */
export function queuedWebhookWords(message: string, { webhooks }: DeliverySetup): string {
  return webhooks
    ? `${message} is on its way.`
    : `${message} is queued. It waits because delivery is currently off.`;
}

/** Sentence that the webhook contract adds while some deliveries wait. */
export function webhookContractWords({ email, webhooks }: DeliverySetup): string {
  if (!webhooks) return " Delivery is currently off: registrations are stored, and deliveries wait.";
  if (email !== "waiting") return "";
  return " Email is currently off: registrations through alerts/subscribe wait for confirmation; registrations with a partner key do not.";
}
