import { endpointProblem } from "../../delivery/webhooks/endpoint-url.ts";
import type { Config } from "../../kernel/config/config.ts";
import { systemRandom } from "../../kernel/ids.ts";
import { systemClock } from "../../kernel/time.ts";
import { McpService } from "../../mcp/service.ts";
import type { AppDeps } from "../app.ts";
import { Admission } from "../limits/admission.ts";
import {
  type CountingStore,
  mcpLimiter,
  readLimiter,
  removalCheckLimiter,
  removalLimiter,
  reportLimiter,
  signUpLimiter,
} from "../limits/rate-limit.ts";
import { published } from "../reads/answer-read.ts";
import { setupOf } from "./server-delivery.ts";

type Wired = Pick<AppDeps, "log" | "clock" | "pages" | "releases" | "pool" | "observer"> & {
  readonly config: Config;
  readonly state: AppDeps["accounts"]["state"];
  readonly redis: CountingStore;
  readonly proveWebsite: AppDeps["accounts"]["proveWebsite"];
};

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The dependencies of the app with this configuration. */
export function appDeps({ config, state, redis, proveWebsite, ...deps }: Wired): AppDeps {
  const { baseUrl, trustedProxies, webhookRules } = config;
  const { releases, log } = deps;
  const admission = new Admission({ state, trustedProxies, clock: systemClock });
  const hosts = new Set([new URL(baseUrl).hostname, ...LOOPBACK]);
  const service = new McpService({ baseUrl, log, context: () => releases.current?.context });
  return {
    ...deps,
    limiter: readLimiter(redis),
    allowances: {
      signUps: signUpLimiter(redis),
      reports: reportLimiter(redis),
      removals: removalLimiter(redis),
      removalChecks: removalCheckLimiter(redis),
    },
    admission,
    hosts,
    mcp: { service, limiter: mcpLimiter(redis), admission, hosts },
    accounts: {
      state,
      snapshot: () => published(releases).context.snapshot,
      endpointProblem: (endpoint) => endpointProblem(endpoint, webhookRules),
      proveWebsite,
      delivery: () => setupOf(config, releases),
      clock: systemClock,
      random: systemRandom,
    },
  };
}
