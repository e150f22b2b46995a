import { fromBER } from "asn1js";
import {
  ContentInfo,
  id_eContentType_TSTInfo,
  SignedData,
  type SignerInfo,
  TimeStampResp,
  TSTInfo,
} from "pkijs";
import { plainLine, TimestampInvalid } from "./errors.ts";

/** The parsed parts of an answer, not yet verified. */
export interface ParsedResponse {
  readonly info: TSTInfo;
  readonly signedData: SignedData;
  readonly signerInfo: SignerInfo;
}

/** granted and grantedWithMods (RFC 3161, 2.4.2): only these two bring a token. */
const GRANTED: readonly number[] = [0, 1];
const TOKEN_CERTIFICATES = 16; // a chain needs three or four; what comes beyond would only cost time

/** Reads the DER of a TimeStampResp. Throws TimestampInvalid when it is not one that carries a token with one signer. */
export function parseTimestampResponse(response: Uint8Array): ParsedResponse {
  const answer = readable("the answer", () => new TimeStampResp({ schema: wholeBlock(response) }));
  const { status, statusStrings = [] } = answer.status;
  if (!GRANTED.includes(status)) {
    const words = statusStrings.map((text) => text.getValue()).join("; ");
    throw new TimestampInvalid(
      `the authority refused (status ${status}${words === "" ? "" : `: ${plainLine(words)}`})`,
    );
  }
  const token = answer.timeStampToken;
  if (token === undefined) throw new TimestampInvalid("the answer carries no token");
  if (token.contentType !== ContentInfo.SIGNED_DATA)
    throw new TimestampInvalid(`the token is not signed data, but ${token.contentType}`);
  const signedData = readable("the token", () => new SignedData({ schema: token.content }));
  const { eContentType, eContent } = signedData.encapContentInfo;
  if (eContentType !== id_eContentType_TSTInfo || eContent === undefined)
    throw new TimestampInvalid(`what is signed is not a timestamp, but ${eContentType}`);
  const info = readable("the timestamp", () => new TSTInfo({ schema: wholeBlock(eContent.getValue()) }));
  if (info.version !== 1) throw new TimestampInvalid(`the timestamp has version ${info.version}, not 1`);
  const [signerInfo, ...others] = signedData.signerInfos;
  if (signerInfo === undefined || others.length > 0)
    throw new TimestampInvalid(`the token has ${signedData.signerInfos.length} signers, not one`);
  if ((signedData.certificates ?? []).length > TOKEN_CERTIFICATES)
    throw new TimestampInvalid(`the token carries more than ${TOKEN_CERTIFICATES} certificates`);
  return { info, signedData, signerInfo };
}

/** The one ASN.1 value that the bytes are, with nothing behind it. */
function wholeBlock(bytes: Uint8Array | ArrayBuffer) {
  const { offset, result } = fromBER(bytes);
  if (offset === -1) throw new Error(result.error || "not ASN.1");
  if (offset !== bytes.byteLength) throw new Error(`${bytes.byteLength - offset} bytes too many`);
  return result;
}

function readable<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    throw new TimestampInvalid(`${what} cannot be read (${plainLine(detail)})`, { cause: error });
  }
}
