import type { Config } from "../kernel/config.ts";
import type { Log } from "../kernel/log.ts";
import { systemClock } from "../kernel/time.ts";
import type { DeliveryParts } from "./attempt.ts";
import { openMailer } from "./mailer.ts";
import { webhookSender } from "./webhook-sender.ts";

/** What the configuration says about sending. Throws OperatorError when the DKIM key cannot be read. */
export function deliveryParts(config: Config, log: Log): DeliveryParts {
  return {
    baseUrl: config.baseUrl,
    mailer: config.mail && openMailer(config.mail, config.baseUrl),
    sendWebhook: webhookSender(config.webhookRules),
    clock: systemClock,
    chance: Math.random,
    log,
  };
}
