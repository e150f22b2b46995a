import fc from "fast-check";
import { expect, test } from "vitest";
import { systemRandom } from "../../kernel/ids.ts";
import { isPartnerKey, isSameHash, keyHash, keyPrefix, newPartnerKey } from "./partner-key.ts";

const ALPHABET = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
const key = fc
  .infiniteStream(fc.integer({ min: 0, max: 255 }))
  .map((bytes) => newPartnerKey((size) => Buffer.from([...bytes.take(size)])));

test("a key is ppes_live_, 30 digits and a checksum of 6, and is known as one", () => {
  fc.assert(
    fc.property(key, (one) => {
      expect(one).toMatch(/^ppes_live_[0-9A-Za-z]{36}$/);
      expect(isPartnerKey(one)).toBe(true);
      expect(keyPrefix(one)).toBe(one.slice(0, 12));
    }),
  );
});

test("any single character that is changed is found out", () => {
  const change = fc.tuple(key, fc.nat({ max: 45 }), fc.constantFrom(...ALPHABET, "_", " ", "é"));
  fc.assert(
    fc.property(change, ([one, at, character]) => {
      const changed = one.slice(0, at) + character + one.slice(at + 1);
      expect(isPartnerKey(changed)).toBe(changed === one);
    }),
    { numRuns: 2000 },
  );
});

test("neighbours that changed places, more, less and other alphabets are no keys", () => {
  const one = newPartnerKey(systemRandom);
  const at = [...one].findIndex((character, index) => index > 10 && character !== one[index + 1]);
  const swapped = one.slice(0, at) + one[at + 1] + one[at] + one.slice(at + 2);
  for (const bad of [
    swapped,
    `${one}0`,
    one.slice(0, -1),
    ` ${one}`,
    `${one}\n`,
    one.toUpperCase(),
    "",
    "ppes_live_",
  ])
    expect(isPartnerKey(bad)).toBe(false);
});

test("the checksum is the one that others compute: CRC-32 of the 30 digits, base 62, six digits", () => {
  expect(isPartnerKey(`ppes_live_${"0".repeat(30)}${crc("0".repeat(30))}`)).toBe(true);
});

test("every digit is as likely as any other", () => {
  const counts = new Map(ALPHABET.map((digit) => [digit, 0]));
  for (let made = 0; made < 4000; made += 1)
    for (const digit of newPartnerKey(systemRandom).slice(10, 40))
      counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const expected = (4000 * 30) / 62;
  for (const [digit, count] of counts)
    expect(Math.abs(count - expected), digit).toBeLessThan(6 * Math.sqrt(expected));
});

test("hashes are compared whole", () => {
  const hash = keyHash("a");
  expect(isSameHash(hash, keyHash("a"))).toBe(true);
  expect(isSameHash(hash, keyHash("b"))).toBe(false);
  expect(isSameHash(hash, hash.slice(2))).toBe(false);
  expect(isSameHash(hash, "")).toBe(false);
});

/** Bit by bit, after the definition (ISO 3309). */
function crc(text: string): string {
  let register = 0xffffffffn;
  for (const byte of Buffer.from(text)) {
    register ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit += 1)
      register = register & 1n ? (register >> 1n) ^ 0xedb88320n : register >> 1n;
  }
  let rest = register ^ 0xffffffffn;
  let digits = "";
  for (let at = 0; at < 6; at += 1) {
    digits = ALPHABET[Number(rest % 62n)] + digits;
    rest /= 62n;
  }
  return digits;
}
