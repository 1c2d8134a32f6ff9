// The reason in an error body, wherever a server puts it.
import { expect, test } from "vitest";
import { parseErrorBody } from "./error-body.ts";
import { findErrorInAnswer } from "./upstream-error.ts";

const words = "Because reasons";
const quoted = (value: unknown): string => JSON.stringify(value);

test.each<[string, unknown]>([
  ["OpenAI", { error: { message: words } }],
  ["Google's list", [{ error: { code: 400, message: words } }]],
  ["Cloudflare", { errors: [{ code: 7, message: words }], success: false }],
  ["an object of errors", { errors: { message: words } }],
  ["a list of texts", { errors: [words] }],
  ["FastAPI", { detail: [{ loc: ["body"], msg: words }] }],
  ["Mistral", { object: "error", message: { detail: [{ msg: words }] } }],
  ["a fault", { fault: { faultstring: words } }],
  ["a cause", { error: { cause: { message: words } } }],
  ["a detail of the error", { error: { detail: words } }],
  ["details of the error", { error: { details: words } }],
  ["a shorter name", { err: { msg: words } }],
  ["a response", { response: { error: { message: words } } }],
  ["another spelling", { errorMessage: words }],
  ["MiniMax", { base_resp: { status_code: 2013, status_msg: words } }],
  ["a gateway that quotes", { error: { message: quoted({ error: { message: words } }) } }],
  ["members that are wrong", { errors: { "input.x": [words] } }],
  ["Tencent", { Response: { Error: { Code: "Bad", Message: words } } }],
  ["data", { data: { error: { message: words } } }],
  ["Nest and Fastify", { statusCode: 400, error: "Bad Request", message: words }],
  ["OAuth", { error: "invalid_request", error_description: words }],
  [
    "a gateway that quotes a gateway that quotes",
    { error: { message: quoted({ error: { message: quoted({ error: { message: words } }) } }) } },
  ],
  ["a gateway that quotes a list", { error: { message: quoted([{ error: { message: words } }]) } }],
])("of %s is read", (_, body) => {
  expect(parseErrorBody(Buffer.from(quoted(body))).message).toBe(words);
});

test.each([
  [
    "<html><head><title>413 Request Entity\n Too Large</title></head></html>",
    "the answer was a page: 413 Request Entity Too Large",
  ],
  ["<html><body>no</body></html>", "the answer was not JSON"],
  ["<title></title>", "the answer was not JSON"],
  ["", "the answer was not JSON"],
  [words, words],
])("of the page %j it is the title", (page, message) => {
  expect(parseErrorBody(Buffer.from(page))).toMatchObject({ message, isJson: false });
});

test("the place that FastAPI names is the member that is refused", () => {
  const detail = [{ loc: ["body", "seed"], msg: "Extra inputs are not permitted" }];
  expect(parseErrorBody(Buffer.from(quoted({ detail })))).toMatchObject({ param: "seed" });
});

test("a key that two gateways quote as unknown is a matter of the operator", () => {
  const refused = { error: { message: words, code: "invalid_api_key" } };
  const body = { error: { message: quoted({ error: { message: quoted(refused) } }) } };
  expect(parseErrorBody(Buffer.from(quoted(body)))).toMatchObject({ code: "invalid_api_key" });
});

test("a body without words, however deep, gives none", () => {
  let deep: unknown = words;
  for (let depth = 0; depth < 50; depth += 1) deep = { error: deep };
  for (const body of [
    {},
    { error: {} },
    { error: { message: 7 } },
    deep,
    { errors: [[[[[[words]]]]]] },
  ])
    expect(parseErrorBody(Buffer.from(quoted(body))).message).toBe("no reason given");
});

test.each([
  [2013, 400],
  [1002, 429],
  [1008, 503],
  [1004, 502],
])("MiniMax's %i inside of a good status is a %i for the client", (status_code, status) => {
  const body = { choices: null, base_resp: { status_code, status_msg: words } };
  expect(findErrorInAnswer(Buffer.from(quoted(body)))?.refusal.status).toBe(status);
});
