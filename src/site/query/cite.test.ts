import { afterAll, describe, expect, test } from "vitest";
import { questionPart, renderPage } from "../../../tests/support/pages/compiled.ts";
import { TestTown } from "../../../tests/support/release/town-release.ts";
import { MAX_PASTED_QUOTE, parseCitationId } from "../../contract/citation/citation.ts";
import { PublicError } from "../../kernel/errors.ts";
import { evidence } from "../../resources/records/evidence.ts";
import { contextOf } from "../../resources/release-store.ts";
import { cite } from "./cite.ts";
import { citationQuery } from "./index.ts";
import { argumentsIn } from "./query-page.ts";

const HOSTILE = `"><script>alert('1')</script><!--/view-->`;

const town = new TestTown("2026-05-01T12:00:00Z");
afterAll(() => town[Symbol.dispose]());
town.city("toronto");
const record = town.record("Alpha");
const asset = town.asset(record);
town.see(record, asset, "a", "2026-04-28T10:00:00Z");
const hostile = town.record(HOSTILE, { public_id: "demo_hostile" });
town.see(hostile, town.asset(hostile), "a", "2026-04-28T10:00:00Z");
const erased = town.record("Erased");
const erasedAsset = town.asset(erased);
const erasedRow = town.see(erased, erasedAsset, "a", "2026-04-28T10:00:00Z");
const older = town.snapshot("2026-05-01T13:00:00Z");
const quoteIn = (snapshot: typeof older, public_id: string) =>
  evidence.read(contextOf(snapshot), { public_id }, {}).citations;
const then = quoteIn(older, "demo_alpha");
const gone = quoteIn(older, "demo_erased");
town.at("2026-05-03T12:00:00Z");
town.see(record, asset, "b", "2026-05-02T10:00:00Z");
town.redact([erased, erasedAsset, erasedRow]);
const snapshot = town.snapshot("2026-05-03T13:00:00Z");
const context = contextOf(snapshot);
const now = quoteIn(snapshot, "demo_alpha");

const input = (quote: string) => ({
  path: {},
  query: argumentsIn(cite, String(new URLSearchParams({ quote }))) ?? {},
});
const pasted = (quote: string) => questionPart(cite, context, input(quote));
const pageOf = (id: string) => renderPage(`/cite/${id}/`, context);

describe("a pasted quote", () => {
  test("that is the newest one is current, in our words", async () => {
    const text = await pasted(now.suggested_citation);
    expect(text).toContain('<h2 id="results" tabindex="-1" data-heading data-summary>Current</h2>');
    expect(text).toContain("The pasted words are what we published.");
    expect(text).not.toContain("To quote today, as of");
  });

  test.each([
    ["the address of another site", `https://elsewhere.example/cite/${now.citation_id}/`],
    ["words that hang on the address", `closed-since-then-${now.citation_url}`],
    ["words that follow the id", `${now.citation_url}was-never-there`],
  ])("with %s says so, and shows what was pasted", async (_what, address) => {
    const text = await pasted(now.suggested_citation.replace(now.citation_url, address));
    expect(text).toContain("The pasted link is not the link of this citation.");
    expect(text).toContain(`<mark>${address}</mark>`);
  });

  test.each([
    now.citation_url,
    `(${now.citation_url}).`,
    now.citation_url.replace(/\/$/, ""),
    `${now.citation_url}#results`,
    now.citation_url.replace("/cite/", "/api/v1/citation/").replace(/\/$/, ""),
    now.citation_id,
  ])("with the citation's own address, written as %s, does not warn of it", async (address) => {
    const text = await pasted(now.suggested_citation.replace(now.citation_url, address));
    expect(text).not.toContain("The pasted link is not");
  });

  test("that is older is superseded, with the words of then and of now", async () => {
    const text = await pasted(then.suggested_citation);
    expect(text).toContain(">Superseded</h2>");
    expect(text).toContain("this observation is not yet corroborated");
    expect(text).toContain("To quote today, as of 3 May 2026");
    expect(text).toContain(`href="/cite/${now.citation_id}/"`);
  });

  test("whose words were changed says so, and marks the change", async () => {
    const text = await pasted(then.suggested_citation.replace("once", "a hundred times"));
    expect(text).toContain(">This differs from what we published</h2>");
    expect(text).toContain("The citation itself: superseded. The accepted observations");
    expect(text).toContain("differ from what we published");
    expect(text).toContain("<mark>a hundred times,</mark>");
    expect(text).toContain("<mark>once,</mark>");
  });

  test("among other words is told from them", async () => {
    expect(await pasted(`They are the best in town. ${then.suggested_citation}`)).toContain(
      "The words around it are not ours.",
    );
  });

  test("with an address that leads nowhere is not ours", async () => {
    expect(await pasted(now.suggested_citation.replace(/\w{8}\/$/, "00000000/"))).toContain(
      ">Not a citation of this service</h2>",
    );
  });

  test("without an address is neither confirmed nor denied", async () => {
    const text = await pasted(then.suggested_citation.replace(then.citation_url, ""));
    expect(text).toContain(">Paste the whole quote, including its link</h2>");
    expect(text).toContain("cannot say whether we published these words");
  });

  test("of an erased record is withdrawn, without a word of it", async () => {
    const text = await pasted(gone.suggested_citation);
    expect(text).toContain(">Withdrawn</h2>");
    expect(text.split("</form>")[1]).not.toMatch(/Erased|demo_erased|blockquote/); // the form has what was pasted
  });

  test("that is too long is refused", async () => {
    await expect(pasted("x".repeat(MAX_PASTED_QUOTE + 1))).rejects.toThrow(PublicError);
  });

  test("that holds markup stays text", async () => {
    for (const text of [
      await pasted(HOSTILE),
      await pasted(`${HOSTILE} ${then.citation_url}`),
      await pasted(quoteIn(snapshot, "demo_hostile").suggested_citation),
    ])
      expect(text).not.toMatch(/<script|<!--/);
  });
});

describe("the page of a citation", () => {
  test("is found by its address, whichever release it is of", async () => {
    for (const { citation_id } of [then, now]) {
      expect(citationQuery(`/cite/${citation_id}/`)).toMatchObject({ input: { query: { id: citation_id } } });
      expect(await pageOf(citation_id)).toContain(`/api/v1/citation/${citation_id}`);
    }
  });

  test("says when the record was last seen, and how often somebody looked since", async () => {
    expect(await pageOf(then.citation_id)).toMatch(
      /<bdi translate="no">Alpha<\/bdi> was last seen on 2 May 2026 \(.*\); no later month of visits to its area is published\. Not seen does not mean gone\./,
    );
  });

  test("that leads nowhere is a 404", async () => {
    const forged = now.citation_id.replace(/\w{8}$/, "00000000"); // no row was erased since
    expect(parseCitationId(forged)).toBeDefined();
    await expect(pageOf(forged)).rejects.toThrow(expect.objectContaining({ status: 404 }));
  });

  test.each(["/cite/", "/cite/x/", "/cite/a/b/", `/cite/${then.citation_id}`, `/cite/${then.citation_id}./`])(
    "%s is the page of none",
    async (path) => {
      expect(citationQuery(path)).toBeUndefined();
    },
  );

  test("an address cannot give the id as an argument", async () => {
    expect(argumentsIn(cite, `id=${now.citation_id}`)).toBeUndefined();
  });
});
