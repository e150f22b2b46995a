import type { Store } from "../store.ts";
import { type EmailLimits, pruneBudgets, takeEmail, type Withheld } from "./email-budgets.ts";

/** Decides whether an email that a stranger may have caused is sent. */
export class Emails {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** See email-budgets.ts. */
  take(email: string, limits: EmailLimits): Promise<Withheld | undefined> {
    return takeEmail(this.#store, email, limits);
  }

  prune(): Promise<number> {
    return pruneBudgets(this.#store);
  }
}
