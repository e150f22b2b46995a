import type { DeliverySetup } from "../contract/accounts/delivery-setup.ts";
import type { RandomBytes } from "../kernel/ids.ts";
import type { Clock } from "../kernel/time.ts";
import type { ReadContext } from "../resources/define.ts";
import type { EmailLimits, Withheld } from "../state/emails/email-budgets.ts";
import type { StateSource } from "./state-source.ts";
import type { WebsiteProver } from "./website-proof.ts";

/** Dependencies of the operations on subscriptions, partner accounts and reports. */
export interface AccountDeps {
  readonly state: StateSource;
  /** Of the current release: call it again after every await. Throws PublicError 503 before the first release. */
  snapshot(): ReadContext["snapshot"];
  /** Why a webhook may not have this address, as the predicate of a sentence; undefined when it may. */
  endpointProblem(url: string): string | undefined;
  /** Looks for the token of a request for removal. */
  readonly proveWebsite: WebsiteProver;
  /** The operator's delivery setup: answers promise no more than it. */
  delivery(): DeliverySetup;
  readonly emailBudgets: EmailLimits;
  /** Called for each email that a request asked for and that is not sent; the answer does not tell. */
  onWithheld(reason: Withheld): void;
  readonly clock: Clock;
  readonly random: RandomBytes;
}
