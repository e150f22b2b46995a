/**
 * Loaded before each test file: a connection or a look-up that would leave this machine fails and names where it wanted to
 * go. A test whose subject is a look-up replaces `dns.lookup` itself. Programs that a test starts are not covered.
 */

import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { BlockList, isIP, Socket } from "node:net";

const INSTALLED = Symbol.for("presence.no-network");
const HERE = new BlockList();
HERE.addSubnet("127.0.0.0", 8, "ipv4");
HERE.addAddress("::1", "ipv6");

const refusal = (host: string) => new Error(`a test wanted to leave this machine for ${host}`);

/** Names pass: their look-up decides. */
function leaves(host: string): boolean {
  const family = isIP(host);
  return family !== 0 && !HERE.check(host, family === 4 ? "ipv4" : "ipv6");
}

/** The host of `connect(options)`, of `connect(port, host)`, and of Node's own form, a list of these; "" for none. */
function hostOf([first, second]: readonly unknown[]): string {
  if (Array.isArray(first)) return hostOf(first);
  if (typeof first === "object" && first !== null && "host" in first) return String(first.host ?? "");
  return typeof second === "string" ? second : "";
}

function guardConnections(): void {
  const { connect } = Socket.prototype;
  Reflect.set(Socket.prototype, "connect", function (this: Socket, ...given: unknown[]) {
    const host = hostOf(given);
    if (leaves(host)) throw refusal(host);
    return Reflect.apply(connect, this, given);
  });
}

const isLocalName = (host: unknown) => host === "localhost" || (typeof host === "string" && isIP(host) !== 0);

function guardLookups(): void {
  const { lookup } = dns;
  const guarded = (host: unknown, ...rest: unknown[]) => {
    if (!isLocalName(host)) throw refusal(String(host));
    return Reflect.apply(lookup, dns, [host, ...rest]);
  };
  Reflect.set(dns, "lookup", Object.assign(guarded, { __promisify__: lookup.__promisify__ }));
  const { lookup: promised } = dns.promises;
  Reflect.set(dns.promises, "lookup", async (host: unknown, ...rest: unknown[]) => {
    if (!isLocalName(host)) throw refusal(String(host));
    return Reflect.apply(promised, dns.promises, [host, ...rest]);
  });
}

/** `resolve4`, `resolveTxt` and their like ask a name server, whatever the name. */
function guardResolvers(): void {
  for (const owner of [dns, dns.promises])
    for (const name of Object.keys(owner).filter((key) => /^(resolve|reverse)/.test(key)))
      Reflect.set(owner, name, (host: unknown) => {
        throw refusal(String(host));
      });
}

if (!Reflect.has(Socket.prototype, INSTALLED)) {
  Reflect.set(Socket.prototype, INSTALLED, true);
  guardConnections();
  guardLookups();
  guardResolvers();
  syncBuiltinESMExports();
}
