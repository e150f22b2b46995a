import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { webhookSecret } from "./webhook-secret.ts";

const MASTER = Buffer.alloc(32, 7);

test("is HKDF-SHA256 by the book (RFC 5869), in the form of Standard Webhooks", () => {
  const extracted = createHmac("sha256", "wh_1").update(MASTER).digest();
  const expanded = createHmac("sha256", extracted).update("webhook-signing/v3\x01").digest("base64");
  expect(webhookSecret(MASTER, "wh_1", 3)).toBe(`whsec_${expanded}`);
});

test("differs by master key, webhook and rotation", () => {
  const all = [
    webhookSecret(MASTER, "wh_1", 1),
    webhookSecret(MASTER, "wh_1", 2),
    webhookSecret(MASTER, "wh_2", 1),
    webhookSecret(Buffer.alloc(32, 8), "wh_1", 1),
  ];
  expect(new Set(all).size).toBe(4);
});
