/** A thread that renders its share of the pages and keeps none: what rendering takes by itself. */

import { workerData } from "node:worker_threads";
import { z } from "zod";
import { contextAt } from "../../src/resources/release-store.ts";
import { PLAIN_ROUTES } from "../../src/site/markup/index.ts";
import { pageAddresses } from "../../src/site/page-addresses.ts";
import { PageProgram } from "../../src/site/page-program.ts";
import { Site } from "../../src/site/site.ts";

const { program, routes, snapshot, site, turn, share } = z
  .object({
    program: z.string(),
    routes: z.array(z.object({ pattern: z.string(), type: z.string() })),
    snapshot: z.string(),
    site: z.string(),
    turn: z.int(),
    share: z.int(),
  })
  .parse(workerData);
const context = contextAt(snapshot);
const release = new Site(context, site);
const pages = await PageProgram.load(program);
for (const [at, { pathname }] of [...pageAddresses([...routes, ...PLAIN_ROUTES], context)].entries())
  if (at % share === turn) await pages.render(pathname, release);
