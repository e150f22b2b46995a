import { Console } from "node:console";
import { PassThrough } from "node:stream";
import { format, inspect } from "node:util";
import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { expect, test } from "vitest";
import { z } from "zod";
import { Secret } from "./secret.ts";

const VALUE = "hunter2";
const secret = new Secret(VALUE);
const config = { database: secret, nested: [{ secret }] };

test("only reveal gives the value", () => {
  expect(secret.reveal()).toBe(VALUE);
  expect(Object.keys(secret)).toEqual([]);
});

test.each<[string, () => unknown]>([
  ["JSON", () => JSON.stringify({ secret })],
  ["nested JSON", () => JSON.stringify(config, null, 2)],
  ["an interpolation", () => `${secret}`],
  ["a concatenation", () => ["", secret].join("url ")],
  ["String", () => String(secret)],
  ["inspect", () => inspect(config, { depth: null, showHidden: true, getters: true })],
  ["inspect without custom functions", () => inspect(secret, { customInspect: false, showHidden: true })],
  ["format", () => format("%s %o %O %j", secret, secret, secret, secret)],
  ["an error's message", () => inspect(new Error(`cannot open ${secret}`, { cause: config }))],
  ["a schema's error", () => z.string().safeParse(secret).error?.message],
  ["a console", () => printed(config)],
  ["entries", () => JSON.stringify(Object.entries(secret))],
  ["a copy", () => JSON.stringify({ ...secret })],
])("%s does not show it", (_, show) => {
  expect(String(show())).not.toContain(VALUE);
});

test("texts show that there is a secret", () => {
  expect([`${secret}`, JSON.stringify(secret), inspect(secret)]).toEqual([
    "[secret]",
    '"[secret]"',
    "[secret]",
  ]);
  expect(printed(secret)).toBe("[secret]\n");
});

test("another thread does not get it", () => {
  expect(structuredClone(secret)).toEqual({});
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(config);
  const received = receiveMessageOnPort(port2);
  expect(inspect(received, { depth: null, showHidden: true })).not.toContain(VALUE);
  port1.close();
});

function printed(value: unknown): string {
  const stream = new PassThrough();
  const output = new Console(stream);
  output.log(value);
  output.dir(value);
  return String(stream.read()).split("\n").slice(0, 1).join("").concat("\n");
}
