// What programs get in each dialect where wallet, key or budget do not cover a call: agents must
// stop, and show our words.
import { expect, test } from "vitest";
import { buildFundsRefusal } from "../admission/funds-refusals.ts";
import { noRetryHeaders, type RelayRefusal } from "../wire/relay-refusal.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import { chatCompletions } from "./chat-completions.ts";
import { geminiErrors } from "./gemini-errors.ts";
import { openAiErrors } from "./openai-errors.ts";
import { responses } from "./responses.ts";

const codex = { "user-agent": "codex_exec/0.171.0 (Debian)" };
const dialects = [
  ["chat completions", chatCompletions.errorFormat, {}, 403, "insufficient_quota"],
  ["other formats of OpenAI", openAiErrors, {}, 403, "insufficient_quota"],
  [
    "Responses",
    responses.errorFormat,
    { "user-agent": "OpenAI/Python 3.57" },
    403,
    "insufficient_quota",
  ],
  ["Responses for Codex", responses.errorFormat, codex, 400, "insufficient_quota"],
  ["Messages", anthropicMessages.errorFormat, {}, 429, "billing_error"],
  ["Gemini", geminiErrors, {}, 403, "PERMISSION_DENIED"],
] as const;
// 504 and 500 units: their dollars look like a status.
const funds = { available: 250, debt: 252, tokenAvailable: 250_000_000 };
const refusals: [string, RelayRefusal][] = [
  ...(["wallet_in_debt", "insufficient_user_quota", "pre_consume_token_quota_failed"] as const).map(
    (name): [string, RelayRefusal] => [
      name,
      buildFundsRefusal(name, 252_000, funds, { team: undefined }).refusal,
    ],
  ),
  [
    "budget_exceeded",
    {
      status: 403,
      type: "tollgate_error",
      code: "budget_exceeded",
      message: "Budget",
      isOfMoney: true,
    },
  ],
];
/** `transient` is what OpenCode, Kilo and pi search the words for before they send a call again. */
const transient =
  /429|50[0234]|524|rate.?limit|server error|timed? ?out|try again|resource exhausted|overloaded|credit balance is too low/i;

test.each(
  dialects.flatMap((dialect) => refusals.map((refusal) => [...dialect, ...refusal] as const)),
)(
  "%s: status and type on which agents stop, and words that they show (%6$s)",
  (_dialect, format, headers, status, type, _name, refusal) => {
    const body: { error: { message: string; type?: string; status?: string } } = JSON.parse(
      format.errorBody({ ...refusal, status }, "123456789012345504"),
    );
    expect(format.statusOf?.(refusal, headers) ?? refusal.status).toBe(status);
    const { error } = body;
    expect(error.status ?? error.type).toBe(
      refusal.code === "budget_exceeded" && type === "insufficient_quota" ? "tollgate_error" : type,
    );
    expect(error.message).not.toMatch(transient);
    expect(error.message).toBe(refusal.message);
  },
);

test("a refusal names what the call needs and what is left, and no library repeats it", () => {
  const [inDebt, ofWallet, ofKey] = refusals.map(([, refusal]) => refusal);
  expect(inDebt?.message).toContain("It owes $0.000506");
  expect(ofWallet?.message).toBe(
    "The balance does not cover this call: it needs $0.505, and $0.0005 is left",
  );
  expect(ofKey?.message).toContain("it needs $0.505, and $499.999998 is left");
  for (const refusal of [inDebt, ofWallet, ofKey]) expect(refusal?.headers).toBe(noRetryHeaders);
});
