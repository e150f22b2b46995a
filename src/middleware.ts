import type { MiddlewareHandler } from "astro";

/** Hands on what a page throws. */
export const onRequest: MiddlewareHandler = async ({ locals }, next) => {
  try {
    return await next();
  } catch (fault) {
    locals.fail(fault);
    throw fault;
  }
};
