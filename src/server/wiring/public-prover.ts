import { Resolver } from "node:dns/promises";
import { type WebsiteProver, websiteProver } from "../../accounts/website-proof.ts";
import { guardedFetch, hostProblem } from "../../kernel/public-fetch.ts";
import { SECOND_MS } from "../../kernel/time.ts";

const TIMEOUT_MS = 5 * SECOND_MS;

/** Looks for tokens in the real DNS and on public hosts: nothing inside this network is ever asked. */
export function publicProver(): WebsiteProver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  const fetch = guardedFetch(({ protocol, hostname, port }) =>
    protocol === "https:" && port === "" ? hostProblem(hostname) : "must be https on its usual port",
  );
  return websiteProver({ fetch, resolveTxt: (name) => resolver.resolveTxt(name), timeoutMs: TIMEOUT_MS });
}
