import { inspect } from "node:util";
import { expect, test } from "vitest";
import { configFrom, settings } from "./config.ts";

test("the state is in PostgreSQL or in no other server, and a wrong address is not repeated", () => {
  expect(configFrom({}).stateUrl).toBeUndefined();
  for (const url of [
    "postgres://presence:pw@db.example:5432/presence",
    "postgresql:///presence?host=/run/postgresql",
  ])
    expect(configFrom({ STATE_URL: url }).stateUrl?.reveal()).toBe(url);
  for (const bad of ["mysql://root:geheim@db/x", "db.example/x", "file:///state.db", "https://u:geheim@db"])
    expect(() => configFrom({ STATE_URL: bad })).toThrow(
      /^environment variable STATE_URL must be a postgres:\/\/ address$/,
    );
});

test("a timestamp authority needs an address that can be asked, and roots", () => {
  const url = "https://tsa.example/rfc3161";
  expect(configFrom({ TSA_URL: url, TSA_CA_FILE: "roots.pem" }).timestampAuthority).toEqual({
    url,
    caFile: "roots.pem",
  });
  expect(configFrom({ TSA_CA_FILE: "roots.pem", TSA_URL: "" }).timestampAuthority).toBeUndefined();
  expect(() => configFrom({ TSA_URL: url })).toThrow("TSA_CA_FILE must be set when TSA_URL is set");
  expect(() => configFrom({ TSA_URL: "https://me:secret@tsa.example", TSA_CA_FILE: "roots.pem" })).toThrow(
    /^environment variable TSA_URL must not contain a user name$/,
  );
  for (const bad of ["ftp://tsa.example", "tsa.example", "file:///etc/passwd"])
    expect(() => configFrom({ TSA_URL: bad, TSA_CA_FILE: "roots.pem" })).toThrow("TSA_URL");
});

test("email needs a server and a sender, and a key needs its name; passwords are not repeated", () => {
  const mail = { SMTP_URL: "smtps://me:geheim@mail.example:465", MAIL_FROM: "alerts@presence.example" };
  expect(configFrom({}).mail).toBeUndefined();
  expect(configFrom(mail).mail).toMatchObject({ from: mail.MAIL_FROM, dkim: undefined });
  expect(configFrom(mail).mail?.smtpUrl.reveal()).toBe(mail.SMTP_URL);
  const dkim = { DKIM_KEY_FILE: "dkim.pem", DKIM_SELECTOR: "s1" };
  expect(configFrom({ ...mail, ...dkim }).mail?.dkim).toEqual({ keyFile: "dkim.pem", selector: "s1" });
  for (const [wrong, variable] of [
    [{ SMTP_URL: mail.SMTP_URL }, "MAIL_FROM"],
    [{ ...mail, DKIM_SELECTOR: "s1" }, "DKIM_KEY_FILE and DKIM_SELECTOR"],
    [{ ...mail, DKIM_KEY_FILE: "dkim.pem" }, "DKIM_KEY_FILE and DKIM_SELECTOR"],
    [{ ...mail, ...dkim, DKIM_SELECTOR: "s1; d=evil" }, "DKIM_SELECTOR"],
    [{ ...mail, MAIL_FROM: "Us <alerts@presence.example>" }, "MAIL_FROM"],
    [{ ...mail, MAIL_FROM: "a@b.example\r\nBcc: c@d.example" }, "MAIL_FROM"],
    [{ ...mail, SMTP_URL: "https://me:geheim@mail.example" }, "SMTP_URL"],
  ] as const) {
    expect(() => configFrom(wrong)).toThrow(variable);
    expect(() => configFrom(wrong)).not.toThrow("geheim");
  }
});

test("webhooks go to port 443 of others unless the operator says more, in so many words", () => {
  expect(configFrom({}).webhookRules).toEqual({ allowLoopback: false, ports: [] });
  expect(configFrom({ WEBHOOK_PORTS: "8443,9000", WEBHOOKS_ALLOW_LOOPBACK: "true" }).webhookRules).toEqual({
    allowLoopback: true,
    ports: [8443, 9000],
  });
  expect(configFrom({}).delivery).toBe("server");
  expect(configFrom({ DELIVERY: "worker" }).delivery).toBe("worker");
  for (const wrong of [{ WEBHOOK_PORTS: "all" }, { WEBHOOKS_ALLOW_LOOPBACK: "1" }, { DELIVERY: "yes" }])
    expect(() => configFrom(wrong)).toThrow(Object.keys(wrong)[0]);
});

test("a contact for security is an address that RFC 9116 admits, on one line", () => {
  for (const good of ["mailto:security@presence.example", "https://presence.example/report?a=b#c"])
    expect(configFrom({ SECURITY_CONTACT: good }).securityContact).toBe(good);
  expect(configFrom({ SECURITY_CONTACT: "" }).securityContact).toBeUndefined();
  for (const bad of [
    "security@presence.example",
    "http://presence.example/report",
    "javascript:alert(1)",
    "mailto:a@b.example\nExpires: never",
    "https://presence.example/a b",
  ])
    expect(() => configFrom({ SECURITY_CONTACT: bad })).toThrow("SECURITY_CONTACT");
});

