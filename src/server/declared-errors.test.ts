/** What the server can answer beside success is what the OpenAPI document declares, operation by operation. */

import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { TestSite } from "../../tests/support/release/site.ts";
import { someMapArea } from "../../tests/support/servers/map-area.ts";
import { type AccountOperation, accountOperations } from "../contract/accounts/account-operations.ts";
import { READS_PER_MINUTE } from "../contract/limits.ts";
import { fillPath } from "../kernel/text/markup.ts";
import { openApiDocument } from "../render/reference/openapi.ts";
import type { PathValues } from "../resources/define.ts";
import { resources } from "../resources/index.ts";
import { openState } from "../state/open-state.ts";
import type { RunningServer } from "./main.ts";

const Document = z.looseObject({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.json()) })),
  ),
});
const { paths } = Document.parse(openApiDocument("https://example.org", "test"));
const declared = (path: string, method = "get") =>
  Object.keys(paths[path]?.[method]?.responses ?? {})
    .map(Number)
    .filter((status) => status >= 400)
    .sort((a, b) => a - b);

const PROOF = "/ledger/proof/{row}";
const VALUES: Record<string, string> = { city: "toronto", public_id: "demo_alpha", row: "1" };
const NOWHERE: PathValues = {
  city: "nowhere",
  public_id: "demo_nobody",
  row: "999999999",
  id: "x",
  area: "x",
};

/** Each read with arguments, so that no file answers it, and with wrong ones. */
const reads = [
  ...resources.map(({ path }) => ({ path, query: "?no_such_parameter=1", wrong: "?no_such_parameter=1" })),
  { path: PROOF, query: "?size=1", wrong: "?size=none" },
];
/** With the filters that their cursors are made with. */
const PAGED = new Map([
  ["/api/v1/city/{city}/index", ""],
  ["/api/v1/observations/{public_id}", ""],
  ["/api/v1/pulse/{city}", "&since=2020-01-01"],
  ["/api/v1/search", "&city=toronto"],
]);

let site: TestSite;
let server: RunningServer;
let empty: TestSite; // nothing published
let idle: RunningServer;
const keys = { wrong: "pp_wrong", disabled: "" };
const cursors = new Map<string, string>();

beforeAll(async () => {
  [site, empty] = [new TestSite(), new TestSite()];
  const first = site.publish();
  server = await site.serve({ trustedProxies: 1 });
  idle = await empty.serve();
  await makeKeys();
  for (const [path, filter] of PAGED)
    cursors.set(path, await cursorOf(`${server.url}${fillPath(path, VALUES)}?limit=1${filter}`));
  site.addRecord("Delta");
  site.publish("2026-05-21T12:00:00Z");
  rmSync(first, { recursive: true });
  VALUES["id"] = await newestCitation();
  VALUES["area"] = await someMapArea(server.url, "toronto");
});

afterAll(async () => {
  await Promise.all([server.stop(), idle.stop()]);
  site[Symbol.dispose]();
  empty[Symbol.dispose]();
});

/** Asks again while the thread of the reads loads its code, which takes long on a busy machine. */
function cursorOf(url: string): Promise<string> {
  const Page = z.object({ next_cursor: z.string() });
  return vi.waitFor(async () => Page.parse(await (await fetch(url)).json()).next_cursor, 60_000);
}

async function newestCitation(): Promise<string> {
  const packet = await fetch(`${server.url}/api/v1/entity/demo_alpha/evidence`);
  const { citations } = z
    .object({ citations: z.object({ citation_id: z.string() }) })
    .parse(await packet.json());
  return citations.citation_id;
}

async function makeKeys(): Promise<void> {
  await using state = await openState(undefined, site.home);
  const { publicId } = await state.partners.createClient({
    name: "disabled",
    contactEmail: null,
    dailyQuota: 1,
    monthlyQuota: 1,
    portalAccess: true,
  });
  keys.disabled = (await state.partners.issueKey(publicId)).secret;
  await state.partners.updateClient(publicId, { status: "disabled" });
}

async function statusOf(url: string, key?: string, method = "GET", from = "192.0.2.1"): Promise<number> {
  const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
  const answer = await fetch(url, { method, headers: { "X-Forwarded-For": from, ...headers } });
  await answer.arrayBuffer();
  return answer.status;
}

/** From an address that has used up its rate limit, which is filled again each minute. */
async function crowdedStatusOf(url: string, method: string): Promise<number> {
  const from = "192.0.2.99";
  const status = await statusOf(url, undefined, method, from);
  if (status === 429) return status;
  const portal = `${server.url}/api/v1/partner/portal`;
  for (let turn = 0; turn < READS_PER_MINUTE; turn += 1) await statusOf(portal, undefined, "GET", from);
  return statusOf(url, undefined, method, from);
}

/** With a key that is wrong, with one of a disabled client, and from a crowded address. */
const refusals = async (url: string, method = "GET") => [
  await statusOf(url, keys.wrong, method),
  await statusOf(url, keys.disabled, method),
  await crowdedStatusOf(url, method),
];

describe.each(reads)("$path", ({ path, query, wrong }) => {
  test("answers with all errors that are declared, and no others", async () => {
    const address = fillPath(path, VALUES) + query;
    const provoked = [
      ...(await refusals(server.url + address)),
      await statusOf(server.url + fillPath(path, VALUES) + wrong), // 400
      await statusOf(idle.url + address), // 503
    ];
    if (path.includes("{")) provoked.push(await statusOf(server.url + fillPath(path, NOWHERE)));
    if (path.endsWith("explorer.csv")) provoked.push(await statusOf(`${server.url}${path}?city=nowhere`));
    const cursor = cursors.get(path);
    if (cursor !== undefined)
      provoked.push(
        await statusOf(`${server.url}${fillPath(path, VALUES)}?cursor=${cursor}${PAGED.get(path)}`),
      );
    expect([...new Set(provoked)].sort((a, b) => a - b)).toEqual(declared(path));
  });
});

test("a file is limited for nobody, whatever key comes with it", async () => {
  for (const resource of resources) {
    const address = fillPath(resource.path, VALUES);
    for (const key of Object.values(keys))
      expect(await statusOf(server.url + address, key), address).toBe(200);
  }
});

test.each(accountOperations)(
  "$operationId declares what every request may be refused with",
  async (operation) => {
    const { path, method, needsKey }: AccountOperation = operation;
    const address =
      server.url + fillPath(path, { webhook: "x", delivery: "1", report_id: "x", removal_id: "x" });
    expect(await refusals(address, method)).toEqual([401, 403, 429]);
    if (needsKey) expect(await statusOf(address, undefined, method)).toBe(401);
    const statuses = declared(path, method.toLowerCase());
    expect(statuses).toEqual([...operation.errors, 401, 403, 429, 503].sort((a, b) => a - b));
  },
);
