import { describe, expect, test } from "vitest";
import { z } from "zod";
import { post, rpc } from "../support/mcp/mcp.ts";
import { TestSite } from "../support/release/site.ts";

const LATER = "2026-05-21T12:00:00Z";

const Result = z.looseObject({
  content: z.tuple([z.looseObject({ text: z.string() })]),
  structuredContent: z.looseObject({}).optional(),
  isError: z.boolean().optional(),
});
const Answer = z.looseObject({ result: Result });
const Page = z.looseObject({
  total_count: z.int(),
  snapshot_id: z.string(),
  next_cursor: z.string().optional(),
  rankings: z.array(z.looseObject({ name: z.string() })),
});

async function call(url: string, name: string, given: object): Promise<z.infer<typeof Result>> {
  return Answer.parse((await post(url, rpc(1, "tools/call", { name, arguments: given }))).body).result;
}

const page = async (url: string, cursor: object = {}) =>
  Page.parse((await call(url, "city_index", { city: "toronto", limit: 2, ...cursor })).structuredContent);

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error("it did not come");
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("tools read the release that is served", () => {
  test("before the first one they say that there is none", async () => {
    using site = new TestSite();
    const server = await site.serve({ trustedProxies: 1 });
    expect(await call(server.url, "city_index", { city: "toronto" })).toMatchObject({
      isError: true,
      content: [{ text: "Nothing is published yet: try again later." }],
    });
    site.publish();
    await until(async () => !(await call(server.url, "city_index", { city: "toronto" })).isError);
    await server.stop();
  });

  test("a newer one answers at once, and a cursor reads on in its own until that is removed", async () => {
    using site = new TestSite();
    site.publish();
    const server = await site.serve({ trustedProxies: 1 });
    const delta = { business_name: "Delta", city: "Toronto" };
    const first = await page(server.url);
    expect(first.total_count).toBe(3);
    expect(await call(server.url, "check_physical_evidence", delta)).toMatchObject({
      structuredContent: { verdict: "record_not_found", data_as_of: "2026-05-20T12:00:00Z" },
    });

    site.addRecord("Delta");
    const newer = site.publish(LATER);
    await until(async () => (await page(server.url)).total_count === 4);
    expect(await call(server.url, "check_physical_evidence", delta)).toMatchObject({
      structuredContent: { verdict: "physical_citations_found", data_as_of: LATER },
    });
    const rest = await page(server.url, { cursor: first.next_cursor });
    expect([rest.total_count, rest.snapshot_id, rest.next_cursor]).toEqual([3, first.snapshot_id, undefined]);
    const names = [...first.rankings, ...rest.rankings].map(({ name }) => name);
    expect(names.sort()).toEqual(["Alpha", "Bravo", "Charlie"]);

    site.removeAllBut(newer);
    const gone = await call(server.url, "city_index", {
      city: "toronto",
      limit: 2,
      cursor: first.next_cursor,
    });
    expect(gone).toMatchObject({
      isError: true,
      content: [{ text: "the cursor's snapshot has expired: restart without a cursor" }],
    });
    expect(gone.structuredContent).toBeUndefined();
    await server.stop();
  });
});
