import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { compiledPages } from "../build/compiled-pages.ts";
import { PageProgram } from "../site/page-program.ts";
import { type CommandContext, homeOf } from "./context.ts";

/** Folder where the compiled pages of this program are kept, for builds and servers. */
export function compiledPagesFolder(context: CommandContext): string {
  return context.config.compiledPages ?? homeOf(context).compiledPages;
}

/** The compiled pages for a server; compiles them when no build has done so, which takes seconds. Throws what Astro says. */
export async function servedPages(context: CommandContext): Promise<PageProgram> {
  const folder = compiledPagesFolder(context);
  mkdirSync(folder, { recursive: true });
  const scratch = mkdtempSync(join(folder, "compiling-"));
  try {
    const { program } = await compiledPages(context.project, folder, scratch);
    return await PageProgram.load(program);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
