import {
  REMOVAL_CHECKS_PER_HOUR,
  REMOVALS_PER_HOUR,
  REPORTS_PER_HOUR,
  SIGN_UPS_PER_HOUR,
} from "../../contract/limits.ts";
import { endpointProblem } from "../../delivery/webhooks/endpoint-url.ts";
import type { Config } from "../../kernel/config/config.ts";
import { releasePaths } from "../../kernel/home.ts";
import { systemRandom } from "../../kernel/ids.ts";
import { systemClock } from "../../kernel/time.ts";
import { McpService } from "../../mcp/service.ts";
import { madePages } from "../answer-page.ts";
import type { AppDeps } from "../app.ts";
import { Admission } from "../limits/admission.ts";
import { type CountingStore, mcpLimiter, readLimiter } from "../limits/rate-limit.ts";
import { type WriteKind, writeLimiter } from "../limits/write-limits.ts";
import type { WriteMetrics } from "../metrics/metrics-listener.ts";
import { inOneRelease, published } from "../reads/answer-read.ts";
import { TOOL_ARGUMENTS, toolOperation } from "../reads/read-pool.ts";
import { setupOf } from "./server-delivery.ts";

type Wired = Pick<AppDeps, "log" | "clock" | "pages" | "releases" | "pool" | "observer"> & {
  readonly config: Config;
  readonly state: AppDeps["accounts"]["state"];
  readonly redis: CountingStore;
  readonly writes: WriteMetrics;
  readonly proveWebsite: AppDeps["accounts"]["proveWebsite"];
};

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];

/** The dependencies of the app with this configuration. */
export function appDeps({ config, state, redis, proveWebsite, writes, ...deps }: Wired): AppDeps {
  const { baseUrl, trustedProxies, webhookRules } = config;
  const { releases, log } = deps;
  const admission = new Admission({ state, trustedProxies, clock: systemClock });
  const hosts = new Set([new URL(baseUrl).hostname, ...LOOPBACK]);
  const service = new McpService({
    baseUrl,
    log,
    context: () => releases.current?.context,
    search: (name, args) =>
      inOneRelease(releases, ({ directory }) =>
        deps.pool.read({
          operationId: toolOperation(name),
          snapshot: releasePaths(directory).snapshot,
          path: {},
          query: { [TOOL_ARGUMENTS]: JSON.stringify(args) },
        }),
      ),
  });
  const limited = (kind: WriteKind, perClient: number) =>
    writeLimiter({ store: redis, kind, limits: { ...config.writes, perClient }, onRefused: writes.refused });
  return {
    ...deps,
    made: madePages(),
    limiter: readLimiter(redis),
    allowances: {
      signUps: limited("subscriptions", SIGN_UPS_PER_HOUR),
      reports: limited("reports", REPORTS_PER_HOUR),
      removals: limited("removals", REMOVALS_PER_HOUR),
      removalChecks: limited("removal_checks", REMOVAL_CHECKS_PER_HOUR),
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
      emailBudgets: config.emailBudgets,
      onWithheld: writes.withheld,
      clock: systemClock,
      random: systemRandom,
    },
  };
}
