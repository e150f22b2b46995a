import { DELIVERIES_KEPT_DAYS, MATCHED_EVENTS_KEPT_DAYS } from "../contract/limits.ts";
import type { Config } from "../kernel/config/config.ts";
import { type Clock, DAY_MS } from "../kernel/time.ts";
import type { State } from "../state/open-state.ts";

interface PruneDeps {
  readonly config: Pick<Config, "retention">;
  readonly clock: Clock;
}

/** Deletes what the state has kept long enough, also from the write-ahead log: docs/operations/privacy.md lists the periods. */
export async function pruneState(state: State, { config, clock }: PruneDeps): Promise<void> {
  const { endedSubscriptionDays, openReportDays, formerContactDays } = config.retention;
  await state.subscriptions.prune();
  await state.subscriptions.pruneEnded(endedSubscriptionDays);
  await state.emails.prune();
  await state.usage.prune();
  await state.reports.prune();
  await state.reports.pruneOpen(openReportDays);
  await state.removals.prune();
  await state.partners.pruneContacts(formerContactDays);
  await state.outbox.prune(clock() - DELIVERIES_KEPT_DAYS * DAY_MS);
  await state.publications.prune(clock() - MATCHED_EVENTS_KEPT_DAYS * DAY_MS);
  await state.cutLog();
}
