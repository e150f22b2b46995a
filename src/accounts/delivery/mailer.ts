import { createPrivateKey, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createTransport, type SendMailOptions } from "nodemailer";
import type { MailSettings } from "../../kernel/config/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { ForeignFolder } from "../../kernel/files/foreign-file.ts";
import { sha256Hex } from "../../kernel/hash.ts";
import { isoTime, SECOND_MS } from "../../kernel/time.ts";
import type { MailContent } from "./mails.ts";

export interface OutgoingMail extends MailContent {
  readonly to: string; // one address
  readonly key: string; // outbox key, the same for every attempt
  readonly sentAt: number; // ms
}

export type MailAnswer =
  | { readonly kind: "sent"; readonly status: number }
  /** The server permanently rejects this address. */
  | { readonly kind: "address_refused"; readonly status: number; readonly error: string }
  /** The server rejected this email. */
  | { readonly kind: "refused"; readonly status: number; readonly error: string }
  /** The server is unavailable. */
  | { readonly kind: "unreachable"; readonly status: number | null; readonly error: string };

export interface Mailer {
  /** Never throws: every server reaction is a result. */
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

/** Signed headers. RFC 8058 requires both one-click headers; the library's default includes only one. */
const SIGNED_HEADERS =
  "From:To:Subject:Date:Message-ID:MIME-Version:Content-Type:Content-Transfer-Encoding:Auto-Submitted:List-Id:List-Unsubscribe:List-Unsubscribe-Post";

/** Throws OperatorError when the DKIM key is unreadable. Does not contact the server yet. */
export function openMailer(settings: MailSettings, baseUrl: string): Mailer {
  const transport = createTransport({
    ...TIMEOUTS,
    url: settings.smtpUrl.reveal(),
    pool: true,
    maxConnections: CONNECTIONS,
    maxRequeues: 0, // the outbox retries
    disableFileAccess: true,
    disableUrlAccess: true,
    ...dkimOptions(settings),
  });
  transport.on("error", () => undefined); // `send` handles errors; without a listener they would end the process
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

/** Converts an email for the library. */
export function messageOf(mail: OutgoingMail, from: string, baseUrl: string): SendMailOptions {
  const listId = `<alerts.${new URL(baseUrl).hostname}>`;
  return {
    from: { name: "", address: from },
    to: { name: "", address: mail.to }, // a string would be parsed and could be two addresses
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

/** Keeps only code and command, because servers repeat addresses in their messages. */
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

/** Maximum number of kept files, so that a public demonstration does not fill the disk. */
const MAX_FILES = 500;
const SENDER = "alerts@demonstration.invalid";

/** Writes each email as an .eml file into `folder`, whose name another user may exchange for a link. Only the owner can read them, because they contain addresses and links. */
export function openFileMailer(folder: string, baseUrl: string): Mailer {
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    async send(mail) {
      try {
        const { message } = await transport.sendMail(messageOf(mail, SENDER, baseUrl));
        if (!Buffer.isBuffer(message)) throw new TypeError("the message is no buffer");
        await mkdir(folder, { recursive: true, mode: 0o700 });
        using opened = new ForeignFolder(folder);
        await writeWhole(join(opened.path, fileName(mail)), message);
        await removeOldest(opened.path);
        return { kind: "sent", status: 250 };
      } catch (error) {
        const code = error instanceof Error && "code" in error ? String(error.code) : "unknown failure";
        return { kind: "unreachable", status: null, error: code };
      }
    },
    close: () => transport.close(),
  };
}

/** `20261122T231500Z-confirm-your-subscription-1f0c9a7e.eml`: sorts by time and is the same for each attempt. */
function fileName({ sentAt, subject, key }: OutgoingMail): string {
  const time = isoTime(sentAt).replaceAll(/[-:]/g, "");
  const words = subject
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 40);
  return `${time}-${words}-${sha256Hex(key).slice(0, 8)}.eml`;
}

async function writeWhole(path: string, content: Buffer): Promise<void> {
  const draft = `${path}.${randomUUID()}.part`;
  try {
    await writeFile(draft, content, { mode: 0o600, flag: "wx" });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** Includes drafts of killed processes. */
async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => /\.eml(\.[^.]+\.part)?$/.test(name)).sort();
  for (const name of names.slice(0, -MAX_FILES)) await rm(join(folder, name), { force: true });
}
