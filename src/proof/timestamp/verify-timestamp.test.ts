import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AuthorityOptions,
  OPENSSL_MISSING,
  TestAuthority,
} from "../../../tests/support/timestamp/authority.ts";
import { DAY_MS } from "../../kernel/time.ts";
import { TimestampInvalid, type TimestampQuery, timestampQuery } from "./authority.ts";
import { trustAnchorsFromPem } from "./certificates.ts";
import { parseTimestampResponse, type TimestampCheck, verifyTimestamp } from "./verify-timestamp.ts";

const NOTE = Buffer.from("example.org/demo\n7\nroot\n\n— example.org/demo signature\n");
const random = (size: number) => Buffer.alloc(size, 0xa7);

/** An authority, its answer over NOTE, and what a check of it needs. */
function stamped(options: AuthorityOptions = {}) {
  const authority = new TestAuthority(options);
  const query = timestampQuery(NOTE, random);
  const trustAnchors = trustAnchorsFromPem(authority.caPem);
  return { authority, query, response: authority.reply(query.body), trustAnchors };
}

const refusal = (check: TimestampCheck) =>
  verifyTimestamp(check).then(
    () => "accepted",
    (error) => (error instanceof TimestampInvalid ? error.message : `not typed: ${error}`),
  );

describe.skipIf(OPENSSL_MISSING !== undefined)(`a token of openssl (${OPENSSL_MISSING ?? "there"})`, () => {
  let good: ReturnType<typeof stamped>;
  let check: TimestampCheck & { readonly query: TimestampQuery };
  beforeAll(() => {
    good = stamped();
    check = { ...good, message: NOTE, nonce: good.query.nonce };
  });
  afterAll(() => good.authority[Symbol.dispose]());

  /** The content of the good token, signed again by another certificate or in another way. */
  const info = (response = good.response) => {
    const content = parseTimestampResponse(response).signedData.encapContentInfo.eContent;
    return Buffer.from(content?.getValue() ?? new ArrayBuffer());
  };

  test.for([{ key: "ec" }, { key: "rsa" }, { key: "ec", essHash: "sha1" }] as const)(
    "verifies: %o",
    async (options) => {
      const { authority, query, response, trustAnchors } = stamped(options);
      using _ = authority;
      const result = await verifyTimestamp({ response, message: NOTE, nonce: query.nonce, trustAnchors });
      expect(result).toMatchObject({
        policy: "1.2.3.4.1",
        signerName: "O=Test, CN=Test TSA",
        chain: "verified",
        serial: expect.stringMatching(/^([0-9a-f]{2})+$/),
      });
      expect(Math.abs(result.time - Date.now())).toBeLessThan(60_000);
      expect(authority.verify(NOTE, response)).toContain("Verification: OK");
    },
  );

  test("verifies without roots, and says that the chain is not checked", async () => {
    const { response } = good;
    expect(await verifyTimestamp({ response, message: NOTE })).toMatchObject({ chain: "unchecked" });
  });

  test("is refused over other bytes", async () => {
    expect(await refusal({ ...check, message: Buffer.from("other") })).toMatchInlineSnapshot(
      `"the stamp is over other bytes: the message imprint is not the SHA-256 of these"`,
    );
    expect(good.authority.verify("other", good.response)).toContain("FAILED");
  });

  test("is refused for another query", async () => {
    expect(await refusal({ ...check, nonce: Buffer.alloc(8, 1) })).toMatchInlineSnapshot(
      `"the answer is to another query: the nonce differs"`,
    );
    const withoutNonce = Buffer.concat([check.query.body.subarray(0, -13), Buffer.from("0101ff", "hex")]);
    withoutNonce[1] = withoutNonce.length - 2;
    const response = good.authority.reply(withoutNonce);
    expect(await refusal({ ...check, response })).toContain("the nonce differs");
    expect(await verifyTimestamp({ response, message: NOTE })).toMatchObject({ policy: "1.2.3.4.1" });
  });

  test("is refused when nobody trusted vouches for the signer", async () => {
    using other = new TestAuthority();
    const trustAnchors = trustAnchorsFromPem(other.caPem);
    expect(await refusal({ ...check, trustAnchors })).toMatchInlineSnapshot(
      `"the signer O=Test, CN=Test TSA has no valid chain to a trusted root: none of the roots issued it, or a certificate that the token carries"`,
    );
    expect(await refusal({ ...check, trustAnchors: [] })).toContain("no valid chain");
    expect(await refusal({ ...check, trustAnchors: [...trustAnchors, ...good.trustAnchors] })).toBe(
      "accepted",
    );
  });

  test("is refused from a certificate that had expired, roots or not", async () => {
    const { authority, response, trustAnchors } = stamped({ until: "20240101000000Z" });
    using _ = authority;
    const said = await refusal({ response, message: NOTE, trustAnchors });
    expect(said.replace(/at 20\S+,/, "at NOW,")).toMatchInlineSnapshot(
      `"stamped at NOW, but the certificate of O=Test, CN=Test TSA is valid from 2000-01-01T00:00:00Z to 2024-01-01T00:00:00Z"`,
    );
    expect(await refusal({ response, message: NOTE })).toBe(said);
  });

  test.for([
    ["no purpose", "keyUsage = digitalSignature"],
    ["one purpose more", "extendedKeyUsage = critical, timeStamping, emailProtection"],
    ["a purpose that is not critical", "extendedKeyUsage = timeStamping"],
  ] as const)("is refused from a certificate with %s", async ([, usage]) => {
    using authority = new TestAuthority({ usage });
    const response = authority.forge(info());
    const said = await refusal({
      response,
      message: NOTE,
      trustAnchors: trustAnchorsFromPem(authority.caPem),
    });
    expect(said).toMatch(/^the signer's certificate is not for timestamps/);
    expect(await refusal({ response, message: NOTE })).toBe(said);
  });

  test("is refused from a key that may do more than sign", async () => {
    const usage = "extendedKeyUsage = critical, timeStamping\nkeyUsage = digitalSignature, keyEncipherment";
    using authority = new TestAuthority({ usage });
    expect(await refusal({ response: authority.forge(info()), message: NOTE })).toMatchInlineSnapshot(
      `"the signer's certificate has a key usage other than signing"`,
    );
  });

  test("is refused when something critical about its certificate is unknown", async () => {
    const usage = "extendedKeyUsage = critical, timeStamping\n1.2.3.4 = critical, DER:0500";
    using authority = new TestAuthority({ usage });
    expect(await refusal({ response: authority.forge(info()), message: NOTE })).toMatchInlineSnapshot(
      `"the certificate of O=Test, CN=Test TSA has an unknown critical extension, 1.2.3.4"`,
    );
  });

  test("is accepted when its content is signed anew by a right authority", async () => {
    expect(await refusal({ ...check, response: good.authority.forge(info()) })).toBe("accepted");
  });

  test("is refused when it does not name its signer's certificate", async () => {
    const response = good.authority.forge(info(), []);
    expect(await refusal({ ...check, response })).toMatchInlineSnapshot(
      `"the token has 0 signed attributes “signing certificate”, not one"`,
    );
  });

  test("is refused under another certificate of the same key and number", async () => {
    const twin = good.authority.twin();
    const response = good.authority.forge(info(), ["-cades", "-nocerts", "-certfile", twin]);
    expect(await refusal({ ...check, response })).toMatchInlineSnapshot(
      `"the token names another signing certificate than the one it carries"`,
    );
  });

  test("finds its root where certificates lead in circles, and is refused when they reach further than their root allows", async () => {
    const { authority } = good;
    authority.ring();
    const response = authority.forge(info(authority.reply(check.query.body)), [
      "-cades",
      "-certfile",
      "ring.pem",
    ]);
    const deadEnd = authority.forge(info(), ["-cades", "-certfile", "own-by-far.pem"]);
    expect(await refusal({ ...check, response: deadEnd })).toBe("accepted");
    using other = new TestAuthority();
    const elsewhere = trustAnchorsFromPem(other.caPem);
    expect(await refusal({ ...check, response, trustAnchors: elsewhere })).toMatchInlineSnapshot(
      `"the signer O=Test, CN=Test TSA has no valid chain to a trusted root: none of the roots issued it, or a certificate that the token carries"`,
    );
    const trusting = (file: string) => ({
      ...check,
      response,
      trustAnchors: trustAnchorsFromPem(authority.read(file)),
    });
    expect(await refusal(trusting("far.pem"))).toBe("accepted");
    expect(await refusal(trusting("near.pem"))).toMatchInlineSnapshot(
      `"the signer O=Test, CN=Test TSA has no valid chain to a trusted root: CN=Other Root allows fewer authorities below it"`,
    );
  });

  test("is refused without signed attributes, with an old hash, with two signers", async () => {
    const { authority } = good;
    expect(await refusal({ ...check, response: authority.forge(info(), ["-noattr"]) })).toMatchInlineSnapshot(
      `"the token has 0 signed attributes “content type”, not one"`,
    );
    expect(
      await refusal({ ...check, response: authority.forge(info(), ["-cades", "-md", "sha1"]) }),
    ).toMatchInlineSnapshot(
      `"the signature uses the hash function 1.3.14.3.2.26; only SHA-256, SHA-384 and SHA-512 count"`,
    );
    const twice = ["-cades", "-signer", "ca.pem", "-inkey", "ca.key"];
    expect(await refusal({ ...check, response: authority.forge(info(), twice) })).toMatchInlineSnapshot(
      `"the token has 2 signers, not one"`,
    );
    expect(
      await refusal({ ...check, response: authority.forge(info(), ["-cades", "-nocerts"]) }),
    ).toMatchInlineSnapshot(`"the signature does not verify (No certificates attached to this signed data)"`);
    expect(
      await refusal({ ...check, response: authority.forge(Buffer.from("no stamp")) }),
    ).toMatchInlineSnapshot(
      `"the timestamp cannot be read (End of input reached before message was fully decoded (inconsistent offset and length values))"`,
    );
  });

  test("is refused at a time that cannot be", async () => {
    const { time } = await verifyTimestamp(check);
    expect(await refusal({ ...check, notBefore: time, notAfter: time })).toBe("accepted");
    expect(await refusal({ ...check, notBefore: time + 1 })).toMatch(/^the stamp's time cannot be: 20/);
    expect(await refusal({ ...check, notAfter: time - DAY_MS })).toMatch(/^the stamp's time cannot be: 20/);
  });

  test("is refused when the authority refuses", async () => {
    const otherHash = Buffer.from(check.query.body);
    otherHash[otherHash.indexOf("0304020105", 0, "hex") + 4] = 2; // SHA-384, with a hash of the wrong length
    expect(await refusal({ ...check, response: good.authority.reply(otherHash) })).toMatchInlineSnapshot(
      `"the authority refused (status 2: Bad request format or system error.)"`,
    );
  });

  test("is refused as garbage, cut off, or with bytes behind it", async () => {
    const { response } = good;
    for (const bad of [Buffer.alloc(0), Buffer.from("<html>"), Buffer.alloc(5000, 0x30), NOTE])
      expect(await refusal({ ...check, response: bad })).toMatch(/^the answer cannot be read/);
    for (let length = 0; length < response.length; length += 97)
      expect(await refusal({ ...check, response: response.subarray(0, length) })).toMatch(/cannot be read/);
    expect(await refusal({ ...check, response: Buffer.concat([response, Buffer.alloc(1)]) })).toBe(
      "the answer cannot be read (1 bytes too many)",
    );
  });

  test("is refused with any byte of what is signed changed, and never fails untyped", async () => {
    const { response } = good;
    const signed = response.indexOf(info());
    await fc.assert(
      fc.asyncProperty(fc.nat(response.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bad = Buffer.from(response);
        bad[at] = (bad[at] ?? 0) ^ flip;
        const said = await refusal({ ...check, response: bad });
        if (at >= signed && at < signed + info().length) expect(said).not.toBe("accepted");
        expect(said).not.toMatch(/^not typed/);
      }),
      { numRuns: 300 },
    );
  });

  test("is refused with its signature changed", async () => {
    const bad = Buffer.from(good.response);
    const last = bad.length - 1;
    bad[last] = (bad[last] ?? 0) ^ 1;
    expect(await refusal({ ...check, response: bad })).toMatchInlineSnapshot(
      `"the signature does not verify"`,
    );
  });
});

test("roots are read from PEM, whatever stands between them", () => {
  expect(() => trustAnchorsFromPem("nothing")).toThrow("there is no certificate in PEM form");
  const broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  expect(() => trustAnchorsFromPem(broken)).toThrow("certificate 1 cannot be read");
});
