import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import crawlers from "crawler-user-agents";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { clientKey, declaredClient, MAX_USER_AGENT, networkOf, widerNetworkOf } from "./client-class.ts";

function classByTags(tags: readonly string[]): string {
  if (tags.length === 0) return "anonymous_or_unattributed";
  if (tags.includes("ai-crawler")) return "ai_crawler";
  return tags.includes("search-engine") ? "search_crawler" : "other_client";
}

describe("client address", () => {
  function requestFrom(address: string, forwardedFor?: string): IncomingMessage {
    const socket = new Socket();
    Object.defineProperty(socket, "remoteAddress", { value: address });
    const request = new IncomingMessage(socket);
    if (forwardedFor !== undefined) request.headers["x-forwarded-for"] = forwardedFor;
    return request;
  }

  describe("who a request counts against", () => {
    test("without proxies of ours nobody can name himself", () => {
      expect(clientKey(requestFrom("203.0.113.7", "1.1.1.1"), 0)).toBe("203.0.113.7");
    });

    test.each([
      [1, "198.51.100.1", "198.51.100.1"],
      [1, "6.6.6.6, 198.51.100.1", "198.51.100.1"], // the left one was forged
      [2, "6.6.6.6, 198.51.100.1, 10.0.0.2", "198.51.100.1"],
      [1, "198.51.100.1:4711", "198.51.100.1"],
      [1, "[2001:db8:1:2::9]:4711", "2001:db8:1:2::/64"],
      [2, "198.51.100.1", "10.0.0.1"], // it did not come through both proxies
      [1, "unknown", "10.0.0.1"],
      [1, "<script>", "10.0.0.1"],
      [1, "", "10.0.0.1"],
    ])("behind %i of ours, %j counts as %s", (proxies, forwardedFor, key) => {
      expect(clientKey(requestFrom("10.0.0.1", forwardedFor), proxies)).toBe(key);
    });

    test("a proxy that forwards nothing counts itself", () => {
      expect(clientKey(requestFrom("10.0.0.1"), 1)).toBe("10.0.0.1");
    });
  });

  test.each([
    ["192.0.2.1", "192.0.2.1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["2001:DB8:0001:2:3:4:5:6", "2001:db8:1:2::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["1:2::4:5:6:192.0.2.1", "1:2:0:4::/64"],
    ["unknown", "unknown"],
  ])("the network of %s is %s", (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  test.each([
    ["203.0.113.7", "203.0.113.0/24"],
    ["2001:db8:1:2::/64", "2001:db8:1::/48"],
    ["unknown", "unknown"],
  ])("the network of %s is %s", (key, network) => {
    expect(widerNetworkOf(key)).toBe(network);
  });
});

describe("client class", () => {
  const CHROME =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0";

  describe("a client by its user agent", () => {
    test.each([
      [
        "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
        "ai_crawler",
        "GPTBot",
      ],
      [
        "Mozilla/5.0 (compatible; OAI-SearchBot/1.0; +https://openai.com/searchbot)",
        "ai_crawler",
        "OAI-SearchBot",
      ],
      ["Mozilla/5.0 (compatible; ChatGPT-User/1.0; +https://openai.com/bot)", "ai_crawler", "ChatGPT-User"],
      ["Mozilla/5.0 (compatible; ClaudeBot/1.0; +claudebot@anthropic.com)", "ai_crawler", "claudebot"],
      ["Mozilla/5.0 (compatible; Claude-User/1.0)", "ai_crawler", "Claude-User"],
      [
        "Mozilla/5.0 (compatible; PerplexityBot/1.0; +https://perplexity.ai/perplexitybot)",
        "ai_crawler",
        "PerplexityBot",
      ],
      ["CCBot/2.0 (https://commoncrawl.org/faq/)", "ai_crawler", "CCBot"],
      ["Mozilla/5.0 (compatible; Bytespider; spider-feedback@bytedance.com)", "ai_crawler", "Bytespider"],
      [
        "meta-externalagent/1.1 (+https://developers.facebook.com/docs/sharing/webmasters/crawler)",
        "ai_crawler",
        "meta-externalagent",
      ],
      [
        "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
        "search_crawler",
        "Googlebot",
      ],
      [
        "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
        "search_crawler",
        "bingbot",
      ],
      ["Mozilla/5.0 (compatible; Amazonbot/0.1)", "search_crawler", "Amazonbot"],
      ["curl/8.5.0", "other_client", null],
      ["python-requests/2.32", "other_client", null],
      ["Wget/1.21", "other_client", null],
      ["Feedly/1.0 (+http://www.feedly.com/fetcher.html)", "other_client", "Feedly"],
      [CHROME, "anonymous_or_unattributed", null],
      ["node", "anonymous_or_unattributed", null],
      ["", "anonymous_or_unattributed", null],
    ])("%s", (userAgent, clientClass, agent) => {
      expect(declaredClient(userAgent)).toEqual({ clientClass, agent });
    });

    test("every example of the list has the class that its tags say, by the list's own expressions", () => {
      const expressions = crawlers.map(({ pattern }) => new RegExp(pattern));
      const tagsOf = (entry: object): string[] =>
        "tags" in entry && Array.isArray(entry.tags) ? entry.tags : [];
      const wrong = crawlers
        .flatMap(({ instances }) => instances.slice(0, 1))
        .map((example) => example.slice(0, MAX_USER_AGENT))
        .filter((example) => {
          const tags = crawlers.flatMap((entry, at) => (expressions[at]?.test(example) ? tagsOf(entry) : []));
          return declaredClient(example).clientClass !== classByTags(tags);
        });
      expect(wrong).toEqual([]);
    });

    test("what is given as a name stands in the list, whatever came in", () => {
      const names = new Set<string>();
      for (const { instances } of crawlers)
        for (const instance of instances) names.add(declaredClient(instance).agent ?? "");
      const hostile = fc.oneof(
        fc.string(),
        fc.string({ unit: "binary" }),
        fc
          .tuple(fc.constantFrom("Googlebot/", "GPTBot", "Spider", "curl"), fc.string())
          .map((both) => both.join("")),
      );
      fc.assert(
        fc.property(hostile, (text) => {
          const { agent } = declaredClient(text);
          expect(
            agent === null || names.has(agent) || crawlers.some(({ pattern }) => pattern.includes(agent)),
          ).toBe(true);
        }),
      );
    });

    test("long and repetitive texts cost little", () => {
      const startedAt = performance.now();
      for (const piece of ["Spider", "Current", "ContextualBot", "a", "(", "GPTBo", "Mozilla/5.0 "])
        for (let n = 0; n < 20; n += 1) declaredClient(`${n}${piece.repeat(16_000 / piece.length)}`);
      expect((performance.now() - startedAt) / 140).toBeLessThan(5);
    });
  });
});
