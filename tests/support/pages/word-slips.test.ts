import { expect, test } from "vitest";
import { wordSlips } from "./word-slips.ts";

test.each([
  ["<p>Seen on 1 days.</p>", "one thing as many: Seen on 1 days."],
  ["<p>Seen on 2026-10-29.</p>", "date as data: Seen on 2026-10-29."],
  ["<li>digital_gap_detected</li>", "code in words: digital_gap_detected"],
  ['<td class="number"> – </td>', "dash for a missing value"],
])("%s is a slip", (html, slip) => {
  expect(wordSlips(html)).toEqual([slip]);
});

test.each([
  "<p>Seen on 1 day, 21 days later and 0.1 days before.</p>",
  '<p><time datetime="2026-10-29">29 Oct 2026</time></p>',
  "<p><code>digital_gap_detected</code> since <code>2026-10-29</code></p>",
  "<td>12 – 14</td>",
])("%s is none", (html) => {
  expect(wordSlips(html)).toEqual([]);
});
