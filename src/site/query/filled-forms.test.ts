import { expect, test } from "vitest";
import { renderPage } from "../../../tests/support/pages/compiled.ts";
import { fakeContext } from "../../../tests/support/release/fake-snapshot.ts";
import { reportReceived } from "./filled-forms.ts";
import { argumentsIn } from "./query-page.ts";

const context = fakeContext();

async function received(query: string): Promise<string> {
  const input = { path: {}, query: argumentsIn(reportReceived, query) ?? {} };
  const { locals } = reportReceived.answered(context, input);
  return renderPage("/report/received/", context, locals);
}

test("the reference of a report is shown, can be copied, and is in the form that asks for its status", async () => {
  const page = await received("report=rep_0123456789abcdef");
  expect(page).toContain('<code id="reference">rep_0123456789abcdef</code>');
  expect(page).toContain("Copy the reference");
  expect(page).toMatch(/<input id="report" name="report" type="text" value="rep_0123456789abcdef"/);
});

test.each(["report=call+555-0100", "report=rep_<b>", ""])(
  "another text is no reference: %s",
  async (query) => {
    const page = await received(query);
    expect(page).toContain("at the end of this page’s address");
    expect(page).not.toContain("Copy the reference");
  },
);
