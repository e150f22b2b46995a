import { percent } from "../../render/words/format.ts";
import { independence } from "../../resources/service/independence.ts";
import type { Site } from "../site.ts";

type Report = ReturnType<typeof independence.read>;
type FalseAlarms = Report["months"][number]["sample"];

/** Rules and results of what counts as independent evidence. */
export function independencePage({ context }: Site) {
  const report = independence.read(context, {}, {});
  return {
    report,
    checks: report.checks.map((check) => ({
      ...check,
      numbers: check.parameters.map(({ name, value }) => `${name} ${value}`).join(", "),
    })),
    months: report.months.map(({ month, checks, sample, vouched }) => ({
      month,
      checks: checks.map((row) => ({
        ...row,
        setAside: countText(row.set_aside),
        restored: countText(row.restored),
      })),
      sample: falseAlarmText(sample),
      vouched: vouched.map(({ source, observers }) => ({ source, observers: countText(observers) })),
    })),
    falseAlarms: report.false_alarms === null ? null : falseAlarmText(report.false_alarms),
  };
}

function countText(count: number | null): string {
  return count === null ? "withheld" : String(count);
}

function falseAlarmText({ reviewed, false_alarms, rate, confidence_interval }: FalseAlarms): string {
  const judged = `${false_alarms} of ${reviewed} reviewed observations`;
  if (rate === null || confidence_interval === null) return `${judged}; too few for a rate`;
  const { low, high } = confidence_interval;
  return `${judged}: ${percent(rate)} (95 % interval ${percent(low)} to ${percent(high)})`;
}
