import { type DeliverySetup, NO_DELIVERY } from "../contract/accounts/delivery-setup.ts";
import type { Environment } from "../contract/enums.ts";
import type { Config } from "../kernel/config/config.ts";

/** Delivery setup of a configuration. Without an email server, a demonstration writes emails to files; other services hold them in the outbox. */
export function deliverySetup(
  { delivery, mail }: Pick<Config, "delivery" | "mail">,
  environment: Environment | undefined,
): DeliverySetup {
  if (delivery === "off") return NO_DELIVERY;
  if (mail !== undefined) return { email: "sent", webhooks: true };
  return { email: environment === "demo" ? "written_to_files" : "waiting", webhooks: true };
}
