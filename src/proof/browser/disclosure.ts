import { FormatError, toBase64url } from "../tlog/bytes.ts";
import { type Leaf, parseDisclosure } from "../tlog/leaf.ts";
import { bundleOf, disclosuresPath } from "../tlog/tile.ts";
import { type Subtle, sha256 } from "./hashes.ts";
import { isObject, type JsonObject, parseObject, shown } from "./json.ts";
import { type Fact, type Passed, Stop, shortened } from "./outcome.ts";
import type { SiteReader } from "./site-reader.ts";

const BODY = "body";

/** The row's public body, if its digest is one that the leaf holds. */
export async function checkDisclosure(
  leaf: Leaf,
  reader: SiteReader,
  subtle: Subtle,
): Promise<Passed<JsonObject>> {
  const text = await readDisclosure(leaf.row, reader);
  const digest = toBase64url(await sha256(subtle, new TextEncoder().encode(text)));
  const facts: Fact[] = [
    { name: "Disclosure", value: text },
    { name: "Digest, recomputed", value: digest },
    { name: "Digests in the leaf", value: leaf.digests.join("\n") },
  ];
  if (!leaf.digests.includes(digest))
    throw new Stop("failed", "The leaf does not commit to the published text of the row.", facts);
  const { name, value } = parseDisclosure(text);
  if (name !== BODY || !isObject(value))
    throw new Stop("failed", "The disclosed text is not the public body of a row.", facts);
  return {
    says: `Its digest ${shortened(digest)} is in the leaf, which is that of ${described(leaf.kind, value)}. The contents of the row are below.`,
    facts,
    found: value,
  };
}

/** What a row is about, with its name, kind or day. */
function described(kind: string, body: JsonObject): string {
  if (kind === "observation")
    return `an observation of the day that began at ${shown(body["observed_at"])} (${shown(body["presence_kind"])})`;
  if (kind === "record") return `the record “${shown(body["name"])}” (${shown(body["public_id"])})`;
  if (kind === "asset") return `the asset ${shown(body["public_id"])} (${shown(body["asset_type"])})`;
  return `a row of the kind “${kind}”`;
}

/** Every sealed row has a disclosure until it is withdrawn. */
async function undisclosed(row: number, reader: SiteReader): Promise<Stop> {
  const sealed = await latestSealedRow(reader);
  return sealed !== undefined && row <= sealed
    ? new Stop(
        "withdrawn",
        "What this row said was withdrawn and erased. Its leaf stays in the tree, so the log is unbroken.",
      )
    : new Stop(
        "not checked",
        "No disclosure is published: the row is withdrawn or not yet sealed. Its leaf is still in the tree.",
      );
}

const STATUS = "/api/v1/status.json";

/** Undefined when the site does not say. */
async function latestSealedRow(reader: SiteReader): Promise<number | undefined> {
  try {
    const { processing } = parseObject(STATUS, await reader.readText(STATUS));
    const sealed = isObject(processing) ? processing["latest_sealed_row"] : undefined;
    return typeof sealed === "number" ? sealed : undefined;
  } catch {
    return undefined;
  }
}

async function readDisclosure(row: number, reader: SiteReader): Promise<string> {
  const address = `/ledger/${disclosuresPath(bundleOf(row))}`;
  const lines = (await reader.readText(address)).split("\n").filter((line) => line !== "");
  const ofRow = lines
    .map((line, at) => parseObject(`Line ${at + 1} of ${address}`, line))
    .filter(({ i }) => i === row);
  const [only, second] = ofRow;
  if (only === undefined) throw await undisclosed(row, reader);
  if (second !== undefined || typeof only["d"] !== "string")
    throw new FormatError(`${address} must have one disclosure of row ${row}`);
  return only["d"];
}
