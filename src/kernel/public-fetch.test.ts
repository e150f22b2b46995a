import fc from "fast-check";
import { expect, test } from "vitest";
import { isPublicAddress } from "./public-fetch.ts";

test.each([
  "1.1.1.1",
  "93.184.215.14",
  "168.63.129.15",
  "168.63.129.17",
  "2606:4700:4700::1111",
  "2a00:1450:4001:806::200e",
  "2620:4f:7fff::1",
])("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  ["this network", "0.0.0.0"],
  ["private", "10.1.2.3"],
  ["private", "172.31.255.255"],
  ["private", "192.168.0.1"],
  ["shared", "100.127.255.255"],
  ["loopback", "127.0.0.1"],
  ["loopback", "127.255.255.254"],
  ["metadata of most clouds", "169.254.169.254"],
  ["metadata of AWS tasks", "169.254.170.2"],
  ["metadata of Azure", "168.63.129.16"],
  ["metadata of Alibaba Cloud", "100.100.100.200"],
  ["metadata of Oracle Cloud", "192.0.0.192"],
  ["metadata of AWS", "fd00:ec2::254"],
  ["metadata of Google Cloud", "fd20:ce::254"],
  ["multicast", "224.0.0.251"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["6to4 relay", "192.88.99.1"],
  ["unspecified", "::"],
  ["loopback", "::1"],
  ["loopback, IPv4-compatible", "::7f00:1"],
  ["loopback, IPv4-compatible", "::127.0.0.1"],
  ["private, IPv4-compatible", "::a00:1"],
  ["public, IPv4-compatible", "::101:101"],
  ["loopback, IPv4-mapped", "::ffff:127.0.0.1"],
  ["loopback, IPv4-mapped", "::ffff:7f00:1"],
  ["loopback, IPv4-translated", "::ffff:0:7f00:1"],
  ["loopback by NAT64", "64:ff9b::7f00:1"],
  ["private by a local NAT64", "64:ff9b:1::a00:1"],
  ["loopback by 6to4", "2002:7f00:1::1"],
  ["private by Teredo", "2001:0:a00:1::1"],
  ["discard only", "100::1"],
  ["ORCHIDv2", "2001:20::1"],
  ["documentation", "2001:db8::1"],
  ["documentation", "3fff::1"],
  ["segment routing", "5f00::1"],
  ["unique local", "fc00::1"],
  ["link local", "fe80::1"],
  ["link local", "fe80::1%eth0"],
  ["deprecated site local", "fec0::1"],
  ["multicast", "ff02::1"],
  ["unassigned", "4000::1"],
])("%s is refused: %s", (_, address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test("a text that is no address is refused", () => {
  fc.assert(fc.property(fc.string(), (text) => !isPublicAddress(`${text} `)));
});

test("every IPv4 address below a special block is refused in each form that holds it", () => {
  const inside = fc.constantFrom([10, 8], [127, 8], [172, 16], [192, 168], [169, 254], [100, 64]);
  fc.assert(
    fc.property(inside, fc.nat(255), fc.nat(255), ([first = 0, second = 0], third, last) => {
      const host = `${first}.${second}.${third}.${last}`;
      for (const address of [host, `::${host}`, `::ffff:${host}`, `64:ff9b::${host}`, `2002::${host}`])
        expect(isPublicAddress(address), address).toBe(false);
    }),
  );
});
