import type { TableLimit } from "../../kernel/table-limit.ts";

const LEDGER = "as long as the ledger";
const ROW = { limit: "1 a ledger row", kept: LEDGER };
const LIVE = "until its rows are erased";

/** Every table of the ledger's database. Only accepted lines and the operator's commands add rows. */
export const LEDGER_LIMITS: Readonly<Record<string, TableLimit>> = {
  meta: { limit: "1 row", kept: LEDGER },
  rows: ROW,
  openings: { limit: "1 a live row", kept: LIVE },
  checkpoints: { limit: "1 a signed tree", kept: LEDGER },
  online_checks: { limit: "`ONLINE_CHECKS_PER_NIGHT` a night", kept: LIVE },
  signing_keys: { limit: "1 a rotation", kept: LEDGER },
  manifest_keys: { limit: "1 a rotation", kept: LEDGER },
  external_proofs: { limit: "1 a checkpoint and authority", kept: LEDGER },
  source_refs: { limit: "1 an accepted line", kept: LEDGER },
  recent_refs: { limit: "500,000, and those of a commit", kept: "until they are in `source_refs`" },
  record_names: { limit: "names and places of live records", kept: LIVE },
  record_contacts: { limit: "contacts of live records", kept: LIVE },
  assets_index: { limit: "places of live assets", kept: LIVE },
  vehicle_sightings: { limit: "observations of vehicles", kept: LIVE },
  opt_outs: { limit: "names of opt-outs", kept: LEDGER },
  opt_out_facts: { limit: "contacts of opt-outs", kept: "until they expire" },
  opt_out_words: { limit: "words of opted-out names", kept: LEDGER },
  recognition_models: { limit: "1 a source type and version", kept: LEDGER },
  public_ids: { limit: "1 an issued public id", kept: LEDGER },
  intake_cities: { limit: "1 a city", kept: LEDGER },
  intake_kind: { limit: "1 row", kept: LEDGER },
  pending: {
    limit: "accepted lines of open days, and held ones",
    kept: "until their day's seal, or a decision",
  },
  pending_log: { limit: "1 a batch of accepted or taken in lines", kept: LEDGER },
  intake_batches: { limit: "1 row", kept: LEDGER },
  batches: { limit: "1 an ingested file", kept: "400 days" },
  batch_lines: { limit: "1 a file, source and UTC day", kept: "400 days" },
  batch_rows: { limit: "1 an observation", kept: "400 days" },
  sources: { limit: "1 a source", kept: LEDGER },
  observers: { limit: "observers that the operator named", kept: "until erased" },
  affiliations: { limit: "made by the operator", kept: "until removed" },
  active_observers: { limit: "1 an observer and source", kept: "until erased" },
  seen_traces: { limit: "2 an observation with media", kept: LIVE },
  standings: { limit: "1 an established principal", kept: "until erased" },
  set_aside: { limit: "1 an observation that a check set aside", kept: LIVE },
  raised_items: { limit: "1 a finding of a check", kept: LIVE },
  delayed_changes: { limit: "1 a change that waits", kept: "14 days at most" },
  looks: { limit: "1 a cell, day and observer", kept: "until the row of their month is written" },
  looks_settled: { limit: "1 a city and kind of span", kept: LEDGER },
  look_makers: { limit: "makers of a look row", kept: LIVE },
  city_denominators: { limit: "1 a city", kept: LEDGER },
};