test("an operator's name is one line of text", () => {
  const nameOf = (text: string) => configFrom({ OPERATOR_NAME: text }).operatorName;
  expect(nameOf(" Café & Söhne <e.V.> ")).toBe("Café & Söhne <e.V.>");
  expect([nameOf(""), configFrom({}).operatorTexts]).toEqual([undefined, undefined]);
  for (const bad of ["   ", "a\nb", "a\u0000b", "x".repeat(201)])
    expect(() => nameOf(bad), JSON.stringify(bad)).toThrow("environment variable OPERATOR_NAME");
});

test("the service's name is short, on one line and without markup", () => {
  const nameOf = (text: string) => configFrom({ SITE_NAME: text }).siteName;
  expect(nameOf(' Tom & "Jo\'s" Straßen-Wacht ')).toBe('Tom & "Jo\'s" Straßen-Wacht');
  expect([nameOf(""), configFrom({}).siteName]).toEqual([undefined, undefined]);
  const hostile = ["   ", "a\nb", "a\u0000b", "<b>a", "a\u202eb", "a\u2028b", "`a`", "[a](b)", "{name}"];
  for (const bad of [...hostile, "x".repeat(61)])
    expect(() => nameOf(bad), JSON.stringify(bad)).toThrow("environment variable SITE_NAME");
});

test("internal addresses are IPs and blocks of both families", () => {
  const addresses = (text: string) => configFrom({ INTERNAL_ADDRESSES: text }).internalAddresses;
  expect(configFrom({}).internalAddresses).toEqual([]);
  expect(addresses("10.0.0.0/8, 192.0.2.7,2001:db8::/32")).toEqual([
    "10.0.0.0/8",
    "192.0.2.7",
    "2001:db8::/32",
  ]);
  for (const bad of ["10.0.0.0/33", "::1/129", "10.0.0/8", "host", "1.2.3.4/", "1.2.3.4/8/8", "1.2.3.4,,::1"])
    expect(() => addresses(bad), bad).toThrow(
      /^environment variable INTERNAL_ADDRESSES must be IP addresses/,
    );
});

test("online checks are off until they are asked for, and one search at most; the key is not repeated", () => {
  expect(configFrom({}).online).toEqual({ checksPerNight: 0, search: undefined, phones: false });
  const set = { ONLINE_CHECKS_PER_NIGHT: "200", SEARCH_API_KEY: "BSA-geheim", SEARCH_PHONES: "true" };
  const { search, ...rest } = configFrom(set).online;
  expect(rest).toEqual({ checksPerNight: 200, phones: true });
  expect(search?.kind === "brave" && search.key.reveal()).toBe("BSA-geheim");
  expect(configFrom({ SEARCH_FILE: "a.json" }).online.search).toEqual({ kind: "file", path: "a.json" });
  for (const wrong of [
    { ...set, SEARCH_FILE: "a.json" },
    { SEARCH_API_KEY: "geheim key" },
    { ONLINE_CHECKS_PER_NIGHT: "-1" },
  ]) {
    expect(() => configFrom(wrong)).toThrow(/SEARCH|ONLINE/);
    expect(() => configFrom(wrong)).not.toThrow("geheim");
  }
});

test("a number is whole and within its range, and the message says what was given", () => {
  expect(configFrom({ PORT: "0", RELEASES_KEPT: "365" })).toMatchObject({ port: 0, releasesKept: 365 });
  for (const text of ["65536", "-1", "1.5", "http"])
    expect(() => configFrom({ PORT: text })).toThrow(
      `environment variable PORT must be a whole number from 0 to 65535 (got ${text})`,
    );
  expect(() => configFrom({ DELIVERY: "both" })).toThrow(
    "DELIVERY must be one of server, worker, off (got both)",
  );
});

test("server and metrics need ports of their own", () => {
  expect(() => configFrom({ PORT: "9000", METRICS_PORT: "9000" })).toThrow(
    "METRICS_PORT and PORT are both 9000",
  );
  expect(configFrom({ PORT: "0", METRICS_PORT: "0" }).metrics).toEqual({ host: "127.0.0.1", port: 0 });
});

test("a whole configuration shows no secret", () => {
  const config = configFrom({
    STATE_URL: "postgres://presence:geheim@db/presence",
    REDIS_URL: "redis://:geheim@cache",
    SMTP_URL: "smtp://me:geheim@mail.example",
    MAIL_FROM: "alerts@presence.example",
    SEARCH_API_KEY: "BSA-geheim",
  });
  expect(JSON.stringify(config) + inspect(config, { depth: null })).not.toContain("geheim");
  expect(JSON.stringify(config).match(/\[secret\]/g)).toHaveLength(4);
});

test("every setting is described once, and secrets are marked", () => {
  const all = settings();
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  expect(all.filter(({ meaning }) => meaning === "")).toEqual([]);
  const known = ["REDIS_URL", "STATE_URL", "SMTP_URL", "SEARCH_API_KEY"];
  const secrets = all.filter(({ meaning }) => meaning.includes("secret, never logged"));
  expect(secrets.map(({ name }) => name)).toEqual(known);
  expect(all.find(({ name }) => name === "PORT")?.fallback).toBe("4321");
});
