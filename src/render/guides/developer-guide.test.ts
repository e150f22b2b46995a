import { expect, test } from "vitest";
import { WEBHOOK_CONTRACT } from "../../contract/accounts/delivery.ts";
import { MCP_LIMITS, READS_PER_MINUTE, WEBHOOK_DELIVERY } from "../../contract/limits.ts";
import { TOOLS } from "../../contract/mcp/tools.ts";
import { API_VERSION } from "../../contract/versions.ts";
import { CACHING, LIMITS, VERSIONING, WEBHOOKS } from "./developer-guide.ts";
import { LEDGER_FILES, PROVES, PROVES_NOT } from "./ledger-guide.ts";

const said = (points: readonly { term: string; text: string }[]) =>
  points.map(({ term, text }) => `${term}: ${text}`).join("\n");

test("every point has its code marked from end to end", () => {
  for (const { term, text } of [...CACHING, ...LIMITS, ...VERSIONING, ...WEBHOOKS])
    for (const part of [term, text]) {
      expect(part).not.toBe("");
      expect(part.split("`").length % 2, part).toBe(1);
    }
});

test("limits and versions are those of the contract", () => {
  expect(said(LIMITS)).toContain(`${READS_PER_MINUTE} reads`);
  expect(said(LIMITS)).toContain(`${MCP_LIMITS.requestsPerMinute} messages per minute`);
  expect(said(VERSIONING)).toContain(API_VERSION);
  for (const { name, deprecated } of TOOLS)
    expect(said(VERSIONING).includes(`the MCP tool \`${name}\``), name).toBe(deprecated !== undefined);
});

test("all of the webhook contract is said", () => {
  const all = said(WEBHOOKS);
  const { headers, payload, verification, event_types } = WEBHOOK_CONTRACT;
  for (const text of [
    ...Object.entries(headers).flat(),
    ...Object.entries(payload).flat(),
    ...event_types,
    ...WEBHOOK_CONTRACT.disabled_when,
    ...WEBHOOK_CONTRACT.endpoint_rules,
    verification.type,
    verification.flow,
    WEBHOOK_CONTRACT.registration,
    WEBHOOK_CONTRACT.secret,
    WEBHOOK_CONTRACT.success,
    WEBHOOK_CONTRACT.note,
  ])
    expect(all).toContain(String(text));
  expect(all).toContain(
    "5 seconds, 5 minutes, 30 minutes, 2 hours, 5 hours, 10 hours, 14 hours, 20 hours, 1 day",
  );
  expect(WEBHOOK_DELIVERY.retryDelaysSeconds).toHaveLength(9);
});

test("the guide to the ledger is whole sentences", () => {
  for (const text of [...PROVES, ...PROVES_NOT, ...LEDGER_FILES.map(({ text }) => text)])
    expect(text).toMatch(/^[A-Z].*\.$/);
});
