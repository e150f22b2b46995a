import dns from "node:dns";
import { connect } from "node:net";
import { expect, test } from "vitest";

test("a test cannot leave this machine, by address or by name", async () => {
  expect(() => connect(9, "192.0.2.1")).toThrow("wanted to leave this machine for 192.0.2.1");
  expect(() => connect({ port: 9, host: "2001:db8::1" })).toThrow("leave this machine");
  await expect(fetch("http://192.0.2.1/")).rejects.toThrow();
  await expect(dns.promises.lookup("example.org")).rejects.toThrow("leave this machine for example.org");
  expect(() => dns.resolveTxt("example.org", () => undefined)).toThrow("leave this machine");
  await expect(dns.promises.lookup("localhost")).resolves.toBeDefined();
});
