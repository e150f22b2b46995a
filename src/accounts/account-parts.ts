import type { DeliverySetup } from "../contract/accounts/delivery-setup.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import type { Clock } from "../kernel/time.ts";
import type { ReadContext } from "../resources/define.ts";
import type { StateSource } from "./state-source.ts";

/** What the operations on subscriptions and partner accounts work with. */
export interface AccountParts {
  readonly state: StateSource;
  /** Of the release of this moment: ask again after every await. Throws PublicError 503 before the first release. */
  snapshot(): ReadContext["snapshot"];
  /** Why a webhook may not have this address, as the end of a sentence about it. */
  endpointProblem(url: string): string | undefined;
  /** What the operator has set up for delivery, so that no answer promises more. */
  delivery(): DeliverySetup;
  readonly clock: Clock;
  readonly random: RandomBytes;
}
