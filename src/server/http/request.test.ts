import { once } from "node:events";
import { createServer, IncomingMessage } from "node:http";
import { connect, Socket } from "node:net";
import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { PublicError } from "../../kernel/errors.ts";
import { portOf } from "../../kernel/port.ts";
import { discardBody, hasBody, isSameOrigin, parseQuery, parseTarget, readBody } from "./request.ts";

describe("request target", () => {
  describe("the target of a request", () => {
    test.each([
      ["/", "/", ""],
      ["/a?", "/a", ""],
      ["/a?b=c?d", "/a", "b=c?d"],
      ["/city/%74oronto/", "/city/toronto/", ""], // one spelling for each address
      ["/a%2fb%20c", "/a%2Fb%20c", ""],
      ["//evil.example", "//evil.example", ""],
      ["/a?x=%2e%2e", "/a", "x=%2e%2e"],
      ["/caf\u00c3\u00a9?n=\u00c3\u00a9", "/caf%C3%A9", "n=%C3%A9"], // UTF-8 sent as it is
    ])("%j -> %j, %j", (raw, pathname, query) => {
      expect(parseTarget(raw)).toEqual({ pathname, query });
    });

    test.each([
      ["http://example.org/", 400],
      ["example.org:443", 400],
      ["", 400],
      ["/..", 400],
      ["/a/../../etc/passwd", 400],
      ["/%2e%2e/%2E/x", 400],
      ["/a%00", 400],
      ["/a%0d%0aSet-Cookie:x", 400],
      ["/a%5c..%5cb", 400],
      ["/a\\b", 400],
      ["/%", 400],
      ["/%zz", 400],
      ["/%ff", 400],
      ["/\u00ff", 400],
      [`/${"a".repeat(8000)}`, 414],
    ])("%j is refused with %j", (raw, status) => {
      expect(() => parseTarget(raw)).toThrow(expect.objectContaining({ name: "PublicError", status }));
    });

    test("whatever comes: an answer, or a 4xx", () => {
      const letters = fc.constantFrom("/", "?", "%", "2e", "00", ".", "\\", "a", "\u00e9", "=", "&");
      fc.assert(
        fc.property(fc.string({ unit: letters }), (text) => {
          try {
            const { pathname, query } = parseTarget(`/${text}`);
            expect(pathname).not.toMatch(/(^|\/)\.\.?(\/|$)/);
            parseQuery(query);
          } catch (error) {
            expect(error).toBeInstanceOf(PublicError);
          }
        }),
        { numRuns: 1000 },
      );
    });
  });

  describe("a query", () => {
    test.each([
      ["", {}],
      ["&&", {}],
      ["a=1&b=two+words&c", { a: "1", b: "two words", c: "" }],
      ["a=1&a=2&a=3", { a: ["1", "2", "3"] }],
      ["=x", { "": "x" }],
    ])("%j -> %j", (query, values) => {
      expect(parseQuery(query)).toEqual(values);
    });

    test("names that objects have by themselves are names like any other", () => {
      expect(Object.entries(parseQuery("constructor=1&toString=2"))).toEqual([
        ["constructor", "1"],
        ["toString", "2"],
      ]);
      expect(() => parseQuery("__proto__=1")).toThrow("unknown parameter: __proto__");
    });

    test.each(["a=%", "a=%zz", "%ff=1"])("malformed %j is a 400", (query) => {
      expect(() => parseQuery(query)).toThrow(expect.objectContaining({ status: 400 }));
    });
  });
});

describe("request body", () => {
  describe("request body", () => {
    const LIMIT = 10;
    const server = createServer({ optimizeEmptyRequests: true });
    const sockets: Socket[] = [];

    afterEach(async () => {
      for (const socket of sockets.splice(0)) socket.destroy();
      server.removeAllListeners("request");
      await new Promise((resolve) => server.close(resolve));
    });

    /** The request that a server gets of these lines, and the client that sent them. */
    async function sent(
      head: readonly string[],
      body = "",
    ): Promise<{ request: IncomingMessage; client: Socket }> {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const asked = once(server, "request");
      const client = connect(portOf(server), "127.0.0.1");
      sockets.push(client);
      client.write(`${[...head, "Host: a.example"].join("\r\n")}\r\n\r\n${body}`);
      const [request]: IncomingMessage[] = await asked;
      if (request === undefined) throw new Error("no request came");
      return { request, client };
    }

    test("a request that announces no body has an empty one", async () => {
      const { request } = await sent(["GET / HTTP/1.1"]);
      expect(hasBody(request)).toBe(false);
      expect(await readBody(request, LIMIT)).toBe("");
    });

    test("so has one that announces nothing", async () => {
      const { request } = await sent(["POST / HTTP/1.1", "Content-Length: 0"]);
      expect(await readBody(request, LIMIT)).toBe("");
    });

    test("a body is read to its end, however it comes", async () => {
      const { request, client } = await sent(
        ["POST / HTTP/1.1", "Transfer-Encoding: chunked"],
        "3\r\nabc\r\n",
      );
      const body = readBody(request, LIMIT);
      client.write("3\r\ndef\r\n0\r\n\r\n");
      expect(await body).toBe("abcdef");
    });

    test("a body of the limit is read", async () => {
      const { request } = await sent(["POST / HTTP/1.1", `Content-Length: ${LIMIT}`], "a".repeat(LIMIT));
      expect(await readBody(request, LIMIT)).toHaveLength(LIMIT);
    });

    test.each([
      ["says that it is", ["Content-Length: 11"], ""],
      ["is", ["Transfer-Encoding: chunked"], "b\r\naaaaaaaaaaa\r\n"],
    ])("a body that %s larger is refused before its end", async (_, head, body) => {
      const { request } = await sent(["POST / HTTP/1.1", ...head], body);
      await expect(readBody(request, LIMIT)).rejects.toMatchObject({ status: 413 });
    });

    test("a client that leaves in the middle is told of as an incomplete body", async () => {
      const { request, client } = await sent(["POST / HTTP/1.1", "Content-Length: 10"], "abc");
      const body = readBody(request, LIMIT);
      client.destroy();
      await expect(body).rejects.toMatchObject({ status: 400 });
    });

    test("so is one that left before anybody read", async () => {
      const { request, client } = await sent(["POST / HTTP/1.1", "Content-Length: 10"], "abc");
      request.on("error", () => undefined);
      const closed = new Promise((resolve) => request.once("close", resolve));
      client.destroy();
      await closed;
      await expect(discardBody(request)).rejects.toMatchObject({ status: 400 });
    });
  });

  describe("same origin", () => {
    const HOSTS = new Set(["presence.example.org"]);

    test.each([
      [{}, true], // no browser
      [{ "sec-fetch-site": "same-origin" }, true],
      [{ "sec-fetch-site": "none" }, true],
      [{ "sec-fetch-site": "same-site" }, false],
      [{ "sec-fetch-site": "cross-site", origin: "https://presence.example.org" }, false],
      [{ origin: "https://presence.example.org" }, true],
      [{ origin: "https://presence.example.org.evil.example" }, false],
      [{ origin: "https://evil.example/presence.example.org" }, false],
      [{ origin: "null" }, false],
      [{ origin: "" }, false],
    ])("%j is %s", (headers, expected) => {
      const request = new IncomingMessage(new Socket());
      Object.assign(request.headers, headers);
      expect(isSameOrigin(request, HOSTS)).toBe(expected);
    });
  });
});
