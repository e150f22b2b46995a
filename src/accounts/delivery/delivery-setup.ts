import { type DeliverySetup, NO_DELIVERY } from "../../contract/accounts/delivery.ts";
import type { Environment } from "../../contract/enums.ts";
import type { Config } from "../../kernel/config/config.ts";
import { OperatorError } from "../../kernel/errors.ts";
import { homePaths } from "../../kernel/home.ts";
import type { Log } from "../../kernel/log.ts";
import { systemClock } from "../../kernel/time.ts";
import type { DeliveryDeps } from "./attempt.ts";
import { type Mailer, openFileMailer, openMailer } from "./mailer.ts";
import { webhookSender } from "./webhook-sender.ts";

/**
 * Builds delivery from the configuration, for releases of an environment. Throws OperatorError when the DKIM key is
 * unreadable or delivery is off.
 */
export function deliveryDeps(config: Config, environment: Environment | undefined, log: Log): DeliveryDeps {
  if (config.delivery === "off")
    throw new OperatorError("DELIVERY is off, so nothing is sent: set it to server or worker.");
  return {
    baseUrl: config.baseUrl,
    siteName: config.siteName,
    mailer: mailerOf(config, environment),
    sendWebhook: webhookSender(config.webhookRules),
    clock: systemClock,
    chance: Math.random,
    log,
  };
}

/** Returns undefined when email waits. */
function mailerOf(config: Config, environment: Environment | undefined): Mailer | undefined {
  if (config.mail !== undefined) return openMailer(config.mail, config.baseUrl);
  if (deliverySetup(config, environment).email !== "written_to_files") return undefined;
  return openFileMailer(homePaths(config.home).email, config.baseUrl);
}

/** Delivery setup of a configuration. Without an email server, a demonstration writes emails to files; other services hold them in the outbox. */
export function deliverySetup(
  { delivery, mail }: Pick<Config, "delivery" | "mail">,
  environment: Environment | undefined,
): DeliverySetup {
  if (delivery === "off") return NO_DELIVERY;
  if (mail !== undefined) return { email: "sent", webhooks: true };
  return { email: environment === "demo" ? "written_to_files" : "waiting", webhooks: true };
}
