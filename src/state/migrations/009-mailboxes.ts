import type { ColumnTypes } from "./column-types.ts";

/**
 * Addresses of one mailbox are told by `mailbox_key`, a keyed hash, which rows of earlier versions lack: their address was
 * hashed as it was written. `email_budgets` counts the emails that strangers caused, by keyed hashes of mailbox and domain.
 */
export const mailboxTables = ({ int, end }: ColumnTypes): readonly string[] => [
  "ALTER TABLE subscription_requests ADD COLUMN mailbox_key TEXT",
  "ALTER TABLE subscriptions ADD COLUMN mailbox_key TEXT",
  "CREATE INDEX subscription_requests_mailbox ON subscription_requests (mailbox_key)",
  "CREATE INDEX subscriptions_mailbox ON subscriptions (mailbox_key)",
  `CREATE TABLE email_budgets (
    budget TEXT NOT NULL CHECK (budget IN ('mailbox', 'domain')),
    holder_key TEXT NOT NULL,
    started_at ${int} NOT NULL,
    used ${int} NOT NULL,
    PRIMARY KEY (budget, holder_key)
  ) ${end}`,
];
