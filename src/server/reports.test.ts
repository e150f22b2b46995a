/** Reports of problems over HTTP, with a state of their own on SQLite. */

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { ServedSite } from "../../tests/support/servers/served-site.ts";
import { REPORT_TRAP, ReportReceipt, ReportView } from "../contract/accounts/reports.ts";
import { ReportOutcome } from "../contract/enums.ts";
import { REPORT_TEXT, REPORTS_PER_HOUR } from "../contract/limits.ts";
import type { Report } from "../state/reports.ts";

const served = new ServedSite();
const { lines } = served;
const TEXT = "The sign says something else.";
const call = served.call.bind(served);
const form = served.form.bind(served);
const send = (body: unknown, headers = {}) => served.post("/api/v1/reports", body, headers);

async function sent(body: object): Promise<ReportReceipt> {
  const answer = await send(body);
  expect(answer.status).toBe(202);
  return ReportReceipt.parse(await answer.json());
}

async function stored(id: string): Promise<Report> {
  const report = await served.state.reports.get(id);
  if (report === undefined) throw new Error(`no report ${id}`);
  return report;
}

async function errorOf(answer: Response): Promise<readonly [number, string]> {
  return [answer.status, z.looseObject({ error: z.string() }).parse(await answer.json()).error];
}

const problem = (changes: object = {}) => ({ kind: "wrong_name", text: TEXT, ...changes });

describe("sending a report", () => {
  test("it is kept with what it is about, and nothing more is claimed", async () => {
    const email = "reporter@mail.example.org";
    const { report, next } = await sent(problem({ about: "demo_alpha", email }));
    expect(report).toMatchObject({ kind: "wrong_name", about: "demo_alpha", status: "open" });
    expect(next).toContain("until then, nothing changes");
    expect(next).toContain(`https://example.org/report/status/?report=${report.report_id}`);
    expect(next).toContain(
      "When the operator decides, this demonstration writes one email with the decision",
    );
    expect(next).not.toContain(email);
    expect(await stored(report.report_id)).toMatchObject({
      about: "demo_alpha",
      record: "demo_alpha",
      text: TEXT,
      email,
    });
    expect((await sent(problem({ about: "demo_alpha", email }))).report).toEqual(report);
  });

  test.for([
    ["a record", "demo_alpha", "demo_alpha", "demo_alpha"],
    ["an asset", "as_4", "as_4", "demo_alpha"],
    ["a ledger row", "4", "4", null],
    [
      "the address of a record's page",
      " https://example.org/record/demo_bravo/ ",
      "demo_bravo",
      "demo_bravo",
    ],
    ["nothing that is listed", "", null, null],
    ["nothing at all", undefined, null, null],
  ])("about %s", async ([, given, about, record]) => {
    const { report } = await sent(problem({ about: given, text: `About ${given}: it is wrong.` }));
    expect(await stored(report.report_id)).toMatchObject({ about, record });
  });

  test.for([
    "demo_nobody",
    "as_999",
    "99999",
    "0",
    "-1",
    "4.0",
    "4711e9",
    "../../etc/passwd",
    "' OR 1=1 --",
    "demo_alpha\nBcc: x",
    "https://elsewhere.example/record/",
    "１２",
  ])("404 for %j, which is nowhere published", async (about) => {
    const [status, error] = await errorOf(await send(problem({ about })));
    const fault = about === "99999" ? /^this ledger row is not published$/ : /^no such /;
    expect([status, error]).toEqual([404, expect.stringMatching(fault)]);
  });

  test.for([
    [{ kind: "rude" }, /^kind must be one of wrong_name, /],
    [{ kind: undefined }, /^kind must be one of/],
    [{ text: undefined }, /^text is required/],
    [{ text: 5 }, /^text must be a string/],
    [{ text: "   short    " }, /^text must be at least 10 characters/],
    [{ text: "x".repeat(REPORT_TEXT.max + 1) }, /^text must be at most 2000 characters/],
    [{ text: "…………………………" }, /^text must contain words/],
    [{ text: "\u200b".repeat(20) }, /^text must contain words/],
    [{ about: ["demo_alpha"] }, /^about must be a string/],
    [{ about: "x".repeat(201) }, /^about must be at most 200 characters/],
    [{ email: "a@mail.test\r\nBcc: b@mail.test" }, /^email must be a single email address/],
    [{ email: "a@mail.test, b@mail.test" }, /^email must be a single email address/],
    [{ email: "" }, /^email must be a single email address/],
    [{ [REPORT_TRAP]: "x" }, /^unknown field: topic/],
    [{ status: "resolved" }, /^unknown field: status/],
  ] as const)("400 for %j", async ([changes, error]) => {
    expect(await errorOf(await send(problem(changes)))).toEqual([400, expect.stringMatching(error)]);
  });

  test("413 for what is too large, 415 for what is not JSON, 400 for what is broken", async () => {
    expect((await send(problem({ text: "x".repeat(1_000_000) }))).status).toBe(413);
    expect((await send(problem(), { "Content-Type": "text/plain" })).status).toBe(415);
    for (const body of ["{", "[]", "null", '"x"', '{"__proto__":{}}'])
      expect((await send(body)).status).toBe(400);
  });

  test("any text comes to the desk as it was written, and to nobody else", async () => {
    const text = "<script>alert(1)</script>\r\n\u202egnp.exe \u0007 'x'; DROP TABLE reports; --";
    const { report } = await sent(problem({ text }));
    expect((await stored(report.report_id)).text).toBe(text.replace("\r\n", "\n"));
    const shown = await (await call(`/api/v1/reports/${report.report_id}`)).text();
    expect(shown).not.toContain("script");
  });

  test("a wish to be taken out leads to the way that there is", async () => {
    const { next } = await sent(problem({ kind: "privacy", text: "Please take this out." }));
    expect(next).toContain("removed or a row erased: https://example.org/owners/");
    expect(next).not.toContain("one email");
  });

  test("so many an hour from one address; what is malformed costs nothing", async () => {
    const headers = { "X-Forwarded-For": "192.0.2.77" };
    for (let at = 0; at < REPORTS_PER_HOUR; at += 1) {
      expect((await send({}, headers)).status).toBe(400);
      expect((await send(problem({ text: `Report number ${at} of many.` }), headers)).status).toBe(202);
    }
    const refused = await send(problem({ text: "One report too many." }), headers);
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
    expect(await errorOf(refused)).toEqual([
      429,
      "too many reports from your network address: try again later",
    ]);
    const posted = await form("/report/", { kind: "other", text: "And one by the form." }, headers);
    expect(posted.status).toBe(429);
  });
});

