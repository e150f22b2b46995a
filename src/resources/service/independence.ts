import { NoParams } from "../../contract/params.ts";
import { Independence } from "../../contract/service/independence.ts";
import { INDEPENDENCE_VERSION, SCHEMA } from "../../contract/versions.ts";
import { isoTime } from "../../kernel/time.ts";
import type { SourceEntry, Tally } from "../../snapshot/rows.ts";
import { defineResource } from "../define.ts";
import { independenceChecks } from "./independence-checks.ts";

export const independence = defineResource({
  operationId: "getIndependence",
  path: "/api/v1/independence",
  summary: "Get the rules and results of what counts as independent evidence",
  description:
    "Lists the registered sources, the checks with their versions and parameters, and by month how many observations each check set aside, how many a review restored, and how often a random sample was a false alarm. Sources and counts come from ledger rows.",
  pathParams: {},
  query: NoParams.shape,
  wire: Independence,
  example: { path: {}, query: {} },
  errors: [400],
  enumerate: () => [{}],
  load({ snapshot }) {
    const tallies = snapshot.tallies();
    const [newest] = tallies;
    return {
      schema: SCHEMA.independence,
      data_as_of: isoTime(snapshot.release().asOf),
      independence_version: INDEPENDENCE_VERSION,
      notes: NOTES,
      sources: snapshot.sources().map(sourceWire),
      checks: independenceChecks(),
      months: tallies.map(monthWire),
      false_alarms: newest === undefined ? null : falseAlarmsWire(newest.sampleSoFar),
    };
  },
});

const NOTES: Independence["notes"] = {
  principals:
    "Independence is counted by principal: who controls one or more observers. All built-in sources together are one principal, to which observations belong that name no registered source.",
  standing:
    "An observer of an individual source counts once it is established: vouched for by the operator at enrolment, by samples that reviewers verified, or by discoveries that established principals confirmed. Until then its observations are provisional.",
  delays:
    "A row says whether it counts when it enters the ledger. Every later change is a row of its own about one observation or one record, appended after a keyed random delay of 1 to 14 days. One change has no delay: when a whole batch of input was wrong, all its observations stop counting at once, in rows with the code “batch_undone”.",
  private:
    "Names of observers, exact places and times, and media hashes are never published. All reasons that rest on them share one code and cannot be told apart.",
};

function sourceWire({ id, row, assetTypes, ...source }: SourceEntry): Independence["sources"][number] {
  return {
    source: id,
    kind: source.kind,
    vetting: source.vetting,
    name: source.name,
    operator: source.operator,
    licence: source.licence,
    consent: source.consent,
    asset_types: [...assetTypes],
    state: source.state,
    registered_row: row,
    assigned: [],
  };
}

function monthWire({ month, checks, sample, vouched }: Tally): Independence["months"][number] {
  return {
    month,
    checks: [...checks],
    sample: falseAlarmsWire(sample),
    vouched: [...vouched],
  };
}

function falseAlarmsWire({ reviewed, falseAlarms, rate, interval }: Tally["sample"]) {
  return {
    reviewed,
    false_alarms: falseAlarms,
    rate,
    confidence_interval: interval === null ? null : { ...interval, level: 0.95, method: "wilson" },
  };
}
