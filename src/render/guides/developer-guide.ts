import { WEBHOOK_CONTRACT } from "../../contract/accounts/webhook-contract.ts";
import { ACCOUNT_BODY_BYTES, READS_PER_MINUTE } from "../../contract/limits.ts";
import { TOOLS } from "../../contract/mcp/tools.ts";
import { API_VERSION, CONTRACT_STATUS } from "../../contract/versions.ts";
import { duration } from "../words/format.ts";
import { type GuidePoint, LIMITS_AND_ERRORS } from "./agent-guide.ts";

/** What the page `/developers/` says beside its programs. Numbers are those of the contract. Text between backticks is code. */

export const CACHING: readonly GuidePoint[] = [
  {
    term: "Every answer has an ETag",
    text: "Send it back as `If-None-Match` and ask as often as you like: 304 costs you and us next to nothing. `Cache-Control` says how long an answer may be used without asking.",
  },
  {
    term: "One release at a time",
    text: "All answers describe the instant `data_as_of`, and a new release replaces them together. To hold the whole of one, read `/manifest.json` first: it has the SHA-256 of every file.",
  },
  {
    term: "What never changes",
    text: "Tiles and signed tree heads below `/ledger/tile/` and `/ledger/checkpoints/` are final: keep them for good.",
  },
  {
    term: "Compressed",
    text: "Send `Accept-Encoding: br, gzip`: every text lies there in both forms.",
  },
];

export const LIMITS: readonly GuidePoint[] = [
  {
    term: "How often",
    text: `${READS_PER_MINUTE} reads with arguments a minute and client address. \`RateLimit\` and \`RateLimit-Policy\` in the answer say what is left.`,
  },
  ...LIMITS_AND_ERRORS,
  {
    term: "Request bodies",
    text: `${ACCOUNT_BODY_BYTES / 1024} kB of JSON at most: 413 for more, 415 for another media type. A 400 names what is wrong with each field in \`fields\`.`,
  },
  {
    term: "Try again",
    text: "After 429 and 503, when the seconds of `Retry-After` are over. Never after another 4xx: the same request gets the same answer.",
  },
];

const deprecated = TOOLS.flatMap(({ name, deprecated }) =>
  deprecated === undefined
    ? []
    : [
        `the MCP tool \`${name}\`, in favour of \`${deprecated.replacement}\`, until ${deprecated.removal_after}`,
      ],
);

export const VERSIONING: readonly GuidePoint[] = [
  {
    term: `Version ${API_VERSION}`,
    text: `The major version is in the address (\`/api/v1\`), the whole one in \`/openapi.json\`. The contract has the status \`${CONTRACT_STATUS}\`.`,
  },
  {
    term: "What may come at any time",
    text: "New members of objects, new operations, new optional parameters. Ignore what you do not know.",
  },
  {
    term: "What needs a new major version",
    text: "Removing or renaming a member, narrowing its type, giving it another meaning.",
  },
  {
    term: "Deprecated",
    text: `What is to go is marked \`deprecated\` long before, in the reference and in \`/mcp/contract.json\`. At present: ${[...deprecated, "the member `coverage_status` of the city index, in favour of `coverage_confidence`"].join("; ")}.`,
  },
];

const { headers, verification, payload, limits, retry_delays_seconds: delays } = WEBHOOK_CONTRACT;

/** All of the webhook contract, in the order in which a receiver meets it. */
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
    text: "Sent when you ask for it, once the endpoint is verified.",
  },
  {
    term: "Taken",
    text: `${WEBHOOK_CONTRACT.success} Answer within ${limits.timeout_seconds} seconds; of the answer ${limits.answer_bytes_read} bytes are read.`,
  },
  {
    term: "Tried again",
    text: `After ${delays.map(duration).join(", ")}, and up to a fifth more by chance; then it is given up. ${WEBHOOK_CONTRACT.note}`,
  },
  { term: "Disabled", text: WEBHOOK_CONTRACT.disabled_when.join(" ") },
  {
    term: "Limits",
    text: `${limits.endpoints_per_client} endpoints for each client; a message has ${limits.payload_bytes} bytes at most.`,
  },
];
