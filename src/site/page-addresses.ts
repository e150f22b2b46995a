/** The pages of a release that are files: everything that is asked without arguments. */

import { inTurn } from "../kernel/concurrency.ts";
import { operationIds } from "../render/reference/openapi.ts";
import { citation } from "../resources/citations/citation.ts";
import { cityIndustries } from "../resources/cities/cities.ts";
import type { ReadContext } from "../resources/define.ts";
import { ALERT_RESULTS, OPT_OUT_RESULTS, REPORT_RESULTS } from "./pages/forms.ts";

/** A page or text that the compiler found below src/pages. */
export interface PageRoute {
  readonly pattern: string; // such as /city/[slug]
  readonly type: string; // "page", or "endpoint" of a text
}

type Values = Readonly<Record<string, string>>;

export interface PageAddress {
  readonly pathname: string;
  readonly file: string; // path below the release's public folder
  readonly values: Values; // what the page is about
  readonly round: number; // its place among the pages of its route
}

/** The values of each route that has some. */
const VALUES: Readonly<Record<string, (context: ReadContext) => Iterable<Values>>> = {
  "/alerts/[result]": () => ALERT_RESULTS.map(({ path }) => ({ result: path })),
  "/opt-out/[result]": () => OPT_OUT_RESULTS.map(({ path }) => ({ result: path })),
  "/report/[result]": () => REPORT_RESULTS.map(({ path }) => ({ result: path })),
  "/developers/api/[operation]": () => operationIds().map((operation) => ({ operation })),
  "/cite/[id]": ({ snapshot }) => citation.enumerate(snapshot),
  "/city/[slug]": slugs,
  "/city/[slug]/cells": slugs,
  "/city/[slug]/changes": slugs,
  *"/city/[slug]/industry/[code]"(context) {
    for (const { slug } of slugs(context))
      for (const { code } of cityIndustries(context, slug)) yield { slug, code };
  },
  *"/merged/[public_id]"({ snapshot }) {
    for (const { publicId } of snapshot.mergedIds()) yield { public_id: publicId };
  },
  *"/record/[public_id]"({ snapshot }) {
    for (const public_id of snapshot.publicIds()) yield { public_id };
  },
};

function slugs({ snapshot }: ReadContext): { slug: string }[] {
  return snapshot.cities().map(({ slug }) => ({ slug }));
}

/**
 * Every page of these routes, always in the same order: one of each route in turn, so that the pages of one record follow each other
 * and read the same rows. Throws for a route without known values.
 */
export function* pageAddresses(routes: readonly PageRoute[], context: ReadContext): Generator<PageAddress> {
  const lists = routes.map((route) => addressesOf(route, context));
  for (const [round, address] of inTurn(lists)) yield { ...address, round };
}

function* addressesOf(route: PageRoute, context: ReadContext): Generator<Omit<PageAddress, "round">> {
  for (const values of valuesOf(route.pattern, context)) yield { ...addressOf(route, values), values };
}

/** Where the page of a route with these values lies. */
export function addressOf(
  { pattern, type }: PageRoute,
  values: Values,
): Pick<PageAddress, "pathname" | "file"> {
  const path = pattern.replace(/\[(\w+)\]/g, (_, name: string) => encodeURIComponent(values[name] ?? ""));
  return type === "page" ? page(path) : { pathname: path, file: path.slice(1) };
}

function valuesOf(pattern: string, context: ReadContext): Iterable<Values> {
  if (!pattern.includes("[")) return [{}];
  const values = VALUES[pattern];
  if (values === undefined) throw new Error(`no values are known for the pages ${pattern}`);
  return values(context);
}

const NOT_FOUND = { pathname: "/404/", file: "404.html" };

function page(path: string): Pick<PageAddress, "pathname" | "file"> {
  const pathname = path === "/" ? path : `${path}/`;
  if (pathname === NOT_FOUND.pathname) return NOT_FOUND;
  const folder = pathname.slice(1).replace(/^merged\//, "record/"); // an id that was merged keeps its address
  return { pathname, file: `${folder}index.html` };
}
