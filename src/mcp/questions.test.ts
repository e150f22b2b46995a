import { afterAll, describe, expect, test } from "vitest";
import { questionTown } from "../../tests/support/mcp/question-town.ts";
import { NEVER, QUESTIONS, type Question } from "../../tests/support/mcp/questions.ts";
import { sentencesOf, textsIn } from "../../tests/support/mcp/tool-sentences.ts";
import { silentLog } from "../kernel/log.ts";
import { finishedCalls } from "./call-notes.ts";
import { callTool } from "./call-tool.ts";

/** Fixed questions: what the tools say, and what a reader must and must not conclude from it. */

const { town, context } = questionTown();
afterAll(() => town[Symbol.dispose]());
const parts = {
  context: () => context,
  log: silentLog,
  newFailureId: () => "failed",
  finished: finishedCalls(),
};

/** The structure of an answer, or the text of a refusal. */
function answerTo({ tool, args }: Question): unknown {
  const { isError, content, structuredContent } = callTool(parts, tool, args, () => undefined);
  return isError === true ? Object(content[0]).text : structuredContent;
}

const asText = (answer: unknown) => (typeof answer === "string" ? answer : JSON.stringify(answer));

/** The words of an answer that are not what was asked: a name may say anything. */
function ownWords(answer: unknown, { args }: Question): string {
  const asked = Object.values(args).flat().map(String);
  return [...sentencesOf(new Set(textsIn(answer)), asked)].join("\n");
}

describe.each(QUESTIONS)("$ask ($tool)", (question) => {
  const answer = answerTo(question);
  const text = asText(answer);

  test("says what a reader must conclude", () => {
    for (const [conclusion, words] of Object.entries(question.conclude))
      if (typeof words === "string") expect(text, conclusion).toContain(words);
      else expect(text, conclusion).toMatch(words);
    if (typeof answer === "object") expect(answer).toMatchObject({ coverage_context: { note: /./ } });
  });

  test("says nothing that a reader must not conclude", () => {
    for (const [conclusion, words] of Object.entries(question.not))
      expect(text, conclusion).not.toMatch(words);
    for (const [conclusion, [words]] of Object.entries(NEVER))
      expect(ownWords(answer, question), conclusion).not.toMatch(words);
  });
});

test.each(Object.entries(NEVER))("%s would be noticed", (_conclusion, [words, example]) => {
  expect(example).toMatch(words);
});

test("the questions are asked once each, and their answers are as recorded", async () => {
  expect(new Set(QUESTIONS.map(({ tool, args }) => `${tool} ${JSON.stringify(args)}`)).size).toBe(
    QUESTIONS.length,
  );
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(60);
  const recorded = QUESTIONS.map((question) => {
    const said = [...new Set(textsIn(answerTo(question)))];
    return [question.ask, `${question.tool} ${JSON.stringify(question.args)}`, ...said.map(plain)].join(
      "\n  ",
    );
  });
  await expect(`${recorded.join("\n\n")}\n`).toMatchFileSnapshot("__snapshots__/questions.txt");
});

/** Without what any new row of the ledger changes. */
function plain(said: string): string {
  return said.replace(/ledger row \d+, signed tree of \d+ rows\. \S+|signed tree of \d+ rows\. \S+/, "…");
}
