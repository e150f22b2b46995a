import { z } from "zod";
import { OperatorError } from "../errors.ts";
import type { Secret } from "../secret.ts";
import { concern, flag, oneOf, path, secret, shown } from "./setting.ts";

export interface MailSettings {
  readonly smtpUrl: Secret;
  readonly from: string; // one address
  readonly dkim: { readonly keyFile: string; readonly selector: string } | undefined;
}

/** Email and webhooks. */
export const delivery = concern(
  {
    DELIVERY: oneOf(["server", "worker", "off"])
      .default("server")
      .describe(
        "process that sends email and webhooks: `server`: the server itself; `worker`: `presence deliver`, run as a service or by a timer; `off`: none, and answers say so",
      )
      .meta(shown()),
    SMTP_URL: secret(
      z.url({ protocol: /^smtps?$/, error: "must be an smtp:// or smtps:// address" }),
      "email server, smtp:// or smtps://, with user and password; unset: email waits, or in a demonstration is written to `state/mail` in PRESENCE_HOME",
      shown(),
    ),
    MAIL_FROM: z
      .email({ error: "must be one email address, such as alerts@example.org" })
      .max(254)
      .optional()
      .describe("sender of every email, one address; required with SMTP_URL")
      .meta(shown("presence@example.org")),
    DKIM_KEY_FILE: path
      .optional()
      .describe(
        "PEM file with the private key that signs email for the domain of MAIL_FROM; unset: `dkim.pem` in the folder of the secrets, or unsigned",
      ),
    DKIM_SELECTOR: z
      .string()
      .regex(/^[a-z0-9]([a-z0-9.-]{0,62}[a-z0-9])?$/i, "must be letters, digits, dots and hyphens")
      .optional()
      .describe(
        "name of the DKIM key in the DNS (SELECTOR._domainkey.DOMAIN); the key is `dkim.pem` in the folder of the secrets, or DKIM_KEY_FILE",
      )
      .meta(shown()),
    WEBHOOK_PORTS: z
      .string()
      .regex(/^\d{1,5}(,\d{1,5}){0,19}$/, "must be port numbers, separated by commas")
      .optional()
      .describe("ports that webhook endpoints may have besides 443, separated by commas"),
    WEBHOOKS_ALLOW_LOOPBACK: flag.describe(
      "`true`: webhooks may call this machine itself, over http:// and on any port; for tests only",
    ),
  },
  (values) => ({
    delivery: values.DELIVERY,
    mail: mailSettings(values),
    webhookRules: {
      allowLoopback: values.WEBHOOKS_ALLOW_LOOPBACK,
      ports: values.WEBHOOK_PORTS?.split(",").map(Number) ?? [],
    },
  }),
);

interface MailValues {
  readonly SMTP_URL?: Secret | undefined;
  readonly MAIL_FROM?: string | undefined;
  readonly DKIM_KEY_FILE?: string | undefined;
  readonly DKIM_SELECTOR?: string | undefined;
}

function mailSettings({
  SMTP_URL: smtpUrl,
  MAIL_FROM: from,
  DKIM_KEY_FILE: keyFile,
  DKIM_SELECTOR: selector,
}: MailValues): MailSettings | undefined {
  if (smtpUrl === undefined) return undefined;
  if ((keyFile === undefined) !== (selector === undefined))
    throw new OperatorError("DKIM_KEY_FILE and DKIM_SELECTOR: set both or neither");
  if (from === undefined)
    throw new OperatorError(
      "MAIL_FROM must be set when SMTP_URL is set: give the address that email is sent from",
    );
  return {
    smtpUrl,
    from,
    dkim: keyFile === undefined || selector === undefined ? undefined : { keyFile, selector },
  };
}
