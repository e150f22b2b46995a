import { Redis } from "ioredis";
import type { Log } from "../../kernel/log.ts";
import type { Secret } from "../../kernel/secret.ts";
import { SECOND_MS } from "../../kernel/time.ts";

const MAX_WAIT_MS = 10 * SECOND_MS;

/**
 * A connection for counting rate limits. While Redis is unreachable, commands fail at once and the limiters count in this
 * process. It reconnects by itself; the log gets the first error of each outage.
 */
export function connectRedis(url: Secret, log: Log): Redis {
  const redis = new Redis(url.reveal(), {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: SECOND_MS,
    retryStrategy: (attempt) => Math.min(MAX_WAIT_MS, attempt * 100),
  });
  let isAway = false;
  redis.on("ready", () => {
    isAway = false;
    log.info("redis_connected");
  });
  redis.on("error", (error: NodeJS.ErrnoException) => {
    if (!isAway) log.error("redis_away", { fault: error.code ?? error.name });
    isAway = true;
  });
  return redis;
}
