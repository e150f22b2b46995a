import { TimeStampReq } from "pkijs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Answer,
  replying,
  TestAuthorityServer,
} from "../../../tests/support/timestamp/authority-server.ts";
import { sha256 } from "../../kernel/hash.ts";
import { ANSWER_LIMIT, requestTimestamp, TimestampUnavailable, timestampQuery } from "./authority.ts";

describe("timestamp query", () => {
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
});

describe("request timestamp", () => {
  let server: TestAuthorityServer;
  beforeAll(async () => {
    server = await TestAuthorityServer.start(() => undefined);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const ask = (answer: Answer, timeoutMs = 10_000) => {
    server.answer = answer;
    return requestTimestamp({ url: server.url, body: Buffer.from("query"), timeoutMs });
  };

  const refusal = (answer: Promise<unknown>) =>
    answer.then(
      () => "an answer",
      (error) =>
        error instanceof TimestampUnavailable ? error.message.replace(/:\d+:/, ":") : `not typed: ${error}`,
    );

  test("the query goes out as it is, and the answer comes back", async () => {
    const echo: Answer = (query, response) => {
      const { method, headers } = response.req;
      response.end(`${method} ${headers["content-type"]} ${query}`);
    };
    expect(String(await ask(echo))).toBe("POST application/timestamp-query query");
  });

  test.for([
    ["application/timestamp-reply", "an answer"],
    ["Application/Timestamp-Reply; charset=binary", "an answer"],
    ["application/octet-stream", "an answer"],
    ["text/html; charset=utf-8", "127.0.0.1: answered with text/html, not with a timestamp"],
  ] as const)("an answer of type %s", async ([type, expected]) => {
    const typed: Answer = (_query, response) => response.setHeader("content-type", type).end("bytes");
    expect(await refusal(ask(typed))).toBe(expected);
  });

  test("the longest answer is taken, a longer one is not read to its end", async () => {
    expect(await ask(replying(() => Buffer.alloc(ANSWER_LIMIT)))).toHaveLength(ANSWER_LIMIT);
    const endless: Answer = (_query, response) => {
      const more = () => {
        while (response.write(Buffer.alloc(16_384)));
      };
      response.on("drain", more);
      more();
    };
    expect(await refusal(ask(endless))).toMatchInlineSnapshot(
      `"127.0.0.1: answered with more than 65536 bytes"`,
    );
  });

  test("a slow authority is left, before its answer or within it", async () => {
    expect(await refusal(ask(() => undefined, 200))).toMatchInlineSnapshot(
      `"127.0.0.1: no answer within 0.2 seconds"`,
    );
    expect(await refusal(ask((_query, response) => response.write("begun"), 200))).toBe(
      "127.0.0.1: no answer within 0.2 seconds",
    );
  });

  test("a redirect is not followed", async () => {
    const asked = server.queries.length;
    for (const status of [301, 303, 307, 308]) {
      const answer: Answer = (_query, response) => response.writeHead(status, { location: server.url }).end();
      expect(await refusal(ask(answer))).toContain(`redirect (${status}), which is not followed`);
    }
    expect(server.queries).toHaveLength(asked + 4);
  });

  test("an error, a broken connection and nobody there are said as they are", async () => {
    expect(await refusal(ask((_query, response) => response.writeHead(503).end()))).toMatchInlineSnapshot(
      `"127.0.0.1: answered with HTTP status 503"`,
    );
    expect(await refusal(ask((_query, response) => response.destroy()))).toMatchInlineSnapshot(
      `"127.0.0.1: could not be reached (UND_ERR_SOCKET)"`,
    );
    const gone = await TestAuthorityServer.start(() => undefined);
    const { url } = gone;
    await gone[Symbol.asyncDispose]();
    expect(await refusal(requestTimestamp({ url, body: Buffer.alloc(1) }))).toMatchInlineSnapshot(
      `"127.0.0.1: could not be reached (ECONNREFUSED)"`,
    );
    for (const address of ["file:///etc/passwd", "tsa.example", ""])
      expect(await refusal(requestTimestamp({ url: address, body: Buffer.alloc(1) }))).toContain(
        "by http or https only",
      );
  });
});
