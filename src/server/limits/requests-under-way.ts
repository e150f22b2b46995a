/** Caps the requests that one client has under way. Behind a proxy, which holds the connections, it replaces the cap on these. */

import type { IncomingMessage, RequestListener } from "node:http";
import { PublicError } from "../../kernel/errors.ts";
import { sendError } from "../http/errors.ts";

/** Answers 429 when the client already has `max` requests under way. */
export function capRequestsUnderWay(
  app: RequestListener,
  max: number,
  clientOf: (request: IncomingMessage) => string,
): RequestListener {
  const underWay = new Map<string, number>();
  return (request, response) => {
    const client = clientOf(request);
    const count = (underWay.get(client) ?? 0) + 1;
    if (count > max) {
      response.setHeader("Connection", "close"); // a body that nobody reads must not become the next request
      return sendError(request, response, refusal(max));
    }
    underWay.set(client, count);
    response.once("close", () => {
      const left = (underWay.get(client) ?? 1) - 1;
      if (left === 0) underWay.delete(client);
      else underWay.set(client, left);
    });
    app(request, response);
  };
}

function refusal(max: number): PublicError {
  return new PublicError(429, `at most ${max} requests of one client may be under way: retry in 1 s`, {
    retry_after_s: 1,
  });
}
