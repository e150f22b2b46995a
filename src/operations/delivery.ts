import { deliverDue } from "../accounts/delivery/deliver.ts";
import { deliveryDeps, deliverySetup } from "../accounts/delivery/delivery-setup.ts";
import type { DeliverySetup } from "../contract/accounts/delivery.ts";
import type { State } from "../state/open-state.ts";
import { type CommandContext, currentEnvironment, homeOf, logOf } from "./context.ts";

/** How the configuration delivers, for releases of the current environment. */
export function setupOf(context: CommandContext): DeliverySetup {
  return deliverySetup(context.config, currentEnvironment(homeOf(context)));
}

/** Throws OperatorError when the DKIM key cannot be read or DELIVERY is off. */
export function deliveryOf(context: CommandContext): ReturnType<typeof deliveryDeps> {
  return deliveryDeps(context.config, currentEnvironment(homeOf(context)), logOf(context));
}

/** Sends everything that is due. Throws OperatorError as `deliveryOf` does. */
export async function sendDue(context: CommandContext, state: State | undefined) {
  const delivery = deliveryOf(context);
  try {
    const { done, retry, dead } =
      state === undefined ? { done: 0, retry: 0, dead: 0 } : await deliverDue(state, delivery);
    return { delivered: done, to_try_again: retry, given_up: dead };
  } finally {
    delivery.mailer?.close();
  }
}
