/** Texts of the page `/developers/`. Numbers come from the contract. Text between backticks is code. */

import { WEBHOOK_CONTRACT } from "../../contract/accounts/delivery.ts";
import { ACCOUNT_BODY_BYTES, READS_PER_MINUTE } from "../../contract/limits.ts";
import { TOOLS } from "../../contract/mcp/tools.ts";
import { API_VERSION, CONTRACT_STATUS } from "../../contract/versions.ts";
import { duration, utcDate } from "../words/format.ts";
import { type GuidePoint, LIMITS_AND_ERRORS } from "./agent-guide.ts";

export const CACHING: readonly GuidePoint[] = [
  {
    term: "Every response has an ETag",
    text: "Send it back as `If-None-Match` as often as you like: a 304 response costs almost nothing. `Cache-Control` states how long you may reuse a response without asking.",
  },
  {
    term: "One release at a time",
    text: "All responses describe the same time, `data_as_of`, and a new release replaces them together. To copy a whole release, read `/manifest.json` first: it lists the SHA-256 of every file.",
  },
  {
    term: "What never changes",
    text: "Tiles and signed tree heads below `/ledger/tile/` and `/ledger/checkpoints/` never change: cache them forever.",
  },
  {
    term: "Compressed",
    text: "Send `Accept-Encoding: gzip`: files are compressed where that saves something.",
  },
];

export const LIMITS: readonly GuidePoint[] = [
  {
    term: "Rate limit",
    text: `${READS_PER_MINUTE} reads with arguments per minute and client address. The headers \`RateLimit\` and \`RateLimit-Policy\` state what is left.`,
  },
  ...LIMITS_AND_ERRORS,
  {
    term: "Request bodies",
    text: `At most ${ACCOUNT_BODY_BYTES / 1024} kB of JSON: 413 for more, 415 for another media type. A 400 response lists the invalid fields in \`fields\`.`,
  },
  {
    term: "Retries",
    text: "Retry after 429 and 503, when the seconds in `Retry-After` have passed. Never retry after another 4xx: the same request gets the same response.",
  },
];

const deprecated = TOOLS.flatMap(({ name, deprecated }) =>
  deprecated === undefined
    ? []
    : [
        `the MCP tool \`${name}\`, replaced by \`${deprecated.replacement}\`, until ${utcDate(deprecated.removal_after)}`,
      ],
);

export const VERSIONING: readonly GuidePoint[] = [
  {
    term: `Version ${API_VERSION}`,
    text: `The path contains the major version (\`/api/v1\`); \`/openapi.json\` states the full version. The contract status is \`${CONTRACT_STATUS}\`.`,
  },
  {
    term: "Changes at any time",
    text: "New object fields, new operations, new optional parameters. Ignore fields that you do not know.",
  },
  {
    term: "Changes in a new major version",
    text: "Removing or renaming a field, narrowing its type, changing its meaning.",
  },
  {
    term: "Deprecated",
    text: `Before removal, items are marked \`deprecated\` in the reference and in \`/mcp/contract.json\`. Currently deprecated: ${[...deprecated, "the field `coverage_status` of the city index, replaced by `coverage_confidence`"].join("; ")}.`,
  },
];

const { headers, verification, withdrawal, payload, limits, retry_delays_seconds: delays } = WEBHOOK_CONTRACT;

/** The webhook contract, in the order in which a receiver needs it. */
export const WEBHOOKS: readonly GuidePoint[] = [
  { term: "Register", text: WEBHOOK_CONTRACT.registration },
  { term: "Address", text: WEBHOOK_CONTRACT.endpoint_rules.join(" ") },
  { term: "Secret", text: WEBHOOK_CONTRACT.secret },
  { term: `Challenge: \`${verification.type}\``, text: verification.flow },
  { term: "Signature", text: `${WEBHOOK_CONTRACT.signing} ${WEBHOOK_CONTRACT.specification}` },
  ...Object.entries(headers).map(([name, text]) => ({ term: `Header \`${name}\``, text: String(text) })),
  ...Object.entries(payload).map(([name, text]) => ({ term: `Body \`${name}\``, text: String(text) })),
  { term: "Types", text: WEBHOOK_CONTRACT.event_types.map((type) => `\`${type}\``).join(", ") },
  {
    term: `Test: \`${WEBHOOK_CONTRACT.test_type}\``,
    text: "Sent on request, once the endpoint is verified.",
  },
  { term: `Withdrawal: \`${withdrawal.type}\``, text: withdrawal.flow },
  {
    term: "Taken",
    text: `${WEBHOOK_CONTRACT.success} Respond within ${limits.timeout_seconds} seconds; the service reads the first ${limits.answer_bytes_read} bytes.`,
  },
  {
    term: "Retries",
    text: `After ${delays.map(duration).join(", ")}, plus up to 20 % at random; then delivery is abandoned. ${WEBHOOK_CONTRACT.note}`,
  },
  { term: "Disabled", text: WEBHOOK_CONTRACT.disabled_when.join(" ") },
  {
    term: "Limits",
    text: `At most ${limits.endpoints_per_client} endpoints per client and ${limits.payload_bytes} bytes per message.`,
  },
];
