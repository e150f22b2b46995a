/** The copy that a person gets of what is stored: without hashes and tokens, which say nothing about anyone and open links. */

import { mailboxesIn } from "../../kernel/text/mailbox.ts";
import { isoTime } from "../../kernel/time.ts";
import type { SubjectData } from "../../state/subjects/subject-data.ts";
import type { Row } from "../../state/tables.ts";

export function subjectExport(data: SubjectData, mailFiles: readonly string[], now: number) {
  return {
    mailbox: data.mailbox,
    exported_at: isoTime(now),
    refuses_email: data.suppressed,
    subscriptions: data.subscriptions.map((row) => ({
      ...wishFields(row),
      status: row.status,
      created_at: isoTime(row.created_at),
      confirmed_at: isoTime(row.confirmed_at),
      updated_at: isoTime(row.updated_at),
    })),
    subscription_requests: data.requests.map((row) => ({
      ...wishFields(row),
      created_at: isoTime(row.created_at),
      expires_at: isoTime(row.expires_at),
      used_at: timeOrNull(row.used_at),
    })),
    webhooks: data.webhooks.map(({ public_id, endpoint_url, status, created_at }) => ({
      public_id,
      endpoint_url,
      status,
      created_at: isoTime(created_at),
    })),
    reports: data.reports.map((row) => reportFields(row, data)),
    report_notes: data.resolutions.map(({ report_id, outcome, note, resolved_at }) => ({
      report_id,
      outcome,
      note,
      resolved_at: isoTime(resolved_at),
    })),
    partner_contacts: data.partners.map(({ public_id, name, status }) => ({ public_id, name, status })),
    deliveries: data.deliveries.map(({ id, kind, target, state, created_at, finished_at }) => ({
      id,
      kind,
      target,
      state,
      created_at: isoTime(created_at),
      finished_at: timeOrNull(finished_at),
    })),
    delivery_errors: data.attempts.map(({ id, error }) => ({ id, error })),
    mail_files: mailFiles,
  };
}

function wishFields(row: Row<"subscriptions"> | Row<"subscription_requests">) {
  const { public_id, email, city, channel, entity_public_id, industry_code, webhook_url } = row;
  const { event_types, min_confidence } = row;
  return {
    public_id,
    email: email === "" ? null : email,
    city,
    channel,
    entity_public_id,
    industry_code,
    event_types: event_types === null ? null : JSON.parse(event_types),
    min_confidence,
    webhook_url,
  };
}

/** The address of somebody else who wrote about this person is not theirs to have. */
function reportFields(
  { public_id, kind, about, text, email, received_at }: Row<"reports">,
  data: SubjectData,
) {
  const isSender = email !== null && mailboxesIn(email).has(data.mailbox);
  return {
    report_id: public_id,
    kind,
    about,
    sent_by_this_person: isSender,
    email: isSender ? email : null,
    text,
    received_at: isoTime(received_at),
  };
}

function timeOrNull(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}
