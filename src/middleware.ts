import type { MiddlewareHandler } from "astro";

/** Hands on what a page throws; Astro would write it to the console and say nothing to the caller. */
export const onRequest: MiddlewareHandler = async ({ locals }, next) => {
  try {
    return await next();
  } catch (fault) {
    locals.fail(fault);
    return new Response("failed", { status: 500 });
  }
};
