/** Published versions and schema names (interface section 9), each defined only here. */

/** Of the program, for operators; package.json and CHANGELOG.md repeat it (`build-scripts/documents/versions.test.ts`). */
export const PROGRAM_VERSION = "2.0.0";
/** Of the contract with clients, REST and MCP; docs/api-changelog.md has its changes. */
export const API_VERSION = "1.5.0";
export const SCHEMA_VERSION = "2026-08-07.v11";
export const FIXTURE_VERSION = "2026-08-07.v6";
export const CONTRACT_STATUS = "public_beta";
export const CONTRACT_INTRODUCED = "2026-07-29";

export const GATE_VERSION = "2026-11-23.v4";
export const INDEPENDENCE_VERSION = "independence-2026-11.v1";
export const SCORE_VERSION = "pps-2026-11.v3";
export const COVERAGE_VERSION = "city-coverage-v4";
export const REVISIT_VERSION = "revisit-2026-11.v1";
export const SCOPE_VERSION = "entity-scope-v2";
export const CANONICALIZATION_VERSION = "rfc8785-v1";
export const HASH_ALGORITHM = "sha-256";
export const LEDGER_SCHEMA_VERSION = 1;

export const SCHEMA = {
  evidencePacket: "com.service.public_evidence_packet.v2",
  claimBoundary: "com.service.evidence_claim_boundary.v1",
  citation: "com.service.citation.v1",
  pulse: "com.service.pulse_city_feed.v1",
  methodologyMetrics: "com.service.public_methodology_metrics.v1",
  searchAiReadiness: "com.service.search_ai_readiness.v1",
  alertSubscription: "com.service.alert_subscription.v1",
  problemReport: "com.service.problem_report.v1",
  partnerPortal: "com.service.partner_portal.v1",
  partnerWebhook: "com.service.partner_webhook.v1",
  machineActivity: "com.service.machine_activity.v2",
  status: "com.service.public_status.v1",
  cityArea: "com.service.city_area.v1",
  cityOptions: "com.service.city_options.v1",
  industryOptions: "com.service.isic_industry_options.v1",
  ledgerDisclosure: "com.service.ledger_disclosure.v1",
  ledgerKeys: "com.service.ledger_keys.v1",
  ledgerRedactions: "com.service.ledger_redactions.v1",
  removalRequest: "com.service.removal_request.v1",
  independence: "com.service.independence.v1",
  withdrawals: "com.service.ledger_withdrawals.v1",
  publicSnapshot: "com.service.public_snapshot.v1",
} as const;
