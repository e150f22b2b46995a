import { shownFault } from "../../kernel/text/shown-fault.ts";

/** What the forms of pages call the parameters and fields of the API. */
const FIELD_LABELS: Readonly<Record<string, string>> = {
  name: "Name",
  city: "City",
  industry: "Industry",
  online_presence: "Online presence",
  website: "Website",
  near: "The area",
  ranking_state: "Ranking",
  claim_status: "Claim",
  claim_state: "Claim",
  sort: "Order",
  cursor: "The link to this page of the list",
  asset_type: "Kind of asset",
  first_observed: "First observed",
  min_percentile: "Percentile",
  limit: "Rows",
  email: "Email address",
  entity_public_id: "Only this record",
  industry_code: "Only this industry",
  event_types: "“Notify me when”",
  min_confidence: "“How certain it must be”",
  channel: "Delivery",
  webhook_url: "Webhook",
  about: "“What is it about?”",
  kind: "“What is wrong?”",
  text: "The description",
  record: "The record",
  proof: "The proof",
  reason: "The reason",
};

/** A message of the API for a reader of a page: a field that it begins with has its label, and it ends with a full stop. */
export function pageSentence(message: string): string {
  const [, name = "", fault = ""] = /^(\w+) (.*)$/s.exec(message) ?? [];
  const label = Object.hasOwn(FIELD_LABELS, name) ? FIELD_LABELS[name] : undefined;
  const fitting = label === undefined || !IS_FAULT.test(fault) ? message : shownFault(label, fault);
  const said = fitting.replace(/`(\w+)`/g, (code, field: string) =>
    Object.hasOwn(FIELD_LABELS, field) ? (FIELD_LABELS[field] ?? code) : code,
  );
  return `${said.charAt(0).toUpperCase()}${said.slice(1)}.`;
}

/** Faults of a field go on like this; other messages may begin with the same word. */
const IS_FAULT = /^(must|is|has|change) /;
