import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compiledPages } from "../../build/compiled-pages.ts";
import { PageProgram } from "../../site/page-program.ts";
import { PROJECT } from "../operations/operator.ts";
import { SHARED_CACHES } from "../towns/shared-caches.ts";

let program: Promise<PageProgram> | undefined;

async function load(): Promise<PageProgram> {
  const scratch = mkdtempSync(join(tmpdir(), "presence-compiling-"));
  try {
    const compiled = await compiledPages(PROJECT, SHARED_CACHES.COMPILED_PAGES, scratch);
    return await PageProgram.load(compiled.program);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** The service's own pages, compiled when a test first asks for one. */
export const testPages: Pick<PageProgram, "render"> = {
  async render(...page) {
    program ??= load();
    return (await program).render(...page);
  },
};
