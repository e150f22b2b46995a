/** The service's own pages, compiled when a test first asks for one. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compiledPages } from "../../../src/build/compiled-pages.ts";
import type { ReadContext } from "../../../src/resources/define.ts";
import { PageProgram } from "../../../src/site/page-program.ts";
import { type PageInput, pagePath, type QueryPage } from "../../../src/site/query/query-page.ts";
import { Site } from "../../../src/site/site.ts";
import { PROJECT } from "../operations/presence-process.ts";
import { SHARED_CACHES } from "../towns/shared-caches.ts";

let loaded: ReturnType<typeof load> | undefined;

async function load() {
  const scratch = mkdtempSync(join(tmpdir(), "presence-compiling-"));
  try {
    const { program, shared } = await compiledPages(PROJECT, SHARED_CACHES.COMPILED_PAGES, scratch);
    return { program: await PageProgram.load(program), shared };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function compiled(): ReturnType<typeof load> {
  loaded ??= load();
  return loaded;
}

export const testPages: Pick<PageProgram, "render"> = {
  render: async (...page) => (await compiled()).program.render(...page),
};

/** A page of a release that has no other files than those of all pages. */
export async function renderPage(
  pathname: string,
  context: ReadContext,
  query: object = {},
): Promise<string> {
  const { program, shared } = await compiled();
  return String(await program.render(pathname, new Site(context, shared), query));
}

/** What a page shows of a question: the part that takes arguments. Rejects as the page's answer throws. */
export async function questionPart(page: QueryPage, context: ReadContext, input: PageInput): Promise<string> {
  return partOf(
    page,
    await renderPage(pagePath(page, input.path), context, page.answered(context, input).locals),
  );
}

/** The part of a page that takes arguments, with the element around it. */
export function partOf({ name }: Pick<QueryPage, "name">, html: string): string {
  const from = html.indexOf(`<div data-view="${name}"`);
  return html.slice(from, html.indexOf('<script type="module"', from));
}

/** The form of a page, filled in with what was asked, whatever that is. */
export async function formFor(page: QueryPage, context: ReadContext, input: PageInput): Promise<string> {
  const locals = page.refused(input, { status: 400, message: "refused by a test" });
  const part = partOf(page, await renderPage(pagePath(page, input.path), context, locals));
  return part.slice(part.indexOf("<form"), part.indexOf("</form>"));
}