describe("looking at a report", () => {
  test("open at first, and then what came of it, without text, note or address", async () => {
    const { report } = await sent(problem({ email: "looker@mail.example.org", text: "Look at this one." }));
    const look = async () => {
      const text = await (await call(`/api/v1/reports/${report.report_id}`)).text();
      expect(text).not.toMatch(/looker|Look at this|Private note|review-desk/);
      return ReportView.parse(JSON.parse(text)).report;
    };
    expect(await look()).toMatchObject({
      status: "open",
      outcome: null,
      resolved_at: null,
      ledger_row: null,
    });
    for (const [at, outcome] of ReportOutcome.options.entries()) {
      const decision = {
        outcome,
        ledgerRow: at === 0 ? 4 : null,
        resolvedBy: "review-desk",
        note: "Private note.",
      };
      await served.state.reports.resolve(report.report_id, decision, at > 0);
      expect(await look()).toMatchObject({ status: "resolved", outcome, ledger_row: decision.ledgerRow });
    }
  });

  test.for(["rep_0000000000000000", "x", "..%2f..", "rep_'--", "x".repeat(5000)])(
    "404 for %j",
    async (id) => {
      expect((await call(`/api/v1/reports/${id}`)).status).toBe(404);
    },
  );

  test("400 for an argument, 405 for another method", async () => {
    expect((await call("/api/v1/reports/rep_1?token=x")).status).toBe(400);
    expect((await call("/api/v1/reports")).headers.get("Allow")).toBe("POST, OPTIONS");
    expect((await call("/api/v1/reports/rep_1", { method: "DELETE" })).status).toBe(405);
  });
});

describe("the forms", () => {
  const fields = {
    about: "demo_charlie",
    kind: "not_there",
    text: "It is gone.\r\nI looked.",
    email: "",
    [REPORT_TRAP]: "",
  };

  test("lead to a page with the id, and from the id to what came of it", async () => {
    const answer = await form("/report/", fields);
    expect(answer.status).toBe(303);
    const id =
      /^\/report\/received\/\?report=(rep_\w{16})$/.exec(answer.headers.get("Location") ?? "")?.[1] ?? "";
    expect(await stored(id)).toMatchObject({
      about: "demo_charlie",
      text: "It is gone.\nI looked.",
      email: null,
    });
    const pageOf = async (report: string) =>
      (await form("/report/status/", { report })).headers.get("Location");
    expect(await pageOf(id)).toBe("/report/open/");
    await served.state.reports.resolve(
      id,
      { outcome: "not_upheld", ledgerRow: null, resolvedBy: "desk", note: null },
      false,
    );
    expect(await pageOf(` ${id} `)).toBe("/report/not-upheld/");
    expect(await pageOf("rep_0000000000000000")).toBe("/report/unknown/");
    for (const nothing of ["", "\0", `${id}\0`, "' OR 1=1 --"])
      expect(await pageOf(nothing)).toBe("/report/unknown/");
  });

  test("answer programs with JSON", async () => {
    const headers = { Accept: "application/json" };
    const answer = await form("/report/", fields, headers);
    expect(answer.status).toBe(202);
    const { report } = ReportReceipt.parse(await answer.json());
    const view = await form("/report/status/", { report: report.report_id }, headers);
    expect(ReportView.parse(await view.json()).report.report_id).toBe(report.report_id);
  });

  test("say in words what is wrong, and keep nothing", async () => {
    const before = (await served.state.reports.all()).length;
    const refusals = [
      [await form("/report/", { ...fields, text: "" }), 400, "The description is required"],
      [await form("/report/", { ...fields, about: "pr_none" }), 404, "No such Presence Record"],
      [await form("/report/", { ...fields, [REPORT_TRAP]: "buy" }), 400, "must stay empty"],
      [await form("/report/", fields, { "Sec-Fetch-Site": "cross-site" }), 403, "from another site"],
      [await form("/report/", fields, { Origin: "https://elsewhere.example" }), 403, "from another site"],
      [await form("/report/", { ...fields, text: "x".repeat(1_000_000) }), 413, "must be at most"],
      [
        await call("/report/", { method: "POST", body: "x", headers: { "Content-Type": "text/plain" } }),
        415,
        "Content-Type",
      ],
    ] as const;
    for (const [answer, status, words] of refusals) {
      expect(answer.status, words).toBe(status);
      expect(await answer.text()).toContain(words);
    }
    expect(await served.state.reports.all()).toHaveLength(before);
  });
});

test("no text, address or id of a report is in the log", () => {
  expect(lines.join("\n")).not.toMatch(/rep_|mail\.example|sign says/);
});
