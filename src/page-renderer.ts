/// <reference types="astro/client" />

import { StaticPaths } from "astro:static-paths";
import { createApp } from "astro/app/entrypoint";

/**
 * What the pages are compiled to (astro.config.mjs): a program that renders the release whose snapshot PRESENCE_SNAPSHOT names.
 * Astro's App renders one page for one request; here the build asks, once for each page that there is.
 */

export interface Page {
  readonly path: string; // of its file below `site/`
  /** Throws what the page throws. */
  render(): Promise<string>;
}

const NOT_FOUND = "/404";

const app = createApp({ streaming: false });
app.renderError = async (_request, { error, status }) => {
  throw error ?? new Error(`it answers with status ${status}`);
};

/** Every page of the release, always in the same order. */
export async function pages(): Promise<Page[]> {
  const all = await new StaticPaths(app).getAll();
  return all.map(({ pathname, route }) => {
    const isPage = route.type === "page";
    const address = new URL(isPage ? `${pathname}/`.replace(/\/+$/, "/") : pathname, "http://build.invalid");
    return {
      path: pathname === NOT_FOUND ? "404.html" : `${address.pathname.slice(1)}${isPage ? "index.html" : ""}`,
      async render() {
        const answer = await app.render(new Request(address), { routeData: route });
        return answer.text();
      },
    };
  });
}
