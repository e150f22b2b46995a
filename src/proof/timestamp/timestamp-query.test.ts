import { TimeStampReq } from "pkijs";
import { expect, test } from "vitest";
import { sha256 } from "../../kernel/hash.ts";
import { timestampQuery } from "./timestamp-query.ts";

test.for([0x00, 0x01, 0x7f, 0x80, 0xff])("a query is the DER of RFC 3161, with a nonce from %i", (byte) => {
  const { body, nonce } = timestampQuery("a message", (size) => Buffer.alloc(size, byte));
  expect(body).toHaveLength(69);
  const read = TimeStampReq.fromBER(new Uint8Array(body));
  expect(read.version).toBe(1);
  expect(read.certReq).toBe(true);
  expect(read.messageImprint.hashAlgorithm.algorithmId).toBe("2.16.840.1.101.3.4.2.1");
  expect(Buffer.from(read.messageImprint.hashedMessage.getValue())).toEqual(sha256("a message"));
  expect(Buffer.from(read.nonce?.valueBlock.valueHexView ?? [])).toEqual(nonce);
  expect(nonce[0]).toBeGreaterThanOrEqual(1);
  expect(nonce[0]).toBeLessThanOrEqual(0x7f);
  expect(Buffer.from(read.toSchema().toBER())).toEqual(body);
});
