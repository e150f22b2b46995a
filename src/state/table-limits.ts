import { DELIVERIES_KEPT_DAYS, MATCHED_EVENTS_KEPT_DAYS, RAW_ACTIVITY_DAYS } from "../contract/limits.ts";
import type { TableLimit } from "../kernel/table-limit.ts";
import type { StateTables } from "./tables.ts";
import { MAX_DAILY_CLIENTS } from "./usage/usage-counters.ts";

const MAX_CLIENTS = MAX_DAILY_CLIENTS.toLocaleString("en-US");
const BUDGET = "`WRITES_PER_HOUR`";

/** Every table of the state. Nothing is stored for a request that was refused, but daily counts. */
export const STATE_LIMITS: Readonly<Record<keyof StateTables, TableLimit>> = {
  store: { limit: "1 row", kept: "as long as the database" },
  subscription_requests: { limit: `${BUDGET} an hour`, kept: "48 hours" },
  subscriptions: { limit: "confirmed requests", kept: "`ENDED_SUBSCRIPTION_DAYS` after their end" },
  suppressed_addresses: {
    limit: "1 an address that bounced, complained or refused",
    kept: "until allowed again",
  },
  email_budgets: { limit: "1 a mailbox and 1 a domain that got an email", kept: "1 day" },
  outbox: {
    limit: "emails within their budgets; 1 a release and receiver",
    kept: `${DELIVERIES_KEPT_DAYS} days after the last attempt`,
  },
  delivery_attempts: { limit: "10 a webhook delivery, 10 an email", kept: "with their delivery" },
  publications: { limit: "1 a release", kept: `${MATCHED_EVENTS_KEPT_DAYS} days; the newest stays` },
  matched_events: { limit: "1 a published event", kept: `${MATCHED_EVENTS_KEPT_DAYS} days` },
  partner_clients: { limit: "made by the operator", kept: "without contact after `FORMER_CONTACT_DAYS`" },
  partner_quotas: { limit: "1 a partner", kept: "with the partner" },
  partner_keys: { limit: "made by the operator", kept: "with the partner" },
  webhooks: { limit: "10 a partner, 1 a subscription", kept: "until removed" },
  usage_requests: {
    limit: "reads with a key: the daily quotas",
    kept: `${RAW_ACTIVITY_DAYS} days`,
  },
  usage_counters: { limit: "1 a day and value of a closed list, city or record", kept: "forever" },
  usage_instances: { limit: `${MAX_CLIENTS} clients a day`, kept: "until the next day is over" },
  usage_search_clients: {
    limit: `searches of ${MAX_CLIENTS} clients a day`,
    kept: "until the next day is over",
  },
  usage_salts: { limit: "1 a day", kept: "until the next day is over" },
  usage_segments: { limit: "1 a part of an imported log", kept: `${RAW_ACTIVITY_DAYS + 1} days` },
  reports: {
    limit: `${BUDGET} an hour`,
    kept: "texts and addresses 90 days after the decision, or `OPEN_REPORT_DAYS`",
  },
  report_resolutions: { limit: "decisions of reviewers", kept: "with their report; notes 90 days" },
  removals: { limit: `${BUDGET} an hour`, kept: "14 days unproven, 90 days after their end" },
};
