import { expect, test } from "vitest";
import { endpointProblem } from "./webhook-sender.ts";

const STRICT = { allowLoopback: false, ports: [] };
const LOOSE = { allowLoopback: true, ports: [8443] };

test("an endpoint has a public name and the port of https", () => {
  for (const good of [
    "https://hooks.receiver.com/a?b=c",
    "https://receiver.co.uk",
    "https://bücher.de/hook",
    "https://receiver.com:443/",
    "https://receiver.com./hook",
  ])
    expect(endpointProblem(good, STRICT), good).toBeUndefined();
});

test.each([
  "https://127.0.0.1/",
  "https://127.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0177.0.0.1/",
  "https://0x7f.1/",
  "https://10.0.0.1/",
  "https://172.16.3.4/",
  "https://192.168.1.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.64.0.1/",
  "https://0.0.0.0/",
  "https://224.0.0.1/",
  "https://8.8.8.8/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[fe80::1]/",
  "https://[fd00::1]/",
  "https://[2001:4860:4860::8888]/",
  "https://①②⑦.⓪.⓪.①/",
  "https://127.0.0.1./",
])("%s is refused as an address", (url) => {
  expect(endpointProblem(url, STRICT)).toBe("must name its host, not an IP address");
});

test.each([
  ["https://localhost/", "must name a host that is public"],
  ["https://localhost./", "must name a host that is public"],
  ["https://LOCALHOST/", "must name a host that is public"],
  ["https://intranet/", "must name a host that is public"],
  ["https://metadata.google.internal/", "must name a host that is public"],
  ["https://printer.local/", "must name a host that is public"],
  ["https://a.localhost/", "must name a host that is public"],
  ["https://receiver.test/", "must name a host that is public"],
  ["https://router.home.arpa/", "must name a host that is public"],
  ["http://receiver.com/", "must be an https:// address"],
  ["ftp://receiver.com/", "must be an https:// address"],
  ["javascript:alert(1)", "must be an https:// address"],
  ["https://user@receiver.com/", "must not contain a user name or password"],
  ["https://user:pw@receiver.com/", "must not contain a user name or password"],
  ["https://receiver.com:8443/", "must not name a port"],
  ["https://receiver.com:22/", "must not name a port"],
  ["receiver.com", "must be an https:// address of at most 2,048 characters"],
  ["", "must be an https:// address of at most 2,048 characters"],
  [`https://receiver.com/${"a".repeat(2048)}`, "must be an https:// address of at most 2,048 characters"],
])("%s is refused", (url, problem) => {
  expect(endpointProblem(url, STRICT)).toBe(problem);
});

test("ports and this machine itself are allowed where the operator says so, and nothing else", () => {
  for (const good of [
    "https://receiver.com:8443/",
    "http://127.0.0.1:9/hook",
    "http://localhost:9/hook",
    "https://[::1]:9/hook",
  ])
    expect(endpointProblem(good, LOOSE), good).toBeUndefined();
  for (const bad of ["http://127.0.0.2/", "http://10.0.0.1/", "http://receiver.com/", "http://me@127.0.0.1/"])
    expect(endpointProblem(bad, LOOSE), bad).toBeDefined();
});
