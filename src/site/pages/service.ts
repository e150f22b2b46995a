import { LedgerKeys, LedgerRedactions, type RedactionReasons } from "../../contract/ledger/ledger.ts";
import type { OperatorTextName } from "../../contract/service/status.ts";
import { toHex } from "../../proof/tlog/bytes.ts";
import { parseTreeHead } from "../../proof/tlog/note.ts";
import { LEDGER_FILES, type LedgerFile } from "../../render/guides/ledger-guide.ts";
import { count, percent } from "../../render/words/format.ts";
import { operatorHtml, REDACTION_WORDS } from "../../render/words/words.ts";
import { independence } from "../../resources/service/independence.ts";
import { ledgerCheckpoints } from "../../resources/service/ledger.ts";
import { systemStatus } from "../../resources/service/system-status.ts";
import { SURFACES } from "../../resources/surfaces.ts";
import type { Site } from "../site.ts";

/** Data of the status page, as of the build and independent of the clock. */
export function statusPage({ context }: Site) {
  const status = systemStatus.read(context, {}, {});
  const { promise, status_as_of } = status;
  const isDemo = promise === null;
  return {
    status,
    isDemo,
    until: status.valid_until,
    /** Attributes for the page's script, which compares the promise with the reader's clock. */
    promise:
      promise === null
        ? {}
        : {
            "data-next-release-due": promise.next_release_due,
            "data-grace-seconds": promise.grace_seconds,
            "data-stale-after-seconds": promise.stale_after_seconds,
            "data-status-as-of": status_as_of,
          },
    surfaces: SURFACES,
  };
}

/** Heading of the operator's part on each page, and its name in the note when it is missing. */
const PARTS: Readonly<Record<OperatorTextName, { readonly heading: string; readonly missing: string }>> = {
  about: { heading: "Who operates this site", missing: "contact details" },
  licence: { heading: "Licenses of the operator", missing: "additional licenses" },
  privacy: { heading: "Privacy notice of the operator", missing: "a privacy notice" },
  terms: { heading: "Terms of the operator", missing: "additional terms" },
};

/** The operator's text on a page. Without one, `html` is undefined and `missing` states that. */
export function operatorPart({ context, release, isDemonstration }: Site, name: OperatorTextName) {
  const markdown = context.snapshot.operatorText(name);
  const { heading, missing } = PARTS[name];
  return {
    heading,
    operator: release.operatorName,
    html: markdown === undefined ? undefined : operatorHtml(markdown),
    missing: isDemonstration
      ? `This is a demonstration with made-up observations; its operator has not added ${missing}.`
      : `The operator of this site has not added ${missing} yet.`,
  };
}

const SHOWN_SEALS = 14;

/** Data of the ledger page: newest tree head, keys and latest seals. */
export function ledgerPage(site: Site) {
  const { context, release } = site;
  const { checkpoints, external_timestamping_active } = ledgerCheckpoints.read(context, {}, {});
  const head = parseTreeHead(site.text("ledger/checkpoint"));
  const { keys } = LedgerKeys.parse(JSON.parse(site.text("ledger/keys.json")));
  const redactions = LedgerRedactions.parse(JSON.parse(site.text("ledger/redactions.json")));
  const stamped = checkpoints.find(({ timestamp_url }) => timestamp_url !== null);
  return {
    head: { origin: head.origin, size: head.size, root: toHex(head.root) },
    vkey: site.text("ledger/vkey").trim(),
    keys,
    seals: checkpoints.slice(0, SHOWN_SEALS),
    sealCount: checkpoints.length,
    isStamping: external_timestamping_active,
    redactions,
    reasons: redactions.reasons_by_month.map((entry) => ({ month: entry.month, text: reasonsText(entry) })),
    erased: count(redactions.total_rows, "row", "rows"),
    files: LEDGER_FILES.map((file) => ({ ...file, href: hrefOf(file, head.size, stamped?.tree_size) })),
    verifyCommand: `presence verify --url ${release.baseUrl}`,
  };
}

function reasonsText({ reasons, reasons_withheld }: RedactionReasons): string {
  const counted = reasons.map(({ reason, redactions }) => `${REDACTION_WORDS[reason]} (${redactions})`);
  return [...counted, ...(reasons_withheld ? ["other reasons withheld"] : [])].join(", ");
}

/** URL of a file of that kind; null when there is none that a browser can show. */
function hrefOf({ address }: LedgerFile, size: number, stampedSize: number | undefined): string | null {
  const path = `/ledger/${address}`;
  if (!address.includes("<")) return path;
  if (address === "checkpoints/<size>") return `/ledger/checkpoints/${size}`;
  if (address === "timestamps/<size>.tsr" && stampedSize !== undefined)
    return `/ledger/timestamps/${stampedSize}.tsr`;
  if (address === "disclosures/<number>.ndjson") return "/ledger/disclosures/000.ndjson";
  return address === "proof/<row>" ? "/ledger/proof/1" : null;
}

/** The page on checking a row by hand, with this release's URL and one of its cities; `html` is docs/verify-by-hand.md. */
export function byHandHtml({ context, release }: Site, html: string): string {
  const [city] = context.snapshot.cities();
  return html
    .replaceAll(WRITTEN_SITE, () => release.baseUrl)
    .replaceAll(WRITTEN_CITY, (written) => (city === undefined ? written : `/city/${city.slug}/`));
}

const WRITTEN_SITE = "http://127.0.0.1:4321";
const WRITTEN_CITY = "/city/guelph/";

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
