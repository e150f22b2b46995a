import { Counter, Registry } from "prom-client";
import type { Withheld } from "../../state/emails/email-budgets.ts";
import type { WriteBudget, WriteKind } from "../limits/write-limits.ts";

/** Counts the writes of strangers that a budget refused, and the emails that they did not cause. */
export class WriteMetrics {
  readonly registry = new Registry();
  readonly #refused = new Counter({
    name: "presence_writes_refused_total",
    help: "Subscription requests and reports refused, by the budget that was used up.",
    labelNames: ["kind", "budget"],
    registers: [this.registry],
  });
  readonly #withheld = new Counter({
    name: "presence_emails_withheld_total",
    help: "Emails that requests asked for and that were not sent, by reason.",
    labelNames: ["reason"],
    registers: [this.registry],
  });

  readonly refused = (kind: WriteKind, budget: WriteBudget): void => this.#refused.inc({ kind, budget });
  readonly withheld = (reason: Withheld): void => this.#withheld.inc({ reason });
}
