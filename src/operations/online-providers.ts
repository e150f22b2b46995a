import { setTimeout as sleep } from "node:timers/promises";
import type { Config, SearchSettings } from "../kernel/config/config.ts";
import { readNamedFile } from "../kernel/files/foreign-file.ts";
import { SECOND_MS } from "../kernel/time.ts";
import { BRAVE_SEARCH_URL, braveSearch } from "../online/brave-search.ts";
import { fileSearch } from "../online/file-search.ts";
import type { OnlineProvider } from "../online/provider.ts";
import type { SearchApi } from "../online/search-api.ts";
import { searchProvider } from "../online/search-provider.ts";
import { WebReader } from "../online/web-reader.ts";
import { ROBOTS_TOKEN, websiteProbe } from "../online/website-probe.ts";

const TIMEOUT_MS = 10 * SECOND_MS;
/** Between two requests to a host; the smallest plan of the search API allows one search a second. */
const PAUSE_MS = 1.1 * SECOND_MS;

/** The providers that the configuration enables. */
export function onlineProviders(config: Config): OnlineProvider[] {
  const { search, phones } = config.online;
  const userAgent = userAgentOf(config);
  const reader = new WebReader({ userAgent, timeoutMs: TIMEOUT_MS, pause, allowLoopback: false });
  const website = websiteProbe(reader);
  return search === undefined
    ? [website]
    : [website, searchProvider(searchApi(search, userAgent), { phones })];
}

function searchApi(search: SearchSettings, userAgent: string): SearchApi {
  if (search.kind === "file")
    return fileSearch(readNamedFile(search.path, "SEARCH_FILE"), `SEARCH_FILE ${search.path}`);
  return braveSearch({
    url: search.url ?? BRAVE_SEARCH_URL,
    key: search.key,
    userAgent,
    timeoutMs: TIMEOUT_MS,
    pause,
  });
}

/** Identifies the program, and where to complain about it. */
function userAgentOf({ baseUrl, securityContact }: Config): string {
  const contact = securityContact === undefined ? "" : `; ${securityContact}`;
  return `${ROBOTS_TOKEN}/1.0 (+${baseUrl}/methodology/${contact})`;
}

function pause(): Promise<void> {
  return sleep(PAUSE_MS);
}
