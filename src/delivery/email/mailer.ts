import { createPrivateKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { MailSettings } from "../../kernel/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { SECOND_MS } from "../../kernel/time.ts";
import type { MailContent } from "./mails.ts";

export interface OutgoingMail extends MailContent {
  readonly to: string; // one address
  readonly key: string; // of the outbox: the same for every try
  readonly sentAt: number; // ms
}

export type MailAnswer =
  | { readonly kind: "sent"; readonly status: number }
  /** The server will not take mail for this address, now or ever. */
  | { readonly kind: "address_refused"; readonly status: number; readonly error: string }
  /** It did not take this mail. */
  | { readonly kind: "refused"; readonly status: number; readonly error: string }
  /** No mail gets through at all. */
  | { readonly kind: "unreachable"; readonly status: number | null; readonly error: string };

export interface Mailer {
  /** Never throws: whatever the server does is an answer. */
  send(mail: OutgoingMail): Promise<MailAnswer>;
  close(): void;
}

const SENT = 250;
const CONNECTIONS = 4;
const TIMEOUTS = {
  dnsTimeout: 10 * SECOND_MS,
  connectionTimeout: 10 * SECOND_MS,
  greetingTimeout: 10 * SECOND_MS,
  socketTimeout: 30 * SECOND_MS,
};

/** RFC 8058 wants both headers of the one-click link signed; what the library signs by itself has but one of them. */
const SIGNED_HEADERS =
  "From:To:Subject:Date:Message-ID:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:List-Id:List-Unsubscribe:List-Unsubscribe-Post";

/** Throws OperatorError when the DKIM key cannot be read. Nothing is asked of the server yet. */
export function openMailer(settings: MailSettings, baseUrl: string): Mailer {
  const transport = createTransport({
    ...TIMEOUTS,
    url: settings.smtpUrl,
    pool: true,
    maxConnections: CONNECTIONS,
    maxRequeues: 0, // the outbox tries again
    disableFileAccess: true,
    disableUrlAccess: true,
    ...dkimOptions(settings),
  });
  transport.on("error", () => undefined); // `send` answers it; without a listener it would end the server that delivers
  return {
    async send(mail) {
      try {
        await transport.sendMail(messageOf(mail, settings.from, baseUrl));
        return { kind: "sent", status: SENT };
      } catch (error) {
        return mailFailure(error);
      }
    },
    close: () => transport.close(),
  };
}

/** An email as the library takes it. */
export function messageOf(mail: OutgoingMail, from: string, baseUrl: string): SendMailOptions {
  const listId = `<alerts.${new URL(baseUrl).hostname}>`;
  return {
    from: { name: "", address: from },
    to: { name: "", address: mail.to }, // as text it would be parsed, and could be two
    subject: mail.subject,
    text: mail.text,
    html: mail.html,
    date: new Date(mail.sentAt),
    messageId: `<${sha256Hex(mail.key).slice(0, 32)}@${domainOf(from)}>`,
    headers: { "Auto-Submitted": "auto-generated", ...listHeaders(mail, listId) },
  };
}

function listHeaders({ unsubscribeUrl }: OutgoingMail, listId: string): Record<string, string> {
  if (unsubscribeUrl === undefined) return {};
  return {
    "List-Id": listId,
    "List-Unsubscribe": `<${unsubscribeUrl}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  };
}

function dkimOptions({ dkim, from }: MailSettings) {
  if (dkim === undefined) return {};
  return {
    dkim: {
      domainName: domainOf(from),
      keySelector: dkim.selector,
      privateKey: rsaKey(dkim.keyFile),
      headerFieldNames: SIGNED_HEADERS,
    },
  };
}

function rsaKey(path: string): string {
  try {
    const pem = readFileSync(path, "utf8");
    if (createPrivateKey(pem).asymmetricKeyType === "rsa") return pem;
  } catch (cause) {
    throw new OperatorError(`DKIM_KEY_FILE ${path}: no private key can be read there: name a PEM file`, {
      cause,
    });
  }
  throw new OperatorError(`DKIM_KEY_FILE ${path}: not an RSA key, which DKIM needs: make one of 2048 bits`);
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

/** Servers repeat addresses in what they say, so only the code and the command are kept. */
export function mailFailure(error: unknown): MailAnswer {
  if (!(error instanceof Error)) return { kind: "unreachable", status: null, error: "unknown failure" };
  const status =
    "responseCode" in error && typeof error.responseCode === "number" ? error.responseCode : null;
  const command = "command" in error ? String(error.command) : "";
  const code = "code" in error ? String(error.code) : error.name;
  const said = status === null ? code : `SMTP ${status} to ${command}`;
  if (status !== null && command === "RCPT TO")
    return { kind: status >= 500 ? "address_refused" : "refused", status, error: said };
  if (status !== null && command === "DATA") return { kind: "refused", status, error: said };
  return { kind: "unreachable", status, error: said };
}
