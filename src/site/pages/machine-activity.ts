import { barChart } from "../../pictures/charts/bar-chart.ts";
import { number, percent, utcDate } from "../../render/words/format.ts";
import { CLIENT_WORDS } from "../../render/words/words.ts";
import { machineActivity } from "../../resources/service/machine-activity.ts";
import type { Site } from "../site.ts";

type Report = ReturnType<typeof machineActivity.read>;

/** A short table of names and request counts. */
export interface Ranking {
  readonly id: string;
  readonly title: string;
  readonly head: string;
  readonly rows: readonly { readonly name: string; readonly href?: string; readonly requests: number }[];
}

/** Data of the machine activity page; `report` is null when nothing was measured. */
export function machineActivityPage({ context }: Site) {
  const report = machineActivity.read(context, {}, {});
  return {
    report: report.measured_since === null ? null : report,
    definitions: report.traffic_classes.map(({ client_class, definition }) => ({
      term: CLIENT_WORDS[client_class],
      text: definition,
    })),
    window: `${utcDate(report.window_start)} to ${lastDay(report)}`,
    charts: chartsOf(report),
    rankings: rankingsOf(report).filter(({ rows }) => rows.length > 0),
    change: changeText(report),
    statuses: statusesOf(report),
  };
}

function chartsOf({ daily, traffic_classes }: Report) {
  return {
    days: barChart({
      id: "requests-by-day",
      title: "Requests by UTC day",
      unit: "requests",
      rows: daily.map(({ date, external_requests }) => ({ label: date, value: external_requests })),
    }),
    clients: barChart({
      id: "requests-by-client",
      title: "Requests by kind of client",
      unit: "requests",
      rows: traffic_classes.map(({ client_class, requests }) => ({
        label: CLIENT_WORDS[client_class],
        value: requests,
      })),
    }),
  };
}

function statusesOf({ counts: { response_status: status, ...counts } }: Report) {
  return [
    { name: "2xx", requests: status.status_2xx },
    { name: "3xx", requests: status.status_3xx },
    { name: "4xx", requests: status.status_4xx },
    { name: "5xx", requests: status.status_5xx },
    { name: "unclassified", requests: status.unclassified },
    { name: "limited (429)", requests: counts.rate_limited_requests },
    { name: "schema validation failed", requests: counts.schema_validation_failures },
    { name: "timed out", requests: counts.timeout_requests },
  ];
}

// `window_end` is exclusive.
function lastDay({ daily, window_start }: Report): string {
  return utcDate(daily.at(-1)?.date ?? window_start);
}

function changeText({ week_over_week: [change] }: Report): string {
  if (change === undefined || change.previous === null || change.change === null)
    return "no earlier window of the same length to compare with";
  const { change: ratio, previous } = change;
  const words =
    ratio === 0 ? "as many as" : `${percent(Math.abs(ratio))} ${ratio > 0 ? "more" : "fewer"} than`;
  return `${words} the ${number(previous)} requests in the previous window`;
}

function rankingsOf(report: Report): readonly Ranking[] {
  const { top_endpoints, top_mcp_tools, top_crawlers, most_queried_cities, most_queried_entities } = report;
  return [
    {
      id: "crawlers",
      title: "Crawlers, as they name themselves",
      head: "Crawler",
      rows: top_crawlers,
    },
    {
      id: "operations",
      title: "Operations and files",
      head: "Operation",
      rows: top_endpoints.map(({ operation, requests }) => ({ name: operation, requests })),
    },
    {
      id: "tools",
      title: "MCP tools",
      head: "Tool",
      rows: top_mcp_tools.map(({ tool, requests }) => ({ name: tool, requests })),
    },
    {
      id: "cities",
      title: "Cities",
      head: "City",
      rows: most_queried_cities.map(({ city, name, requests }) => ({
        name,
        href: `/city/${city}/`,
        requests,
      })),
    },
    {
      id: "records",
      title: "Records",
      head: "Record",
      rows: most_queried_entities.map(({ public_id, name, requests }) => ({
        name,
        href: `/record/${public_id}/`,
        requests,
      })),
    },
  ];
}
