import { LedgerKeys } from "../../contract/ledger/ledger.ts";
import { LedgerRedactions, type RedactionReasons } from "../../contract/ledger/withdrawals.ts";
import { toHex } from "../../proof/tlog/bytes.ts";
import { parseTreeHead } from "../../proof/tlog/note.ts";
import { LEDGER_FILES, type LedgerFile } from "../../render/guides/ledger-guide.ts";
import { count } from "../../render/words/format.ts";
import { REDACTION_WORDS } from "../../render/words/words.ts";
import { ledgerCheckpoints } from "../../resources/service/ledger.ts";
import type { Site } from "../site.ts";

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
