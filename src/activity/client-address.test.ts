import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { describe, expect, test } from "vitest";
import { clientKey, networkOf, widerNetworkOf } from "./client-address.ts";

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
