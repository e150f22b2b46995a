import { z } from "zod";
import { PLAIN_ROUTES } from "../../../site/markup/index.ts";
import { pageAddresses } from "../../../site/page-addresses.ts";
import { PageProgram } from "../../../site/page-program.ts";
import { Site } from "../../../site/site.ts";
import { shareModule } from "../../share-writer.ts";

/** The task besides its share. */
const PageTask = z.object({
  program: z.string(),
  routes: z.array(z.object({ pattern: z.string(), type: z.string() })),
  site: z.string(),
});

const CHUNK = 100; // pages

/** Renders a share of the pages. */
export const run = shareModule(async ({ context, effects, areFiles, isOwn, keep, write, report }, task) => {
  const { program, routes: compiled, site: folder } = PageTask.parse(task);
  const routes = [...compiled, ...PLAIN_ROUTES].filter(({ pattern }) => areFiles(pattern));
  const pages = await PageProgram.load(program);
  const site = new Site(context, folder);
  for (const { pathname, file, values, round } of pageAddresses(routes, context)) {
    if (!isOwn(round)) continue;
    if (!keep(values, file)) write(file, await rendered(pages, pathname, site));
    if (effects.hashes.size >= CHUNK) report();
  }
});

async function rendered(pages: PageProgram, pathname: string, site: Site): Promise<Buffer> {
  try {
    return await pages.render(pathname, site);
  } catch (error) {
    throw new Error(`page ${pathname}: ${String(error)}`, { cause: error });
  }
}
