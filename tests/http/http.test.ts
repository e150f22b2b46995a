import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { z } from "zod";
import { homePaths } from "../../src/kernel/home.ts";
import { uuidFromText } from "../../src/kernel/ids.ts";
import { writeCursor } from "../../src/resources/paging.ts";
import { openState } from "../../src/state/open-state.ts";
import { faultsOf, filled, parseScript, send } from "../support/servers/http-script.ts";
import { someMapArea } from "../support/servers/map-area.ts";
import { type DemoServer, serveHome } from "../support/towns/demo-home.ts";

/** The scripts of tests/http against the real server process over the demonstration's release. */

const FOLDER = import.meta.dirname;
const Cities = z.array(z.looseObject({ slug: z.string(), publication_status: z.string() })).min(1);
const Found = z.looseObject({ results: z.array(z.looseObject({ public_id: z.string() })).min(1) });

let server: DemoServer;
const values = new Map<string, string>();

beforeAll(async () => {
  server = await serveHome(inject("demoHome"));
  const read = async (path: string): Promise<unknown> => (await fetch(server.url + path)).json();
  const city = Cities.parse(await read("/api/v1/cities"))[0]?.slug ?? "";
  values.set("city", city);
  const found = Found.parse(await read(`/api/v1/search?city=${city}`));
  values.set("record", found.results[0]?.public_id ?? "");
  values.set("upper_city", city.toUpperCase());
  const gone = (filters: (string | null)[]) =>
    writeCursor({ snapshotId: uuidFromText("never built"), filters, offset: 2 });
  values.set("gone_cursor", gone(["city index", city, null, null, null, null, "rank"]));
  values.set("gone_observations_cursor", gone(["observations", values.get("record") ?? "", null]));
  values.set("gone_pulse_cursor", gone(["pulse", city, null]));
  values.set("gone_search_cursor", gone(["search", ...Array(7).fill(null)]));
  await makePartners();
});

/** Clients in the same state that the server has, and a key of each. */
async function makePartners(): Promise<void> {
  await using state = await openState(undefined, homePaths(inject("demoHome")));
  const { partners } = state;
  const quotas = { dailyQuota: 1000, monthlyQuota: 1000, portalAccess: true };
  for (const [name, changes] of [
    ["key", {}],
    ["disabled_key", {}],
    ["plain_key", { portalAccess: false }],
    ["small_key", { dailyQuota: 1 }],
  ] as const) {
    const client = await partners.createClient({
      name: randomUUID(),
      contactEmail: null,
      ...quotas,
      ...changes,
    });
    values.set(name, (await partners.issueKey(client.publicId)).secret);
    if (name === "disabled_key") await partners.updateClient(client.publicId, { status: "disabled" });
  }
}

afterAll(async () => {
  expect(await server.stop()).toBe(0);
});

for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(".txt"))) {
  describe(name, () => {
    for (const step of parseScript(readFileSync(join(FOLDER, name), "utf8"))) {
      test(step.title, async () => {
        const fill = (line: string) => filled(line, values);
        const answer = await send(server.url, {
          ...step,
          requestLine: fill(step.requestLine),
          headers: step.headers.map(fill),
          body: step.body === undefined ? undefined : fill(step.body),
        });
        expect(faultsOf(answer, step.expectations, values)).toEqual([]);
      });
    }
  });
}

describe("/openapi.json", () => {
  const Answer = z.looseObject({
    $ref: z.string().optional(),
    headers: z.record(z.string(), z.unknown()).default({}),
  });
  const Operation = z.looseObject({ responses: z.record(z.string(), Answer) });
  const Document = z.looseObject({
    paths: z.record(z.string(), z.record(z.string(), Operation)),
    components: z.looseObject({
      headers: z.record(z.string(), z.looseObject({ required: z.boolean().optional() })),
      responses: z.record(z.string(), Answer),
    }),
  });
  let document: z.infer<typeof Document>;
  beforeAll(async () => {
    document = Document.parse(await (await fetch(`${server.url}/openapi.json`)).json());
  });

  /** The headers that an answer of an operation always has, as the document says. */
  function required(path: string, method: string, status: number): string[] {
    const { headers, responses } = document.components;
    const { $ref, ...own } = document.paths[path]?.[method]?.responses[status] ?? { headers: {} };
    const answer = responses[$ref?.split("/").at(-1) ?? ""] ?? own;
    return Object.keys(answer.headers).filter((name) => headers[name]?.required);
  }

  function expectHeaders({ status, headers }: Response, path: string, method = "get"): void {
    const said = required(path, method, status);
    expect(said.length, path).toBeGreaterThan(0);
    expect(
      said.filter((name) => !headers.has(name)),
      `${path} ${status}`,
    ).toEqual([]);
  }

  test("each read answers with the headers that it says, whole and as a 304", async () => {
    const reads = Object.entries(document.paths).filter(([, { get }]) => get?.responses["304"] !== undefined);
    expect(reads.length).toBeGreaterThan(15);
    const named: Record<string, string | undefined> = {
      public_id: values.get("record"),
      city: values.get("city"),
      row: "1",
      area: await someMapArea(server.url, values.get("city") ?? ""),
    };
    for (const [path] of reads) {
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? "");
      if (path.includes("{id}")) continue; // an id of a citation follows from a release
      const whole = await fetch(server.url + address);
      const same = await fetch(server.url + address, {
        headers: { "If-None-Match": whole.headers.get("ETag") ?? "" },
      });
      expect([path, whole.status, same.status]).toEqual([path, 200, 304]);
      for (const answer of [whole, same]) expectHeaders(answer, path);
    }
  });

  test("so do errors, and operations on accounts", async () => {
    const portal = "/api/v1/partner/portal";
    const subscribe = "/api/v1/alerts/subscribe";
    const post = (body: object) =>
      fetch(server.url + subscribe, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      });
    const refused = await fetch(server.url + portal);
    const [wrong, missing] = await Promise.all(
      ["/api/v1/search?limit=0", "/api/v1/entity/none"].map((address) => fetch(server.url + address)),
    );
    const [accepted, invalid] = [
      await post({ email: "headers@example.org", city: values.get("city") }),
      await post({}),
    ];
    expect([refused, wrong, missing, accepted, invalid].map((answer) => answer?.status)).toEqual([
      ...[401, 400, 404, 201, 400],
    ]);
    expectHeaders(refused, portal);
    if (wrong !== undefined) expectHeaders(wrong, "/api/v1/search");
    if (missing !== undefined) expectHeaders(missing, "/api/v1/entity/{public_id}");
    for (const answer of [accepted, invalid]) expectHeaders(answer, subscribe, "post");
  });
});
