/** How many subscription requests, reports and requests for removal are taken in an hour: from one client, from its network, and from everybody. */

import { widerNetworkOf } from "../../activity/client-address.ts";
import { type CountingStore, hourlyLimiter, type Limiter } from "./rate-limit.ts";

export type WriteKind = "subscriptions" | "reports" | "removals" | "removal_checks";
export type WriteBudget = "client" | "network" | "all";

export interface WriteRefusal {
  readonly budget: WriteBudget;
  readonly retryAfter: number; // seconds
}

export interface WriteLimiter {
  /** Takes one write from the client's three budgets; a refusal takes nothing from the wider ones. */
  take(client: string): Promise<WriteRefusal | undefined>;
}

interface WriteLimiterOptions {
  readonly store: CountingStore;
  readonly kind: WriteKind;
  readonly limits: { readonly perClient: number; readonly perNetwork: number; readonly perHour: number };
  onRefused(kind: WriteKind, budget: WriteBudget): void;
}

export function writeLimiter({ store, kind, limits, onRefused }: WriteLimiterOptions): WriteLimiter {
  const budgets: readonly [WriteBudget, Limiter, (client: string) => string][] = [
    ["client", hourlyLimiter(store, kind, limits.perClient), (client) => client],
    ["network", hourlyLimiter(store, `${kind}_network`, limits.perNetwork), widerNetworkOf],
    ["all", hourlyLimiter(store, `${kind}_all`, limits.perHour), () => "all"],
  ];
  return {
    async take(client) {
      for (const [budget, limiter, holderOf] of budgets) {
        const { retryAfter } = await limiter.take(holderOf(client));
        if (retryAfter === undefined) continue;
        onRefused(kind, budget);
        return { budget, retryAfter };
      }
      return undefined;
    },
  };
}
