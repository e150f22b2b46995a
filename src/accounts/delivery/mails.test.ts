import fc from "fast-check";
import { expect, test } from "vitest";
import { escapeHtml } from "../../kernel/text/markup.ts";
import { digestMail, oneLine } from "./mails.ts";
import type { DigestMail } from "./messages.ts";

const LINKS = { manage: "sub_1.m", unsubscribe: "sub_1.u" };
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string(),
  fc.constantFrom(
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\r\nBcc: victim@mail.test\r\n\r\n",
    "' onmouseover='x",
    "</title></p>",
    "\u202egnp.exe\u2066",
    "&lt;b&gt;",
  ),
);

function digest(name: string): DigestMail {
  const event = {
    id: "e1",
    type: "new_public_record" as const,
    headline: name,
    summary: name,
    detected_at: "2026-05-01T00:00:00Z",
    entity_public_id: "pr_1",
  };
  return { message: "digest", scope: name, city: "alpha", total: 1, events: [event], unlisted: {} };
}

test("escaped text has no mark of HTML, and says what it said", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const escaped = escapeHtml(text);
      expect(escaped).not.toMatch(/[<>"']/);
      expect(escaped).not.toMatch(/&(?!(amp|lt|gt|quot|#39);)/);
      const back = escaped
        .replaceAll("&lt;", "<")
        .replaceAll("&gt;", ">")
        .replaceAll("&quot;", '"')
        .replaceAll("&#39;", "'")
        .replaceAll("&amp;", "&");
      expect(back).toBe(text);
    }),
  );
});

const FROM = { baseUrl: "https://presence.test", service: 'Tom & "Jo" Watch' };

test("one line is one line", () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(oneLine(text)).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u);
      expect(oneLine(text).isWellFormed()).toBe(true);
    }),
  );
});

test("no name can add an element, an attribute or a line to a mail", () => {
  const shape = (html: string) => html.replace(/>[^<>]*</g, "><").replace(/\s+/g, " ");
  const plain = shape(digestMail(FROM, digest("x"), LINKS).html);
  const lines = digestMail(FROM, digest("x"), LINKS).text.split("\n").length;
  fc.assert(
    fc.property(hostile, (name) => {
      const mail = digestMail(FROM, digest(name), LINKS);
      expect(shape(mail.html)).toBe(plain);
      expect(mail.text.split("\n")).toHaveLength(lines);
      expect(mail.subject).not.toMatch(/[\r\n]/);
    }),
  );
});

test("a digest says what it must, in both forms", () => {
  const { subject, text, html } = digestMail(FROM, { ...digest("Café seen"), total: 30 }, LINKS);
  expect(subject).toBe("30 changes: Café seen");
  for (const body of [text, html])
    for (const part of [
      "Café seen",
      "1 May 2026. Café seen",
      "https://presence.test/record/pr_1/",
      "It shows nothing more.",
      "never proves absence, closure or inactivity",
      "https://presence.test/alerts/manage/?token=sub_1.m",
      "https://presence.test/alerts/unsubscribe/?token=sub_1.u",
      "And 29 more",
    ])
      expect(body).toContain(part);
});
