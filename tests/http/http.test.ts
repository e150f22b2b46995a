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
  const Headers = z.record(z.string(), z.looseObject({ required: z.boolean().optional() }));
  const Answer = z.looseObject({
    headers: z.record(z.string(), z.looseObject({ $ref: z.string() })).default({}),
  });
  const Document = z.looseObject({
    paths: z.record(
      z.string(),
      z.looseObject({ get: z.looseObject({ responses: z.record(z.string(), Answer) }).optional() }),
    ),
    components: z.looseObject({ headers: Headers }),
  });

  test("each read answers with the headers that it says, whole and as a 304", async () => {
    const document = Document.parse(await (await fetch(`${server.url}/openapi.json`)).json());
    const required = (names: readonly string[]) =>
      names.filter((name) => document.components.headers[name]?.required);
    const reads = Object.entries(document.paths).filter(([, { get }]) => get?.responses["304"] !== undefined);
    expect(reads.length).toBeGreaterThan(15);
    const named: Record<string, string | undefined> = {
      public_id: values.get("record"),
      city: values.get("city"),
    };
    for (const [path, { get }] of reads) {
      const address = path.replace(/\{(\w+)\}/g, (_, name: string) => named[name] ?? "");
      if (path.includes("{id}")) continue; // an id of a citation follows from a release
      const whole = await fetch(server.url + address);
      const same = await fetch(server.url + address, {
        headers: { "If-None-Match": whole.headers.get("ETag") ?? "" },
      });
      expect([path, whole.status, same.status]).toEqual([path, 200, 304]);
      for (const answer of [whole, same]) {
        const said = required(Object.keys(get?.responses[String(answer.status)]?.headers ?? {}));
        expect(said.length).toBeGreaterThan(2);
        expect(
          said.filter((name) => !answer.headers.has(name)),
          path,
        ).toEqual([]);
      }
    }
  });
});
