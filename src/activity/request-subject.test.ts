import fc from "fast-check";
import { expect, test } from "vitest";
import { accountOperations } from "../contract/accounts/account-operations.ts";
import { routes } from "../site/routes/routes.ts";
import { needsNode, requestSubject } from "./request-subject.ts";

const NOTHING = { city: null, record: null, isSearch: false };

test.each([
  ["GET", "/api/v1/city/toronto/index", "rest", "getCityIndex", { city: "toronto" }],
  ["GET", "/api/v1/entity/demo_1?x=1", "rest", "getEntity", { record: "demo_1" }],
  [
    "GET",
    "/api/v1/search?name=a&city=toronto",
    "rest",
    "searchEntities",
    { city: "toronto", isSearch: true },
  ],
  ["POST", "/api/v1/alerts/subscribe", "rest", "subscribeAlerts", {}],
  ["GET", "/api/v1/partner/webhooks", "rest", "listPartnerWebhooks", {}],
  ["GET", "/api/v1/nothing", "rest", "unknown_api_address", {}],
  ["GET", "/pulse/toronto/rss.xml", "other", "getPulseRss", { city: "toronto" }],
  ["POST", "/mcp?x", "mcp", "mcp", {}],
  ["GET", "/mcp/contract.json", "other", "getMcpContract", {}],
  ["GET", "/ledger/tile/0/000", "other", "ledger_file", {}],
  ["GET", "/ledger/proof/7?size=9", "other", "getRowProof", {}],
  ["GET", "/record/demo_1/", "other", "record_page", { record: "demo_1" }],
  ["GET", "/city/toronto/", "other", "city_page", { city: "toronto" }],
  ["GET", "/city/Toronto/", "other", "city_page", { city: "toronto" }],
  ["GET", "/api/v1/city/TORONTO/index", "rest", "getCityIndex", { city: "toronto" }],
  [
    "GET",
    "/api/v1/search?name=a&city=Toronto",
    "rest",
    "searchEntities",
    { city: "toronto", isSearch: true },
  ],
  ["GET", "/city/toronto/?industry=I", "other", "city_page", { city: "toronto" }],
  ["GET", "/search/?name=a&city=toronto", "other", "search_page", { city: "toronto", isSearch: true }],
  ["GET", "/search/?city=toronto&cursor=x", "other", "search_page", { city: "toronto" }],
  ["GET", "/explorer/", "other", "explorer_page", {}],
  ["GET", "/", "other", "page", {}],
  ["GET", "/_astro/x.css", "other", "page_part", {}],
  ["GET", "/favicon.ico", "other", "other_file", {}],
  ["GET", "/healthz", "other", "health_check", {}],
  ["", "", "other", "unreadable_request", {}],
])("%s %s", (method, url, transport, operation, subject) => {
  expect(requestSubject(method, url)).toEqual({ ...NOTHING, transport, operation, ...subject });
});

test("operations come from closed lists, whatever is asked for", () => {
  const names = new Set([
    ...[...routes, ...accountOperations].map(({ operationId }) => operationId),
    ...["unknown_api_address", "mcp", "ledger_file", "page_part", "getRowProof", "record_page", "city_page"],
    ...["search_page", "explorer_page", "page", "other_file", "health_check", "unreadable_request"],
  ]);
  const addresses = fc.oneof(
    fc.webPath(),
    fc.string(),
    fc.constantFrom(
      "__proto__",
      "constructor",
      "/%",
      "/record/%ff/",
      "/api/v1/entity/%zz",
      "/city//",
      "?",
      "*",
    ),
  );
  fc.assert(
    fc.property(fc.constantFrom("GET", "POST", "X"), addresses, (method, url) => {
      expect(names).toContain(requestSubject(method, url).operation);
    }),
  );
});

test.each([
  ["GET", "/api/v1/cities", false],
  ["HEAD", "/city/toronto/", false],
  ["GET", "/api/v1/cities?", true],
  ["GET", "/api/v1/search", true],
  ["GET", "/api/v1/status", true],
  ["GET", "/api/v1/status.json", false],
  ["POST", "/api/v1/cities", true],
  ["GET", "/mcp", true],
  ["GET", "/ledger/proof/3", true],
  ["GET", "/api/v1/partner/portal", true],
  ["GET", "/readyz", true],
])("%s %s needs Node: %s", (method, url, expected) => {
  expect(needsNode(method, url)).toBe(expected);
});
